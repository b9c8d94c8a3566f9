package offline_test

import (
	"errors"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

const form = `<!DOCTYPE html><title>Orders</title>
<form id="f"><label>First name <input id="first"></label><label>Last name <input id="last"></label>
<button id="save" type="button">Save</button></form><p id="told">Nothing saved</p>
<div id="size" role="combobox" tabindex="0" aria-label="Page Size" aria-expanded="false" aria-haspopup="listbox">10</div>
<ul id="sizes" role="listbox" style="display: none"><li role="option" id="ten">10</li><li role="option" id="fifty">50</li></ul>`

// played opens the form, and returns what its own state is after the instruction.
func played(t *testing.T, instruction string) (*engine.ActResult, map[string]string, error) {
	t.Helper()
	const address = "https://orders.test/"
	state := map[string]string{}
	web := fake.New(fake.Options{Web: fake.Web{address: form}, Scripts: map[string]func(*fake.Document){
		address: func(d *fake.Document) {
			d.On("click", "#save", func(*fake.Event) { state["saved"] += d.Find("#first").Value() + " " + d.Find("#last").Value() + ";" })
			d.On("click", "#size", func(*fake.Event) {
				d.Find("#sizes").Show()
				d.Find("#sizes").SetAttr("style", "")
				d.Find("#size").SetAttr("aria-expanded", "true")
			})
			d.On("click", "#fifty", func(*fake.Event) { state["size"] = "50"; d.Find("#size").SetText("50") })
		},
	}})
	session, err := engine.Open(t.Context(), web, &engine.Options{Model: offline.New()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	if _, err := session.Page().Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	r, err := session.Page().Act(t.Context(), instruction, nil)
	return r, state, err
}

// What the engine does with the matcher's answers: several things in order, a
// closed list to its end, and nothing at all where one of them can't be done.
func TestPlay(t *testing.T) {
	for _, c := range []struct {
		instruction  string
		actions      int
		saved, chose string
	}{
		{"type Ada into First name, type Lovelace into Last name and press Save", 3, "Ada Lovelace;", ""},
		{"fill First name with Ada and Last name with Lovelace", 2, "", ""},
		{"type Ada into First name, then click Save", 2, "Ada ;", ""},
		{"choose 50 in Page Size", 2, "", "50"},
		{"set Page Size to 50", 2, "", "50"},
	} {
		r, state, err := played(t, c.instruction)
		if err != nil || len(r.Actions) != c.actions || state["saved"] != c.saved || state["size"] != c.chose {
			t.Errorf("Act(%q) = %+v, %v, leaves %v, want %d actions, %q and %q", c.instruction, r, err, state, c.actions, c.saved, c.chose)
		}
	}
	for _, instruction := range []string{
		"type Ada into First name and press Send", "type Ada into Nickname, then click Save", "click Save and choose 50 in Page Length",
		"click Save, click Save, click Save and click Save",
	} {
		r, state, err := played(t, instruction)
		if !errors.Is(err, engine.ErrNotFound) || len(r.Actions) != 0 || len(state) != 0 {
			t.Errorf("Act(%q) = %+v, %v, leaves %v, want nothing done", instruction, r, err, state)
		}
	}
}
