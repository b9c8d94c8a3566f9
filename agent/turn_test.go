package agent_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

const turnPage = `<!doctype html><title>Turns</title><p id=log></p>
<button id=one>One</button><button id=two>Two</button><button id=rename>Rename</button><button id=remove>Remove</button>
<button id=confirm>Confirm</button><a href=/next>Next</a><a href=/next target=_blank>Tab</a>
<label>A <input id=a></label><label>B <input id=b disabled></label><label>C <input id=c></label><input type=checkbox id=d aria-label=D><select id=e aria-label=E><option>x<option>y</select>`

// TestTurn: several calls of one answer are done in order, up to the first
// surprise; what was not run is answered, with what was there instead.
func TestTurn(t *testing.T) {
	const address = "https://turn.test/"
	for _, c := range []struct {
		name  string
		calls func(req *llm.Request) []llm.ToolCall
		want  string // statuses and what the last result says
		says  string
		log   string
	}{
		{"all fit", clicks("One", "Two", "One"), "done done done", "", "one two one"},
		{"the second one's element is renamed", clicks("Rename", "Two", "One"), "done failed notRun", "not run: step 2 was not done", ""},
		{"the second one's element is gone", clicks("Remove", "Two", "One"), "done failed notRun", "not run: step 2 was not done", ""},
		{"another document", clicks("@link: Next", "One"), "done notRun", "not run: the page is another document now", ""},
		{"a new tab", clicks("@link: Tab", "One"), "done notRun", "not run: a new tab was opened", ""},
		{"a dialog", clicks("Confirm", "One"), "done notRun", "not run: a dialog came: \"Sure?\"", ""},
		{"a ref that is none", func(req *llm.Request) []llm.ToolCall {
			return []llm.ToolCall{call(req, "click", args{"ref": "9-99"}), call(req, "click", args{"ref": "@button: One"})}
		}, "failed notRun", "not run", ""},
		{"a reading that fails stops nothing but is said", func(req *llm.Request) []llm.ToolCall {
			return []llm.ToolCall{call(req, "find", args{"query": "one"}), call(req, "click", args{"ref": "@button: One"})}
		}, "done done", "", "one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := fake.New(fake.Options{
				Web: fake.Web{address: turnPage, "https://turn.test/next": "<title>Next</title><h1>Next</h1>"},
				Scripts: map[string]func(*fake.Document){address: func(d *fake.Document) {
					log := func(word string) func(*fake.Event) {
						return func(*fake.Event) { p := d.Find("#log"); p.SetText(strings.TrimSpace(p.Text() + " " + word)) }
					}
					d.On("click", "#one", log("one"))
					d.On("click", "#two", log("two"))
					d.On("click", "#rename", func(*fake.Event) { d.Find("#two").SetText("Delete all") })
					d.On("click", "#remove", func(*fake.Event) { d.Find("#two").Remove() })
					d.On("click", "#confirm", func(*fake.Event) { d.Confirm("Sure?") })
				}},
			})
			session, err := engine.Open(t.Context(), d, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			page := session.Page()
			if _, err := page.Navigate(t.Context(), address, nil); err != nil {
				t.Fatal(err)
			}
			model := llmtest.NewScript(t, answer(c.calls), say("done", args{"success": false, "message": "x"}))
			a, _ := agent.New(agent.Config{Model: model})
			result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "go"})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range result.Actions[:len(result.Actions)-1] {
				got = append(got, string(a.Status))
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("statuses %q, want %q\n%s", s, c.want, steps(result))
			}
			var last string
			for _, part := range model.Requests()[1].Messages[2].Parts {
				if r, ok := part.(llm.ToolResult); ok {
					last = r.Parts[0].(llm.Text).Text
				}
			}
			if !strings.Contains(last, c.says) {
				t.Errorf("the last result says %q, want %q", last, c.says)
			}
			if c.log != "" {
				snap, err := page.Snapshot(t.Context(), nil)
				if err != nil || !strings.Contains(snap.Text(), c.log) {
					t.Errorf("the page says %q, want %q", snap.Text(), c.log)
				}
			}
		})
	}
}

// clicks clicks buttons, or what begins with @, in one answer.
func clicks(names ...string) func(req *llm.Request) []llm.ToolCall {
	return func(req *llm.Request) []llm.ToolCall {
		var out []llm.ToolCall
		for i, name := range names {
			if !strings.HasPrefix(name, "@") {
				name = "@button: " + name
			}
			c := call(req, "click", args{"ref": name})
			c.ID = fmt.Sprint("c", len(req.Messages), i)
			out = append(out, c)
		}
		return out
	}
}

