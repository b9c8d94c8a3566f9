package computeruse

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// sweepAll has a sweep take each point.
var sweepAll = flag.Bool("sweep.all", false, "end the vendor's run at each point, and not at a few")

// errOver is what everything comes to in a life that is over.
var errOver = errors.New("this process is dead")

// A life is what a process has until it is killed: from one of its points on it
// writes nothing, sends nothing and hears nothing. What it has written and sent by
// then remains. A killed process is no other to those that outlive it, and here it
// takes no process.
type life struct {
	end context.CancelFunc

	mu           sync.Mutex // protects what follows
	target, seen int
	over         bool
}

// point is one at which the life may end.
func (l *life) point() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen++; l.seen == l.target {
		l.over = true
		l.end()
	}
	if l.over {
		return errOver
	}
	return nil
}

// kill ends it.
func (l *life) kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	l.end()
}

// around is a point before and after f.
func around[T any](l *life, f func() (T, error)) (out T, err error) {
	if err := l.point(); err != nil {
		return out, err
	}
	out, err = f()
	if over := l.point(); over != nil {
		var none T
		return none, over
	}
	return out, err
}

// What a life writes, sends and asks.
type (
	mortalStore struct {
		runs.Store
		*life
	}
	mortalModel struct {
		llm.Model
		*life
	}
)

func (s mortalStore) Append(ctx context.Context, run string, rec runs.Record) error {
	_, err := around(s.life, func() (struct{}, error) { return struct{}{}, s.Store.Append(ctx, run, rec) })
	return err
}

func (m mortalModel) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	return around(m.life, func() (*llm.Response, error) { return m.Model.Generate(ctx, req) })
}

// A trial is an errand at a kiosk that is done in one life or more.
type trial struct {
	t        *testing.T
	newModel NewModel
	kiosk    *kiosk
	store    *runs.Memory
	shopper  *shopper
	server   *Server
	address  string
	session  *engine.Session // of the life now
	lives    int
	wentOn   bool // the life now continues a run
}

func newTrial(t *testing.T, v *Vendor, newModel NewModel) *trial {
	tr := &trial{t: t, newModel: newModel, kiosk: &kiosk{effects: map[string]int{}}, store: runs.NewMemory()}
	tr.shopper = &shopper{oracle{t: t, vendor: v, page: func() *engine.Page { return tr.session.Page() }}}
	tr.server = &Server{T: t, Vendor: v, Next: tr.shopper.next}
	tr.address = tr.server.listen()
	return tr
}

