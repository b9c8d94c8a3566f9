package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

const twoSteps = `{"wayfinder": "script", "version": 1, "start": "` + start + `", "variables": ["city"], "steps": [{"step": "1", "do": "fill", "target": {"role": "textbox", "name": "City"}, "arguments": ["%city%"], "expect": {"effect": "value"}},
	{"step": "2", "do": "click", "target": {"role": "button", "name": "Go"}, "expect": {"requests": ["POST /sent"], "texts": ["Sent"]}}]}`

// TestRecoverTakesWhatItBeganWith: another script, another start, other files and
// missing values are refused before anything is done, and so is a run that is not a
// script's.
func TestRecoverTakesWhatItBeganWith(t *testing.T) {
	var posted atomic.Int32
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<form method="post" action="/sent"><label>City <input name="city"></label><button>Go</button></form>`))
	})
	mux.HandleFunc("POST /sent", func(w http.ResponseWriter, r *http.Request) {
		posted.Add(1)
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<h1>Sent to ` + r.FormValue("city") + `</h1>`))
	})
	open := func() *engine.Page {
		session, err := engine.Open(t.Context(), fake.New(fake.Options{Handler: mux}), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		return session.Page()
	}
	s, err := script.Parse([]byte(twoSteps))
	if err != nil {
		t.Fatal(err)
	}
	store, vars := runs.NewMemory(), map[string]engine.Variable{"city": {Value: "Bellinzona"}}
	opts := &script.Options{Variables: vars, Store: store, Run: "a", Files: map[string][]byte{"f": []byte("x")}}
	if _, err := script.Replay(t.Context(), open(), s, opts); err != nil {
		t.Fatal(err)
	}
	if _, err := script.Replay(t.Context(), open(), s, opts); !errors.Is(err, runs.ErrConflict) || posted.Load() != 1 {
		t.Errorf("a second run of the name: %v, and %d were sent", err, posted.Load())
	}
	if _, err := script.Replay(t.Context(), open(), s, &script.Options{Variables: vars, Store: store, Run: "../a"}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("a name that is a path: %v", err)
	}
	saved, err := script.Load(t.Context(), store, "a")
	if err != nil || !saved.Over || len(saved.Variables) != 1 || len(saved.Files) != 1 {
		t.Fatalf("Load: %+v, %v", saved, err)
	}
	if err := saved.Prepare(&engine.Options{}, nil); !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), "%city%") {
		t.Errorf("without a value: %v", err)
	}
	other := *s
	other.Task = "another"
	for name, c := range map[string]struct {
		s     *script.Script
		opts  script.Options
		wrong string
	}{
		"another script": {&other, *opts, "another script"},
		"another start":  {s, script.Options{Variables: vars, Files: opts.Files, Start: "https://other.test/"}, "it began at " + start},
		"another file":   {s, script.Options{Variables: vars, Files: map[string][]byte{"f": []byte("y")}}, "the file f"},
		"no value":       {s, script.Options{Files: opts.Files}, `the variable "city"`},
	} {
		if r, err := script.Recover(t.Context(), open(), c.s, &c.opts, saved); r != nil || !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	r, err := script.Recover(t.Context(), open(), s, opts, saved)
	if err != nil || len(r.Steps) != 2 || r.Steps[1].Outcome != script.Unchanged || posted.Load() != 1 {
		t.Errorf("a run that is over: %+v, %v; %d were sent", r, err, posted.Load())
	}
	if _, err := agent.Load(t.Context(), store, "a"); !errors.Is(err, runs.ErrFormat) || !strings.Contains(err.Error(), "script") {
		t.Errorf("as an agent's: %v", err)
	}
	if _, err := script.Recover(t.Context(), open(), s, opts, nil); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("no run: %v", err)
	}
}

// TestRefusedStaysRefused: a replay that was refused is over, and says the same in
// another process.
func TestRefusedStaysRefused(t *testing.T) {
	store := runs.NewMemory()
	web := fake.Web{start: `<button>Stop</button>`}
	s := one(t, `{"step": "1", "do": "click", "target": {"role": "button", "name": "Go"}, "expect": {}}`)
	_, first := script.Replay(t.Context(), on(t, web), s, &script.Options{Store: store, Run: "a"})
	saved, err := script.Load(t.Context(), store, "a")
	if err != nil || !saved.Over {
		t.Fatalf("Load: %+v, %v", saved, err)
	}
	r, again := script.Recover(t.Context(), on(t, web), s, nil, saved)
	if !errors.Is(again, script.ErrRefused) || again.Error() != first.Error() || len(r.Steps) != 1 {
		t.Errorf("Recover: %v, %+v; Replay: %v", again, r, first)
	}
}

