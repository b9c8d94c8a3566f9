package mcp_test

import (
	"context"
	"fmt"
	"log"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/mcp"
)

// A program that has a browser of its own kind to offer embeds the server. Here
// a client in the same process uses it.
func Example() {
	web := fake.Web{"https://shop.test/": `<title>Shop</title><h1>Teapots</h1><button>Buy</button>`}
	server, err := mcp.New(mcp.Options{Open: func(ctx context.Context) (*engine.Session, error) {
		return engine.Open(ctx, web, nil)
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()

	ctx := context.Background()
	here, there := sdk.NewInMemoryTransports()
	if _, err := server.MCP().Connect(ctx, there, nil); err != nil {
		log.Fatal(err)
	}
	client, err := sdk.NewClient(&sdk.Implementation{Name: "example"}, nil).Connect(ctx, here, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	for _, call := range []*sdk.CallToolParams{
		{Name: "navigate", Arguments: map[string]any{"url": "https://shop.test/"}},
		{Name: "act", Arguments: map[string]any{"stored": map[string]any{"selector": "button", "method": "click", "description": "buy"}}},
	} {
		result, err := client.CallTool(ctx, call)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.Content[0].(*sdk.TextContent).Text)
	}
	// Output:
	// https://shop.test/, "Shop" (200)
	// clicked button: no change was noticed
}
