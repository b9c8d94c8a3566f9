package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/waysout"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// A moment is when a page sends by all its ways.
type moment string

const (
	beforeQuestion moment = "before the question"
	whileItWaits   moment = "while it waits"
	afterApproved  moment = "after the approved request"
)

// payingPage sends the approved request by a script, so that its document stays.
const payingPage = `<form action=/pay method=post><label>Note <input name=note></label><button id=b>Pay now</button></form>
	<script>document.forms[0].onsubmit = e => { e.preventDefault(); fetch('/pay', {method: 'POST', body: new URLSearchParams(new FormData(document.forms[0]))}).then(() => document.body.append('Paid')) }</script>`

// waysAt has a run type a value and press an approved button, and calls send in one
// moment of it. Only the press is approved.
func waysAt(t *testing.T, d driver.Driver, opts *engine.Options, origin string, at moment, send func(*engine.Page)) {
	t.Helper()
	session, err := engine.Open(t.Context(), d, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(t.Context(), origin+"/", nil); err != nil {
		t.Fatal(err)
	}
	in := func(m moment, name string, a args) llmtest.Step {
		return answer(func(req *llm.Request) []llm.ToolCall {
			if m == at {
				send(page)
			}
			if m == at && m == afterApproved {
				// The run ends next, and its hold with it: what was sent is decided about first.
				for _, p := range session.Pages() {
					_, _ = p.Snapshot(t.Context(), nil) // of a page whose document was refused there is none
				}
			}
			return []llm.ToolCall{call(req, name, a)}
		})
	}
	approved := false
	a, err := agent.New(agent.Config{
		Model: llmtest.NewScript(t,
			in("", "fill", args{"ref": "@textbox: Note", "value": "rosebud77"}),
			in(beforeQuestion, "click", args{"ref": "@button: Pay now"}),
			in("", "wait", args{"for": "text", "value": "Paid"}),
			in(afterApproved, "done", args{"success": false, "message": "x"})),
		NeedApproval: agent.Classes(),
		Approve: func(_ context.Context, q agent.Approval) error {
			if approved || q.Outgoing == nil || q.Outgoing.Held || !strings.HasSuffix(q.Outgoing.URL, "/pay") {
				return errors.New("that is not what I wanted")
			}
			approved = true
			if at == whileItWaits {
				send(page)
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "pay"})
	if err != nil || !approved || result.Actions[2].Status != agent.Done {
		t.Errorf("Execute: %v; approved %v%s", err, approved, steps(result))
	}
}

// inMemoryWays are those that documents in memory have.
var inMemoryWays = map[string]func(d *fake.Document, to string){
	"fetch":          func(d *fake.Document, to string) { d.Fetch("POST", to, "text/plain", "x", nil) },
	"another method": func(d *fake.Document, to string) { d.Fetch("DELETE", to, "", "", nil) },
	"HEAD":           func(d *fake.Document, to string) { d.Fetch("HEAD", to, "", "", nil) },
	"OPTIONS":        func(d *fake.Document, to string) { d.Fetch("OPTIONS", to, "", "", nil) },
	"GET":            func(d *fake.Document, to string) { d.Fetch("GET", to, "", "", nil) },
	"beacon":         func(d *fake.Document, to string) { d.Beacon(to, "text/plain", "x") },
	"popup":          func(d *fake.Document, to string) { d.Open(to) },
	"form in a new page": func(d *fake.Document, to string) {
		d.Body().Append("<form id=way method=post target=_blank action='" + to + "'></form>")
		d.Find("#way").Submit()
	},
}

// TestWaysOutInMemory: in each moment of a question nothing goes out that carries what was
// typed or changes something.
func TestWaysOutInMemory(t *testing.T) {
	for _, at := range []moment{beforeQuestion, whileItWaits, afterApproved} {
		for name, way := range inMemoryWays {
			t.Run(string(at)+"/"+name, func(t *testing.T) {
				site := &waysout.Site{Page: payingPage}
				d := fake.New(fake.Options{Handler: site, Scripts: map[string]func(*fake.Document){"http://bank.test/": func(s *fake.Document) {
					s.On("submit", "form", func(e *fake.Event) {
						e.PreventDefault()
						s.Fetch("POST", "/pay", "application/x-www-form-urlencoded", "note=rosebud77", func(int, string) { s.Body().Append("<p>Paid") })
					})
				}}})
				waysAt(t, d, nil, "http://bank.test", at, func(p *engine.Page) {
					if err := fake.Change(t.Context(), p.Driver(), func(s *fake.Document) { way(s, "/out/0?note=rosebud77") }); err != nil {
						t.Error(err)
					}
				})
				if got := site.Arrived(); len(got) > 0 && !(at == beforeQuestion && name == "popup") {
					t.Errorf("arrived %q", got)
				}
			})
		}
	}
}

// TestWaysOutOnChrome: the same by every way out of Chrome.
func TestWaysOutOnChrome(t *testing.T) {
	onChrome := chromeStage(t)
	for _, at := range []moment{beforeQuestion, whileItWaits, afterApproved} {
		t.Run(string(at), func(t *testing.T) {
			t.Parallel()
			ways := waysout.Ways()
			site := &waysout.Site{Page: payingPage}
			d, origin := onChrome(t, site)
			var mu sync.Mutex // protects seen
			seen := map[string]bool{}
			opts := &engine.Options{Browser: driver.BrowserOptions{Allow: func(r driver.RequestInfo) error {
				if _, way, out := strings.Cut(r.URL, "/out/"); out {
					mu.Lock()
					defer mu.Unlock()
					way, _, _ = strings.Cut(way, "?")
					seen[way] = true
				}
				return nil
			}}}
			missing := func() (out []string) {
				mu.Lock()
				defer mu.Unlock()
				for i, w := range ways {
					if w.Seen && !w.Quiet && !seen[fmt.Sprint(i)] {
						out = append(out, w.Name)
					}
				}
				return out
			}
			var arrived []string
			waysAt(t, d, opts, origin, at, func(p *engine.Page) {
				for i, w := range ways {
					script := "(async()=>{" + strings.ReplaceAll(w.Script, "OUT", fmt.Sprintf("/out/%d?note=rosebud77", i)) + "})().catch(()=>0),1"
					if _, err := p.Driver().Evaluate(t.Context(), script, &driver.EvaluateOptions{World: driver.Main}); err != nil {
						t.Errorf("%s: %v", w.Name, err)
					}
				}
				for limit := time.Now().Add(20 * time.Second); len(missing()) > 0 && time.Now().Before(limit); {
					time.Sleep(50 * time.Millisecond)
				}
				arrived = site.Arrived()
			})
			if names := missing(); len(names) > 0 {
				t.Errorf("nothing was seen of %q", names)
			}
			passed := 0
			for _, a := range arrived {
				var i int
				fmt.Sscanf(a[strings.Index(a, "/out/"):], "/out/%d", &i)
				if ways[i].Navigates && at == beforeQuestion {
					passed++
					continue
				}
				t.Errorf("%s arrived: %s", ways[i].Name, a)
			}
			t.Logf("of %d ways %d were held, %d of %d navigations within the site passed", len(ways), len(ways)-passed, passed, len(slices.DeleteFunc(ways, func(w waysout.Way) bool { return !w.Navigates })))
		})
	}
}
