package mcp_test

import (
	"context"
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/mcp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// TestMeta: what Options.Meta gives for a step's context goes with the call, and
// the arguments are what they were.
func TestMeta(t *testing.T) {
	type in struct {
		Item string `json:"item"`
	}
	var got *sdk.CallToolParamsRaw
	srv := sdk.NewServer(&sdk.Implementation{Name: "shop", Version: "1"}, nil)
	sdk.AddTool(srv, &sdk.Tool{Name: "stock", Description: "How many."}, func(_ context.Context, r *sdk.CallToolRequest, _ in) (*sdk.CallToolResult, any, error) {
		got = r.Params
		return nil, nil, nil
	})
	ours, theirs := sdk.NewInMemoryTransports()
	if _, err := srv.Connect(t.Context(), theirs, nil); err != nil {
		t.Fatal(err)
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	s, err := mcp.Connected(session, &mcp.Options{Name: "shop", Meta: func(context.Context) map[string]any {
		return map[string]any{"traceparent": "00-1-2-01"}
	}})
	if err != nil {
		t.Fatal(err)
	}
	run(t, s, agent.Task{Instruction: "how many?"}, llm.ToolCall{ID: "1", Name: "shop_stock", Arguments: json.RawMessage(`{"item":"teapot"}`)})
	if got == nil || got.Meta["traceparent"] != "00-1-2-01" || string(got.Arguments) != `{"item":"teapot"}` {
		t.Errorf("the server got %+v", got)
	}
}
