package drivertest

import (
	"github.com/wayfinder-engine/wayfinder/driver"
)

var editCases = rows(Case{Doc: "Actor.Focus"},
	rule("edit/select-text", "SelectText focuses a text control and selects all of it, so that what is written takes its place.").at("Actor.SelectText").
		on("<input id=i value=old><textarea id=a>old\ntext</textarea><input id=n type=number value=5><input id=e type=email value=a@b.ch>").
		opens(func(t *trial) {
			for id, text := range map[string]string{"i": "new", "a": "new", "n": "12.5", "e": "c@d.ch"} {
				t.ok("SelectText "+id, t.page.SelectText(t.ctx, driver.Target{At: t.find("#" + id)}))
				t.equal("focused", t.focused(), id)
				t.input(driver.InsertText{Text: text})
				t.equal("value of "+id, t.value("#"+id), text)
			}
		}),
	rule("edit/select-delete", "What SelectText selected is deleted by Backspace.").at("Actor.SelectText").
		on("<input id=i value=old>").
		opens(func(t *trial) {
			t.ok("SelectText", t.page.SelectText(t.ctx, driver.Target{At: t.find("#i")}))
			t.press("Backspace")
			t.equal("value", t.value("#i"), "")
		}),
	rule("edit/editable", "SelectText, keys and InsertText work in editable elements; State.Value is their text.").at("State.Value").
		on("<div id=d contenteditable>old <b>bold</b></div>").
		opens(func(t *trial) {
			s := t.state("#d")
			t.equal("Editable", s.Editable, true)
			t.equal("Value", s.Value, "old bold")
			t.ok("SelectText", t.page.SelectText(t.ctx, driver.Target{At: t.find("#d")}))
			t.input(driver.InsertText{Text: "new"})
			t.write("er")
			t.press("Backspace")
			t.equal("Value", t.value("#d"), "newe")
			t.equal("text", t.text("#d"), "newe")
		}),
	rule("edit/caret-kept", "Focus on the field that has the focus leaves the caret where it is.").
		on("<input id=i value=ab>").
		opens(func(t *trial) {
			t.focus("#i")
			t.press("Home", "ArrowRight")
			t.focus("#i")
			t.press("x")
			t.equal("value", t.value("#i"), "axb")
		}),
	rule("edit/focus-selects-nothing", "Focus selects nothing: what is written then takes nothing's place.").
		on("<input id=i value=12>").
		opens(func(t *trial) {
			t.focus("#i")
			t.write("3")
			t.equal("value", t.value("#i"), "312")
		}),
	rule("edit/maxlength", "A text control takes no more than its maxlength, by keys or by InsertText.").at("InsertText").
		on("<input id=i maxlength=4>").
		opens(func(t *trial) {
			t.focus("#i")
			t.write("ab")
			t.input(driver.InsertText{Text: "cdef"})
			t.write("g")
			t.equal("value", t.value("#i"), "abcd")
		}),
	rule("edit/readonly", "A readonly control takes the focus and no text.").at("Actor.Input").
		on("<input id=i value=v readonly>").
		opens(func(t *trial) {
			t.focus("#i")
			t.write("x")
			t.input(driver.InsertText{Text: "y"})
			t.press("Backspace")
			t.equal("value", t.value("#i"), "v")
		}),
	rule("edit/number", "A number field takes figures and leaves letters out.").at("Actor.Input").
		on("<input id=i type=number step=any>").
		opens(func(t *trial) {
			t.focus("#i")
			t.write("x12.5y")
			t.equal("value", t.value("#i"), "12.5")
		}),
	rule("edit/one-line", "A one-line field takes no line breaks.").at("InsertText").
		on("<input id=i><textarea id=a></textarea>").
		opens(func(t *trial) {
			t.focus("#i")
			t.input(driver.InsertText{Text: "a\nb"})
			t.equal("value", t.value("#i"), "a b")
			t.focus("#a")
			t.input(driver.InsertText{Text: "a\nb"})
			t.equal("value of a textarea", t.value("#a"), "a\nb")
		}),
	rule("edit/focus", "Focus gives an element the focus; the page sees focus, and blur of the one before.").
		on("<input id=i><button id=b>x</button><a id=l href=/x>x</a><div id=d tabindex=-1>x</div><p id=log></p>").
		doing(append(logged("#i", "focus", "blur"), logged("#b", "focus")...)...).
		opens(func(t *trial) {
			for _, id := range []string{"i", "b", "l", "d"} {
				t.focus("#" + id)
				t.equal("focused", t.focused(), id)
				t.equal("Focused", t.state("#"+id).Focused, true)
			}
			t.equal("log", t.text("#log"), "focus blur focus ")
		}),
	rule("edit/not-focusable", "Focus returns ErrNotFocusable for what does not take it, and the focus stays where it is.").at("ErrNotFocusable").
		on(`<input id=i><p id=p>x</p><button id=d disabled>x</button><input id=n style="display: none"><a id=a>x</a><button id=c style="display: contents">x</button>`).
		opens(func(t *trial) {
			t.focus("#i")
			for _, id := range []string{"p", "d", "n", "a", "c"} {
				err := t.page.Focus(t.ctx, driver.Target{At: t.find("#" + id)})
				t.must(err != nil, "Focus of %s succeeded", id)
				t.failsAsOp("focus", err, driver.ErrNotFocusable)
				t.equal("focused", t.focused(), "i")
			}
		}),
	rule("edit/focus-within", "A button that does not take the focus has not got it by a link in it that has: Focus returns ErrNotFocusable, and the focus stays where it is.").at("ErrNotFocusable").
		on(`<div id=b role=button><a id=l href=/x>x</a><input id=i></div>`).
		opens(func(t *trial) {
			for _, id := range []string{"l", "i"} {
				t.focus("#" + id)
				t.failsAsOp("focus", t.page.Focus(t.ctx, driver.Target{At: t.find("#b")}), driver.ErrNotFocusable)
				t.equal("focused", t.focused(), id)
			}
		}),
	rule("edit/blur", "Focus on a document node takes the focus away; the page sees change and blur.").
		on("<input id=i><p id=log></p>").
		doing(logged("#i", "change", "blur")...).
		opens(func(t *trial) {
			t.focus("#i")
			t.write("x")
			t.ok("Focus of the document", t.page.Focus(t.ctx, driver.Target{At: driver.NodeRef{Frame: t.main().ID, Doc: t.doc()}}))
			t.equal("focused", t.focused(), "")
			t.equal("log", t.text("#log"), "change blur ")
		}),
	rule("edit/not-text", "SelectText of what holds no text to edit is an error, and changes nothing.").at("Actor.SelectText").
		on(`<p id=p>x</p><input id=i value=v><input id=c type=checkbox>`).
		opens(func(t *trial) {
			t.must(t.page.SelectText(t.ctx, driver.Target{At: t.find("#p")}) != nil, "SelectText of a paragraph succeeded")
			t.equal("text", t.text("#p"), "x")
		}),
)

