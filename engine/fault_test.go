package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/llm"
)

const faultyPage = `<title>Faults</title>
<input id=t aria-label=Text value=old>
<input type=checkbox id=off aria-label=Off><input type=checkbox id=on aria-label=On checked>
<select id=s aria-label=List><option>One</option><option>Two</option></select>
<button id=b>Button</button> <a id=a href=/next>Link</a> <input type=file id=f aria-label=File>
<div id=drag draggable=true>drag</div><div id=drop>drop</div>
<div id=box role=region aria-label=Box tabindex=0 style="width:100px;height:100px;overflow:auto"><div style="height:900px">tall</div></div>
<p style="height:3000px">far</p><button id=far>Far</button>`

// A faultyCase is one thing that a caller asks for.
type faultyCase struct {
	name string
	do   func(ctx context.Context, p *engine.Page) (told, error)
}

// told is what a result says; sent is empty where no input is meant.
type told struct {
	success bool
	sent    engine.Sent
}

func toldBy(r *engine.ActResult, err error) (told, error) {
	if r == nil {
		return told{sent: engine.SentNone}, err
	}
	return told{r.Success, r.Sent}, err
}

func faultyDo(method engine.Method, selector string, args ...string) faultyCase {
	return faultyCase{string(method) + " " + selector, func(ctx context.Context, p *engine.Page) (told, error) {
		return toldBy(p.Do(ctx, engine.Action{Selector: "css=" + selector, Method: method, Arguments: args}, nil))
	}}
}

// pickButton is a model that wants the button clicked, and answers all else with nothing.
type pickButton struct{}

func (pickButton) Name() string { return "test/button" }

func (pickButton) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch req.Purpose {
	case llm.PurposeAct:
		ref, err := refOf(req, "button", "Button")
		if err != nil {
			return nil, err
		}
		return &llm.Response{Text: fmt.Sprintf(`{"found":true,"ref":%q,"method":"click","arguments":[],"description":"","reason":"","more":false}`, ref)}, nil
	case llm.PurposeObserve:
		return &llm.Response{Text: `{"actions":[]}`}, nil
	}
	return &llm.Response{Text: `{"extraction":"text"}`}, nil
}

func faultyCases(t *testing.T) []faultyCase {
	file := filepath.Join(t.TempDir(), "file.txt")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []faultyCase{
		faultyDo(engine.Click, "#b"), faultyDo(engine.Click, "#a"), faultyDo(engine.Click, "#far"), faultyDo(engine.DoubleClick, "#b"), faultyDo(engine.LongPress, "#b"),
		faultyDo(engine.Hover, "#b"), faultyDo(engine.Tap, "#b"), faultyDo(engine.Fill, "#t", "new"), faultyDo(engine.Type, "#t", "ab"),
		faultyDo(engine.Press, "#t", "a"), faultyDo(engine.SelectOption, "#s", "Two"), faultyDo(engine.Check, "#off"), faultyDo(engine.Uncheck, "#on"),
		faultyDo(engine.ScrollTo, "#box", "50%"), faultyDo(engine.ScrollIntoView, "#far"), faultyDo(engine.NextChunk, "#box"), faultyDo(engine.PrevChunk, "#box"),
		faultyDo(engine.ScrollByPixelOffset, "#box", "0", "50"), faultyDo(engine.DragAndDrop, "#drag", "css=#drop"), faultyDo(engine.SetInputFiles, "#f", file),
		faultyDo(engine.TripleClick, "#b"), faultyDo(engine.Wheel, "#box", "0", "50"), faultyDo(engine.DragByPixelOffset, "#drag", "0", "20"),
		faultyDo(engine.Clear, "#t"), faultyDo(engine.Focus, "#t"), faultyDo(engine.Blur, "#t"),
		{"a ref", func(ctx context.Context, p *engine.Page) (told, error) {
			snap, err := p.Snapshot(ctx, nil)
			if err != nil {
				return told{}, err
			}
			ref, err := refIn(snap.Outline(), "button", "Button")
			if err != nil {
				return told{}, err
			}
			return toldBy(p.DoTo(ctx, engine.Target{Snapshot: snap, Ref: ref}, engine.Command{}, nil))
		}},
		{"a point", func(ctx context.Context, p *engine.Page) (told, error) {
			at := engine.Target{At: &driver.Offset{X: 12, Y: 12}}
			return toldBy(p.DoTo(ctx, at, engine.Command{Method: engine.Fill, Arguments: []string{"new"}}, nil))
		}},
		{"do with a fingerprint", func(ctx context.Context, p *engine.Page) (told, error) {
			return toldBy(p.Do(ctx, engine.Action{Selector: "css=#b", Method: engine.Click, Fingerprint: &engine.Fingerprint{Role: "button", Name: "Button", Tag: "button"}}, nil))
		}},
		{"act", func(ctx context.Context, p *engine.Page) (told, error) {
			return toldBy(p.Act(ctx, "click the button", nil))
		}},
		{"observe", func(ctx context.Context, p *engine.Page) (told, error) {
			_, err := p.Observe(ctx, "buttons", &engine.ObserveOptions{Selector: "css=body"})
			return told{success: err == nil}, err
		}},
		{"extract", func(ctx context.Context, p *engine.Page) (told, error) {
			_, err := p.Extract(ctx, "the text", nil)
			return told{success: err == nil}, err
		}},
		{"navigate", func(ctx context.Context, p *engine.Page) (told, error) {
			_, err := p.Navigate(ctx, shopAddress+"next", nil)
			return told{success: err == nil}, err
		}},
	}
	for _, m := range engine.Methods() {
		if !slices.ContainsFunc(cases, func(c faultyCase) bool { return len(c.name) > len(m) && c.name[:len(m)+1] == string(m)+" " }) {
			t.Errorf("no case for the method %s", m)
		}
	}
	return cases
}

