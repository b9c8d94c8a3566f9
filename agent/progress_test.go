package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// many is how often each of the tasks below does the same.
const many = 20

// manyPage has something to do many times, in ways that an outline shows and in
// ways that it does not.
func manyPage() string {
	var b strings.Builder
	b.WriteString(`<!doctype html><title>Many</title><button id=zoom>Zoom in</button><button id=dead>Dead</button><button id=menu aria-expanded=false>Menu</button><table><tbody>`)
	for i := range many {
		fmt.Fprintf(&b, `<tr><td>Invoice %d<td><a href=/invoice/%d download=i%d.txt>Download</a></tr>`, i, i, i)
	}
	b.WriteString(`</table><ul>`)
	for i := range many {
		fmt.Fprintf(&b, `<li>Post %d <button class=like value=%d>Like</button>`, i, i)
	}
	b.WriteString(`</ul><p>`)
	for range many {
		b.WriteString(`<button class=pixel>pixel</button>`)
	}
	b.WriteString(`<p>`)
	for i := range many + 2 {
		fmt.Fprintf(&b, `<input aria-label="Field %d">`, i)
	}
	b.WriteString(`<canvas id=map width=100 height=100></canvas><div style="height:30000px">The end</div><script>
for (const b of document.querySelectorAll('.like')) b.onclick = () => { fetch('/like/' + b.value, {method: 'POST'}) }
for (const b of document.querySelectorAll('.pixel')) b.onclick = () => { b.style.background = b.style.background ? '' : 'red' }
let z = 1; document.getElementById('zoom').onclick = () => { document.getElementById('map').style.width = 100 + z++ + 'px' }
const m = document.getElementById('menu'); m.onclick = () => m.setAttribute('aria-expanded', m.getAttribute('aria-expanded') == 'false')
</script>`)
	return b.String()
}

func manySite() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, manyPage())
	})
	mux.HandleFunc("GET /invoice/{n}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=i"+r.PathValue("n")+".txt")
		fmt.Fprint(w, "invoice "+r.PathValue("n"))
	})
	mux.HandleFunc("POST /like/{n}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	return mux
}

// manyInMemory is the page with its script in Go.
func manyInMemory(t *testing.T) (driver.Driver, string) {
	const address = "https://many.test/"
	script := func(d *fake.Document) {
		d.On("click", ".like", func(e *fake.Event) { d.Fetch("POST", "/like/"+e.Target.Attr("value"), "text/plain", "", nil) })
		d.On("click", ".pixel", func(e *fake.Event) {
			if e.Target.Has("style") {
				e.Target.RemoveAttr("style")
			} else {
				e.Target.SetAttr("style", "background: red")
			}
		})
		zoom := 0
		d.On("click", "#zoom", func(*fake.Event) { zoom++; d.Find("#map").SetAttr("style", fmt.Sprintf("width: %dpx", 100+zoom)) })
		d.On("click", "#menu", func(*fake.Event) {
			d.Find("#menu").SetAttr("aria-expanded", map[string]string{"true": "false", "false": "true"}[d.Find("#menu").Attr("aria-expanded")])
		})
	}
	return fake.New(fake.Options{Handler: manySite(), Scripts: map[string]func(*fake.Document){address: script}}), "https://many.test"
}

// A deed is the i-th call of a task.
type deed func(req *llm.Request, i int) llm.ToolCall

// nth is a click on the n-th element of the page that a line begins so.
func nth(line string, of func(i int) int) deed {
	return func(req *llm.Request, i int) llm.ToolCall {
		left := of(i)
		for _, message := range req.Messages {
			for _, part := range message.Parts {
				page, ok := part.(llm.Page)
				if !ok || page.Kind != "outline" {
					continue
				}
				for text := range strings.Lines(page.Text) {
					ref, rest, ok := strings.Cut(strings.TrimSpace(text), "] ")
					if ok && strings.HasPrefix(rest, line) {
						if left == 0 {
							return call(req, "click", args{"ref": strings.Trim(ref, "[]")})
						}
						left--
					}
				}
			}
		}
		return call(req, "click", args{"ref": "0-0"})
	}
}

func same(name string, a args) deed {
	return func(req *llm.Request, _ int) llm.ToolCall { return call(req, name, a) }
}

func self(i int) int { return i }

