package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

const start = "https://site.test/"

// one is a script of steps that are given as JSON.
func one(t testing.TB, steps string) *script.Script {
	t.Helper()
	s, err := script.Parse([]byte(`{"wayfinder": "script", "version": 1, "start": "` + start + `", "steps": [` + steps + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func on(t testing.TB, web driver.Driver) *engine.Page {
	t.Helper()
	session, err := engine.Open(t.Context(), web, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session.Page()
}

// choosing is a model that names the element with a line.
func choosing(t testing.TB, line string) llm.Model {
	return llmtest.NewScript(t, llmtest.Step{Times: -1, Answer: func(req *llm.Request) any {
		return map[string]any{"found": true, "ref": llmtest.Ref(req, line), "first": false, "option": "", "reason": ""}
	}})
}

// TestHealedInTheOpen: a field that was renamed is healed, the diff says so, and
// the healed script is replayed without a model.
func TestHealedInTheOpen(t *testing.T) {
	s := one(t, `{"step": "1", "do": "fill", "target": {"role": "textbox", "name": "Town"}, "arguments": ["Bern"], "expect": {"effect": "value", "value": "Bern"}}`)
	web := fake.Web{start: `<label>City <input name="city"></label><label>Name <input name="name"></label>`}
	if _, err := script.Replay(t.Context(), on(t, web), s, nil); !errors.Is(err, script.ErrRefused) || !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("without a model: %v, want refused", err)
	}
	r, err := script.Replay(t.Context(), on(t, web), s, &script.Options{Model: choosing(t, "textbox: City")})
	if err != nil || r.Healed != 1 || r.Steps[0].Outcome != script.Healed || r.Steps[0].Heal != `textbox "Town" is textbox "City" now` {
		t.Fatalf("Replay: %v, %+v", err, r)
	}
	diff := script.Diff("order.json", "order.json", s, r.Script)
	for _, want := range []string{"--- order.json\n+++ order.json\n", `-        "name": "Town"`, `+        "name": "City"`, `+        "key": "name=city"`} {
		if !strings.Contains(diff, want) {
			t.Errorf("the diff lacks %q:\n%s", want, diff)
		}
	}
	if r, err := script.Replay(t.Context(), on(t, web), r.Script, nil); err != nil || r.Steps[0].Outcome != script.Unchanged {
		t.Errorf("the healed script: %v, %+v", err, r)
	}
}

// TestNothingAfterARefusal: the steps after one that is refused are not done, and
// the error says what was expected and what was there.
func TestNothingAfterARefusal(t *testing.T) {
	posted := 0
	web := fake.Web{start: `<button>Other</button><form method="post" action="/sent"><button>Go</button></form>`, start + "sent": `<h1>Sent</h1>`}
	s := one(t, `{"step": "1", "do": "click", "target": {"role": "button", "name": "First"}, "expect": {}},
		{"step": "2", "do": "click", "target": {"role": "button", "name": "Go"}, "expect": {}}`)
	page := on(t, web)
	r, err := script.Replay(t.Context(), page, s, nil)
	var refused *script.RefusedError
	if !errors.As(err, &refused) || refused.Step != "1" || refused.Sent != engine.SentNone || !strings.Contains(refused.Found, `"Other"`) || refused.Expected != `click button "First"` {
		t.Errorf("Replay: %v", err)
	}
	for _, seen := range page.Session().Requests(time.Time{}) {
		if seen.Method == "POST" {
			posted++
		}
	}
	if posted > 0 || len(r.Steps) != 1 {
		t.Errorf("%d requests were sent, %d steps done", posted, len(r.Steps))
	}
}

// TestRefused: what no model may decide, and what did not prove itself.
func TestRefused(t *testing.T) {
	list := `<ul><li>Ada <form method="post" action="/drop"><input type="hidden" name="who" value="ada"><button>Drop</button></form></li><li>Bob <form method="post" action="/drop"><input type="hidden" name="who" value="bob"><button>Drop</button></form></li></ul>`
	click := func(more string) string {
		return `{"step": "1", "do": "click", "target": {"role": "button", "name": "Drop", "row": "Ada", "alike": 2}` + more + `}`
	}
	for name, c := range map[string]struct {
		page, steps, choice string
		found               string // empty: it is done
	}{
		"the row":                {page: list, steps: click(`, "expect": {"requests": ["POST /drop"]}`)},
		"the row is gone":        {page: strings.Replace(list, "Ada", "Eve", 1), steps: click(`, "expect": {}`), choice: "button: Drop", found: `does not stand where it was meant, beside "Ada"`},
		"it would send another":  {page: list, steps: click(`, "sends": {"method": "POST", "address": "/drop", "fields": [{"name": "who", "value": "bob"}]}, "expect": {}`), found: `it would send who="ada"`},
		"it sent too much":       {page: list, steps: click(`, "expect": {}`), found: "POST /drop"},
		"it leads elsewhere":     {page: list, steps: click(`, "expect": {"requests": ["POST /drop"], "address": "/other"}`), found: "at /drop"},
		"it says something else": {page: list, steps: click(`, "expect": {"requests": ["POST /drop"], "texts": ["Good bye"]}`), found: "\"Not Found\""},
		"several fit":            {page: `<button>A</button><p>x</p><button>A</button>`, steps: `{"step": "1", "do": "click", "target": {"role": "button", "name": "A"}, "expect": {}}`, choice: "button: A", found: "more than one element fits (2)"},
		"it deletes":             {page: `<form method="post" action="/drop"><button>Delete it</button></form>`, steps: `{"step": "1", "do": "click", "target": {"role": "button", "name": "Delete"}, "expect": {}}`, choice: "button: Delete it", found: "is not guessed"},
		"it pays now":            {page: `<form method="post" action="/drop"><button>Pay</button></form>`, steps: `{"step": "1", "do": "click", "target": {"role": "button", "name": "Go on"}, "expect": {}}`, choice: "button: Pay", found: "of the class pay"},
		"another kind":           {page: `<a href="/x">Open it</a>`, steps: `{"step": "1", "do": "click", "target": {"role": "button", "name": "Open"}, "expect": {}}`, choice: "link: Open it", found: "another kind of element"},
		"another field":          {page: `<label>A <input name="a"></label><label>C <input name="b"></label>`, steps: `{"step": "1", "do": "fill", "target": {"role": "textbox", "name": "B", "key": "name=b"}, "arguments": ["x"], "expect": {}}`, choice: "textbox: A", found: "the field name=b is another one"},
		"the field":              {page: `<label>A <input name="a"></label><label>C <input name="b"></label>`, steps: `{"step": "1", "do": "fill", "target": {"role": "textbox", "name": "B", "key": "name=b"}, "arguments": ["x"], "expect": {}}`, choice: "textbox: C"},
		"another page":           {page: list, steps: `{"step": "1", "do": "click", "target": {"role": "button", "name": "Drop"}, "on": "/cart", "expect": {}}`, found: "the page /"},
	} {
		t.Run(name, func(t *testing.T) {
			opts := &script.Options{Patience: 1}
			if c.choice != "" {
				opts.Model = choosing(t, c.choice)
			}
			web := fake.Web{start: c.page, start + "drop": `<h1>Dropped</h1>`}
			_, err := script.Replay(t.Context(), on(t, web), one(t, c.steps), opts)
			if (err == nil) != (c.found == "") || err != nil && (!errors.Is(err, script.ErrRefused) || !strings.Contains(err.Error(), c.found)) {
				t.Errorf("Replay: %v, want %q", err, c.found)
			}
		})
	}
}

// TestDialogsOfAStep: a step answers all its dialogs, and one that is left out answers
// none of the next step's.
func TestDialogsOfAStep(t *testing.T) {
	var said []string
	web := fake.New(fake.Options{
		Web: fake.Web{start: `<title>Shop</title><button id=b>Delete</button><button id=c>Send</button>`},
		Scripts: map[string]func(*fake.Document){start: func(d *fake.Document) {
			d.On("click", "#b", func(*fake.Event) {
				sure := d.Confirm("Really?")
				why, _ := d.Prompt("Why?", "")
				said = append(said, fmt.Sprintf("%v %s", sure, why))
			})
			d.On("click", "#c", func(*fake.Event) { said = append(said, fmt.Sprint(d.Confirm("Send?"))) })
		}},
	})
	_, err := script.Replay(t.Context(), on(t, web), one(t, `
		{"step": "1", "do": "click", "target": {"role": "button", "name": "Delete"}, "expect": {"dialogs": [{"kind": "confirm", "accept": true}, {"kind": "prompt", "accept": true, "text": "old"}]}},
		{"step": "2", "do": "click", "optional": true, "target": {"role": "button", "name": "No thanks"}, "expect": {"dialogs": [{"kind": "confirm", "accept": true}]}},
		{"step": "3", "do": "click", "target": {"role": "button", "name": "Send"}}`), nil)
	if want := []string{"true old", "false"}; !slices.Equal(said, want) {
		t.Errorf("the page heard %q, want %q", said, want)
	}
	if !errors.Is(err, script.ErrRefused) {
		t.Errorf("Replay: %v, want step 3 refused for its dialog", err)
	}
}

// TestAllowed: a person may allow what pays, sends or deletes under another name.
func TestAllowed(t *testing.T) {
	s := one(t, `{"step": "1", "do": "click", "target": {"role": "button", "name": "Delete"}, "expect": {"requests": ["POST /drop"]}}`)
	web := fake.Web{start: `<form method="post" action="/drop"><button>Delete it</button></form>`, start + "drop": `<h1>Dropped</h1>`}
	var was, is string
	r, err := script.Replay(t.Context(), on(t, web), s, &script.Options{Model: choosing(t, "button: Delete it"), Allow: func(_ context.Context, a, b *script.Step) error {
		was, is = a.Target.Name, b.Target.Name
		return nil
	}})
	if err != nil || r.Healed != 1 || was != "Delete" || is != "Delete it" {
		t.Errorf("Replay: %v, %+v; asked about %q, %q", err, r, was, is)
	}
}

// TestParse: what is wrong with a script is said.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		`{`: "unexpected EOF",
		`{"wayfinder": "script", "version": 2, "start": "https://a.test/"}`:                                                                                                                          "version 2",
		`{"wayfinder": "script", "version": 1, "start": "/"}`:                                                                                                                                        "no whole address",
		`{"wayfinder": "script", "version": 1, "start": "https://a.test/", "stepps": []}`:                                                                                                            "stepps",
		`{"wayfinder": "script", "version": 1, "start": "https://a.test/", "steps": [{"step": "3", "do": "dance"}]}`:                                                                                 "step 3",
		`{"wayfinder": "script", "version": 1, "start": "https://a.test/", "steps": [{"step": "3", "do": "click"}]}`:                                                                                 "needs a target",
		`{"wayfinder": "script", "version": 1, "start": "https://a.test/", "steps": [{"step": "3", "do": "fill", "target": {"role": "textbox", "name": "A"}, "arguments": ["%pw%"], "expect": {}}]}`: "%pw%",
		`{"wayfinder": "script", "version": 1, "start": "https://a.test/", "steps": [{"step": "3", "do": "navigate"}]}`:                                                                              "needs an address",
		`{"wayfinder": "script", "version": 1, "start": "https://a.test/", "steps": [{"step": "3", "do": "tab switch"}]}`:                                                                            "number of a tab",
		`{"wayfinder": "script", "version": 1, "start": "https://a.test/", "steps": [{"step": "3", "do": "click", "target": {"role": "link", "name": "A"}, "on": "/**", "expect": {}}]}`:             "one *",
	} {
		if _, err := script.Parse([]byte(text)); !errors.Is(err, script.ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%s) = %v, want %q", text, err, want)
		}
	}
}