// TestWhatIsStoredIsNotDoneAgain: what a step has changed in the page alone is done
// again in another browser, and what it has stored is not: it is there.
func TestWhatIsStoredIsNotDoneAgain(t *testing.T) {
	type place struct {
		put func(d *fake.Document, n int)
		get func(d *fake.Document) int
	}
	for name, where := range map[string]place{
		"the page": {func(*fake.Document, int) {}, func(*fake.Document) int { return 0 }},
		"local storage": {func(d *fake.Document, n int) { d.Store("n", fmt.Sprint(n)) }, func(d *fake.Document) (n int) {
			text, _ := d.Stored("n")
			_, _ = fmt.Sscan(text, &n) // nothing is 0
			return n
		}},
		"IndexedDB": {func(d *fake.Document, n int) {
			if err := d.StoreDatabase(driver.Database{Name: "cart", Version: 1, Stores: []driver.ObjectStore{{Name: "s", Records: []driver.Record{{Key: json.RawMessage(`"n"`), Value: json.RawMessage(fmt.Sprint(n))}}}}}); err != nil {
				t.Error(err)
			}
		}, func(d *fake.Document) (n int) {
			if db, ok := d.StoredDatabase("cart"); ok {
				_, _ = fmt.Sscan(string(db.Stores[0].Records[0].Value), &n)
			}
			return n
		}},
	} {
		t.Run(name, func(t *testing.T) {
			open := func(opts *engine.Options) *engine.Page {
				session, err := engine.Open(t.Context(), fake.New(fake.Options{
					Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
						w.Header().Set("Content-Type", "text/html")
						_, _ = w.Write([]byte(`<p id="count"></p><button id="add">Add</button>`))
					}),
					Scripts: map[string]func(*fake.Document){start: func(d *fake.Document) {
						d.Store("seen", "yes") // the origin is known from the first
						n := where.get(d)
						show := func() { d.Find("#count").SetText(fmt.Sprintf("%d in the cart", n)) }
						show()
						d.On("click", "#add", func(*fake.Event) {
							n++
							where.put(d, n)
							show()
						})
					}},
				}), opts)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = session.Close() })
				return session.Page()
			}
			add := `{"step": "%d", "do": "click", "target": {"role": "button", "name": "Add"}, "expect": {"texts": ["%[1]d in the cart"]}}`
			s, store := one(t, fmt.Sprintf(add+", ", 1)+fmt.Sprintf(add, 2)), runs.NewMemory()
			ctx, die := context.WithCancel(t.Context())
			if _, err := script.Replay(ctx, open(nil), s, &script.Options{Store: store, Run: "a", Stepped: func(script.StepResult) { die() }}); !errors.Is(err, context.Canceled) {
				t.Fatalf("Replay: %v", err)
			}
			saved, err := script.Load(t.Context(), store, "a")
			if err != nil {
				t.Fatal(err)
			}
			opts := &engine.Options{}
			if err := saved.Prepare(opts, nil); err != nil {
				t.Fatal(err)
			}
			if r, err := script.Recover(t.Context(), open(opts), s, nil, saved); err != nil || len(r.Steps) != 2 {
				t.Errorf("Recover: %v, %+v", err, r)
			}
		})
	}
}

// A humming page has a WebSocket.
type (
	hummingDriver  struct{ driver.Driver }
	hummingBrowser struct{ driver.Browser }
	hummingPage    struct{ driver.Page }
)

func (d hummingDriver) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	b, err := d.Driver.Open(ctx, opts)
	return hummingBrowser{b}, err
}

func (b hummingBrowser) Unwrap() driver.Browser { return b.Browser }

func (b hummingBrowser) Pages() []driver.Page {
	pages := b.Browser.Pages()
	for i := range pages {
		pages[i] = hummingPage{pages[i]}
	}
	return pages
}

func (p hummingPage) Unwrap() driver.Page { return p.Page }

func (p hummingPage) Activity(ctx context.Context) (*driver.Activity, error) {
	a, err := p.Page.Activity(ctx)
	if err == nil {
		a.Channels = true
	}
	return a, err
}

// TestNothingIsPressedAgainBlindly: on a page that may send what nobody sees fields
// are filled again, and nothing is pressed again.
func TestNothingIsPressedAgainBlindly(t *testing.T) {
	pressed := 0
	open := func() *engine.Page {
		session, err := engine.Open(t.Context(), hummingDriver{fake.New(fake.Options{
			Web:     fake.Web{start: `<label>Word <input></label><button>Say it</button><button>Other</button>`},
			Scripts: map[string]func(*fake.Document){start: func(d *fake.Document) { d.On("click", "button", func(*fake.Event) { pressed++ }) }},
		})}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		return session.Page()
	}
	s, store := one(t, `{"step": "1", "do": "fill", "target": {"role": "textbox", "name": "Word"}, "arguments": ["tea"], "expect": {}},
		{"step": "2", "do": "click", "target": {"role": "button", "name": "Say it"}, "expect": {}},
		{"step": "3", "do": "click", "target": {"role": "button", "name": "Other"}, "expect": {}}`), runs.NewMemory()
	ctx, die := context.WithCancel(t.Context())
	if _, err := script.Replay(ctx, open(), s, &script.Options{Store: store, Run: "a", Stepped: func(r script.StepResult) {
		if r.Name == "2" {
			die()
		}
	}}); !errors.Is(err, context.Canceled) {
		t.Fatalf("Replay: %v", err)
	}
	saved, err := script.Load(t.Context(), store, "a")
	if err != nil {
		t.Fatal(err)
	}
	page := open()
	if _, err := script.Recover(t.Context(), page, s, nil, saved); err != nil {
		t.Errorf("Recover: %v", err)
	}
	snap, err := page.Snapshot(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if pressed != 2 || !strings.Contains(snap.Text(), "tea") {
		t.Errorf("pressed %d times, want 2; the page is\n%s", pressed, snap.Text())
	}
}
