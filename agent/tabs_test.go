package agent_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// orderWindows is a site with a start page for each of two runs. Its link opens a
// window whose field and button send the run's own secret: what arrives at the
// other's address is data that went where it was not meant to go.
func orderWindows() (site http.Handler, sent func() []string) {
	var mu sync.Mutex
	var got []string
	mux := http.NewServeMux()
	page := func(w http.ResponseWriter, body string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Window</title>"+body)
	}
	for _, who := range []string{"ann", "bob"} {
		mux.HandleFunc("GET /"+who, func(w http.ResponseWriter, _ *http.Request) {
			page(w, "<a target=_blank href=/"+who+"/order>Order</a>")
		})
		mux.HandleFunc("GET /"+who+"/order", func(w http.ResponseWriter, _ *http.Request) {
			page(w, "<form method=post action=/"+who+"/send><label>Name <input name=name></label><button>Send</button></form>")
		})
		mux.HandleFunc("POST /"+who+"/send", func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			got = append(got, who+" gets "+r.FormValue("name"))
			mu.Unlock()
			page(w, "<p>Thank you</p>")
		})
	}
	return mux, func() []string { mu.Lock(); defer mu.Unlock(); return got }
}

// TestTwoAgentsInOneSession: each run goes on in the window that its own step
// opened, while the other opens one. Rounds in memory have the processor to themselves
// and differ by its scheduler; Chrome gets a few.
func TestTwoAgentsInOneSession(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		for range 20 { // of two runs each
			twoAgents(t, inMemory)
		}
	})
	t.Run("chrome", func(t *testing.T) {
		onChrome := chromeStage(t)
		for round := range 8 {
			t.Run(fmt.Sprint(round), func(t *testing.T) {
				t.Parallel()
				twoAgents(t, onChrome)
			})
		}
	})
}

// onBoth runs a test on both browsers, on Chrome beside other tests.
func onBoth(t *testing.T, test func(t *testing.T, on stage)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) { test(t, inMemory) })
	t.Run("chrome", func(t *testing.T) {
		t.Parallel()
		test(t, chromeStage(t))
	})
}