// TestAddress: addresses as expectations.
func TestAddress(t *testing.T) {
	for address, want := range map[string]string{
		"https://shop.test/orders/1004?x=1#top": "/orders/*",
		"https://shop.test":                     "/",
		"https://shop.test/app#/cart/7":         "/app#/cart/*",
		"https://shop.test:8080/cart":           "https://shop.test:8080/cart",
		"https://other.test/a/b2":               "https://other.test/a/*",
		"https://shop.test/u/⟪name⟫/x":          "/u/*/x",
		"https://shop.test/u/%name%":            "/u/*",
	} {
		if got := (&script.Script{Start: "https://shop.test/start"}).Address(address); got != want {
			t.Errorf("Address(%s) = %s, want %s", address, got, want)
		}
	}
}

// TestUntil: a fork does what is before a step.
func TestUntil(t *testing.T) {
	s := one(t, `{"step": "1", "do": "back", "expect": {}}, {"step": "2", "do": "forward", "expect": {}}`)
	before, err := s.Until("2")
	if err != nil || len(before.Steps) != 1 || len(s.Steps) != 2 {
		t.Errorf("Until: %v, %+v", err, before)
	}
	if _, err := s.Until("9"); err == nil {
		t.Error("Until of a step that is not there: no error")
	}
	if raw, err := json.Marshal(before); err != nil || !script.Is(raw) || script.Is([]byte(`{}`)) {
		t.Errorf("Is(%s): %v", raw, err)
	}
}