// faultKinds make the fault that strikes at the nth call.
var faultKinds = []struct {
	name string
	err  error // what the caller must be able to tell, unless all was done in spite of it
	make func(n int) *faults.Fault
}{
	{"stale", driver.ErrStale, func(n int) *faults.Fault { return faults.At(n, "", driver.ErrStale) }},
	{"detached", driver.ErrDetached, func(n int) *faults.Fault { return faults.At(n, "", driver.ErrDetached) }},
	{"closed", driver.ErrClosed, func(n int) *faults.Fault { return faults.At(n, "", driver.ErrClosed) }},
	{"odd", errOdd, func(n int) *faults.Fault { return faults.At(n, "", errOdd) }},
	{"answer lost", errOdd, func(n int) *faults.Fault { return faults.Lose(n, "", errOdd) }},
	{"answer lost, stale", driver.ErrStale, func(n int) *faults.Fault { return faults.Lose(n, "", driver.ErrStale) }},
	{"answer lost, detached", driver.ErrDetached, func(n int) *faults.Fault { return faults.Lose(n, "", driver.ErrDetached) }},
	{"never answered", context.DeadlineExceeded, func(n int) *faults.Fault { return faults.Delay(n, "", time.Hour) }},
	{"late", nil, func(n int) *faults.Fault { return faults.Delay(n, "", 300*time.Millisecond) }},
	{"connection dropped", driver.ErrClosed, func(n int) *faults.Fault { return faults.Drop().On(n, "") }},
	{"crash", driver.ErrCrashed, func(n int) *faults.Fault { return faults.Crash().On(n, "") }},
}

var errOdd = errors.New("odd failure")

// effects count what reaches a page.
type effects struct {
	mu   sync.Mutex
	seen map[string]int
}

func (e *effects) script(d *fake.Document) {
	for _, kind := range []string{"click", "dblclick", "input", "change", "keydown", "mousedown", "drop", "scroll"} {
		d.On(kind, "*", func(ev *fake.Event) { e.count(kind + " " + ev.Target.Attr("id")) })
	}
	d.On("dragover", "#drop", func(ev *fake.Event) { ev.PreventDefault() })
	d.On("drop", "#drop", func(ev *fake.Event) { ev.Current.SetText("dropped") })
	e.count("shown " + d.URL())
}

func (e *effects) count(what string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen[what]++
}

// A faultyRun is what came of one case with one fault.
type faultyRun struct {
	told
	err   error
	seen  map[string]int
	calls int  // before the case began, and
	all   int  // at its end
	early bool // the fault struck before it began
}

