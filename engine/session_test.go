package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

const login = `<title>Login</title>
<form action="/in" method="post">
<label>User <input name="user"></label>
<label>Password <input name="pass" type="password"></label>
<label>Note <input name="note"></label>
<button>Sign in</button>
</form>`

func choose(t *testing.T, role, name, method string, args ...string) llmtest.Step {
	return llmtest.Step{Purpose: llm.PurposeAct, Answer: func(req *llm.Request) any {
		if args == nil {
			args = []string{}
		}
		return map[string]any{"found": true, "ref": mustRef(t, req, role, name), "method": method,
			"arguments": args, "description": "", "reason": "", "more": false}
	}}
}

// The value of a variable reaches the page and nothing else: no model, no
// result, no history, no log, no error.
func TestVariablesStayHidden(t *testing.T) {
	const secret = "correct horse battery"
	var log bytes.Buffer
	var acted []engine.ActResult
	script := llmtest.NewScript(t,
		choose(t, "textbox", "Note", "fill", "%secret%"),
		choose(t, "textbox", "User", "fill", "it is %secret%!"),
		choose(t, "button", "Sign in", "selectOption", "%secret%"),
		choose(t, "button", "Sign in", "selectOption", "%secret%"), // asked anew, with the reason
	)
	page := openShop(t, login, &engine.Options{
		Model:  script,
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Hooks:  &engine.Hooks{Acted: func(_ context.Context, r engine.ActResult) { acted = append(acted, r) }},
	})
	opts := &engine.ActOptions{Variables: map[string]engine.Variable{"secret": {Value: secret, Description: "what the user knows"}}}
	ctx := t.Context()
	first, err := page.Act(ctx, "put %secret% into the note", opts)
	if err != nil {
		t.Fatal(err)
	}
	second, err := page.Act(ctx, "put %secret% into the user field", opts)
	if err != nil {
		t.Fatal(err)
	}
	_, failure := page.Act(ctx, "choose %secret%", opts)
	if !errors.Is(failure, engine.ErrInvalid) {
		t.Fatalf("Act = %v, want %v", failure, engine.ErrInvalid)
	}
	if got := first.Actions[0].Arguments[0]; got != "%secret%" {
		t.Errorf("argument = %q, want the placeholder", got)
	}
	if got := second.Evidence.Value.After; got != "it is %secret%!" {
		t.Errorf("value after = %q, want the placeholder", got)
	}
	seen := map[string]string{"log": log.String(), "error": failure.Error(),
		"results": fmt.Sprintf("%+v %+v %+v", *first, *second, acted),
		"history": fmt.Sprintf("%+v", page.Session().History())}
	for i, req := range script.Requests() {
		seen[fmt.Sprint("request ", i)] = requestText(req)
	}
	for where, text := range seen {
		if strings.Contains(text, secret) {
			t.Errorf("the %s holds the secret:\n%s", where, text)
		}
	}
	if !strings.Contains(seen["request 0"], "what the user knows") {
		t.Error("the model does not see the variable's description")
	}
	snap, err := page.Snapshot(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(snap.Text(), secret) {
		t.Error("the page did not get the value")
	}
	if strings.Contains(snap.Outline(), secret) {
		t.Error("the outline, which is for models, holds the secret")
	}
}

// Two that act on one page take turns; two on two pages do not wait for each other.
func TestTurns(t *testing.T) {
	looked := make(chan struct{}, 1)
	page := openShop(t, login, &engine.Options{
		Model: llmtest.NewScript(t, llmtest.Step{Hang: true}),
		Hooks: &engine.Hooks{Looked: func(context.Context, engine.Look) { looked <- struct{}{} }},
	})
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	wait.Go(func() {
		if _, err := page.Act(ctx, "wait", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("Act = %v, want %v", err, context.Canceled)
		}
	})
	<-looked // the first has its turn
	short, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if _, err := page.Snapshot(short, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Snapshot beside Act = %v, want %v", err, context.DeadlineExceeded)
	}
	other, err := page.Session().NewPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Navigate(t.Context(), shopAddress, nil); err != nil {
		t.Errorf("Navigate on another page = %v", err)
	}
	cancel()
	wait.Wait()
	if _, err := page.Snapshot(t.Context(), nil); err != nil {
		t.Errorf("Snapshot after Act = %v", err)
	}
}

// A time limit ends the work and says so; the page can be used after it.
func TestActTimeout(t *testing.T) { synctest.Test(t, testActTimeout) }

func testActTimeout(t *testing.T) {
	page := openShop(t, login, &engine.Options{Model: llmtest.NewScript(t, llmtest.Step{Hang: true})})
	r, err := page.Act(t.Context(), "wait", &engine.ActOptions{Timeout: 30 * time.Millisecond})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "30ms") {
		t.Errorf("Act = %v, want %v that names the limit", err, context.DeadlineExceeded)
	}
	if r == nil || r.Success || len(r.Actions) != 0 || r.Message == "" {
		t.Errorf("Act = %+v, want a result that says what was tried", r)
	}
	if _, err := page.Snapshot(t.Context(), nil); err != nil {
		t.Errorf("Snapshot after the timeout = %v", err)
	}
}

