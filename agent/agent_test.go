package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// shop is a site of three pages that counts its orders.
func shop(orders *int) http.Handler {
	mux := http.NewServeMux()
	page := func(w http.ResponseWriter, body string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Shop</title>"+body)
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		page(w, `<h1>Shop</h1><form method=post action=/order><label>Name <input name=name></label><label>Amount <input name=amount value=1></label><button>Order</button></form>`)
	})
	mux.HandleFunc("POST /order", func(w http.ResponseWriter, r *http.Request) {
		*orders++
		page(w, "<h1>Thank you, "+r.FormValue("name")+"</h1><p>"+r.FormValue("amount")+" teapots are on their way.</p><a href=/>Back</a>")
	})
	return mux
}

func open(t *testing.T, h http.Handler) *engine.Page {
	t.Helper()
	session, err := engine.Open(t.Context(), fake.New(fake.Options{Handler: h}), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	if _, err := session.Page().Navigate(t.Context(), "https://shop.test/", nil); err != nil {
		t.Fatal(err)
	}
	return session.Page()
}

// openScripted is open for one document, which a script of the test's belongs to.
func openScripted(t *testing.T, address, html string, script func(*fake.Document)) *engine.Page {
	t.Helper()
	d := fake.New(fake.Options{Web: fake.Web{address: html}, Scripts: map[string]func(*fake.Document){address: script}})
	session, err := engine.Open(context.Background(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	if _, err := session.Page().Navigate(context.Background(), address, nil); err != nil {
		t.Fatal(err)
	}
	return session.Page()
}

// call makes a tool call; a value "@role: name" is the ref of that element in
// the newest outline of the request.
func call(req *llm.Request, name string, args map[string]any) llm.ToolCall {
	raw, _ := json.Marshal(args)
	text := regexp.MustCompile(`@([a-z]+: [^"@]+)`).ReplaceAllStringFunc(string(raw), func(m string) string { return ref(req, m[1:]) })
	return llm.ToolCall{ID: fmt.Sprintf("c%d-%s", len(req.Messages), name), Name: name, Arguments: json.RawMessage(text)}
}

// ref finds a line of the newest outline or changes that says so.
func ref(req *llm.Request, line string) string {
	pattern := regexp.MustCompile(`\[([0-9]+-[0-9]+)\] ` + regexp.QuoteMeta(line))
	for i := len(req.Messages) - 1; i >= 0; i-- {
		for _, part := range req.Messages[i].Parts {
			if p, ok := part.(llm.Page); ok {
				if m := pattern.FindStringSubmatch(p.Text); m != nil {
					return m[1]
				}
			}
		}
	}
	return "0-0"
}

func answer(f func(req *llm.Request) []llm.ToolCall) llmtest.Step {
	return llmtest.Step{Purpose: llm.PurposeAgent, Answer: func(req *llm.Request) any {
		return &llm.Response{ToolCalls: f(req), Stop: llm.StopTools, Usage: llm.Usage{Input: 100, Output: 10}}
	}}
}

type args = map[string]any

func TestExecute(t *testing.T) {
	orders := 0
	page := open(t, shop(&orders))
	model := llmtest.NewScript(t,
		answer(func(req *llm.Request) []llm.ToolCall {
			form := call(req, "fillForm", args{"fields": []args{{"ref": "@textbox: Name", "value": "Ada"}, {"ref": "@textbox: Amount", "value": "2"}}})
			return []llm.ToolCall{form, call(req, "click", args{"ref": "@button: Order"})}
		}),
		answer(func(req *llm.Request) []llm.ToolCall {
			return []llm.ToolCall{call(req, "done", args{"success": true, "message": "ordered", "criteria": []args{
				{"criterion": "two teapots are ordered", "evidence": []args{{"kind": "text", "text": "2 teapots are on their way"}, {"kind": "request", "method": "POST", "address": "/order", "status": 200}, {"kind": "action", "step": 2}}},
			}})}
		}),
	)
	a, err := agent.New(agent.Config{Model: model})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "order two teapots for Ada"})
	if err != nil {
		t.Fatalf("Execute: %v\n%+v", err, result)
	}
	if !result.Success || !result.Completed || orders != 1 {
		raw, _ := json.MarshalIndent(result, "", " ")
		t.Errorf("orders = %d, result %s", orders, raw)
	}
	if got := result.Usage; got.Input != 200 || got.Output != 20 {
		t.Errorf("usage = %+v, want 200 in and 20 out", got)
	}
	first := model.Requests()[0]
	for _, tool := range first.Tools {
		if strings.TrimSpace(tool.Description) == "" {
			t.Errorf("%s has no description", tool.Name)
		}
	}
}

// rename is the shop with another button, and another one still at /?other.
func rename(site http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		site.ServeHTTP(rec, r)
		name := "Place order"
		if r.URL.RawQuery == "other" {
			name = "Place order of 820,000"
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(rec.Code)
		fmt.Fprint(w, strings.Replace(rec.Body.String(), "<button>Order", "<button>"+name, 1))
	})
}