// TestVariables: a value is given by the caller, and nothing holds it.
func TestVariables(t *testing.T) {
	s, err := script.Parse([]byte(`{"wayfinder": "script", "version": 1, "start": "` + start + `", "variables": ["pw"], "steps": [
		{"step": "1", "do": "fill", "target": {"role": "textbox", "name": "Code"}, "arguments": ["%pw%"], "expect": {"effect": "value"}},
		{"step": "2", "do": "click", "target": {"role": "button", "name": "Enter"}, "sends": {"method": "POST", "address": "/in", "fields": [{"name": "code", "value": "%pw%"}]}, "expect": {"requests": ["POST /in"]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	web := fake.Web{start: `<form method="post" action="/in"><label>Code <input name="code"></label><button>Enter</button></form>`, start + "in": `<h1>In</h1>`}
	if _, err := script.Replay(t.Context(), on(t, web), s, nil); !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), `"pw"`) {
		t.Errorf("without the variable: %v", err)
	}
	r, err := script.Replay(t.Context(), on(t, web), s, &script.Options{Variables: map[string]engine.Variable{"pw": {Value: "open-sesame"}}})
	if err != nil {
		t.Fatalf("Replay: %v", err)
	}
	if raw, err := json.Marshal(r); err != nil || strings.Contains(string(raw)+r.Script.String(), "open-sesame") {
		t.Errorf("the result holds the value: %s, %v", raw, err)
	}
}