func runFaulty(t *testing.T, c faultyCase, f ...*faults.Fault) faultyRun {
	e := &effects{seen: map[string]int{}}
	d := faults.Wrap(fake.New(fake.Options{
		Web:     fake.Web{shopAddress: "<!DOCTYPE html>" + faultyPage, shopAddress + "next": "<title>Next</title>next"},
		Scripts: map[string]func(*fake.Document){"*": e.script},
	}), f...)
	s, err := engine.Open(t.Context(), d, &engine.Options{Model: pickButton{}})
	if err != nil {
		t.Fatal(err)
	}
	page := s.Page()
	if _, err := page.Navigate(t.Context(), shopAddress, nil); err != nil {
		t.Fatal(err)
	}
	run := faultyRun{calls: d.Calls("")}
	start := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	run.told, run.err = c.do(ctx, page)
	cancel()
	if took := time.Since(start); took > time.Minute {
		t.Errorf("it took %v", took)
	}
	run.all = d.Calls("")
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	e.mu.Lock()
	run.seen = maps.Clone(e.seen)
	e.mu.Unlock()
	return run
}

// Whatever call to the driver fails in whatever way, the caller is told, unless
// all was done in spite of it; and nothing is done twice. A goroutine that is
// left fails the test at the end of its bubble.
func TestFaultSweep(t *testing.T) {
	for _, c := range faultyCases(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var plain faultyRun
			synctest.Test(t, func(t *testing.T) { plain = runFaulty(t, c) })
			if plain.err != nil || !plain.success {
				t.Fatalf("without a fault: %v, %v", plain.success, plain.err)
			}
			struck, stride := 0, chrometest.Thin(4)
			for i, kind := range faultKinds {
				for n := plain.calls + 1 + i%stride; !t.Failed(); n += stride {
					f := kind.make(n)
					synctest.Test(t, func(t *testing.T) {
						run := runFaulty(t, c, f)
						if f.Count() > 0 {
							checkFaulty(t, fmt.Sprintf("%s at call %d of %d", kind.name, n-plain.calls, plain.all-plain.calls), run, plain, kind.err)
						}
					})
					if f.Count() == 0 {
						break
					}
					struck++
				}
			}
			t.Logf("%d faults at %d calls, page saw %v", struck, plain.all-plain.calls, plain.seen)
			if struck*stride < len(faultKinds)*(plain.all-plain.calls-stride+1) && !t.Failed() {
				t.Errorf("%d faults struck, want at least %d for each of %d calls", struck, len(faultKinds), plain.all-plain.calls)
			}
		})
	}
}

func checkFaulty(t *testing.T, when string, run, plain faultyRun, want error) {
	t.Helper()
	for what, n := range run.seen {
		if n > plain.seen[what] {
			t.Errorf("%s: %q happened %d times, %d without the fault (error %v)", when, what, n, plain.seen[what], run.err)
		}
	}
	checkSent(t, when, run)
	switch {
	case run.success != (run.err == nil):
		t.Errorf("%s: success %v, error %v", when, run.success, run.err)
	case run.success && !maps.Equal(run.seen, plain.seen):
		t.Errorf("%s: success is told, and what happened is %v, not %v", when, run.seen, plain.seen)
	case run.err != nil && want == nil:
		t.Errorf("%s: error %v, though it was only late", when, run.err)
	case run.err != nil && !errors.Is(run.err, want):
		t.Errorf("%s: error %v, want it to wrap %v", when, run.err, want)
	}
}

// checkSent holds what is said of the input against what the page felt. An act
// of which nothing was sent is safe to repeat.
func checkSent(t *testing.T, when string, run faultyRun) {
	t.Helper()
	felt := slices.DeleteFunc(slices.Sorted(maps.Keys(run.seen)), func(what string) bool {
		return strings.HasPrefix(what, "shown ") || strings.HasPrefix(what, "scroll ")
	})
	unknown := errors.Is(run.err, engine.ErrMayHaveHappened)
	switch {
	case run.sent == "":
		if unknown {
			t.Errorf("%s: %v, where no input is meant", when, run.err)
		}
	case run.sent == engine.SentNone && (unknown || len(felt) > 0):
		t.Errorf("%s: nothing is said to be sent, and the page felt %v (error %v)", when, felt, run.err)
	case run.sent != engine.SentNone && run.err != nil && !unknown && !errors.Is(run.err, engine.ErrNoEffect):
		t.Errorf("%s: input was sent (%s), and %v does not say so", when, run.sent, run.err)
	case unknown && !strings.Contains(run.err.Error(), "look at the page before you retry"):
		t.Errorf("%s: %v does not say it in words", when, run.err)
	}
}
