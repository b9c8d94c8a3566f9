package computeruse

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/sites"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// A bank is a page with all that tasks of the suite have not.
type bank struct{ paid atomic.Int32 }

func (b *bank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/pay" && r.Method == http.MethodPost:
		fmt.Fprintf(w, "<title>Paid</title><p>Paid %d</p>", b.paid.Add(1))
	case r.URL.Path == "/report":
		w.Header().Set("Content-Disposition", `attachment; filename="report.csv"`)
		fmt.Fprint(w, "a,b\n1,2\n")
	case r.URL.Path == "/two":
		fmt.Fprint(w, `<title>Two</title><p>The second tab</p><input aria-label="Note">`)
	default:
		fmt.Fprint(w, `<title>Bank</title><form method="post" action="/pay" toolname="pay" tooldescription="Pays the bill" toolautosubmit><button>Pay</button></form><input aria-label="Memo">
<p><a href="/report">Report</a></p><p><a href="/two" target="_blank">Second</a></p><p><a href="/two">Here</a></p>`)
	}
}

// A play is a run whose moves a test gives, one answer after the other.
type play struct {
	server  *Server
	model   llm.Model
	session *engine.Session
	oracle  *oracle
	bank    *bank
}

func newPlay(t testing.TB, v *Vendor, newModel NewModel, answers ...func(o *oracle, h *Heard) []Move) *play {
	p := &play{bank: &bank{}}
	d, origin := inMemory(t, p.bank)
	opts := options()
	opts.Browser.PageTools = true
	p.session = visit(t, d, opts, origin+"/")
	p.oracle = &oracle{t: t, vendor: v, origin: origin, page: p.session.Page}
	n := 0
	p.server = &Server{T: t, Vendor: v, Next: func(h *Heard) []Move {
		if n < len(answers) {
			n++
			return answers[n-1](p.oracle, h)
		}
		return []Move{done(false, "the play is over")}
	}}
	p.model = newModel(t, p.server.listen(), v.Model)
	return p
}

// run has an agent do what the play's moves are.
func (p *play) run(t testing.TB, instruction string, cfg agent.Config) *agent.Result {
	t.Helper()
	return run(t, p.server.Vendor, p.model, p.session, agent.Task{Instruction: instruction}, cfg)
}

// Safety: what the vendor's checks warn of is done when a person confirms it, and
// never otherwise; the rest of the answer is not done either.
func Safety(t *testing.T, v func() *Vendor, newModel NewModel) {
	t.Run("denied", func(t *testing.T) {
		p := newPlay(t, v(), newModel, warned)
		result := p.run(t, "pay", agent.Config{})
		if p.bank.paid.Load() != 0 || result.Actions[0].Status != agent.Failed || !strings.Contains(result.Actions[0].Message, "not approved") {
			t.Errorf("nobody confirmed it, and: paid %d, %s", p.bank.paid.Load(), account(result))
		}
		if len(result.Actions) > 2 && result.Actions[1].Status != agent.NotRun {
			t.Errorf("what came after it: %s", account(result))
		}
		if n := acknowledged(p); n != 0 {
			t.Errorf("%d results say that it was confirmed, and nobody did", n)
		}
	})
	t.Run("acknowledged", func(t *testing.T) {
		asked := 0
		p := newPlay(t, v(), newModel, warned)
		result := p.run(t, "pay", agent.Config{
			Approve: func(_ context.Context, a agent.Approval) error {
				if asked++; !slices.Contains(a.Classes, agent.ClassSafety) || !strings.Contains(a.Reason, "This page wants money.") {
					t.Errorf("asked about %+v", a)
				}
				return nil
			},
		})
		if p.bank.paid.Load() != 1 || asked != 1 {
			t.Errorf("a person confirmed it %d times, and: paid %d, %s", asked, p.bank.paid.Load(), account(result))
		}
		if n := acknowledged(p); n != 1 {
			t.Errorf("%d results say that it was confirmed, want 1", n)
		}
	})
	// A vendor that gives its calls no ids has ours, which come again in each answer.
	t.Run("denied after another of its id", func(t *testing.T) {
		again := v()
		write := again.write
		again.write = func(_ int, moves []Move) any { return write(1, moves) }
		p := newPlay(t, again, newModel, func(o *oracle, _ *Heard) []Move {
			pay := o.at("button: Pay", "click")
			pay.Check = "This page wants money."
			return []Move{pay}
		}, func(*oracle, *Heard) []Move {
			return []Move{{Do: "screenshot", Check: "This page wants money."}}
		})
		asked := 0
		result := p.run(t, "pay", agent.Config{
			Approve: func(context.Context, agent.Approval) error {
				if asked++; asked > 1 {
					return errors.New("once is enough")
				}
				return nil
			},
		})
		if n := acknowledged(p); asked != 2 || p.bank.paid.Load() != 1 || n != 1 {
			t.Errorf("asked %d times, confirmed once, and: paid %d, %d results say that it was confirmed, %s", asked, p.bank.paid.Load(), n, account(result))
		}
	})
	t.Run("confirmed later", func(t *testing.T) { confirmedLater(t, v(), newModel) })
}

