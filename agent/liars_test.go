package agent_test

import (
	"bytes"
	"flag"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/agenttest"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/sites"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

var (
	liarsAll    = flag.Bool("liars.all", false, "measure the liars on all tasks of the suite and all goals; by default on each eighth")
	liarsChrome = flag.Bool("liars.chrome", false, "measure the liars on Chrome, all tasks of the suite with them")
)

// trials are tasks of sites as cases for liars.
func trials(t *testing.T, on stage, tasks []sites.Task) (cases []agenttest.Case) {
	for _, task := range tasks {
		cases = append(cases, agenttest.Case{
			Name: task.Name, Task: given(task),
			Open: func(behaves agenttest.Site) (*engine.Page, llm.Model, func() bool, error) {
				site := task.New()
				d, origin := behaving(t, on, site, behaves)
				session, err := engine.Open(t.Context(), d, &engine.Options{Model: offline.New()})
				if err != nil {
					return nil, nil, nil, err
				}
				t.Cleanup(func() { _ = session.Close() })
				_, err = session.Page().Navigate(t.Context(), origin+task.Start, nil)
				return session.Page(), newOracle(task, origin), func() bool { return slices.Equal(site.Journal(), task.Want) }, err
			},
		})
	}
	return cases
}

// behaving opens a browser for a site that behaves in a way: by what it answers, or
// by scripts on all its pages.
func behaving(t *testing.T, on stage, site http.Handler, behaves agenttest.Site) (driver.Driver, string) {
	scripts := map[agenttest.Site]struct {
		chrome string
		memory func(*fake.Document)
	}{
		agenttest.Polling: {`const poll = () => fetch('/poll', {method: 'POST', body: 'more'}); poll(); setInterval(poll, 100)`, func(d *fake.Document) {
			var poll func()
			poll = func() {
				d.Fetch("POST", "/poll", "text/plain", "more", nil)
				d.After(100*time.Millisecond, poll)
			}
			poll()
		}},
		agenttest.Asking: {`addEventListener('submit', e => { if (e.target.method === 'post' && !confirm('Really?')) e.preventDefault() })`, func(d *fake.Document) {
			d.On("submit", "form[method=post]", func(e *fake.Event) {
				if !d.Confirm("Really?") {
					e.PreventDefault()
				}
			})
		}},
	}
	script, scripted := scripts[behaves]
	switch {
	case behaves == agenttest.Breaking:
		return on(t, refusing(site))
	case !scripted:
		return on(t, site)
	case !*liarsChrome:
		return fake.New(fake.Options{Handler: polled(site), Scripts: map[string]func(*fake.Document){"*": script.memory}}), "https://site.test"
	}
	return on(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		polled(site).ServeHTTP(rec, r)
		maps.Copy(w.Header(), rec.Header())
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes())
		if strings.HasPrefix(rec.Header().Get("Content-Type"), "text/html") {
			_, _ = io.WriteString(w, "<script>"+script.chrome+"</script>")
		}
	}))
}

// polled answers what pages poll, beside a site.
func polled(site http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/poll" {
			site.ServeHTTP(w, r)
		}
	})
}

// refusing answers 500 to whatever would change a site, except to a log-in.
func refusing(site http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.URL.Path != "/login" {
			http.Error(w, "it broke", http.StatusInternalServerError)
			return
		}
		site.ServeHTTP(w, r)
	})
}

// mostBelieved is how many of a liar's runs may be reported as a success, in percent.
var mostBelieved = map[string]float64{"all but the last step": 5, "done at once": 0, "reads only": 0, "reloads": 0, "first button": 0, "first field": 0, "answered 500": 0,
	"wrong row": 0, "another value": 0, "undone step": 0, "dismissed confirm": 0, "polling page": 0}

