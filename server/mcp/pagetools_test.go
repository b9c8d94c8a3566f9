package mcp_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/server/mcp"
)

// TestPageTools: what pages offer can be called where the operator says so, and
// otherwise not; the tools for it are not even listed.
func TestPageTools(t *testing.T) {
	sent := ""
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "text/html")
		if r.URL.Path == "/order" {
			sent += r.FormValue("name") + " "
		}
		io.WriteString(w, `<form action="/order" method="post" toolname="order" tooldescription="Orders a teapot" toolautosubmit><input name="name" required></form>
			<form action="/order" method="post" toolname="note" tooldescription="Writes a note"><input name="name"></form>`)
	})
	for _, allowed := range [][]string{{"shop.test"}, {"other.test"}, nil} {
		sent = ""
		c := connect(t, transports["streams"](t, serve(t, &shop{}, func(o *mcp.Options) {
			o.Agent.PageTools = allowed
			o.Open = func(ctx context.Context) (*engine.Session, error) {
				return engine.Open(ctx, fake.New(fake.Options{Handler: site}), &engine.Options{Model: offline.New(), Browser: driver.BrowserOptions{PageTools: len(allowed) > 0}})
			}
		})), &user{}, "")
		must(t, c, "navigate", map[string]any{"url": "https://shop.test/"})
		if allowed == nil {
			if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "page_tools"}); err == nil {
				t.Error("page_tools is there, and nobody has allowed it")
			}
			continue
		}
		text, data := must(t, c, "page_tools", map[string]any{"query": "teapot"})
		_, called, err := do(t, c, "call_page_tool", map[string]any{"tool": "shop.test/order", "arguments": map[string]any{"name": "Ada"}})
		if allowed[0] == "other.test" {
			if len(data["tools"].([]any)) != 0 || err == nil || sent != "" {
				t.Errorf("of another host: %s, %v, sent %q", text, err, sent)
			}
			continue
		}
		if !strings.Contains(text, "shop.test/order: Orders a teapot") || strings.Contains(text, "note") || len(data["tools"].([]any)) != 1 {
			t.Errorf("page_tools = %s, %v", text, data)
		}
		if sent != "Ada " || err != nil || called["state"] != "left" { // its answer is the next page
			t.Errorf("call_page_tool of a form that is sent: %v, %v, sent %q", called, err, sent)
		}
		if _, _, err := do(t, c, "call_page_tool", map[string]any{"tool": "shop.test/order", "arguments": map[string]any{"other": "x"}}); err == nil || sent != "Ada " {
			t.Errorf("arguments against the schema: %v, sent %q", err, sent)
		}
		text, data = must(t, c, "call_page_tool", map[string]any{"tool": "shop.test/note", "arguments": map[string]any{"name": "Bob"}})
		if data["state"] != "waiting" || data["sent"] != "all" || sent != "Ada " {
			t.Errorf("call_page_tool of a form that is not sent = %s, %v, sent %q", text, data, sent)
		}
	}
}