// live does the errand, or continues it, up to a point; 0 is to its end. during,
// if not nil, gets the life before it begins.
func (tr *trial) live(target int, during func(*life)) (result *agent.Result, points int, err error) {
	t, v := tr.t, tr.server.Vendor
	t.Helper()
	tr.lives++
	ctx, end := context.WithCancel(t.Context())
	defer end()
	l := &life{target: target, end: end}
	if during != nil {
		during(l)
	}
	a, err := v.agent(agent.Config{
		Model: mortalModel{tr.newModel(t, tr.address, v.Model), l}, Store: mortalStore{tr.store, l},
		Approve: func(context.Context, agent.Approval) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	opts := options()
	names, err := tr.store.Runs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var saved *agent.Saved
	if tr.wentOn = len(names) > 0; tr.wentOn {
		if saved, err = agent.Load(t.Context(), mortalStore{tr.store, l}, names[0]); err == nil {
			err = saved.Prepare(opts, tr.kiosk.variables())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	tr.session, err = engine.Open(t.Context(), faults.Watch(fake.New(fake.Options{Handler: tr.kiosk}), l.point, "input", "setvalue"), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tr.session.Close() }()
	if saved == nil {
		if _, err := tr.session.Page().Navigate(t.Context(), "https://kiosk.test/", nil); err != nil {
			t.Fatal(err)
		}
		result, err = a.Execute(ctx, tr.session.Page(), agent.Task{Instruction: "log in as Ada with %pin% and order them for tea", Variables: tr.kiosk.variables(), MaxSteps: 60})
	} else {
		task := saved.Task
		task.Variables = tr.kiosk.variables()
		for step, stop := range a.Recover(ctx, tr.session.Page(), task, saved) {
			if stop != nil {
				err = stop
			}
			if step.Result != nil {
				result = step.Result
			}
		}
	}
	return result, l.seen, err
}

// questions are how many have reached the vendor.
func (tr *trial) questions() int {
	tr.server.mu.Lock()
	defer tr.server.mu.Unlock()
	return tr.server.answers
}

var errand = []string{"add1: 1", "add2: 1", "login: 1", `order Large, "for tea", gift yes: 1`}

// check holds the errand against what it must come to.
func (tr *trial) check(what string, r *agent.Result, err error, most int) {
	t := tr.t
	t.Helper()
	effects := tr.kiosk.account()
	if tr.lives > 1 { // who is logged in may be lost with the browser
		for i, e := range effects {
			if e == "login: 2" {
				effects[i] = "login: 1"
			}
		}
	}
	switch {
	case err != nil || r == nil:
		t.Errorf("%s: %v, no success: %s", what, err, account(r))
	case !r.Success && !(r.Verdict == agent.Unproven && strings.HasPrefix(what, "killed")):
		// What became of a press that the kill cut off is unknown, and proves nothing.
		t.Errorf("%s: no success, open is %+v: %s", what, r.Open, account(r))
	}
	if !slices.Equal(effects, errand) {
		t.Errorf("%s: the effects are %q, want each once: %q\n%s", what, effects, errand, account(r))
	}
	if n := tr.questions(); n > most {
		t.Errorf("%s: the model was asked %d times, want %d at most\n%s", what, n, most, account(r))
	}
	names, err := tr.store.Runs(t.Context())
	if err != nil || len(names) != 1 {
		t.Fatalf("%s: the runs are %q, %v, want one", what, names, err)
	}
	records, err := tr.store.Load(t.Context(), names[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range records {
		if bytes.Contains(rec.Data, []byte("xyzzy")) {
			t.Errorf("%s: record %d (%s) holds the value of a variable", what, rec.Revision, rec.Kind)
		}
	}
}

// shown holds the first question of a life against what its model has to be shown: it
// has seen nothing yet.
func (tr *trial) shown(first int) {
	tr.t.Helper()
	if !tr.wentOn || first == len(tr.server.Requests) {
		return // it had not begun, or was over
	}
	asked := tr.server.Requests[first]
	refs := strings.HasPrefix(tr.server.Vendor.Name, "browser_") && bytes.Contains(asked, []byte("[ref_"))
	if !refs && !picture.Match(asked) {
		tr.t.Errorf("the first question of a process that goes on shows no page: %s", brief(asked))
	}
}

// Killed has a process end at each point of an errand, and another one continue: each
// effect happens once, and the model is asked once more at most.
func Killed(t *testing.T, v func() *Vendor, newModel NewModel) {
	tr := newTrial(t, v(), newModel)
	result, points, err := tr.live(0, nil)
	asked := tr.questions()
	tr.check("without a kill", result, err, asked)
	stride := 47
	if *sweepAll {
		stride = 1
	}
	for n := 1; n <= points && !t.Failed(); n += stride {
		tr := newTrial(t, v(), newModel)
		_, _, _ = tr.live(n, nil) // it is killed
		before := len(tr.server.Requests)
		result, _, err := tr.live(0, nil)
		tr.shown(before)
		tr.check(fmt.Sprintf("killed at point %d of %d", n, points), result, err, asked+1)
	}
	for _, effect := range errand {
		effect, _, _ = strings.Cut(effect, ":")
		tr := newTrial(t, v(), newModel)
		_, _, _ = tr.live(0, func(l *life) {
			tr.kiosk.counted = func(done string) {
				if done == effect {
					l.kill()
				}
			}
		})
		tr.kiosk.counted = nil
		result, _, err := tr.live(0, nil)
		tr.check("killed in the request for "+effect, result, err, asked+1)
	}
	t.Logf("%s: %d points, %d questions without a kill", v().Name, points, asked)
}