func TestHistoryAndMetrics(t *testing.T) {
	script := llmtest.NewScript(t, choose(t, "textbox", "User", "fill", "ann"))
	page := openShop(t, login, &engine.Options{Model: script})
	ctx := t.Context()
	if _, err := page.Act(ctx, "type ann as the user", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := page.Do(ctx, engine.Action{Selector: "#none"}, nil); err == nil {
		t.Fatal("Do on nothing = nil error")
	}
	if _, err := page.Observe(ctx, "", nil); err != nil {
		t.Fatal(err)
	}
	var methods []string
	ids := map[string]bool{}
	for _, e := range page.Session().History() {
		methods = append(methods, fmt.Sprintf("%s %t", e.Operation, e.Success))
		ids[e.ID] = true
		if e.Begin.IsZero() || e.End.Before(e.Begin) {
			t.Errorf("%s: from %v to %v", e.Operation, e.Begin, e.End)
		}
	}
	if got, want := strings.Join(methods, ", "), "navigate true, act true, do false, observe true"; got != want {
		t.Errorf("History = %s, want %s", got, want)
	}
	if len(ids) != 4 {
		t.Errorf("%d ids for 4 entries", len(ids))
	}
	m := page.Session().Metrics()
	if m.Acts != 1 || m.Failed != 1 || m.Total().Input != 100 {
		t.Errorf("Metrics = %+v", m)
	}
}

func TestClosedSession(t *testing.T) {
	session, err := engine.Open(t.Context(), fake.Web{shopAddress: login}, nil)
	if err != nil {
		t.Fatal(err)
	}
	page := session.Page()
	for range 2 {
		if err := session.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
	ctx := t.Context()
	_, navigate := page.Navigate(ctx, shopAddress, nil)
	_, do := page.Do(ctx, engine.Action{Selector: "a"}, nil)
	_, extract := page.Extract(ctx, "", nil)
	_, open := session.NewPage(ctx)
	for what, err := range map[string]error{"Navigate": navigate, "Do": do, "Extract": extract, "NewPage": open} {
		if !errors.Is(err, engine.ErrClosed) {
			t.Errorf("%s after Close = %v, want %v", what, err, engine.ErrClosed)
		}
	}
}

func TestOpenBadInput(t *testing.T) {
	if _, err := engine.Open(t.Context(), nil, nil); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("Open without a driver = %v, want %v", err, engine.ErrInvalid)
	}
}

// TestPagesFromManyGoroutines: whoever looks for the active page does not
// disturb who reads one. The race detector tells.
func TestPagesFromManyGoroutines(t *testing.T) {
	page := openShop(t, login, nil)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				if p := page.Session().Page(); p != page || p.URL() == "" {
					t.Error("another page is active")
				}
			}
		})
	}
	all.Wait()
}
