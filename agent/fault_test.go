package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// items is a site of ten things that may each be added once, and counts.
type items struct {
	mu    sync.Mutex
	added [11]int
}

func (s *items) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == http.MethodPost {
		n, _ := strconv.Atoi(r.URL.Query().Get("n"))
		s.added[n]++
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, "<!doctype html><title>Items</title>")
	for n := 1; n <= 10; n++ {
		fmt.Fprintf(w, "<form method=post action=/?n=%d><p>Item %d: %d</p><button>Add %d</button></form>", n, n, s.added[n], n)
	}
}

// counts returns how many were added, and the largest count of one.
func (s *items) counts() (total, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.added {
		total += n
		most = max(most, n)
	}
	return total, most
}

// adder adds one item after the other. It repeats what is said to have failed,
// and looks where it is not known what came of it: it trusts what it is told.
type adder struct {
	fail int // the question that fails; 0 is none

	asked int
	next  int // the item to add
}

func (m *adder) Name() string { return "test/adder" }

func (m *adder) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if m.asked++; m.asked == m.fail {
		return nil, &llm.Error{Provider: "test", Kind: llm.KindUnavailable, Message: "down"}
	}
	c := m.choose(req)
	c.ID = fmt.Sprint("c", m.asked)
	return &llm.Response{ToolCalls: []llm.ToolCall{c}, Stop: llm.StopTools, Usage: llm.Usage{Input: 10, Output: 1}}, nil
}

var readsItem = regexp.MustCompile(`Item ([0-9]+): ([0-9]+)`)

func (m *adder) choose(req *llm.Request) llm.ToolCall {
	if len(req.Tools) == 1 {
		return call(req, "done", args{"success": m.next > 10, "message": "the end"})
	}
	if m.next == 0 {
		m.next = 1
	}
	for _, part := range req.Messages[len(req.Messages)-1].Parts {
		result, ok := part.(llm.ToolResult)
		if !ok {
			continue
		}
		text := result.Parts[0].(llm.Text).Text
		switch {
		case strings.Contains(text, engine.ErrMayHaveHappened.Error()):
			return call(req, "read", args{})
		case result.Name == "read" && !result.Error:
			for _, found := range readsItem.FindAllStringSubmatch(text, -1) {
				if found[1] == fmt.Sprint(m.next) && found[2] != "0" {
					m.next++
					break
				}
			}
		case result.Name == "click" && !result.Error:
			m.next++
		}
	}
	if m.next > 10 {
		return call(req, "done", args{"success": true, "message": "all are added", "criteria": []args{{"criterion": "the last is added", "evidence": []args{proof("text", args{"text": "Item 10: 1"})}}}})
	}
	return call(req, "click", args{"ref": "@button: Add " + fmt.Sprint(m.next)})
}

// sweepAll has the sweep take each call, and not each fifth.
var sweepAll = flag.Bool("sweep.all", false, "fail each driver call of the agent's task, not each fifth; wander through windows with more seeds")

// TestFaultSweep: every driver call and every model call of a ten-step task fails
// in turn, before it was made or with its answer lost. Nothing is done twice, and
// the result says what is known.
func TestFaultSweep(t *testing.T) {
	kinds := map[string]func(n int) *faults.Fault{
		"stale":         func(n int) *faults.Fault { return faults.At(n, "", driver.ErrStale) },
		"detached":      func(n int) *faults.Fault { return faults.At(n, "", driver.ErrDetached) },
		"lost":          func(n int) *faults.Fault { return faults.Lose(n, "", driver.ErrClosed) },
		"lost detached": func(n int) *faults.Fault { return faults.Lose(n, "", driver.ErrDetached) },
		"lost stale":    func(n int) *faults.Fault { return faults.Lose(n, "", driver.ErrStale) },
		"crash":         func(n int) *faults.Fault { return faults.Crash().On(n, "") },
		"hang":          func(n int) *faults.Fault { return faults.Delay(n, "", 10*time.Minute) },
	}
	stride := 5 * chrometest.Thin(4)
	if *sweepAll {
		stride = 1
	}
	for name, fault := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n := 1; ; n += stride {
				f := fault(n)
				synctest.Test(t, func(t *testing.T) { sweepOnce(t, fmt.Sprintf("%s %d", name, n), &adder{}, f) })
				if f.Count() == 0 || t.Failed() {
					if n < 60 {
						t.Errorf("the sweep ended at call %d; a task of ten steps makes more", n)
					}
					t.Logf("%d calls", n)
					break
				}
			}
		})
	}
	t.Run("model", func(t *testing.T) {
		t.Parallel()
		for n := 1; n <= 11; n++ {
			synctest.Test(t, func(t *testing.T) { sweepOnce(t, fmt.Sprintf("question %d", n), &adder{fail: n}) })
		}
	})
}

func sweepOnce(t *testing.T, what string, model *adder, list ...*faults.Fault) {
	site := &items{}
	session, err := engine.Open(t.Context(), faults.Wrap(fake.New(fake.Options{Handler: site}), list...), nil)
	if err != nil {
		return // nothing was begun
	}
	defer session.Close()
	if _, err := session.Page().Navigate(t.Context(), "https://items.test/", nil); err != nil {
		return
	}
	a, err := agent.New(agent.Config{Model: model})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), session.Page(), agent.Task{Instruction: "add each item once", MaxSteps: 30})
	if result == nil {
		t.Fatalf("%s: no result, err %v", what, err)
	}
	total, most := site.counts()
	if most > 1 {
		t.Errorf("%s: an item was added %d times: %s", what, most, steps(result))
	}
	clicked, maybe := 0, 0
	for _, a := range result.Actions {
		switch {
		case a.Type == "click" && a.Status == agent.Done:
			clicked++
		case a.Type == "click" && a.Status == agent.Unknown:
			maybe++
		}
	}
	if total < clicked || total > clicked+maybe {
		t.Errorf("%s: %d were added, and the result says %d done and %d unknown: %s", what, total, clicked, maybe, steps(result))
	}
	if result.Success && total != 10 {
		t.Errorf("%s: success with %d of 10: %s", what, total, steps(result))
	}
	if err == nil && !result.Completed && result.End != agent.EndDone {
		t.Errorf("%s: it ended by itself without done: %s", what, steps(result))
	}
	if err != nil && errors.Is(err, context.DeadlineExceeded) && total == 0 && len(result.Actions) == 0 {
		return
	}
}

func steps(r *agent.Result) string {
	var b strings.Builder
	for _, a := range r.Actions {
		fmt.Fprintf(&b, "\n  %d %s %s: %s", a.Step, a.Type, a.Status, a.Message)
	}
	raw, _ := json.Marshal(r.Metadata)
	return b.String() + "\n  " + r.Message + " " + string(raw)
}
