package mcp_test

import (
	"context"
	"fmt"
	"log"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/mcp"
)

// The tools of an MCP server join an agent's own. This server runs in the same
// program; mcp.New(mcp.Command{…}) starts one, and mcp.New(mcp.HTTP{…}) connects.
func Example() {
	ctx := context.Background()
	type item struct {
		Name string `json:"name"`
	}
	stock := sdk.NewServer(&sdk.Implementation{Name: "stock", Version: "1"}, nil)
	sdk.AddTool(stock, &sdk.Tool{Name: "count", Description: "How many of an item are in stock."},
		func(_ context.Context, _ *sdk.CallToolRequest, in item) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "7 of " + in.Name}}}, nil, nil
		})
	ours, theirs := sdk.NewInMemoryTransports()
	if _, err := stock.Connect(ctx, theirs, nil); err != nil {
		log.Fatal(err)
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "shop", Version: "1"}, nil).Connect(ctx, ours, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	server, err := mcp.Connected(session, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	tools, err := server.Tools(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tools[0].Name, "-", tools[0].Description)

	_, err = agent.New(agent.Config{Integrations: []agent.Integration{server}})
	fmt.Println(err)
	// Output:
	// stock_count - How many of an item are in stock.
	// <nil>
}