func twoAgents(t *testing.T, on stage) {
	t.Helper()
	site, sent := orderWindows()
	d, origin := on(t, site)
	session, err := engine.Open(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	var ready, over sync.WaitGroup
	ready.Add(2)
	var said sync.Map
	for _, who := range []string{"ann", "bob"} {
		page, err := session.NewPage(t.Context())
		if err == nil {
			_, err = page.Navigate(t.Context(), origin+"/"+who, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		model := llmtest.NewScript(t,
			answer(func(req *llm.Request) []llm.ToolCall {
				ready.Done()
				ready.Wait() // both press at once
				return []llm.ToolCall{call(req, "click", args{"ref": "@link: Order"})}
			}),
			answer(func(req *llm.Request) []llm.ToolCall {
				return []llm.ToolCall{call(req, "fill", args{"ref": "@textbox: Name", "text": who}), call(req, "click", args{"ref": "@button: Send"})}
			}),
			say("done", args{"success": false, "message": "x"}),
		)
		a, err := agent.New(agent.Config{Model: model})
		if err != nil {
			t.Fatal(err)
		}
		over.Add(1)
		go func() {
			defer over.Done()
			result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "order"})
			said.Store(who, fmt.Sprint(steps(result), err))
		}()
	}
	over.Wait()
	got := strings.Join(sent(), ", ")
	if got != "ann gets ann, bob gets bob" && got != "bob gets bob, ann gets ann" {
		ann, _ := said.Load("ann")
		bob, _ := said.Load("bob")
		t.Errorf("%s\nann:%v\nbob:%v", got, ann, bob)
	}
}

// TestTabsOfOthers: a page that the run did not open is not entered because the
// run's own is gone. The run sees it in the list, and enters it if it chooses to.
func TestTabsOfOthers(t *testing.T) {
	t.Parallel()
	onBoth(t, tabsOfOthers)
}

func tabsOfOthers(t *testing.T, on stage) {
	mux := http.NewServeMux()
	for path, page := range map[string]string{"/own": "<!doctype html><title>Own</title><button>Mine</button>", "/other": "<!doctype html><title>Other</title><button>Theirs</button>"} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, page)
		})
	}
	d, origin := on(t, mux)
	session, err := engine.Open(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	own := session.Page()
	other, err := session.NewPage(t.Context())
	if err == nil {
		_, err = other.Navigate(t.Context(), origin+"/other", nil)
	}
	if err == nil {
		_, err = own.Navigate(t.Context(), origin+"/own", nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	model := llmtest.NewScript(t,
		say("tabs", args{"action": "list"}),
		say("tabs", args{"action": "close", "tab": 1}),
		say("find", args{"query": "Theirs"}), // there is no page to look at
		say("tabs", args{"action": "switch", "tab": 1}),
		say("click", args{"ref": "@button: Theirs"}),
		say("done", args{"success": false, "message": "x"}),
	)
	a, err := agent.New(agent.Config{Model: model})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), own, agent.Task{Instruction: "look"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range result.Actions {
		got = append(got, string(a.Status))
	}
	if want := "done done failed done done done"; strings.Join(got, " ") != want {
		t.Errorf("statuses %q, want %q:%s", got, want, steps(result))
	}
	for i, want := range []string{1: origin + "/other Other (not opened by this run)", 2: "all tabs of this run are closed"} {
		if show := llmtest.Show(model.Requests()[i]); !strings.Contains(show, want) {
			t.Errorf("question %d does not say %q:\n%s", i+1, want, show)
		}
	}
}

// TestRecoverBesideOthers: a run that continues in another browser opens its own window
// again and no one else's, and fills and sends in its own while another stands beside it.
func TestRecoverBesideOthers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, on stage) {
		site, sent := orderWindows()
		var mu sync.Mutex
		opened := map[string]int{}
		d, origin := on(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			opened[r.Method+" "+r.URL.Path]++
			mu.Unlock()
			site.ServeHTTP(w, r)
		}))
		start := func(opts *engine.Options, paths ...string) (session *engine.Session, first *engine.Page) {
			t.Helper()
			session, err := engine.Open(t.Context(), d, opts)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = session.Close() })
			first = session.Page()
			for _, path := range paths { // of another run
				page, err := session.NewPage(t.Context())
				if err == nil {
					_, err = page.Navigate(t.Context(), origin+path, nil)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			return session, first
		}

		store := runs.NewMemory()
		session, page := start(nil, "/bob/order")
		if _, err := page.Navigate(t.Context(), origin+"/ann", nil); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		a, err := agent.New(agent.Config{Store: store, Model: llmtest.NewScript(t, say("click", args{"ref": "@link: Order"}), answer(func(*llm.Request) []llm.ToolCall {
			stop()
			return nil
		}))})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Execute(ctx, page, agent.Task{Instruction: "order"}); err == nil {
			t.Fatal("the run was not interrupted")
		}
		_ = session.Close()

		names, err := store.Runs(t.Context())
		if err != nil || len(names) != 1 {
			t.Fatalf("Runs = %q, %v, want one", names, err)
		}
		saved, err := agent.Load(t.Context(), store, names[0])
		if err != nil {
			t.Fatal(err)
		}
		var opts engine.Options
		if err := saved.Prepare(&opts, nil); err != nil {
			t.Fatal(err)
		}
		_, page = start(&opts, "/bob")
		a, err = agent.New(agent.Config{Store: store, Model: llmtest.NewScript(t,
			answer(func(req *llm.Request) []llm.ToolCall {
				return []llm.ToolCall{call(req, "fill", args{"ref": "@textbox: Name", "value": "ann"}), call(req, "click", args{"ref": "@button: Send"})}
			}),
			say("done", args{"success": false, "message": "x"}))})
		if err != nil {
			t.Fatal(err)
		}
		result, err := agent.ResultOf(a.Recover(t.Context(), page, saved.Task, saved))
		if err != nil || strings.Join(sent(), ", ") != "ann gets ann" {
			t.Errorf("sent %q, %v:%s", sent(), err, steps(result))
		}
		mu.Lock()
		defer mu.Unlock()
		if n := opened["GET /bob/order"]; n != 1 {
			t.Errorf("the other run's window was opened %d times, want once, by itself", n)
		}
	})
}
