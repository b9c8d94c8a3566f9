package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// An orderer calls a tool of the page, and then gives up.
type orderer struct{ heard string }

func (*orderer) Name() string { return "scripted/orderer" }

func (o *orderer) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	call := llm.ToolCall{ID: "first-call", Name: "pageTool", Arguments: json.RawMessage(`{"tool":"till.test/order","arguments":{}}`)}
	raw, err := json.Marshal(req.Messages)
	if o.heard = string(raw); strings.Contains(o.heard, "first-call") {
		call = llm.ToolCall{ID: "2", Name: "done", Arguments: json.RawMessage(`{"success":false,"message":"look first"}`)}
	}
	return &llm.Response{Stop: llm.StopTools, ToolCalls: []llm.ToolCall{call}}, err
}

// TestPageToolIsNotCalledAgain: a run that dies while a tool of the page works
// goes on with a question: what the tool did is not known.
func TestPageToolIsNotCalledAgain(t *testing.T) {
	store, cut, ordered := runs.NewMemory(), runs.NewMemory(), 0
	web := fake.New(fake.Options{Web: till, Scripts: map[string]func(*fake.Document){"https://till.test/": func(d *fake.Document) {
		if err := d.RegisterTool(fake.Tool{Name: "order", Description: "Orders", Run: func(c *fake.ToolCall) {
			if ordered++; ordered == 1 { // what a process that dies now leaves behind
				names, err := store.Runs(t.Context())
				for _, name := range names {
					log, failed := store.Load(t.Context(), name)
					for _, rec := range log {
						failed = errors.Join(failed, cut.Append(t.Context(), name, rec))
					}
					err = errors.Join(err, failed)
				}
				if err != nil {
					t.Error(err)
				}
			}
			c.Answer("ok")
		}}); err != nil {
			t.Error(err)
		}
	}}})
	open := func(store runs.Store) (*agent.Agent, *engine.Session, *orderer) {
		m := &orderer{}
		session, err := engine.Open(t.Context(), web, &engine.Options{Model: m, Browser: driver.BrowserOptions{PageTools: true}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() }) // in memory
		a, err := agent.New(agent.Config{Store: store, PageTools: []string{"till.test"}})
		if err != nil {
			t.Fatal(err)
		}
		return a, session, m
	}
	a, session, _ := open(store)
	if _, err := session.Page().Navigate(t.Context(), "https://till.test/", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Execute(t.Context(), session.Page(), agent.Task{Instruction: "order"}); err != nil {
		t.Fatal(err)
	}
	if ordered != 1 {
		t.Fatalf("ordered %d times, want once", ordered)
	}
	a, session, m := open(cut)
	saved := load(t, cut)
	for _, err := range a.Recover(t.Context(), session.Page(), saved.Task, saved) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if ordered != 1 || !strings.Contains(m.heard, "not known") {
		t.Errorf("ordered %d times; the model heard %s", ordered, m.heard)
	}
}
