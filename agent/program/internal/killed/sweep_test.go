package killed_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/program"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// An errand is what a child process is to do, in its environment.
type errand struct {
	Dir, Shop string
	From      int    // where the process before was killed
	Kill      int    // the point at which it kills itself; 0 is none
	Batch     bool   // the model gives several calls in one answer
	Program   bool   // the model writes programs
	CUA       bool   // the model has its vendor's own tool, and reads by that
	Chrome    string // the directory of its profile; empty is the browser in memory
}

const errandVariable = "WAYFINDER_TEST_ERRAND"

// A witness counts the points at which a process can be killed, and kills it.
type witness struct {
	target, seen int
}

func (w *witness) point() {
	if w.seen++; w.seen == w.target {
		p, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = p.Kill()
		}
		if err != nil {
			panic(err)
		}
		select {}
	}
}

// A store and a model that are points: before and after each write, and each question.
type (
	watchedStore struct {
		runs.Store
		*witness
	}
	// shopper does the errand by what the page says, and nothing else: it remembers
	// nothing.
	shopper struct {
		*witness
		errand
	}
)

func (s watchedStore) Append(ctx context.Context, run string, rec runs.Record) error {
	s.point()
	defer s.point()
	return s.Store.Append(ctx, run, rec)
}

// watch has points before and after each input.
func (w *witness) watch(d driver.Driver) driver.Driver {
	return faults.Watch(d, func() error { w.point(); return nil }, "input", "setvalue")
}

// TestErrand is the process that does the errand, or goes on with it.
func TestErrand(t *testing.T) {
	raw := os.Getenv(errandVariable)
	if raw == "" {
		t.Skip("it is for the other tests to start")
	}
	var e errand
	if err := json.Unmarshal([]byte(raw), &e); err != nil {
		t.Fatal(err)
	}
	result, err := e.do(t.Context())
	if err != nil {
		t.Fatalf("%v\n%s", err, account(result))
	}
	out, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("\nRESULT %s\n", out)
}

func (e errand) do(ctx context.Context) (*agent.Result, error) {
	w := &witness{target: e.Kill}
	dir, err := runs.NewDir(e.Dir)
	if err != nil {
		return nil, err
	}
	var browser driver.Driver = fake.New(fake.Options{Transport: &http.Transport{}})
	if e.Chrome != "" {
		browser = cdp.Launch{UserDataDir: e.Chrome, PreserveUserDataDir: true}
	}
	d := w.watch(browser)
	a, err := agent.New(agent.Config{Model: &shopper{w, e}, Store: watchedStore{dir, w}, Tools: []agent.Tool{program.Tool(program.Limits{})}, Mode: e.mode()})
	if err != nil {
		return nil, err
	}
	vars := map[string]engine.Variable{"pin": {Value: "4711-xyzzy"}}
	names, err := dir.Runs(ctx)
	if err != nil {
		return nil, err
	}
	opts := &engine.Options{}
	var saved *agent.Saved
	if len(names) > 0 {
		saved, err = agent.Load(ctx, watchedStore{dir, w}, names[0])
		if errors.Is(err, runs.ErrNotFound) {
			saved, err = nil, nil // it has not begun
		}
		if err == nil && saved != nil {
			err = saved.Prepare(opts, vars)
		}
		if err != nil {
			return nil, err
		}
	}
	session, err := engine.Open(ctx, d, opts)
	if err != nil {
		return nil, err
	}
	defer func() { _ = session.Close() }()
	if saved == nil {
		if _, err := session.Page().Navigate(ctx, e.Shop+"/", nil); err != nil {
			return nil, err
		}
		return a.Execute(ctx, session.Page(), agent.Task{Instruction: "log in as Ada with %pin% and order them for tea", Variables: vars, MaxSteps: 40})
	}
	task := saved.Task
	task.Variables = vars
	var result *agent.Result
	for step, stop := range a.Recover(ctx, session.Page(), task, saved) {
		if stop != nil {
			err = stop
		}
		if step.Result != nil {
			result = step.Result
		}
	}
	return result, err
}

func (e errand) mode() agent.Mode {
	if e.CUA {
		return agent.CUA
	}
	return agent.DOM
}