var valueCases = rows(Case{Doc: "Actor.SetValue"},
	rule("value/typed", "SetValue assigns date, time, month, week, datetime-local and color, and returns what the control has then.").
		on(`<input id=date type=date><input id=time type=time><input id=month type=month><input id=week type=week><input id=dt type=datetime-local><input id=color type=color>`).
		opens(func(t *trial) {
			for id, v := range map[string]string{"date": "2024-02-29", "time": "13:37", "month": "2024-12", "week": "2024-W07", "dt": "2024-02-29T13:37", "color": "#a1b2c3"} {
				t.equal("SetValue of "+id, t.setValue("#"+id, v), []string{v})
				t.equal("value of "+id, t.value("#"+id), v)
				t.equal("Value captured of "+id, t.capture().element(id).Value, v)
			}
		}),
	rule("value/refused", "A value that is none for the control is refused: what SetValue returns shows it.").
		on(`<input id=date type=date value=2020-01-01><input id=color type=color value="#112233"><input id=time type=time>`).
		opens(func(t *trial) {
			t.equal("SetValue of a date that is none", t.setValue("#date", "2023-02-30"), []string{""})
			t.equal("SetValue of a word to a date", t.setValue("#date", "tomorrow"), []string{""})
			t.equal("SetValue of a word to a color", t.setValue("#color", "none"), []string{"#000000"})
			t.equal("SetValue of an hour that is none", t.setValue("#time", "25:00"), []string{""})
		}),
	rule("value/sanitized", "A value is sanitized as the browser does: a color in lower case, a range within its ends and on its steps.").
		on(`<input id=color type=color><input id=r type=range min=10 max=20 step=5 value=10><input id=d type=range>`).
		opens(func(t *trial) {
			t.equal("color", t.setValue("#color", "#ABCDEF"), []string{"#abcdef"})
			t.equal("range over its end", t.setValue("#r", "99"), []string{"20"})
			t.equal("range under its start", t.setValue("#r", "1"), []string{"10"})
			t.equal("range between steps", t.setValue("#r", "14"), []string{"15"})
			t.equal("the default of a range", t.value("#d"), "50")
		}),
	rule("value/events", "SetValue has the page notified by input and change, in this order.").
		on(`<input id=i type=date><p id=log></p>`).
		doing(
			on("input", "#i", Action{Kind: AppendHTML, Target: "#log", Text: "input "}),
			on("change", "#i", Action{Kind: AppendHTML, Target: "#log", Text: "change "}),
		).
		opens(func(t *trial) {
			t.setValue("#i", "2024-01-01")
			t.equal("log", t.text("#log"), "input change ")
		}),
	rule("value/not-a-control", "SetValue of what has no value is an error and changes nothing.").
		on(`<p id=p>x</p>`).
		opens(func(t *trial) {
			_, err := t.page.SetValue(t.ctx, driver.Target{At: t.find("#p")}, "y")
			t.must(err != nil, "SetValue of a paragraph gave no error")
			t.equal("text", t.text("#p"), "x")
		}),
	rule("value/keys", "Arrows move a range by its step.").at("KeyDown").
		on(`<input id=r type=range min=0 max=10 step=2 value=4>`).
		opens(func(t *trial) {
			t.focus("#r")
			t.press("ArrowRight", "ArrowUp")
			t.equal("value", t.value("#r"), "8")
			t.press("ArrowLeft")
			t.equal("value after ArrowLeft", t.value("#r"), "6")
			t.press("End")
			t.equal("value after End", t.value("#r"), "10")
		}),
)

