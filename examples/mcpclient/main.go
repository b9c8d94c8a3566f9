// Command mcpclient uses the engine as another agent does: by the Model Context
// Protocol. Without arguments the server runs in this process, on a browser in
// memory; with arguments they are the command of a server.
//
//	go run ./examples/mcpclient
//	go run ./examples/mcpclient wayfinder mcp --driver memory
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/mcp"
)

// shop is a page that needs no network.
const shop = `data:text/html,<title>Shop</title><h1>Teapots</h1><label>Name <input></label><button>Buy</button>`

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, command []string) error {
	transport, stop, err := connect(ctx, command)
	if err != nil {
		return err
	}
	defer stop()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "example", Version: "v1"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		return err
	}
	defer session.Close()

	for _, call := range []*sdk.CallToolParams{
		{Name: "navigate", Arguments: map[string]any{"url": shop}},
		{Name: "snapshot"},
		{Name: "act", Arguments: map[string]any{"stored": map[string]any{"selector": "label=Name", "method": "fill", "arguments": []string{"Ada"}, "description": "the name"}}},
	} {
		result, err := session.CallTool(ctx, call)
		if err != nil {
			return err
		}
		for _, content := range result.Content {
			if text, ok := content.(*sdk.TextContent); ok {
				fmt.Printf("%s: %s\n", call.Name, text.Text)
			}
		}
		if result.IsError {
			return fmt.Errorf("the tool %s failed", call.Name)
		}
	}
	return nil
}

// connect starts the command, or a server in this process, and returns the way to it.
func connect(ctx context.Context, command []string) (transport sdk.Transport, stop func(), err error) {
	if len(command) > 0 {
		return &sdk.CommandTransport{Command: exec.CommandContext(ctx, command[0], command[1:]...)}, func() {}, nil
	}
	s, err := mcp.New(mcp.Options{Open: func(ctx context.Context) (*engine.Session, error) {
		return engine.Open(ctx, fake.Network(), nil)
	}})
	if err != nil {
		return nil, nil, err
	}
	here, there := sdk.NewInMemoryTransports()
	if _, err := s.MCP().Connect(ctx, there, nil); err != nil {
		return nil, nil, err
	}
	return here, func() { _ = s.Close() }, nil // the process ends next
}
