package drivertest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func sent(t *trial, aim driver.Target, events ...driver.InputEvent) *driver.MissedError {
	err := t.page.Input(t.ctx, append([]driver.InputEvent{aim}, events...)...)
	missed, ok := errors.AsType[*driver.MissedError](err)
	if err != nil && !ok {
		t.errorf("Input behind a Target = %v, want nil or a *MissedError", err)
	}
	return missed
}

// withheld ends the check if input was not withheld, and records another reason for
// it than want.
func withheld(t *trial, want error, missed *driver.MissedError) *driver.MissedError {
	if missed == nil {
		t.fatalf("Input = nil, want a *MissedError")
	}
	t.fails("Input", missed, want)
	return missed
}

func clickOn(at driver.Point) []driver.InputEvent {
	return []driver.InputEvent{driver.MouseMove{At: at}, driver.MouseDown{At: at, Clicks: 1}, driver.MouseUp{At: at, Clicks: 1}}
}

// keysOf are the keys that write a text.
func keysOf(text string) []driver.InputEvent {
	var events []driver.InputEvent
	for _, r := range text {
		events = append(events, driver.KeyDown{Key: string(r)}, driver.KeyUp{Key: string(r)})
	}
	return events
}

const twoBoxes = `<div id=log></div><input id=a type=checkbox style="` + at + `left: 10px; top: 60px; width: 20px; height: 20px; margin: 0">` +
	`<input id=b type=checkbox style="` + at + `left: 100px; top: 60px; width: 20px; height: 20px; margin: 0"><input id=t style="` + at + `top: 100px"><input id=u style="` + at + `top: 140px">`