const selects = `<select id=s><option value=1>One<optgroup label=G><option value=2 disabled>Two<option value=3 label=Drei selected>Three</optgroup><option>  Four  times </select>
<select id=m multiple><option value=a selected>A<option value=b>B<option value=c selected>C</select><p id=log></p>`

var selectCases = rows(Case{Doc: "Actor.SetValue", pages: pages{"/": selects}},
	rule("select/options", "State.Options are the options in order with value, label, group, and whether they are selected or disabled.").at("OptionState").opens(func(t *trial) {
		t.equal("Options", t.state("#s").Options, []driver.OptionState{
			{Value: "1", Label: "One"}, {Value: "2", Label: "Two", Group: "G", Disabled: true},
			{Value: "3", Label: "Drei", Group: "G", Selected: true}, {Value: "Four times", Label: "Four times"},
		})
	}),
	rule("select/state", "State of a select has the chosen values and tells whether there may be several.").at("State.Values").opens(func(t *trial) {
		s, m := t.state("#s"), t.state("#m")
		t.equal("Multiple", []bool{s.Multiple, m.Multiple}, []bool{false, true})
		t.equal("Value", []string{s.Value, m.Value}, []string{"3", "a"})
		t.equal("Values of one", s.Values, []string{"3"})
		t.equal("Values of several", m.Values, []string{"a", "c"})
		t.equal("Tag", s.Tag, "select")
	}),
	rule("select/set", "SetValue chooses the option of a value and returns what is chosen then.").opens(func(t *trial) {
		t.equal("SetValue", t.setValue("#s", "1"), []string{"1"})
		t.equal("value", t.value("#s"), "1")
		t.equal("SetValue by text", t.setValue("#s", "Four times"), []string{"Four times"})
		t.equal("value", t.value("#s"), "Four times")
	}),
	rule("select/events", "SetValue has the page notified by input and change.").
		on(`<select id=s><option>a<option>b</select><p id=log></p>`).
		doing(
			on("input", "#s", Action{Kind: AppendHTML, Target: "#log", Text: "input "}),
			on("change", "#s", Action{Kind: AppendHTML, Target: "#log", Text: "change "}),
		).
		opens(func(t *trial) {
			t.setValue("#s", "b")
			t.equal("log", t.text("#log"), "input change ")
		}),
	rule("select/several", "A select of several takes the values given and loses the others; no values choose none.").opens(func(t *trial) {
		t.equal("SetValue", t.setValue("#m", "c", "b"), []string{"b", "c"})
		t.equal("Values", t.state("#m").Values, []string{"b", "c"})
		t.equal("SetValue of none", len(t.setValue("#m")), 0)
		t.equal("Values", len(t.state("#m").Values), 0)
	}),
	rule("select/unknown", "A value that no option has is refused: what SetValue returns is not what was asked for.").opens(func(t *trial) {
		got, err := t.page.SetValue(t.ctx, driver.Target{At: t.find("#s")}, "nine")
		if err == nil {
			t.must(len(got) != 1 || got[0] != "nine", "SetValue(nine) = %q", got)
		}
		t.must(t.value("#s") != "nine", "the value is %q", t.value("#s"))
	}),
	rule("select/arity", "A select of one and every other control take exactly one value.").
		on(selects+"<input id=d type=date>").
		opens(func(t *trial) {
			_, err := t.page.SetValue(t.ctx, driver.Target{At: t.find("#s")}, "1", "3")
			t.must(err != nil, "SetValue of two values on a select of one gave no error")
			_, err = t.page.SetValue(t.ctx, driver.Target{At: t.find("#d")})
			t.must(err != nil, "SetValue of no value on a date gave no error")
			t.equal("value", t.value("#s"), "3")
		}),
	rule("select/first", "A select of one without a selected option has its first that is not disabled.").at("State.Value").
		on(`<select id=s><option value=1 disabled>a<option value=2>b<option value=3>c</select>`).
		opens(func(t *trial) {
			t.equal("value", t.value("#s"), "2")
			t.equal("Value captured", t.capture().element("s").Value, "2")
		}),
)