// TestProgress: to do the same for each of many is no circle, however it is called. On
// Chrome each is called in one way: what a browser has to do with it is the deed.
func TestProgress(t *testing.T) {
	deeds := map[string]deed{
		"download each invoice":      nth("link: Download", self),
		"like each post":             nth("button: Like", self),
		"color each pixel":           nth("button: pixel", self),
		"view after view":            same("scroll", args{"to": "next"}),
		"field after field":          same("press", args{"keys": "Tab"}),
		"what no outline ever shows": nth("button: Zoom in", func(int) int { return 0 }),
	}
	for where, browser := range map[string]func(t *testing.T) (driver.Driver, string){
		"memory": manyInMemory,
		"chrome": func(t *testing.T) (driver.Driver, string) {
			return chromeStage(t)(t, manySite())
		},
	} {
		t.Run(where, func(t *testing.T) {
			d, origin := browser(t)
			for i, name := range slices.Sorted(maps.Keys(deeds)) {
				do := deeds[name]
				forms := []string{"calls", "batches", "a program"}
				if where == "chrome" {
					forms = forms[i%3 : i%3+1]
				}
				for _, form := range forms {
					t.Run(name+"/"+form, func(t *testing.T) {
						t.Parallel()
						result, err := repeated(t, d, origin, do, form)
						if err != nil {
							t.Fatalf("Execute: %v:%s", err, steps(result))
						}
						done := 0
						for _, a := range result.Actions {
							if a.Status == agent.Done && (a.Type == "click" || a.Type == "press" || a.Type == "scroll") {
								done++
							}
						}
						if done != many {
							t.Errorf("%d were done, want %d:%s", done, many, steps(result))
						}
					})
				}
			}
		})
	}
}

// repeated does a deed many times, by single calls, in batches of five or by a tool
// that does it on its way.
func repeated(t *testing.T, d driver.Driver, origin string, do deed, form string) (*agent.Result, error) {
	t.Helper()
	session, err := engine.Open(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Page().Navigate(t.Context(), origin+"/", nil); err != nil {
		t.Fatal(err)
	}
	var plan []llm.ToolCall // of the program
	program := agent.Tool{Name: "each", Description: "d", Parameters: json.RawMessage(`{"type":"object"}`), Run: func(ctx context.Context, c *agent.Call) (*agent.Answer, error) {
		for _, one := range plan {
			if _, err := c.Do(ctx, one.Name, one.Arguments); err != nil {
				return nil, err
			}
		}
		return &agent.Answer{Text: "ran"}, nil
	}}
	i := 0
	model := endless(t, func(req *llm.Request) []llm.ToolCall {
		if i == many {
			return []llm.ToolCall{call(req, "done", args{"success": false, "message": "x"})}
		}
		n := map[string]int{"calls": 1, "batches": 5, "a program": many}[form]
		var out []llm.ToolCall
		for range n {
			one := do(req, i)
			one.ID = fmt.Sprint(one.ID, i)
			out = append(out, one)
			i++
		}
		if form == "a program" {
			plan = out
			return []llm.ToolCall{call(req, "each", args{})}
		}
		return out
	})
	a, err := agent.New(agent.Config{Model: model, Tools: []agent.Tool{program}})
	if err != nil {
		t.Fatal(err)
	}
	return a.Execute(t.Context(), session.Page(), agent.Task{Instruction: "do it", MaxSteps: 100})
}

// TestCircles: what comes back to where it was is ended at the sixth time, and the
// error says what was tried.
func TestCircles(t *testing.T) {
	views := []args{{"to": "next"}, {"to": "previous"}}
	for _, c := range []struct {
		name  string
		do    deed
		want  error
		tried string
		steps int
	}{
		{"a dead button", nth("button: Dead", func(int) int { return 0 }), agent.ErrRepeated, `tried: click button "Dead" (6 times)`, 6},
		{"a menu that is opened and closed", nth("button: Menu", func(int) int { return 0 }), agent.ErrRepeated, `click button "Menu" (6 times)`, 11},
		{"a view down, a view up", func(req *llm.Request, i int) llm.ToolCall { return call(req, "scroll", views[i%2]) }, agent.ErrRepeated, "tried: scroll", 12},
		{"the same page again", same("reload", args{}), agent.ErrRepeated, "reload (6 times)", 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, origin := manyInMemory(t)
			result, err := repeated(t, d, origin, c.do, "calls")
			if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.tried) || len(result.Actions) > c.steps {
				t.Errorf("after %d steps err = %v, want %v with %q after %d:%s", len(result.Actions), err, c.want, c.tried, c.steps, steps(result))
			}
		})
	}
}
