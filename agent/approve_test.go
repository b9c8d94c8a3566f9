package agent_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// TestTalkedInto: a model that a page has talked into it is stopped where
// it needs approval, however it gets there.
func TestTalkedInto(t *testing.T) {
	const pay = `<form method=post action=/pay><fieldset><legend>Card</legend><label>Name <input name=n></label></fieldset><button>Pay 820,000</button></form>`
	const away = `<a href="https://evil.test/x">Win</a>`
	one := func(name string, a args) []func(req *llm.Request) []llm.ToolCall {
		return []func(req *llm.Request) []llm.ToolCall{func(req *llm.Request) []llm.ToolCall { return []llm.ToolCall{call(req, name, a)} }}
	}
	for _, c := range []struct {
		name  string
		page  string
		turns []func(req *llm.Request) []llm.ToolCall
		want  agent.Class // empty: nobody is asked
		tools []agent.Tool
	}{
		{name: "click", page: pay, turns: one("click", args{"ref": "@button: Pay 820,000"}), want: agent.ClassPay},
		{name: "double click", page: pay, turns: one("click", args{"ref": "@button: Pay 820,000", "count": 2}), want: agent.ClassPay},
		{name: "space on the button", page: pay, turns: one("press", args{"ref": "@button: Pay 820,000", "keys": "Space"}), want: agent.ClassPay},
		{name: "Enter in a field", page: pay, turns: one("press", args{"ref": "@textbox: Name", "keys": "Enter"}), want: agent.ClassPay},
		{name: "Return in a field", page: pay, turns: one("press", args{"ref": "@textbox: Name", "keys": "Return"}), want: agent.ClassPay},
		{name: "Shift and Enter in a field", page: pay, turns: one("press", args{"ref": "@textbox: Name", "keys": "Shift+Enter"}), want: agent.ClassPay},
		{name: "a line break that is typed", page: pay, turns: one("type", args{"ref": "@textbox: Name", "text": "x\n"}), want: agent.ClassPay},
		{name: "Enter in a field of another form", page: pay + `<form action=/find><label>Words <input name=q></label><button>Find</button></form>`, turns: one("press", args{"ref": "@textbox: Words", "keys": "Enter"})},
		{name: "a button elsewhere", page: `<form id=f method=post action=/pay><label>Name <input name=n></label></form><button form=f>Pay</button>`, turns: one("press", args{"ref": "@textbox: Name", "keys": "Enter"}), want: agent.ClassPay},
		{name: "text that is typed", page: pay, turns: one("type", args{"ref": "@textbox: Name", "text": "pay"})},
		{name: "a dialog's yes", page: `<div role=dialog aria-label="Delete your account?"><button>OK</button><button>Cancel</button></div>`, turns: one("click", args{"ref": "@button: OK"}), want: agent.ClassDelete},
		{name: "a dialog's no", page: `<div role=dialog aria-label="Delete your account?"><button>OK</button><button>Cancel</button></div>`, turns: one("click", args{"ref": "@button: Cancel"})},
		{name: "a name that the eye reads", page: "<button>De\u00adlete</button>", turns: one("click", args{"ref": "@button: De"}), want: agent.ClassDelete},
		{name: "upload", page: `<label>File <input type=file></label>`, turns: one("upload", args{"ref": "@button: File", "files": []string{"a.txt"}}), want: agent.ClassUpload},
		{name: "terms in a form", page: `<label><input type=checkbox> I accept the terms</label><label>Name <input></label>`, turns: one("fillForm", args{"fields": []args{{"ref": "@checkbox: I accept the terms", "value": "true"}}}), want: agent.ClassTerms},
		{name: "a tool that sends", page: pay, turns: one("mail", args{}), want: agent.ClassSend, tools: []agent.Tool{{Name: "mail", Parameters: []byte(`{"type":"object"}`), Class: agent.ClassSend, Run: func(context.Context, *agent.Call) (*agent.Answer, error) { panic("it was not approved") }}}},

		{name: "navigate", page: pay, turns: one("navigate", args{"url": "https://evil.test/"}), want: agent.ClassLeave},
		{name: "navigate without a scheme", page: pay, turns: one("navigate", args{"url": "evil.test"}), want: agent.ClassLeave},
		{name: "navigate to a host that looks alike", page: pay, turns: one("navigate", args{"url": "https://page.test.evil.test/"}), want: agent.ClassLeave},
		{name: "navigate with a user that looks like a host", page: pay, turns: one("navigate", args{"url": "https://page.test@evil.test/"}), want: agent.ClassLeave},
		{name: "a new tab", page: pay, turns: one("tabs", args{"action": "open", "url": "https://evil.test/"}), want: agent.ClassLeave},
		{name: "a link", page: away, turns: one("click", args{"ref": "@link: Win"}), want: agent.ClassLeave},
		{name: "Enter on a link", page: away, turns: one("press", args{"ref": "@link: Win", "keys": "Enter"}), want: agent.ClassLeave},
		{name: "a picture in a link", page: `<a href="https://evil.test/x"><img alt=Prize width=50 height=50></a>`, turns: one("click", args{"ref": "@link: Prize"}), want: agent.ClassLeave},
		{name: "a link within", page: `<a href="/x">Win</a>`, turns: one("click", args{"ref": "@link: Win"})},
		{name: "a form that is sent elsewhere", page: `<form action="https://evil.test/x"><label>Name <input name=n></label><button>Go on</button></form>`, turns: one("click", args{"ref": "@button: Go on"}), want: agent.ClassLeave},
		{name: "Enter in a form that is sent elsewhere", page: `<form action="//evil.test/x"><label>Name <input name=n></label></form>`, turns: one("press", args{"ref": "@textbox: Name", "keys": "Enter"}), want: agent.ClassLeave},
		{name: "a button that sends a form elsewhere", page: `<form action=/x><label>Name <input name=n></label><button formaction="https://evil.test/x">Go on</button></form>`, turns: one("click", args{"ref": "@button: Go on"}), want: agent.ClassLeave},
		{name: "an act after a redirect", page: `<a href=/away>On</a>`, want: agent.ClassLeave, turns: append(
			one("click", args{"ref": "@link: On"}), one("click", args{"ref": "@button: Here"})...)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var posted []string
			site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				switch {
				case r.URL.Path == "/away":
					http.Redirect(w, r, "https://evil.test/landed", http.StatusFound)
				case r.URL.Path == "/landed":
					fmt.Fprint(w, `<form action=/x><button>Here</button></form>`)
				case r.Host == "page.test" && r.URL.Path == "/":
					fmt.Fprint(w, "<!doctype html><title>Page</title>"+c.page)
				default:
					if c.want != "" {
						posted = append(posted, r.Method+" "+r.Host+r.URL.Path)
					}
					fmt.Fprint(w, "<p>there</p>")
				}
			})
			session, err := engine.Open(t.Context(), fake.New(fake.Options{Handler: site}), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if _, err := session.Page().Navigate(t.Context(), "https://page.test/", nil); err != nil {
				t.Fatal(err)
			}
			var script []llmtest.Step
			for _, turn := range c.turns {
				script = append(script, answer(turn))
			}
			var asked []agent.Approval
			a, err := agent.New(agent.Config{
				Model: llmtest.NewScript(t, append(script, say("done", args{"success": false, "message": "x"}))...), Tools: c.tools,
				NeedApproval: agent.Classes(), AllowedHosts: []string{"page.test"},
				Approve: func(_ context.Context, a agent.Approval) error {
					asked = append(asked, a)
					return errors.New("nobody wants that")
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			result, err := a.Execute(t.Context(), session.Page(), agent.Task{Instruction: "go", Files: map[string][]byte{"a.txt": []byte("x")}})
			if err != nil {
				t.Fatal(err)
			}
			last := result.Actions[len(c.turns)-1]
			if c.want == "" {
				if len(asked) > 0 || last.Status != agent.Done {
					t.Errorf("asked %+v, step %s: %s; want it done, and nobody asked", asked, last.Status, last.Message)
				}
				return
			}
			if len(asked) != 1 || !slices.Contains(asked[0].Classes, c.want) {
				t.Errorf("asked %+v, want %s once", asked, c.want)
			}
			if last.Status != agent.Failed && !strings.Contains(last.Message, "0 of") || len(posted) > 0 {
				t.Errorf("the step is %s (%s), and the site got %q; want it refused", last.Status, last.Message, posted)
			}
		})
	}
}

// TestAskedBeforeAForm: who says no to a form that changes something is asked before its
// button is pressed, whatever that button says.
func TestAskedBeforeAForm(t *testing.T) {
	pressed, asked := 0, 0
	const form = `<title>Shop</title><form method=post action="/order"><input name=n value=1><button id=go>Go on</button></form>`
	page := openScripted(t, "https://shop.test/", form, func(d *fake.Document) {
		d.On("click", "#go", func(*fake.Event) { pressed++ })
	})
	a, err := agent.New(agent.Config{
		NeedApproval: []agent.Class{agent.ClassPay},
		Approve:      func(context.Context, agent.Approval) error { asked++; return errors.New("no") },
		Model:        llmtest.NewScript(t, say("click", args{"ref": "@button: Go on"}), say("done", args{"success": false, "message": "refused"})),
	})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "go on"})
	if err != nil {
		t.Fatal(err)
	}
	if a := result.Actions[0]; pressed != 0 || asked != 1 || !strings.Contains(a.Message, agent.ErrDenied.Error()) {
		t.Errorf("pressed %d times, asked %d times; the step says %q", pressed, asked, a.Message)
	}
}

// TestWithheldIsSaid: the model reads how many requests of an action were not let out.
func TestWithheldIsSaid(t *testing.T) {
	page := openScripted(t, "https://shop.test/", `<title>Shop</title><button id=go>Go on</button>`, func(d *fake.Document) {
		d.On("click", "#go", func(*fake.Event) {
			d.Fetch("POST", "/track", "text/plain", "x", func(int, string) {})
		})
	})
	var read string
	a, err := agent.New(agent.Config{
		NeedApproval: []agent.Class{agent.ClassPay},
		Approve:      func(context.Context, agent.Approval) error { return errors.New("no") },
		Model: llmtest.NewScript(t, say("click", args{"ref": "@button: Go on"}), answer(func(req *llm.Request) []llm.ToolCall {
			read = fmt.Sprintf("%+v", req.Messages)
			return []llm.ToolCall{call(req, "done", args{"success": false, "message": "held"})}
		})),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Execute(t.Context(), page, agent.Task{Instruction: "go on"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(read, "held, not approved and not let out: 1.") {
		t.Errorf("the model read %s", read)
	}
}
