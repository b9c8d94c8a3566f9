package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// long is an address that a model is shown shortened.
var long = "https://shop.test/lamp?" + strings.Repeat("a", 300)

// catalogue is a site of two pages, one of which says a price.
func catalogue() http.Handler {
	mux := http.NewServeMux()
	page := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<!doctype html><title>Catalogue</title>"+body)
		}
	}
	mux.HandleFunc("GET /", page("<h1>Something else</h1>"))
	mux.HandleFunc("GET /lamp", page("<h1>A lamp</h1><p>It costs 81.50.</p><p>Signed in as Ada-Lovelace9, door code Qx7z.</p>"))
	return mux
}

// TestLaterKnows: a run that has waited for a person, also in another process and with
// another browser, still knows what it was shown before: a true answer from there is
// one, and an address that was shortened can be opened.
func TestLaterKnows(t *testing.T) {
	for _, elsewhere := range []bool{false, true} {
		t.Run(fmt.Sprintf("elsewhere %v", elsewhere), func(t *testing.T) {
			site := catalogue()
			page := open(t, site)
			if _, err := page.Navigate(t.Context(), long, nil); err != nil {
				t.Fatal(err)
			}
			form, err := schema.For[struct {
				Price float64 `json:"price"`
				Link  string  `json:"link" jsonschema:"format=uri"`
			}]()
			if err != nil {
				t.Fatal(err)
			}
			task := agent.Task{Instruction: "what does the lamp cost?", Output: form, Variables: map[string]engine.Variable{"user": {Value: "Ada-Lovelace9"}, "code": {Value: "Qx7z"}}}
			cfg := agent.Config{Ask: func(context.Context, string) (string, error) { return "", agent.ErrLater }}
			var short string
			cfg.Model = llmtest.NewScript(t,
				answer(func(req *llm.Request) []llm.ToolCall {
					_, head, _ := strings.Cut(llmtest.Show(req), "address: https")
					short = "https" + strings.Fields(head)[0]
					return []llm.ToolCall{call(req, "navigate", args{"url": "https://shop.test/other"})}
				}),
				say("ask", args{"question": "go on?"}))
			a, err := agent.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			result, err := a.Execute(t.Context(), page, task)
			if err != nil || result.Pending == nil {
				t.Fatalf("Execute = %+v, %v, want one that waits", result, err)
			}
			raw, err := json.Marshal(result.Pending)
			if err != nil {
				t.Fatal(err)
			}
			if kept := strings.ToLower(string(raw)); strings.Contains(kept, "lovelace") || strings.Contains(kept, "qx7z") {
				t.Errorf("the pending has the value of a variable: %s", raw)
			}
			var pending agent.Pending
			if err := json.Unmarshal(raw, &pending); err != nil {
				t.Fatal(err)
			}
			if elsewhere {
				page = open(t, site)
				if _, err := page.Navigate(t.Context(), "https://shop.test/other", nil); err != nil {
					t.Fatal(err)
				}
			}
			cfg.Model = llmtest.NewScript(t,
				say("done", args{"success": true, "message": "81.50", "criteria": []args{}, "output": args{"price": 81.50, "link": short}}),
				say("done", args{"success": true, "message": "81.50", "criteria": []args{}, "output": args{"price": 81.50, "link": short}}))
			b, err := agent.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			result, err = agent.ResultOf(b.Resume(t.Context(), page, task, pending, agent.Decision{Answer: "yes"}))
			if err != nil {
				t.Fatalf("Resume: %v%s", err, steps(result))
			}
			if len(result.Ungrounded) > 0 || !strings.Contains(string(result.Output), long) {
				t.Errorf("output %s, doubts %+v, shortened %s%s", result.Output, result.Ungrounded, short, steps(result))
			}
		})
	}
}

// TestOutputWithVariables: what a page says of a variable's value is a true answer in the
// only word that a model has for it.
func TestOutputWithVariables(t *testing.T) {
	page := open(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>T</title><h1>Orders of Ada Lovelace9</h1>`)
		if r.URL.Path == "/" {
			fmt.Fprint(w, `<a href="/of/Ada%20Lovelace9/7">Order 7</a>`)
		}
	}))
	form, err := schema.For[struct {
		Title string `json:"title"`
		Link  string `json:"link"`
	}]()
	if err != nil {
		t.Fatal(err)
	}
	done := say("done", args{"success": true, "message": "x", "criteria": []args{}, "output": args{"title": "Orders of %user%", "link": "https://shop.test/of/%user%/7"}})
	a, err := agent.New(agent.Config{Model: llmtest.NewScript(t, say("navigate", args{"url": "https://shop.test/other"}), done, done)})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "whose orders are these?", Output: form, Variables: map[string]engine.Variable{"user": {Value: "Ada Lovelace9"}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Ungrounded) > 0 || len(result.Output) == 0 || strings.Contains(string(result.Output), "Lovelace") {
		t.Errorf("output %s, doubts %+v%s", result.Output, result.Ungrounded, steps(result))
	}
	raw, err := json.Marshal(result)
	if err != nil || strings.Contains(string(raw), "Lovelace") {
		t.Errorf("the result has the value of a variable: %s, %v", raw, err)
	}
}

// TestSourcesNameTheStep: a step in which the model called no tool counts as any other, so
// that a run which is recovered says the same of where a value was read.
func TestSourcesNameTheStep(t *testing.T) {
	page := open(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, map[string]string{"/total": "<h1>4217 coins</h1>"}[r.URL.Path], "<p>Shop</p>")
	}))
	form, err := schema.For[struct {
		Total int `json:"total"`
	}]()
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Config{Model: llmtest.NewScript(t,
		llmtest.Step{Answer: func(*llm.Request) any {
			if _, err := page.Navigate(t.Context(), "https://shop.test/total", nil); err != nil {
				t.Error(err)
			}
			return &llm.Response{Text: "Let me see."}
		}},
		say("read", args{}),
		say("navigate", args{"url": "https://shop.test/other"}),
		say("done", args{"success": true, "message": "x", "criteria": []args{}, "output": args{"total": 4217}}),
		say("done", args{"success": true, "message": "x", "criteria": []args{}, "output": args{"total": 4217}}))})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "what is the total?", Output: form})
	if err != nil {
		t.Fatal(err)
	}
	if got := result.Sources["/total"].How; got != "after step 1" {
		t.Errorf("the total was read %q, want after step 1%s", got, steps(result))
	}
}
