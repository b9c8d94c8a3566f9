package runs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/errand"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/runs"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

var sweepAll = flag.Bool("sweep.all", false, "kill the process at each of its writes, not at some")

// A child is a process that does a run, kept in a directory, until it is over or
// the process kills itself.
type child struct {
	Dir, Shop string
	Kill      int // the write to the store at which it does, before it; negative: after it

	Script bool // the run is a script
	Vault  bool // the run logs in at a vault, with a password and a viewport
	Goes   bool // it goes on with the one that is there, and knows no password
}

const childVariable = "WAYFINDER_TEST_CHILD"

// A mortal is a store at whose n-th write to a run's log the process is killed.
type mortal struct {
	fleet.Store
	at   int
	seen atomic.Int64 // writes; claims are kept alive beside the run's own
}

func (m *mortal) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	n := int(m.seen.Add(1))
	if n == m.at {
		die()
	}
	written, err := m.Store.Put(ctx, key, value, revision)
	if n == -m.at {
		die()
	}
	return written, err
}

func die() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill() // SIGKILL
	}
	panic(err)
}

// TestChild is that process.
func TestChild(t *testing.T) {
	raw := os.Getenv(childVariable)
	if raw == "" {
		t.Skip("it is for the other tests to start")
	}
	var c child
	if err := json.Unmarshal([]byte(raw), &c); err != nil {
		t.Fatal(err)
	}
	// Each write is on the disk before it is answered, as a kill may come.
	store, err := jetstream.Open(t.Context(), &jetstream.Options{Dir: c.Dir, Sync: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	r, err := runs.New(t.Context(), &mortal{Store: store, at: c.Kill}, c.options(t))
	if err != nil {
		t.Fatal(err)
	}
	d := &opening{Driver: fake.Network()}
	options := &server.Options{
		Parts: server.Parts{Runs: r}, Models: server.Models{Default: &errand.Model{}}, Browsers: server.Browsers{Policy: &engine.Policy{Private: []string{"*"}}}, Keys: []server.Key{server.NewKey("alice", "a")},
	}
	if c.Vault {
		options.Models.Default = new(signer)
	}
	srv, err := server.New(d, options)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(srv)
	defer h.Close()
	ctx, cancel := context.WithCancel(t.Context())
	worked := make(chan struct{})
	go func() { defer close(worked); r.Work(ctx, srv) }()
	s := &service{t: t, url: h.URL, runs: r}
	run := c.begin(s)
	all := s.events("a", run.ID)
	cancel()
	<-worked
	_ = srv.Shutdown(t.Context())
	r.Close()
	for _, o := range d.opened {
		if c.Vault && o.Viewport.Width != 801 {
			t.Errorf("a browser was opened with %+v", o)
		}
	}
	out, err := json.Marshal(all[len(all)-1].Run)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("\nRESULT %s\n", out)
}

// options have a script gone on with at once: nobody else has the directory.
func (c child) options(t *testing.T) *runs.Options {
	o := &runs.Options{Workers: 1, Term: time.Second, Keys: c.sealer(t)}
	if c.Script {
		o.Term, o.Alone = time.Hour, true
	}
	return o
}

func (c child) sealer(t *testing.T) *server.SealingKeys {
	if c.Vault {
		return sealing(t, "a")
	}
	return nil
}

// begin makes the run, or finds it.
func (c child) begin(s *service) wire.Run {
	switch {
	case c.Goes:
		var list wire.Success[wire.RunList]
		if err := json.Unmarshal(s.read("a", "/v1/runs"), &list); err != nil || len(list.Data.Runs) != 1 {
			s.t.Fatalf("there are %+v, %v", list.Data.Runs, err)
		}
		return list.Data.Runs[0]
	case c.Script:
		return s.call(0, "a", "POST", "/v1/runs", `{"script":`+errandScript+`,"url":"`+c.Shop+`/?cart=a"}`, "idempotency-key", "1")
	case c.Vault:
		return s.call(0, "a", "POST", "/v1/runs", `{"task":"log in","url":"`+c.Shop+`","variables":{"password":`+mustJSON(password)+`},"browser":{"launchOptions":{"viewport":{"width":801,"height":600}}}}`)
	}
	return s.call(0, "a", "POST", "/v1/runs", `{"task":"put all items into the cart","url":"`+c.Shop+`/?cart=a"}`, "idempotency-key", "1")
}

// start runs a child to its end; nil: it was killed.
func (c child) start(t *testing.T) *wire.Run {
	t.Helper()
	raw, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$", "-test.v")
	cmd.Env = append(os.Environ(), childVariable+"="+string(raw))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && !exit.Exited() {
		return nil
	}
	_, result, ok := bytes.Cut(out.Bytes(), []byte("\nRESULT "))
	if err != nil || !ok {
		t.Fatalf("%v\n%s", err, out.Bytes())
	}
	run := new(wire.Run)
	line, _, _ := bytes.Cut(result, []byte("\n"))
	if err := json.Unmarshal(line, run); err != nil {
		t.Fatal(err)
	}
	return run
}

// TestKilled: a process is killed (SIGKILL) at a write to its store, before it
// or after it, and another node continues the run on the same directory: it
// succeeds, and everything in it was done once.
func TestKilled(t *testing.T) {
	points := []int{-4, 9, -13, 22}
	if *sweepAll {
		points = nil
		for n := 1; n <= 60; n++ {
			points = append(points, n, -n)
		}
	}
	for i, at := range points {
		if i%chrometest.Thin(2) != 0 {
			continue
		}
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			shop := &errand.Shop{}
			site := httptest.NewServer(http.Handler(shop))
			t.Cleanup(site.Close)
			c := child{Dir: t.TempDir(), Shop: site.URL, Kill: at}
			run := c.start(t)
			killed := run == nil
			if killed {
				c.Kill = 0
				run = c.start(t)
			} else if !*sweepAll {
				t.Error("it was not killed")
			}
			if run == nil || run.Status != wire.RunSucceeded {
				t.Errorf("the run ended as %+v", run)
				if run != nil {
					t.Log(run.Error)
				}
			}
			for cart, items := range shop.Carts() {
				if items != [errand.Items]int{1, 1, 1} {
					t.Errorf("cart %s has %v, want each item once", cart, items)
				}
			}
		})
	}
}

// TestKilledWithSecrets: so does a run with variables and settings of its browser,
// whose values the other process has from the records alone.
func TestKilledWithSecrets(t *testing.T) {
	chrometest.Long(t)
	points := []int{-5, 9, -14}
	if *sweepAll {
		points = nil
		for n := 5; n <= 40; n++ {
			points = append(points, n, -n)
		}
	}
	for i, at := range points {
		if i%chrometest.Thin(2) != 0 {
			continue
		}
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			home := new(vault)
			site := httptest.NewServer(home)
			t.Cleanup(site.Close)
			c := child{Dir: t.TempDir(), Shop: site.URL, Kill: at, Vault: true}
			run := c.start(t)
			if run == nil {
				c.Kill, c.Goes = 0, true
				run = c.start(t)
			} else if !*sweepAll {
				t.Error("it was not killed")
			}
			if run == nil || run.Status != wire.RunSucceeded {
				t.Errorf("the run ended as %+v", run)
			}
			if home.ins < 1 {
				t.Error("there was no log-in with the password")
			}
			leaks(t, "the directory", filesBelow(t, c.Dir))
		})
	}
}
