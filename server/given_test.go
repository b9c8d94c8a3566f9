package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// An Action of the wire has no room for what tells its element from others: the
// session remembers what it gave out. A hand-made one is what it says.
func TestActionComesBack(t *testing.T) {
	web := fake.New(fake.Options{
		Web: fake.Web{"https://list.test/": `<p id=log></p><button id=swap>Swap</button>` +
			`<ul><li><b>Anna</b> <button>Delete A</button> <button>Edit</button></li><li><b>Bob</b> <button>Delete B</button> <button>Edit</button></li></ul>`},
		Scripts: map[string]func(*fake.Document){"*": func(d *fake.Document) {
			d.On("click", "#swap", func(*fake.Event) {
				d.Find("ul").SetHTML(`<li><b>Bob</b> <button>Delete B</button> <button>Edit</button></li><li><b>Anna</b> <button>Delete A</button> <button>Edit</button></li>`)
			})
			d.On("click", "li button", func(e *fake.Event) {
				d.Find("#log").SetText(d.Find("#log").Text() + e.Target.Text() + " of " + strings.Fields(e.Target.Closest("li").Text())[0] + "; ")
			})
		}},
	})
	c := serve(t, web, nil)
	path := c.startWith(`{"modelName":"openai/gpt-5"}`)
	c.must(200, c.post(path+"/navigate", `{"url":"https://list.test/"}`))
	var answer struct{ Data wire.ObserveData }
	if err := json.Unmarshal(c.must(200, c.post(path+"/observe", `{}`)).body, &answer); err != nil {
		t.Fatal(err)
	}
	seen := answer.Data.Result
	act := func(a any) bool {
		t.Helper()
		body, err := json.Marshal(map[string]any{"input": a})
		if err != nil {
			t.Fatal(err)
		}
		return get[bool](t, c.must(200, c.post(path+"/act", string(body))), "data", "result", "success")
	}
	if !act(map[string]any{"selector": "#swap", "description": "swap"}) {
		t.Fatal("the rows were not swapped")
	}
	for _, a := range seen[1:] {
		if !act(a) {
			t.Errorf("%s was not done to its row, which stands elsewhere now", a.Description)
		}
	}
	const want = "Delete A of Anna; Edit of Anna; Delete B of Bob; Edit of Bob;"
	if got := c.text(path); !strings.Contains(got, want) {
		t.Errorf("the page says %q, want %q", got, want)
	}
	hand := seen[1]
	if !act(map[string]any{"selector": hand.Selector, "description": hand.Description}) {
		t.Error("a hand-made action was refused")
	}
}

// An action whose selector is a locator is done in another session, on a page where its
// element stands elsewhere, and nothing is done where that is gone. Answers keep the
// interface's closed form, and XPaths where no locators are asked for.
func TestLocatorsSurvive(t *testing.T) {
	const rows = `<ul><li><b>Anna</b> <button>Edit</button></li><li><b>Bob</b> <button>Edit</button></li></ul>`
	log := func(d *fake.Document) {
		d.On("click", "button", func(e *fake.Event) {
			d.Find("#log").SetText(d.Find("#log").Text() + e.Target.Text() + " of " + strings.Fields(e.Target.Closest("li,div,main").Text())[0] + "; ")
		})
	}
	c := serve(t, fake.New(fake.Options{
		Web: fake.Web{
			"https://list.test/":        `<p id=log></p><main>Page <button>Print</button>` + rows + `</main>`,
			"https://list.test/changed": `<div>News <button>Read</button></div><p id=log></p><main><section><div><ul><li><b>Carl</b> <button>Edit</button></li><li><b>Bob</b> <button>Edit</button></li></ul></div></section> <div>Page <button>Print</button></div></main>`,
		},
		Scripts: map[string]func(*fake.Document){"*": log},
	}), nil)
	open := func(address string) string {
		path := c.startWith(`{"modelName":"openai/gpt-5"}`)
		c.must(200, c.post(path+"/navigate", `{"url":"`+address+`"}`))
		return path
	}
	path := open("https://list.test/")
	stored := map[string]string{}
	for _, options := range []string{`{}`, `{"locators":true}`} {
		var answer struct{ Data wire.ObserveData }
		if err := json.Unmarshal(c.must(200, c.post(path+"/observe", `{"options":`+options+`}`)).body, &answer); err != nil {
			t.Fatal(err)
		}
		for _, a := range answer.Data.Result {
			if byLocator := strings.HasPrefix(a.Selector, "role="); byLocator != (options != `{}`) {
				t.Errorf("with %s an action is %s", options, a.Selector)
			}
			a.BackendNodeID = 0
			raw, err := json.Marshal(map[string]any{"input": a, "options": map[string]any{"locators": true}})
			if err != nil {
				t.Fatal(err)
			}
			stored[a.Selector] = string(raw)
		}
	}
	path = open("https://list.test/changed")
	for locator, survives := range map[string]bool{
		`role=listitem[text="Bob"] >> role=button[name="Edit"]`:  true,
		`role=listitem[text="Anna"] >> role=button[name="Edit"]`: false,
		`role=button[name="Print"]`:                              true,
	} {
		if stored[locator] == "" {
			t.Fatalf("%s is none of %q", locator, stored)
		}
		got := c.must(200, c.post(path+"/act", stored[locator]))
		if done := get[bool](t, got, "data", "result", "success"); done != survives {
			t.Errorf("%s: %s, want success %v", locator, got.body, survives)
		} else if done && get[string](t, got, "data", "result", "actions", 0, "selector") != locator {
			t.Errorf("%s is answered with %s", locator, got.body)
		}
	}
	if got := c.text(path); !strings.Contains(got, "Edit of Bob;") || !strings.Contains(got, "Print of Page;") || strings.Contains(got, "Carl;") {
		t.Errorf("the page says %q", got)
	}
}

// A click of an Action may be one with the right button, by its arguments.
func TestRightClick(t *testing.T) {
	c := serve(t, fake.New(fake.Options{
		Web: fake.Web{"https://map.test/": `<p id=log></p><button>Map</button>`},
		Scripts: map[string]func(*fake.Document){"*": func(d *fake.Document) {
			d.On("contextmenu", "button", func(*fake.Event) { d.Find("#log").SetText("menu of the map") })
			d.On("click", "button", func(*fake.Event) { d.Find("#log").SetText("clicked") })
		}},
	}), nil)
	path := c.startWith(`{"modelName":"openai/gpt-5"}`)
	c.must(200, c.post(path+"/navigate", `{"url":"https://map.test/"}`))
	got := c.must(200, c.post(path+"/act", `{"input":{"selector":"role=button[name=\"Map\"]","description":"its menu","method":"click","arguments":["right"]}}`))
	if text := c.text(path); !strings.Contains(text, "menu of the map") || !get[bool](t, got, "data", "result", "success") {
		t.Errorf("the page says %q: %s", text, got.body)
	}
}