// start runs a child to its end. killed reports that it was killed.
func (e errand) start(t *testing.T, begun func(*os.Process)) (result *agent.Result, killed bool) {
	t.Helper()
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestErrand$", "-test.v")
	cmd.Env = append(os.Environ(), errandVariable+"="+string(raw))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if begun != nil {
		begun(cmd.Process)
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == -1 {
		return nil, true
	}
	_, text, ok := strings.Cut(out.String(), "RESULT ")
	text, _, _ = strings.Cut(text, "\n")
	if err != nil || !ok || json.Unmarshal([]byte(text), &result) != nil {
		t.Fatalf("killed at %d: the process ended with %v:\n%s", e.From, err, out.String())
	}
	return result, false
}

// sweepAll has the sweep take each point.
var sweepAll = flag.Bool("sweep.all", false, "kill the process at each point, and not at a few")

var wanted = []string{"add1: 1", "add2: 1", `order Large, "for tea", gift yes: 1`}

// check holds a run that was killed at some point against one that was not.
func check(t *testing.T, s *shop, what string, r *agent.Result, dir string, most int) {
	t.Helper()
	s.quiet()
	effects, asked := s.account()
	if n := s.count("login"); n < 1 || n > 2 {
		t.Errorf("%s: %d logins, want one, or two where the browser died with the cookie of the first", what, n)
	}
	if !slices.Equal(effects, wanted) {
		t.Errorf("%s: the effects are %q, want each once: %q\n%s", what, effects, wanted, account(r))
	}
	if asked > most {
		t.Errorf("%s: the model was asked %d times, want %d at most\n%s", what, asked, most, account(r))
	}
	// What became of a press that the kill cut off is unknown, and proves nothing.
	if r == nil || !r.Success && r.Verdict != agent.Unproven {
		t.Errorf("%s: no success\n%s", what, account(r))
	}
	logs, err := filepath.Glob(filepath.Join(dir, "*.run"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("%s: the logs are %q, %v, want one", what, logs, err)
	}
	content, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(content, []byte("xyzzy")) {
		t.Errorf("%s: the log holds the value of a variable", what)
	}
}

func account(r *agent.Result) string {
	if r == nil {
		return "no result"
	}
	var b strings.Builder
	for _, a := range r.Actions {
		fmt.Fprintf(&b, "%d %s %s %s: %s\n", a.Step, a.Type, a.Arguments, a.Status, a.Message)
	}
	return b.String() + r.Message
}

// TestKill: a process is killed before and after each write, input and question of
// a ten-step task, and another one goes on: each effect happens once, and the
// model is asked once more at most.
func TestKill(t *testing.T) {
	for name, e := range map[string]errand{"one call in an answer": {}, "several calls in an answer": {Batch: true}, "programs": {Program: true}, "the vendor's tool": {Batch: true, CUA: true}} {
		t.Run(name, func(t *testing.T) { sweep(t, e, 23*chrometest.Thin(3)) })
	}
}

// sweep kills at each point, or at each of a stride.
func sweep(t *testing.T, e errand, stride int) {
	asked := unharmed(t, e)
	if *sweepAll {
		stride = 1
	}
	for n := 1; !t.Failed(); n += stride {
		if !e.killedAt(t, n, asked) {
			t.Logf("%d points, %d questions without a kill", n-1, asked)
			return
		}
	}
}

// unharmed does the errand without a kill, and returns how often the model was asked.
func unharmed(t *testing.T, e errand) (asked int) {
	t.Helper()
	s, dir := newShop(t), t.TempDir()
	e.Shop, e.Dir = s.URL, dir
	result, _ := e.start(t, nil)
	_, asked = s.account()
	check(t, s, "without a kill", result, dir, asked)
	return asked
}

// killedAt kills the process at a point, and has another one go on. It reports
// false where there is no such point.
func (e errand) killedAt(t *testing.T, n, asked int) bool {
	t.Helper()
	s, dir := newShop(t), t.TempDir()
	defer s.Close()
	e.Shop, e.Dir, e.Kill = s.URL, dir, n
	if _, killed := e.start(t, nil); !killed {
		return false
	}
	e.goOn(t, s, n, "killed at point "+strconv.Itoa(n), asked)
	return true
}

// goOn has another process go on, and checks what came of both.
func (e errand) goOn(t *testing.T, s *shop, from int, what string, asked int) {
	t.Helper()
	if e.Chrome != "" {
		ended(t, e.Chrome)
	}
	s.quiet()
	e.Kill, e.From = 0, from
	result, _ := e.start(t, nil)
	check(t, s, what, result, e.Dir, asked+1)
}

// killedIn kills the process while a request with an effect is answered: the site
// has it, and the process does not know.
func (e errand) killedIn(t *testing.T, effect string, asked int) {
	t.Helper()
	s, dir := newShop(t), t.TempDir()
	defer s.Close()
	e.Shop, e.Dir = s.URL, dir
	process := make(chan *os.Process, 1)
	kill := func(done string) {
		if !strings.HasPrefix(done, effect) {
			return
		}
		select {
		case p := <-process:
			if err := p.Kill(); err != nil {
				t.Error(err)
			}
		default: // it is the other process's
		}
	}
	s.mu.Lock()
	s.kill = kill
	s.mu.Unlock()
	if _, killed := e.start(t, func(p *os.Process) { process <- p }); !killed {
		t.Fatalf("nobody asked for %s", effect)
	}
	e.goOn(t, s, 0, "killed in the request for "+effect, asked)
}

// TestKillInRequest: of a request that the site has answered by its effect alone
// nobody knows, and it is not sent again.
func TestKillInRequest(t *testing.T) {
	for _, batch := range []bool{false, true} {
		asked := unharmed(t, errand{Batch: batch})
		for _, effect := range []string{"login", "add1", "add2", "order"} {
			if *sweepAll || batch == (effect == "order" || effect == "login") {
				errand{Batch: batch}.killedIn(t, effect, asked)
			}
		}
	}
}