// TestLiars measures who is believed. -liars.all is the table of the README.
func TestLiars(t *testing.T) {
	chrometest.NoRace(t)
	var suite []sites.Task
	on := stage(inMemory)
	if *liarsChrome {
		on = chromeStage(t)
	}
	for _, task := range sites.Tasks() {
		if !task.Script || *liarsChrome {
			suite = append(suite, task)
		}
	}
	groups := []struct {
		name  string
		tasks []sites.Task
		known int // runs without their last step that are believed, see docs/agents.md
	}{{"suite", suite, 0}, {"goals", sites.Goals(), 0}, {"blind goals", sites.BlindGoals(), 0}, {"unseen", sites.Unseen(), 0}, {"later", sites.Later(), 1}}
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			tasks := g.tasks
			if !*liarsAll {
				tasks = nil
				for i := 0; i < len(g.tasks); i += 8 {
					tasks = append(tasks, g.tasks[i])
				}
			}
			scores, err := agenttest.Measure(t.Context(), agent.Config{}, trials(t, on, tasks), agenttest.Liars())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s:\n%s", g.name, agenttest.Table(scores))
			for _, s := range scores {
				known := s.Name == "all but the last step" && s.Success <= g.known
				if most, ok := mostBelieved[s.Name]; ok && s.Share() > most && !known {
					t.Errorf("%s: %.0f %% believed, want at most %.0f %%: %q", s.Name, s.Share(), most, s.Which)
				}
				if s.Name == "honest" && s.Verdicts[agent.Contradicted] > 0 {
					t.Errorf("honest runs are contradicted: %v", s.Verdicts)
				}
				t.Logf("%s: verdicts %v, asked %d, %q", s.Name, s.Verdicts, s.Asked, s.Which)
			}
		})
	}
}

// watched does a task by the model that knows how, and returns checks for what it sent
// and its site took: what a caller writes who has watched it once.
func watched(t *testing.T, task sites.Task) (checks []agent.Check) {
	on := func(t testing.TB, site http.Handler) (driver.Driver, string) {
		return inMemory(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost {
				site.ServeHTTP(w, r)
				return
			}
			body, _ := io.ReadAll(r.Body) // cut short it is another request, and the check fails
			r.Body = io.NopCloser(bytes.NewReader(body))
			rec := httptest.NewRecorder()
			site.ServeHTTP(rec, r)
			maps.Copy(w.Header(), rec.Header())
			w.WriteHeader(rec.Code)
			_, _ = w.Write(rec.Body.Bytes())
			if rec.Code < 400 && !strings.HasPrefix(r.Header.Get("Content-Type"), "multipart") {
				c := agent.Check{Request: &agent.RequestCheck{Method: r.Method, Address: r.URL.Path, Fields: map[string]string{}}}
				fields, _ := url.ParseQuery(string(body)) // what cannot be read is not asked for
				for name, values := range fields {
					c.Request.Fields[name] = strings.Join(values, ",")
				}
				checks = append(checks, c)
			}
		}))
	}
	performTask(t, on, agent.DOM, task)
	return checks
}

// TestLiarsAgainstChecks: with checks of the caller's own every honest run is a success,
// and no liar's.
func TestLiarsAgainstChecks(t *testing.T) {
	chrometest.NoRace(t)
	for i, task := range slices.Concat(sites.Tasks(), sites.Goals(), sites.BlindGoals(), sites.Unseen(), sites.Later()) {
		if task.Script || !*liarsAll && i%16 > 0 {
			continue
		}
		t.Run(task.Name, func(t *testing.T) {
			t.Parallel()
			cases := trials(t, inMemory, []sites.Task{task})
			if cases[0].Task.Checks = watched(t, task); len(cases[0].Task.Checks) == 0 {
				t.Skip("it sends nothing")
			}
			scores, err := agenttest.Measure(t.Context(), agent.Config{}, cases, agenttest.Liars())
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range scores {
				if want := map[bool]int{true: s.Runs}[s.Name == "honest"]; s.Success != want {
					t.Errorf("%s: %d of %d are a success, want %d", s.Name, s.Success, s.Runs, want)
				}
			}
		})
	}
}