var aimCases = rows(Case{Doc: "Target"},
	rule("aim/hit", "A press on the element that is meant is taken.").
		on(twoBoxes).
		opens(func(t *trial) {
			t.taken("Input", t.aimed(t.find("#a"), clickOn(driver.Point{X: 20, Y: 70})...))
			t.equal("Checked", t.state("#a").Checked, true)
		}),
	rule("aim/text-node", "A press may be meant for a text: the element that it stands in takes it.").
		on(`<label id=l style="`+at+`left: 10px; top: 60px; width: 100px; height: 20px">Yes <input id=c type=checkbox></label>`).
		opens(func(t *trial) {
			d, i := t.capture().look(t.find("#l"))
			text := driver.NodeRef{Frame: d.Frame, Doc: d.Doc, Node: d.Nodes[i+1].ID}
			t.equal("kind", d.Nodes[i+1].Kind, driver.TextNode)
			t.taken("Input", t.aimed(text, clickOn(driver.Point{X: 20, Y: 70})...))
			t.equal("Checked", t.state("#c").Checked, true)
		}),
	rule("aim/press", "A press that would hit another element is withheld, and the error names that element.").
		on(twoBoxes).
		opens(func(t *trial) {
			missed := withheld(t, driver.ErrObscured, t.aimed(t.find("#a"), clickOn(driver.Point{X: 110, Y: 70})...))
			t.equal("By", missed.By, t.find("#b"))
			t.equal("Taken", missed.Taken, false)
			t.equal("Checked of the other", t.state("#b").Checked, false)
			// The next one is not affected.
			t.clickAt(driver.Point{X: 110, Y: 70})
			t.equal("Checked of the other, clicked", t.state("#b").Checked, true)
		}),
	rule("aim/disabled", "A press on an element that is disabled by then is withheld, by its own attribute or by a fieldset's.").
		on(`<button id=a disabled style="`+at+`left: 10px; top: 60px; width: 60px; height: 20px">A</button><fieldset disabled><input id=b type=checkbox style="`+at+`left: 100px; top: 60px; width: 20px; height: 20px; margin: 0"></fieldset>`).
		opens(func(t *trial) {
			for selector, x := range map[string]float64{"#a": 20, "#b": 110} {
				missed := withheld(t, driver.ErrDisabled, t.aimed(t.find(selector), clickOn(driver.Point{X: x, Y: 70})...))
				t.equal("Taken", missed.Taken, false)
			}
		}),
	rule("aim/slip", "A press whose element is not there any more when it is let go is told, with what lay there instead.").
		on(`<style>button { position: absolute; top: 60px; left: 10px; width: 60px; height: 20px } #a:active { top: 200px } #b { left: 100px } #b:active { width: 70px }</style>`+
			`<div id=under style="`+at+`left: 0; top: 50px; width: 200px; height: 100px"></div><button id=a>A</button><button id=b>B</button>`).
		opens(func(t *trial) {
			a := t.find("#a")
			missed := withheld(t, driver.ErrTargetMoved, t.aimed(a, clickOn(driver.Point{X: 20, Y: 70})...))
			t.equal("By", missed.By, t.find("#under"))
			t.equal("Taken", missed.Taken, true)
			t.taken("Input", t.aimed(t.find("#b"), clickOn(driver.Point{X: 110, Y: 70})...))
		}),
	rule("aim/says", "Input for an element that says something else than Target.Label is withheld, and the error names the element.").
		on(`<input id=a type=checkbox aria-label=Anna style="`+at+`left: 10px; top: 60px; width: 20px; height: 20px; margin: 0">`).
		opens(func(t *trial) {
			a, anna, bob := t.find("#a"), "Anna", "Bob"
			click := clickOn(driver.Point{X: 20, Y: 70})
			missed := withheld(t, driver.ErrChanged, sent(t, driver.Target{At: a, Label: &bob}, click...))
			t.equal("By", missed.By, a)
			t.equal("Taken", missed.Taken, false)
			t.equal("Checked", t.state("#a").Checked, false)
			t.taken("Input", sent(t, driver.Target{At: a, Label: &anna}, click...))
			t.equal("Checked", t.state("#a").Checked, true)
		}),
	rule("aim/beside", "Input for an element beside which a text of Target.Beside is not there any more is withheld, at the first event and at a press.").at("Actor.Focus").
		on(`<div id=log></div><div><span><i id=n>Anna</i> open</span><button id=a style="`+at+`left: 10px; top: 60px; width: 60px; height: 20px">Open</button><input id=t></div>`).
		doing(
			on("mouseover", "#a", Action{Kind: SetText, Target: "#n", Text: "Bob"}),
			on("click", "#a", Action{Kind: SetText, Target: "#log", Text: "hit"}),
			on("focus", "#t", Action{Kind: SetText, Target: "#n", Text: "Carl"}),
		).
		opens(func(t *trial) {
			beside := func(selector string, up int, texts ...string) driver.Target {
				return driver.Target{At: t.find(selector), Beside: &driver.Beside{Up: up, Texts: texts}}
			}
			for _, other := range []driver.Target{beside("#t", 1, "Bob"), beside("#t", 1, " open", "An"), beside("#t", 9, "Anna")} {
				t.fails("Focus", t.page.Focus(t.ctx, other), driver.ErrChanged)
				t.fails("SetValue", errOf(t.page.SetValue(t.ctx, other, "x")), driver.ErrChanged)
			}
			click := clickOn(driver.Point{X: 20, Y: 70})
			t.input(driver.MouseMove{At: driver.Point{X: 300, Y: 200}})
			missed := withheld(t, driver.ErrChanged, sent(t, beside("#a", 1, "Anna"), click...)) // the pointer has changed it
			t.equal("By", missed.By, t.find("#a"))
			t.equal("Taken", missed.Taken, false)
			t.equal("what the page felt", t.text("#log"), "")
			t.taken("Input", sent(t, beside("#a", 1, "Bob", " open"), click...))
			t.equal("what the page felt", t.text("#log"), "hit")
			aim := beside("#t", 1, "Bob")
			t.ok("Focus", t.page.Focus(t.ctx, aim)) // and with it Bob is gone, which is the input's own doing
			t.taken("Input of text", sent(t, aim, driver.InsertText{Text: "x"}))
			t.equal("value", t.value("#t"), "x")
		}),
	rule("aim/beside-flat", "The text beside an element stands in the flat tree: in shadow trees, and in what slots show.").
		on(`<div id=h><template shadowrootmode=open><p>Name <slot></slot></p><div><slot name=b></slot><input></div></template><input id=a><b slot=b>Size</b></div>`).
		opens(func(t *trial) {
			inner := t.find("#h", "input")
			for _, c := range []struct {
				node driver.NodeRef
				up   int
				text string
				want error
			}{
				{t.find("#a"), 1, "Name ", driver.ErrChanged}, {t.find("#a"), 2, "Name ", nil}, {t.find("#a"), 2, "Size", driver.ErrChanged}, {t.find("#a"), 3, "Size", nil},
				{inner, 1, "Size", nil}, {inner, 1, "Name ", driver.ErrChanged}, {inner, 2, "Name ", nil},
			} {
				err := t.page.Focus(t.ctx, driver.Target{At: c.node, Beside: &driver.Beside{Up: c.up, Texts: []string{c.text}}})
				if c.want != nil {
					t.fails("Focus", err, c.want)
				} else {
					t.ok("Focus", err)
				}
			}
		}),
	rule("aim/beside-range", "The text beside an element may stand in the elements and texts before and behind it, up to From and To.").
		on(`<dl><dt>One<dd>1<!-- --><dt>Two<dd>2<dd><input id=a><script></script><dt>Three</dl><p>Four <input id=b> five<br></p>`).
		opens(func(t *trial) {
			for _, c := range []struct {
				id           string
				up, from, to int
				text         string
				want         error
			}{
				{"a", 1, -2, 0, "Two", nil}, {"a", 1, -1, 0, "Two", driver.ErrChanged}, {"a", 1, -2, 0, "One", driver.ErrChanged}, {"a", 1, -4, 0, "One", nil},
				{"a", 1, -9, 9, "Three", nil}, {"a", 1, -9, 1, "Three", nil}, {"a", 1, -9, 0, "Three", driver.ErrChanged}, {"a", 2, 0, 1, "Four ", nil},
				{"b", 0, -1, 0, "Four ", nil}, {"b", 0, -1, 0, " five", driver.ErrChanged}, {"b", 0, 0, 1, " five", nil}, {"b", 0, -9, 9, "Three", driver.ErrChanged},
			} {
				err := t.page.Focus(t.ctx, driver.Target{At: t.find("#" + c.id), Beside: &driver.Beside{Up: c.up, From: c.from, To: c.to, Texts: []string{c.text}}})
				if c.want != nil {
					t.fails(fmt.Sprintf("Focus with %q of %d to %d", c.text, c.from, c.to), err, c.want)
				} else {
					t.ok(fmt.Sprintf("Focus with %q of %d to %d", c.text, c.from, c.to), err)
				}
			}
		}),
	rule("aim/label", "What labels a field is what it says: by aria-labelledby, by its labels, by its placeholder; not what it holds.").at("Location.Label").
		on(`<b id=x>Street</b><input id=a aria-labelledby=x value=Oak><label for=b>City <i>*</i></label><input id=b value=Bern>`+
			`<label>Size <select id=c><option>S<option>M</select></label><input id=d placeholder=Zip title=Code><textarea id=e title=Note>text</textarea><div id=f contenteditable aria-label=Body>text</div>`+
			`<input id=g type=submit value=Send><button id=h>Stop</button>`).
		opens(func(t *trial) {
			for id, says := range map[string]string{"a": "Street", "b": "City *", "c": "Size", "d": "Zip", "e": "Note", "f": "Body", "g": "Send", "h": "Stop"} {
				t.equal("Label of "+id, t.locate(t.find("#"+id), nil).Label, says)
			}
		}),
	rule("aim/label-keys", "Keys and text for a field whose label is another by then are withheld, and so is what Focus, SelectText, SetValue and SetFiles would do.").at("Actor.Focus").
		on(`<div id=log></div><label id=l for=a>Street</label><input id=a value=old><label id=m for=d>From</label><input id=d type=date><label id=n for=f>Photo</label><input id=f type=file>`+
			`<label id=o for=s>Size</label><select id=s><option>S<option>M</select>`).
		doing(on("focus", "#a", Action{Kind: SetText, Target: "#log", Text: "focused"})).
		opens(func(t *trial) {
			a, d, f, s := t.find("#a"), t.find("#d"), t.find("#f"), t.find("#s")
			other := func(ref driver.NodeRef) driver.Target { says := "Other"; return driver.Target{At: ref, Label: &says} }
			changed := func(call string, err error) {
				missed, ok := errors.AsType[*driver.MissedError](err)
				if t.fails(call, err, driver.ErrChanged); ok {
					t.equal("Taken of "+call, missed.Taken, false)
				}
			}
			file := t.file("a.txt", "a")
			changed("Focus", t.page.Focus(t.ctx, other(a)))
			changed("SelectText", t.page.SelectText(t.ctx, other(a)))
			_, err := t.page.SetValue(t.ctx, other(d), "2024-02-29")
			changed("SetValue", err)
			_, err = t.page.SetValue(t.ctx, other(s), "M")
			changed("SetValue of a select", err)
			changed("SetFiles", t.page.SetFiles(t.ctx, other(f), file))
			t.equal("what the page felt", t.text("#log"), "")
			t.equal("values", t.value("#d")+t.value("#s"), "S")
			t.equal("files", len(t.state("#f").Files), 0)
			t.ok("Focus", t.page.Focus(t.ctx, driver.Target{At: a}))
			for _, e := range []driver.InputEvent{driver.InsertText{Text: "x"}, driver.KeyDown{Key: "x"}} {
				missed := sent(t, other(a), e)
				if missed == nil {
					t.fatalf("Input(%T) = nil, want a *MissedError", e)
				}
				changed("Input", missed)
			}
			t.equal("value", t.value("#a"), "old")
		}),
	rule("aim/label-focus", "What a field comes to say by its focus counts for the next input as what it said before; what it comes to say later does not.").at("Actor.Focus").
		on(`<label id=l for=a>Street</label><input id=a value=old><button id=b>b</button>`).
		doing(
			on("focus", "#a", Action{Kind: SetText, Target: "#l", Text: "Street (required)"}),
			on("click", "#b", Action{Kind: SetText, Target: "#l", Text: "City"}),
		).
		opens(func(t *trial) {
			says := "Street"
			aim := driver.Target{At: t.find("#a"), Label: &says}
			t.ok("SelectText", t.page.SelectText(t.ctx, aim))
			t.equal("label", t.text("#l"), "Street (required)")
			t.taken("Input", sent(t, aim, driver.InsertText{Text: "Oak"}))
			t.equal("value", t.value("#a"), "Oak")
			t.click("#b")
			t.focus("#a") // says Street (required) again
			t.click("#b")
			if missed := sent(t, aim, driver.InsertText{Text: "x"}); missed == nil {
				t.errorf("Input = nil, want a *MissedError")
			}
			t.equal("value", t.value("#a"), "Oak")
		}),
	rule("aim/selected", "Input for an element that the aim's selector does not select any more, or not alone, is withheld.").
		on(`<p id=log></p><input type=checkbox id=a aria-label=Keep style="`+at+`left: 10px; top: 60px; width: 20px; height: 20px; margin: 0">`+
			`<div id=h style="`+at+`left: 100px; top: 60px; width: 60px; height: 20px"><template shadowrootmode=open><button style="position: absolute; left: 0; top: 0; width: 60px; height: 20px; margin: 0">In</button></template></div>`).
		opens(func(t *trial) {
			a, file := t.find("#a"), t.file("a.txt", "a")
			click := clickOn(driver.Point{X: 20, Y: 70})
			aim := func(kind driver.SelectorKind, text string) driver.Target {
				return driver.Target{At: a, Selected: &driver.Selection{Selector: driver.Selector{Kind: kind, Text: text}}}
			}
			for _, other := range []driver.Target{aim(driver.XPath, "//input[@aria-label='Delete']"), aim(driver.CSS, "#log"), aim(driver.CSS, "input, #log")} {
				missed := withheld(t, driver.ErrChanged, sent(t, other, click...))
				t.equal("Taken", missed.Taken, false)
				t.fails("Focus", t.page.Focus(t.ctx, other), driver.ErrChanged)
				t.fails("SelectText", t.page.SelectText(t.ctx, other), driver.ErrChanged)
				t.fails("SetValue", errOf(t.page.SetValue(t.ctx, other, "x")), driver.ErrChanged)
				t.fails("SetFiles", t.page.SetFiles(t.ctx, other, file), driver.ErrChanged)
			}
			t.equal("Checked", t.state("#a").Checked, false)
			t.taken("Input", sent(t, aim(driver.XPath, "//input[@aria-label='Keep']"), click...))
			t.equal("Checked", t.state("#a").Checked, true)
			inner := driver.Target{At: t.find("#h", "button"), Selected: &driver.Selection{Root: t.find("#h"), Selector: driver.Selector{Text: "button"}}}
			t.taken("Input in a shadow tree", sent(t, inner, clickOn(driver.Point{X: 110, Y: 70})...))
		}),
	rule("aim/selected-focus", "A selector that no longer selects an element by its focus, or by a key, counts for the next input as one that does; one that ceases to later does not.").at("Actor.Focus").
		on(`<input id=a><button id=b>b</button>`).
		doing(
			on("focus", "#a", Action{Kind: SetAttribute, Target: "#a", Name: "class", Text: "focused"}),
			on("click", "#b", Action{Kind: SetAttribute, Target: "#a", Name: "class", Text: "other"}),
		).
		opens(func(t *trial) {
			aim := driver.Target{At: t.find("#a"), Selected: &driver.Selection{Selector: driver.Selector{Text: "input:not([class])"}}}
			t.ok("SelectText", t.page.SelectText(t.ctx, aim))
			aim.Continued = true
			for _, text := range []string{"x", "y"} {
				t.taken("Input", sent(t, aim, driver.InsertText{Text: text}))
			}
			t.equal("value", t.value("#a"), "xy")
			aim = driver.Target{At: aim.At, Selected: &driver.Selection{Selector: driver.Selector{Text: ".focused"}}}
			t.ok("SelectText", t.page.SelectText(t.ctx, aim))
			t.click("#b")
			if missed := sent(t, aim, driver.InsertText{Text: "z"}); missed == nil {
				t.errorf("Input = nil, want a *MissedError")
			}
			t.equal("value", t.value("#a"), "xy")
		}),
	rule("aim/says-first", "What an element says counts at the first event: the movement of the pointer may change it, and is withheld where it is wrong.").
		on(`<div id=log></div><button id=a style="`+at+`left: 10px; top: 60px; width: 60px; height: 20px">Follow</button>`).
		doing(
			on("mouseover", "#a", Action{Kind: SetText, Target: "#a", Text: "Followed"}),
			on("click", "#a", Action{Kind: SetText, Target: "#log", Text: "hit"}),
		).
		opens(func(t *trial) {
			a, follow, other := t.find("#a"), "Follow", "Followed"
			click := clickOn(driver.Point{X: 20, Y: 70})
			if missed := sent(t, driver.Target{At: a, Label: &other}, click...); missed == nil {
				t.errorf("Input = nil, want a *MissedError")
			}
			t.equal("text", t.text("#a"), "Follow")
			t.taken("Input", sent(t, driver.Target{At: a, Label: &follow}, click...))
			t.equal("what the page felt", t.text("#log"), "hit")
		}),
	rule("aim/frame", "A press that would hit a frame, or from within a frame what lies on top of it, is withheld.").
		with(pages{
			"/":   `<style>body { margin: 0 }</style><iframe src=/in style="` + at + `left: 0; top: 0; width: 200px; height: 100px; border: 0"></iframe><input id=a type=checkbox style="` + at + `left: 300px; top: 60px; width: 20px; height: 20px; margin: 0">`,
			"/in": `<input id=b type=checkbox style="` + at + `left: 10px; top: 10px; width: 20px; height: 20px; margin: 0">`,
		}).
		opens(func(t *trial) {
			if t.aimed(t.find("#a"), clickOn(driver.Point{X: 20, Y: 20})...) == nil {
				t.errorf("Input into the frame = nil, want a *MissedError")
			}
			if t.aimed(t.find("iframe", "#b"), clickOn(driver.Point{X: 310, Y: 70})...) == nil {
				t.errorf("Input beside the frame = nil, want a *MissedError")
			}
			t.equal("Checked", []bool{t.state("#a").Checked, t.state("iframe", "#b").Checked}, []bool{false, false})
			t.taken("Input on the frame", t.aimed(t.find("iframe"), clickOn(driver.Point{X: 20, Y: 20})...))
			t.equal("Checked in the frame", t.state("iframe", "#b").Checked, true)
		}),
	rule("aim/key", "Keys and text are withheld while the focus is elsewhere; what is typed may move it on.").
		on(twoBoxes).
		opens(func(t *trial) {
			t.focus("#u")
			for _, e := range []driver.InputEvent{driver.KeyDown{Key: "x"}, driver.InsertText{Text: "x"}} {
				missed := t.aimed(t.find("#t"), e)
				if missed == nil {
					t.fatalf("Input(%T) = nil, want a *MissedError", e)
				}
				t.fails("Input", missed, driver.ErrNotFocusable)
			}
			t.input(driver.KeyUp{Key: "x"})
			t.equal("Value", t.state("#u").Value, "")
			t.focus("#t")
			t.taken("Input", t.aimed(t.find("#t"), driver.KeyDown{Key: "x"}, driver.KeyUp{Key: "x"}, driver.KeyDown{Key: "Tab"}, driver.KeyUp{Key: "Tab"},
				driver.KeyDown{Key: "y"}, driver.KeyUp{Key: "y"}))
			t.equal("Values", []string{t.state("#t").Value, t.state("#u").Value}, []string{"x", "y"})
		}),
	rule("aim/only", "With Only, the first key that would go elsewhere is withheld, and all that follow.").
		on(twoBoxes).
		opens(func(t *trial) {
			t.focus("#t")
			tab := []driver.InputEvent{driver.KeyDown{Key: "Tab"}, driver.KeyUp{Key: "Tab"}}
			missed := withheld(t, driver.ErrNotFocusable, sent(t, driver.Target{At: t.find("#t"), Only: true}, slices.Concat(keysOf("x"), tab, keysOf("yz"))...))
			t.equal("Taken", missed.Taken, true)
			t.equal("Values", []string{t.state("#t").Value, t.state("#u").Value}, []string{"x", ""})
		}),
	rule("aim/only-code", "With Only, fields for a single letter may pass the focus on to each other.").
		on(`<input id=a maxlength=1><input id=b maxlength=1><input id=c>`).
		doing(on("input", "#a", Action{Kind: FocusOn, Target: "#b"}), on("input", "#b", Action{Kind: FocusOn, Target: "#c"})).
		opens(func(t *trial) {
			t.focus("#a")
			withheld(t, driver.ErrNotFocusable, sent(t, driver.Target{At: t.find("#a"), Only: true, Text: true}, keysOf("123")...))
			t.equal("Values", []string{t.state("#a").Value, t.state("#b").Value, t.state("#c").Value}, []string{"1", "2", ""})
		}),
	rule("aim/text", "With Text, a key that wrote nothing is told; one whose text the page has moved elsewhere since wrote.").
		on(`<input id=a><input id=b maxlength=2>`).
		doing(on("input", "#a", Action{Kind: SetValue, Target: "#a", Text: ""})).
		opens(func(t *trial) {
			t.focus("#a")
			t.taken("Input", sent(t, driver.Target{At: t.find("#a"), Text: true}, keysOf("xyz")...))
			t.focus("#b")
			missed := withheld(t, driver.ErrNotTyped, sent(t, driver.Target{At: t.find("#b"), Text: true}, keysOf("xyz")...))
			t.equal("Taken", missed.Taken, true)
			t.equal("Value", t.state("#b").Value, "xy")
		}),
	rule("aim/text-prevented", "With Text, a key that the page has kept from writing wrote nothing.").
		on("<input id=a>").
		doing(on("keydown", "#a", Action{Kind: PreventDefault})).
		opens(func(t *trial) {
			t.focus("#a")
			withheld(t, driver.ErrNotTyped, sent(t, driver.Target{At: t.find("#a"), Text: true}, keysOf("x")...))
		}),
	rule("aim/text-inserted", "With Text, inserted text that the page has kept out wrote nothing; one that it has rewritten since wrote.").
		on("<input id=a><input id=b>").
		doing(
			on("beforeinput", "#a", Action{Kind: PreventDefault}),
			on("input", "#b", Action{Kind: SetValue, Target: "#b", Text: "other"}),
		).
		opens(func(t *trial) {
			t.focus("#a")
			withheld(t, driver.ErrNotTyped, sent(t, driver.Target{At: t.find("#a"), Text: true}, driver.InsertText{Text: "one two"}))
			t.focus("#b")
			t.taken("Input", sent(t, driver.Target{At: t.find("#b"), Text: true}, driver.InsertText{Text: "one two"}))
			t.equal("Value", t.state("#b").Value, "other")
		}),
	rule("aim/left", "Keys that follow when the page has gone to another are withheld, or told to have come too late.").
		with(pages{"/": twoBoxes, "/next": `<input id=n autofocus>`}).
		doing(on("input", "#t", Action{Kind: GoTo, Text: "/next"})).
		opens(func(t *trial) {
			t.focus("#t")
			missed := withheld(t, driver.ErrStale, sent(t, driver.Target{At: t.find("#t"), Only: true}, keysOf(strings.Repeat("x", 400))...))
			t.equal("Taken", missed.Taken, true)
		}),
	rule("aim/gone", "Input for an element that has left its document is not sent.").
		with(pages{"/": twoBoxes, "/next": twoBoxes}).
		opens(func(t *trial) {
			old := t.find("#a")
			t.open("/next")
			withheld(t, driver.ErrStale, t.aimed(old, clickOn(driver.Point{X: 20, Y: 70})...))
			t.equal("Checked", t.state("#a").Checked, false)
		}),
)