// TestFillForm: all fields are found before the first is filled; each has an
// outcome of its own.
func TestFillForm(t *testing.T) {
	fields := func(list ...string) llmtest.Step {
		return answer(func(req *llm.Request) []llm.ToolCall {
			var in []args
			for _, f := range list {
				line, value, _ := strings.Cut(f, "=")
				in = append(in, args{"ref": "@" + line, "value": value})
			}
			return []llm.ToolCall{call(req, "fillForm", args{"fields": in})}
		})
	}
	for _, c := range []struct {
		name   string
		fields []string
		status agent.Status
		says   []string
		page   string
	}{
		{"every kind", []string{"textbox: A=one", "textbox: C=two", "checkbox: D=true", "combobox: E=y"}, agent.Done, []string{`filled`, "checked", "chose"}, `"one"`},
		{"one is not there: none is filled", []string{"textbox: A=one", "textbox: Nowhere=x"}, agent.Failed, []string{"no field was filled", "field 2"}, ""},
		{"one is no field: none is filled", []string{"textbox: A=one", "button: One=x"}, agent.Failed, []string{"no field was filled", "is no field"}, ""},
		{"one is disabled: the others are filled, and it says so", []string{"textbox: A=one", "textbox: B=two", "textbox: C=three"}, agent.Failed, []string{"textbox: B", "failed", `filled textbox "C"`}, `"one"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := open(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, turnPage)
			}))
			model := llmtest.NewScript(t, fields(c.fields...), say("done", args{"success": false, "message": "x"}))
			a, _ := agent.New(agent.Config{Model: model})
			result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "fill"})
			if err != nil {
				t.Fatal(err)
			}
			if got := result.Actions[0].Status; got != c.status {
				t.Errorf("status %s, want %s", got, c.status)
			}
			text := model.Requests()[1].Messages[2].Parts[0].(llm.ToolResult).Parts[0].(llm.Text).Text
			for _, want := range c.says {
				if !strings.Contains(text, want) {
					t.Errorf("the result lacks %q: %s", want, text)
				}
			}
			snap, err := page.Snapshot(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if has := strings.Contains(snap.Outline(), `value="one"`); has != (c.page != "") {
				t.Errorf("field A is filled: %v, want %v\n%s", has, c.page != "", snap.Outline())
			}
		})
	}
}

// TestTabs: tabs are opened, listed, switched and closed, down to none.
func TestTabs(t *testing.T) {
	web := fake.Web{"https://turn.test/": "<title>One</title><h1>First</h1>", "https://turn.test/two": "<title>Two</title><button>Second</button>"}
	session, err := engine.Open(t.Context(), web, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Page().Navigate(t.Context(), "https://turn.test/", nil); err != nil {
		t.Fatal(err)
	}
	var said []string
	plan := []llmtest.Step{
		say("tabs", args{"action": "open", "url": "https://turn.test/two"}),
		say("click", args{"ref": "@button: Second"}),
		say("tabs", args{"action": "switch", "tab": 1}),
		say("tabs", args{"action": "switch", "tab": 9}),
		say("tabs", args{"action": "close", "tab": 1}),
		say("tabs", args{"action": "close", "tab": 1}),
		say("find", args{"query": "second"}),
		say("tabs", args{"action": "open", "url": "https://turn.test/"}),
		say("done", args{"success": false, "message": "x"}),
	}
	model := llmtest.NewScript(t, plan...)
	a, _ := agent.New(agent.Config{Model: model})
	result, err := a.Execute(t.Context(), session.Page(), agent.Task{Instruction: "tabs"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range result.Actions {
		said = append(said, string(s.Status))
	}
	if got, want := strings.Join(said, " "), "done done done failed done done failed done done"; got != want {
		t.Errorf("statuses %q, want %q\n%s", got, want, steps(result))
	}
	if show := llmtest.Show(model.Requests()[1]); !strings.Contains(show, "tab: 2 of 2") {
		t.Errorf("the second question does not say which tab is shown:\n%s", show)
	}
}

// TestLeavingHosts: another host needs approval, whichever way leads there.
func TestLeavingHosts(t *testing.T) {
	web := fake.Web{
		"https://home.test/":   `<title>Home</title><a href="https://other.test/">Away</a><a href="/in">In</a>`,
		"https://home.test/in": `<title>In</title>`,
		"https://other.test/":  `<title>Other</title><button>Press</button>`,
	}
	for name, step := range map[string]llmtest.Step{
		"a link":     say("click", args{"ref": "@link: Away"}),
		"an address": say("navigate", args{"url": "https://other.test/"}),
		"a tab":      say("tabs", args{"action": "open", "url": "https://other.test/"}),
		"words":      say("act", args{"instruction": "click Away"}),
	} {
		t.Run(name, func(t *testing.T) {
			session, err := engine.Open(t.Context(), web, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			page := session.Page()
			if _, err := page.Navigate(t.Context(), "https://home.test/", nil); err != nil {
				t.Fatal(err)
			}
			model := llmtest.NewTable(t, step, say("click", args{"ref": "@link: In"}), say("done", args{"success": false, "message": "x"}),
				llmtest.Step{Purpose: llm.PurposeAct, Times: -1, Answer: func(req *llm.Request) any {
					return args{"found": true, "ref": ref(req, "link: Away"), "method": "click", "arguments": []string{}, "description": "", "reason": "", "more": false}
				}})
			a, err := agent.New(agent.Config{Model: model, AllowedHosts: []string{"home.test"}})
			if err != nil {
				t.Fatal(err)
			}
			result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "go"})
			if err != nil {
				t.Fatal(err)
			}
			if got := result.Actions[0].Status; got != agent.Failed || len(session.Pages()) != 1 {
				t.Errorf("the way out is %s, %d tabs: %s", got, len(session.Pages()), steps(result))
			}
			if got := page.URL(); got != "https://home.test/in" {
				t.Errorf("the page is at %s, want /in", got)
			}
		})
	}
}