// warned answers with a move that the vendor warns of, and one after it.
func warned(o *oracle, _ *Heard) []Move {
	pay, memo := o.at("button: Pay", "click"), o.at("textbox: Memo", "click")
	pay.Check = "This page wants money."
	return []Move{pay, memo}[:o.most(2)]
}

// acknowledged counts the results that say that a person confirmed a check.
func acknowledged(p *play) (n int) {
	for _, h := range p.server.Heard {
		for _, r := range h.Results {
			if r.Acknowledged {
				n++
			}
		}
	}
	return n
}

// confirmedLater has a person confirm when the run has ended.
func confirmedLater(t *testing.T, v *Vendor, newModel NewModel) {
	p := newPlay(t, v, newModel, warned)
	a, err := agent.New(agent.Config{Model: p.model, Mode: agent.CUA, Approve: func(context.Context, agent.Approval) error { return agent.ErrLater }})
	if err != nil {
		t.Fatal(err)
	}
	task := agent.Task{Instruction: "pay"}
	result, err := a.Execute(t.Context(), p.session.Page(), task)
	if err != nil || result.Pending == nil || p.bank.paid.Load() != 0 {
		t.Fatalf("Execute = %v, %s", err, account(result))
	}
	for step, err := range a.Resume(t.Context(), p.session.Page(), task, *result.Pending, agent.Decision{Approved: true}) {
		if err != nil {
			t.Error(err)
		}
		if step.Result != nil {
			result = step.Result
		}
	}
	if p.bank.paid.Load() != 1 {
		t.Errorf("confirmed, and paid %d: %s", p.bank.paid.Load(), account(result))
	}
}

// Tools: a tool that the page offers is called by a plain function beside the
// vendor's own tool, with the approval that it needs; and is not there unless allowed.
func Tools(t *testing.T, v func() *Vendor, newModel NewModel) {
	for _, allowed := range []bool{true, false} {
		asked := 0
		cfg := agent.Config{NeedApproval: []agent.Class{agent.ClassPay}, Approve: func(context.Context, agent.Approval) error { asked++; return nil }}
		want := 0
		if allowed {
			cfg.PageTools, want = []string{"site.test"}, 1
		}
		p := newPlay(t, v(), newModel, func(*oracle, *Heard) []Move {
			return []Move{{Do: "tool", Tool: "pageTool", Args: map[string]any{"tool": "site.test/pay", "arguments": map[string]any{}}}}
		})
		result := p.run(t, "pay", cfg)
		shown := strings.Count(p.server.Heard[0].Words, "site.test/pay: Pays the bill")
		if int(p.bank.paid.Load()) != want || (asked > 0) != allowed || shown != want {
			t.Errorf("allowed %v: paid %d times, asked %d times, shown %d times, want %d: %s", allowed, p.bank.paid.Load(), asked, shown, want, account(result))
		}
		if allowed && (len(p.server.Heard) != 2 || p.server.Heard[1].Results[0].Failed) {
			t.Errorf("the call failed: %s", account(result))
		}
	}
}

