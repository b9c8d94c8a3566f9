package killed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

// A stubborn model presses a button, without end. fails has it press what is not there.
type stubborn struct {
	asked int
	fails bool
}

func (*stubborn) Name() string { return "test/stubborn" }

func (m *stubborn) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	m.asked++
	ref := "9-9"
	if !m.fails {
		ref, _, _ = cutRef(read(req)["button: Add 1"])
	}
	call := llm.ToolCall{ID: fmt.Sprint("c", len(req.Messages)), Name: "click", Arguments: json.RawMessage(`{"ref":"` + ref + `"}`)}
	return &llm.Response{ToolCalls: []llm.ToolCall{call}, Stop: llm.StopTools, Usage: llm.Usage{Input: 1000, Output: 10}}, nil
}

func cutRef(line string) (ref, rest string, ok bool) {
	for i, r := range line {
		if r == ' ' {
			return line[:i], line[i:], true
		}
	}
	return line, "", line != ""
}

// TestRecoverCountsOn: wherever a run is cut, what it took before counts for its
// limits, and it ends by the same one: no process has a limit of its own.
func TestRecoverCountsOn(t *testing.T) {
	const site = "https://count.test/"
	var pressed atomic.Int64
	count := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			pressed.Add(1)
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>Count</title><form method=post><p>%d times</p><button>Add 1</button></form>`, pressed.Load())
	})
	for _, c := range []struct {
		name  string
		task  agent.Task
		fails bool
		want  error
	}{
		{"steps", agent.Task{MaxSteps: 4}, false, agent.ErrSteps},
		{"tokens", agent.Task{MaxTokens: 9_000, MaxSteps: 90}, false, agent.ErrTokens},
		{"money", agent.Task{MaxCost: 0.009, MaxSteps: 90}, false, agent.ErrCost},
		{"failures", agent.Task{MaxFailures: 3}, true, agent.ErrFailures},
		{"in circles", agent.Task{MaxSteps: 50, MaxFailures: 40}, true, agent.ErrRepeated},
	} {
		t.Run(c.name, func(t *testing.T) {
			prices, err := middleware.ListPrices()
			if err != nil {
				t.Fatal(err)
			}
			prices = prices.With(map[string]middleware.Price{"test/stubborn": {Input: 1, Output: 1}})
			c.task.Instruction = "press it"
			work := func(store runs.Store, saved *agent.Saved) (*agent.Result, int, error) {
				m := &stubborn{fails: c.fails}
				session, err := engine.Open(t.Context(), fake.New(fake.Options{Handler: count}), &engine.Options{Model: m})
				if err != nil {
					t.Fatal(err)
				}
				defer session.Close()
				a, err := agent.New(agent.Config{Store: store, Prices: prices})
				if err != nil {
					t.Fatal(err)
				}
				if saved == nil {
					if _, err := session.Page().Navigate(t.Context(), site, nil); err != nil {
						t.Fatal(err)
					}
					result, err := a.Execute(t.Context(), session.Page(), c.task)
					return result, m.asked, err
				}
				var result *agent.Result
				for step, stop := range a.Recover(t.Context(), session.Page(), saved.Task, saved) {
					if step.Result != nil {
						result = step.Result
					}
					err = stop
				}
				return result, m.asked, err
			}
			store := runs.NewMemory()
			whole, asked, err := work(store, nil)
			if !errors.Is(err, c.want) {
				t.Fatalf("the run ended with %v, want %v", err, c.want)
			}
			log, err := store.Load(t.Context(), whole.ID)
			if err != nil {
				t.Fatal(err)
			}
			stride := 3
			if *sweepAll {
				stride = 1
			}
			for n := 1; n < len(log); n += stride {
				cut := runs.NewMemory()
				for _, rec := range log[:n] {
					if err := cut.Append(t.Context(), whole.ID, rec); err != nil {
						t.Fatal(err)
					}
				}
				answered, lost := 0, 0
				for _, rec := range log[:n] {
					switch rec.Kind {
					case "answered":
						answered++
					case "asked":
						lost++
					}
				}
				lost -= answered
				saved, err := agent.Load(t.Context(), cut, whole.ID)
				if err != nil {
					t.Fatal(err)
				}
				result, more, err := work(cut, saved)
				if !errors.Is(err, c.want) {
					t.Errorf("cut after %d of %d records (%s): %v, want %v", n, len(log), log[n-1].Kind, err, c.want)
					continue
				}
				if got, most := answered+lost+more, asked+1; got > most {
					t.Errorf("cut after record %d (%s): %d questions, want %d at most", n, log[n-1].Kind, got, most)
				}
				if got, most := len(result.Actions), len(whole.Actions)+1; got > most {
					t.Errorf("cut after record %d (%s): %d steps, want %d at most", n, log[n-1].Kind, got, most)
				}
				if want := (answered + more) * 1010; result.Usage.Input+result.Usage.Output < want {
					t.Errorf("cut after record %d (%s): %+v are counted for %d answers", n, log[n-1].Kind, result.Usage, answered+more)
				}
			}
			t.Logf("%d records, %d questions, %d steps: %v", len(log), asked, len(whole.Actions), err)
		})
	}
}
