package server_test

import (
	"encoding/json"
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
				d.Find("#log").SetText(d.Find("#log").Text() + e.Target.Text() + ";")
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
		if act(a) {
			t.Errorf("%s was done to another row", a.Description)
		}
	}
	hand := seen[1]
	if !act(map[string]any{"selector": hand.Selector, "description": hand.Description}) {
		t.Error("a hand-made action was refused")
	}
}