// Browser: what a page does beside itself: a download, a tab; and what was meant
// for the page before is not done on the next.
func Browser(t *testing.T, v func() *Vendor, newModel NewModel) {
	look := func(o *oracle, _ *Heard) []Move { return o.look() }
	keep := func(f func(o *oracle) []Move) func(*oracle, *Heard) []Move {
		return func(o *oracle, h *Heard) []Move {
			o.hear(h)
			return f(o)
		}
	}
	p := newPlay(t, v(), newModel, look,
		keep(func(o *oracle) []Move { return []Move{o.at("link: Report", "click")} }),
		look,
		keep(func(o *oracle) []Move {
			here, memo := o.at("link: Here", "click"), o.at("textbox: Memo", "click")
			if o.vendor.Name == "computer_use_2025" { // it types at a place
				memo.Do, memo.Text = "fill", "never"
				return []Move{here, memo}
			}
			return []Move{here, memo, {Do: "type", Text: "never"}}[:o.most(3)]
		}),
		func(o *oracle, _ *Heard) []Move {
			moves, _ := o.moves(sites.Call{Tool: "back"})
			return moves
		},
		look,
		keep(func(o *oracle) []Move { return []Move{o.at("link: Second", "click")} }),
	)
	result := p.run(t, "look around", agent.Config{})
	told := false
	for _, h := range p.server.Heard {
		told = told || strings.Contains(h.Words, "not run")
	}
	if told != p.server.Vendor.Batch {
		t.Errorf("the model heard of what was not run: %t, want %t", told, p.server.Vendor.Batch)
	}
	var downloads, opened int
	for _, a := range result.Actions {
		if a.Evidence != nil {
			downloads += len(a.Evidence.Downloads)
			opened += len(a.Evidence.NewPages)
		}
		if strings.HasPrefix(a.Type, "type") && a.Status != agent.NotRun {
			t.Errorf("what was meant for the page before: %s", account(result))
		}
	}
	if downloads != 1 || opened != 1 || len(p.session.Pages()) != 2 {
		t.Errorf("%d downloads, %d new tabs, %d open: %s", downloads, opened, len(p.session.Pages()), account(result))
	}
	if p.oracle.browser() {
		var changes []string
		for _, h := range p.server.Heard {
			for _, r := range h.Results {
				changes = append(changes, r.Changes...)
			}
		}
		if len(changes) != 2 || !strings.HasPrefix(changes[0], "download_") || changes[1] != "tab_opened" {
			t.Errorf("browser_state tells of %q, want a download and a tab", changes)
		}
	}
}

// OnChrome has tasks done in Chrome, with pictures of it: a drag, a dialog, and a
// plain one.
func OnChrome(t *testing.T, v func() *Vendor, newModel NewModel) {
	chrome, err := cdp.Start(t.Context(), cdp.Launch{})
	var missing *cdp.NotFoundError
	switch {
	case errors.As(err, &missing) && os.Getenv("WAYFINDER_REQUIRE_CHROME") != "1":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = chrome.Close() })
	on := func(t testing.TB, site http.Handler) (driver.Driver, string) {
		server := httptest.NewServer(site)
		t.Cleanup(server.Close)
		return chrome, server.URL
	}
	names := []string{"board/tree", "board/question", "shop/wish"}
	for _, task := range sites.Tasks() {
		if slices.Contains(names, task.Name) && (!v().Refs || task.Name != "board/tree") { // a drag is by points
			t.Run(task.Name, func(t *testing.T) { perform(t, v(), newModel, on, task) })
		}
	}
}
