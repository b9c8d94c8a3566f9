package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfinder-engine/wayfinder/server/mcp"
)

// TestReplayScript: a script is done and proved, and one that does not fit is
// refused before anything that does not prove itself.
func TestReplayScript(t *testing.T) {
	s := &shop{}
	var mu sync.Mutex
	began, ended := []string{}, 0
	server := serve(t, s, func(o *mcp.Options) {
		o.Began = func(ctx context.Context, tool string, meta map[string]any) (context.Context, func(error)) {
			mu.Lock()
			defer mu.Unlock()
			from, _ := meta["traceparent"].(string)
			began = append(began, tool+" "+from)
			return ctx, func(error) { mu.Lock(); defer mu.Unlock(); ended++ }
		}
	})
	c := connect(t, transports["streams"](t, server), &user{}, "")
	steps := func(button string) map[string]any {
		return map[string]any{"wayfinder": "script", "version": 1, "start": "https://shop.test/", "variables": []any{"name"}, "steps": []any{
			map[string]any{"step": "1", "do": "fill", "target": map[string]any{"role": "textbox", "name": "Name", "tag": "input"}, "arguments": []any{"%name%"}, "expect": map[string]any{"effect": "value"}},
			map[string]any{"step": "2", "do": "click", "target": map[string]any{"role": "button", "name": button, "tag": "button"}, "expect": map[string]any{"effect": "navigation", "requests": []any{"POST /order"}, "texts": []any{"Order placed"}}},
		}}
	}
	if _, _, err := do(t, c, "replay", map[string]any{"script": steps("Buy now")}); err == nil || !strings.Contains(err.Error(), `"name"`) {
		t.Errorf("a script without its variable: %v", err)
	}
	if _, _, err := do(t, c, "replay", map[string]any{"script": map[string]any{"steps": 7}}); err == nil || !strings.Contains(err.Error(), "not a script") {
		t.Errorf("no script: %v", err)
	}
	text, data := must(t, c, "replay", map[string]any{"script": steps("Buy now"), "variables": map[string]any{"name": "Ada Lovelace"}})
	if data["proved"] != true || len(data["steps"].([]any)) != 2 || !strings.Contains(text, "2 steps") {
		t.Errorf("replay = %q, %v", text, data)
	}
	if raw, _ := json.Marshal(data); strings.Contains(string(raw), "Lovelace") {
		t.Errorf("the answer holds the value of a variable: %s", raw)
	}
	_, data, err := do(t, c, "replay", map[string]any{"script": steps("Order now"), "variables": map[string]any{"name": "Bob"}})
	if err == nil || !strings.Contains(err.Error(), "step 2: expected") || data["proved"] != false || len(data["steps"].([]any)) != 2 {
		t.Errorf("a script that does not fit: %v, %v", err, data)
	}
	if got := s.arrived(); len(got) != 1 || got[0] != "Ada Lovelace" {
		t.Errorf("the orders are %q, want one", got)
	}
	if _, data := must(t, c, "replay", nil); len(data["calls"].([]any)) < 3 {
		t.Errorf("what was done is %v", data)
	}
	if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Meta: sdk.Meta{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}, Name: "tabs"}); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if last := began[len(began)-1]; last != "tabs 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" || ended != len(began) {
		t.Errorf("the last call was told as %q, %d began and %d ended", last, len(began), ended)
	}
}
