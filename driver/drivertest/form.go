package drivertest

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

var formCases = rows(Case{Doc: "Actor.Input"},
	rule("form/get", "A form is sent by GET in the query of its action, whose own query it replaces; only controls that count are in it, in document order.").
		with(pages{"/": `<form action="/sent?old=1#f"><input name=t value="a b&c"><input value=noname><input name=d value=x disabled>
<input type=checkbox name=c1 checked><input type=checkbox name=c2 value=v checked><input type=checkbox name=c3>
<input type=radio name=r value=1><input type=radio name=r value=2 checked>
<select name=s><option value=1>x<option selected>two</select><select name=m multiple><option selected>a<option selected>b<option>c</select>
<textarea name=a>text</textarea><input type=hidden name=h value=é><fieldset disabled><input name=f value=x></fieldset>
<button name=b1 value=1>x</button><button id=b name=b2 value=2>x</button><input type=reset name=z value=z></form>`, "/sent": "<p>sent"}).
		opens(func(t *trial) {
			t.send("#b")
			r := t.request("/sent")
			t.equal("method", r.Method, "GET")
			t.equal("query", r.Query, "t=a+b%26c&c1=on&c2=v&r=2&s=two&m=a&m=b&a=text&h=%C3%A9&b2=2")
		}),
	rule("form/post", "A form is sent by POST as application/x-www-form-urlencoded, with line breaks as CR LF.").
		with(pages{"/": `<form action="/sent?q=1" method=post><input name=a value="x y"><textarea name=t>one` + "\n" + `two</textarea><button id=b>x</button></form>`, "/sent": "<p>sent"}).
		opens(func(t *trial) {
			t.send("#b")
			r := t.request("/sent")
			t.equal("method", r.Method, "POST")
			t.equal("query", r.Query, "q=1")
			t.equal("type", r.Header.Get("Content-Type"), "application/x-www-form-urlencoded")
			t.equal("body", r.Body, "a=x+y&t=one%0D%0Atwo")
		}),
	rule("form/multipart", "A form with enctype multipart/form-data is sent so.").
		with(pages{"/": `<form action=/sent method=post enctype=multipart/form-data><input name=a value="x é"><input type=file name=f><button id=b>x</button></form>`, "/sent": "<p>sent"}).
		opens(func(t *trial) {
			t.send("#b")
			form := t.multipart(t.request("/sent"))
			t.equal("a", form.Value["a"], []string{"x é"})
			files := form.File["f"]
			t.must(len(files) == 1 && files[0].Filename == "" || len(form.Value["f"]) == 1, "the empty file input is not sent: %+v", form)
		}),
	rule("form/submitter", "A submit button's formaction and formmethod take the place of the form's.").
		with(pages{"/": `<form action=/no><input name=a value=1><button id=b formaction=/sent formmethod=post name=b value=2>x</button></form>`, "/sent": "<p>sent"}).
		opens(func(t *trial) {
			t.send("#b")
			t.equal("method", t.request("/sent").Method, "POST")
			t.equal("body", t.request("/sent").Body, "a=1&b=2")
			t.unasked("/no")
		}),
	rule("form/association", "Controls outside of a form that name it by the form attribute belong to it.").
		with(pages{"/": `<form id=fm action=/sent><input name=a value=1></form><input form=fm name=o value=2><input name=x value=3><button id=b form=fm>x</button>`, "/sent": "<p>sent"}).
		opens(func(t *trial) {
			t.send("#b")
			t.equal("query", t.request("/sent").Query, "a=1&o=2")
		}),
	rule("form/live", "What is sent are the live values.").
		with(pages{"/": `<form action=/sent><input id=i name=i value=old><input id=c type=checkbox name=c><select id=s name=s><option>a<option>b</select><button id=b>x</button></form>`, "/sent": "<p>sent"}).
		opens(func(t *trial) {
			t.ok("SelectText", t.page.SelectText(t.ctx, driver.Target{At: t.find("#i")}))
			t.input(driver.InsertText{Text: "new"})
			t.click("#c")
			t.setValue("#s", "b")
			t.send("#b")
			t.equal("query", t.request("/sent").Query, "i=new&c=on&s=b")
		}),
	rule("form/reset", "A reset button gives the controls their first values.").
		on(`<form action=/sent><input id=i value=old><input id=c type=checkbox checked><select id=s><option>a<option selected>b</select><textarea id=t>first</textarea><button type=reset id=b>x</button></form>`).
		opens(func(t *trial) {
			for _, id := range []string{"#i", "#t"} {
				t.focus(id)
				t.write("x")
			}
			t.click("#c")
			t.setValue("#s", "a")
			t.click("#b")
			t.equal("values", []string{t.value("#i"), t.value("#s"), t.value("#t")}, []string{"old", "b", "first"})
			t.equal("Checked", t.state("#c").Checked, true)
		}),
	rule("form/label", "A click on a label activates its control, by for and by nesting.").
		on(`<label id=l1 for=c>x</label><input id=c type=checkbox><label id=l2>text <input id=d type=checkbox></label><label id=l3 for=i>y</label><input id=i>`).
		opens(func(t *trial) {
			t.click("#l1")
			t.equal("Checked by for", t.state("#c").Checked, true)
			t.clickAt(driver.Point{X: t.location("#l2").Box.X + 3, Y: t.location("#l2").At.Y})
			t.equal("Checked by nesting", t.state("#d").Checked, true)
			t.click("#l3")
			t.equal("focused", t.focused(), "i")
		}),
	rule("form/radio", "A click on a radio button takes the choice from the others of its group, within its form.").
		on(`<form><input type=radio name=r id=a checked><input type=radio name=r id=b></form><form><input type=radio name=r id=c checked></form><input type=radio name=q id=d checked>`).
		opens(func(t *trial) {
			t.click("#b")
			t.equal("Checked", []bool{t.state("#a").Checked, t.state("#b").Checked, t.state("#c").Checked, t.state("#d").Checked}, []bool{false, true, true, true})
		}),
	rule("form/events", "The page sees click, input and change of a checkbox that is clicked, and submit of a form that is sent.").
		on(`<form id=f action=/sent><input id=c type=checkbox><button id=b>x</button></form><p id=log></p>`).
		doing(append(logged("#c", "click", "input", "change"),
			on("submit", "#f", Action{Kind: LogEvent, Target: "#log"}, Action{Kind: PreventDefault}))...).
		opens(func(t *trial) {
			t.click("#c")
			t.click("#b")
			t.equal("log", t.text("#log"), "click input change submit ")
			t.unasked("/sent")
		}),
	rule("form/dialog", "A form with the method dialog closes its dialog and sends nothing.").
		on(`<button id=b>ask</button><dialog id=d><form method=dialog><button id=ok value=yes>ok</button></form></dialog>`).
		doing(on("click", "#b", Action{Kind: ShowModal, Target: "#d"})).
		opens(func(t *trial) {
			doc := t.doc()
			t.click("#b")
			t.click("#ok")
			t.equal("Rendered", t.capture().element("d").Rendered, false)
			t.equal("Doc", t.doc(), doc)
			t.equal("requests", len(t.requests("/", 1)), 1)
		}),
	rule("form/details", "A click on a summary opens and closes its details; State.Expanded of both tells it.").at("State.Expanded").
		on(`<details id=d><summary id=s>more</summary><p>x</p></details>`).
		opens(func(t *trial) {
			for _, want := range []bool{false, true, false} {
				for _, id := range []string{"#d", "#s"} {
					e := t.state(id).Expanded
					t.must(e != nil && *e == want, "Expanded of %s = %s, want %v", id, pointed(e), want)
				}
				t.click("#s")
			}
		}),
	rule("form/button-type", "A button of the type button sends nothing.").
		on(`<form action=/sent><button id=b type=button>x</button><input id=i type=button value=x></form><p id=log></p>`).
		doing(append(logged("#b", "click"), logged("#i", "click")...)...).
		opens(func(t *trial) {
			t.click("#b")
			t.click("#i")
			t.equal("log", t.text("#log"), "click click ")
			t.unasked("/sent")
		}),
)

// pointed writes a pointer's target for people.
func pointed(b *bool) string {
	switch {
	case b == nil:
		return "nil"
	case *b:
		return "true"
	default:
		return "false"
	}
}

var stateCases = rows(Case{Doc: "State.Value"},
	rule("state/tag", "State has the local name and an input's type, in lower case; an unknown or missing type is text.").at("State.Type").
		on(`<INPUT id=a TYPE=Email><input id=b><input id=c type=nosuch><textarea id=t></textarea><p id=p>x</p>`).
		opens(func(t *trial) {
			for id, want := range map[string]string{"a": "input email", "b": "input text", "c": "input text", "t": "textarea", "p": "p"} {
				s := t.state("#" + id)
				kind := s.Type
				if s.Tag != "input" {
					kind = ""
				}
				t.equal("Tag and Type of "+id, strings.TrimSpace(s.Tag+" "+kind), want)
			}
		}),
	rule("state/checked", "Checked and Mixed are live.").at("State.Checked").
		on(`<input type=checkbox id=a><input type=checkbox id=b checked><input type=radio id=r>`).
		opens(func(t *trial) {
			for id, want := range map[string]bool{"a": false, "b": true, "r": false} {
				t.equal("Checked of "+id, t.state("#"+id).Checked, want)
				t.click("#" + id)
				t.equal("Checked after a click on "+id, t.state("#"+id).Checked, !want)
				t.equal("Mixed", t.state("#"+id).Mixed, false)
			}
		}),
	rule("state/aria", "Expanded, Pressed and AriaChecked are the attributes' and nil where there is none; Mixed and Selected tell of roles that scripts keep.").at("State.Expanded").
		on(`<button id=e aria-expanded=true>x</button><button id=f aria-expanded=false>x</button><button id=p aria-pressed=true>x</button><div id=c role=checkbox aria-checked=true tabindex=0>x</div><div id=u role=checkbox aria-checked=false>x</div><div id=m role=checkbox aria-checked=mixed>x</div><div id=s role=tab aria-selected=true>x</div><button id=n>x</button>`).
		opens(func(t *trial) {
			t.equal("Mixed", []bool{t.state("#m").Mixed, t.state("#c").Mixed, t.state("#n").Mixed}, []bool{true, false, false})
			t.equal("Selected", []bool{t.state("#s").Selected, t.state("#n").Selected}, []bool{true, false})
			t.equal("Expanded", []string{pointed(t.state("#e").Expanded), pointed(t.state("#f").Expanded), pointed(t.state("#n").Expanded)}, []string{"true", "false", "nil"})
			t.equal("Pressed", []string{pointed(t.state("#p").Pressed), pointed(t.state("#n").Pressed)}, []string{"true", "nil"})
			t.equal("AriaChecked", []string{pointed(t.state("#c").AriaChecked), pointed(t.state("#u").AriaChecked), pointed(t.state("#n").AriaChecked)}, []string{"true", "false", "nil"})
		}),
	rule("state/range", "The value of what is no control is what it says of itself: aria-valuetext, or else aria-valuenow.").
		on(`<div id=a role=slider aria-valuenow=3>x</div><div id=b role=slider aria-valuenow=3 aria-valuetext="three stars">x</div><div id=c>x</div><input id=d aria-valuenow=3>`).
		opens(func(t *trial) {
			for id, want := range map[string]string{"#a": "3", "#b": "three stars", "#c": "", "#d": ""} {
				t.equal("Value of "+id, t.state(id).Value, want)
			}
		}),
	rule("state/editable", "Editable tells what takes typed text: text controls and editable elements, not others; what stands in an editable element is editable.").at("State.Editable").
		on(`<input id=t><input id=n type=number><input id=p type=password><textarea id=a></textarea><div id=d contenteditable><b id=in>x</b><i id=not contenteditable=false>x</i></div><input id=c type=checkbox><input id=dt type=date><button id=b>x</button><select id=s></select><p id=para>x</p>`).
		opens(func(t *trial) {
			for id, want := range map[string]bool{"t": true, "n": true, "p": true, "a": true, "d": true, "in": true, "not": false, "c": false, "dt": false, "b": false, "s": false, "para": false} {
				t.equal("Editable of "+id, t.state("#"+id).Editable, want)
			}
		}),
	rule("state/visible", "Visible and Connected are told; Visible as Locate does.").at("State.Visible").
		on(`<p id=a>x</p><p id=b hidden>x</p><p id=c style="visibility: hidden">x</p>`).
		opens(func(t *trial) {
			for id, want := range map[string]bool{"a": true, "b": false, "c": false} {
				s := t.state("#" + id)
				t.equal("Visible of "+id, s.Visible, want)
				t.equal("Connected of "+id, s.Connected, true)
			}
		}),
	rule("state/focused", "Focused is true of the focused element alone.").at("State.Focused").
		on(`<input id=a><input id=b>`).
		opens(func(t *trial) {
			t.focus("#b")
			t.equal("Focused", []bool{t.state("#a").Focused, t.state("#b").Focused}, []bool{false, true})
		}),
	rule("state/selected", "Selected of an option is live.").at("State.Selected").
		on(`<select id=s><option id=a>a<option id=b>b</select>`).
		opens(func(t *trial) {
			t.equal("Selected", []bool{t.state("#a").Selected, t.state("#b").Selected}, []bool{true, false})
			t.setValue("#s", "b")
			t.equal("Selected after", []bool{t.state("#a").Selected, t.state("#b").Selected}, []bool{false, true})
		}),
	rule("state/password", "A State has a control's live value, a password's too, so that what was written can be compared.").
		on(`<input id=i type=password value=secret>`).
		opens(func(t *trial) { t.equal("Value", t.value("#i"), "secret") }),
)

var validationCases = rows(Case{Doc: "Actor.Input"},
	rule("validation/blocks", "A form with a control that is not valid is not sent; the control takes the focus.").
		with(pages{"/": `<form action=/sent><input name=a value=x required><input id=r name=r required><button id=b>x</button></form>`, "/sent": "<p>sent"}).
		opens(func(t *trial) {
			t.click("#b")
			t.equal("focused", t.focused(), "r")
			t.unasked("/sent")
			t.write("y")
			t.send("#b")
			t.equal("query", t.request("/sent").Query, "a=x&r=y")
		}),
	rule("validation/off", "A form with novalidate, or a submit button with formnovalidate, is sent unchecked.").
		with(pages{"/": `<form action=/sent novalidate><input name=a required><button id=b>x</button></form>`, "/two": `<form action=/sent><input name=c required><button id=b formnovalidate>x</button></form>`, "/sent": "<p>sent"}).
		opens(func(t *trial) {
			t.send("#b")
			t.equal("query", t.request("/sent").Query, "a=")
			t.open("/two")
			t.send("#b")
			t.equal("query", t.requests("/sent", 2)[0].Query, "c=")
		}),
	rule("validation/messages", "State.Validity is the browser's message of a control whose value is not valid, by required, pattern, type, length, range and step; empty if it is valid.").at("State.Validity").
		on(`<input id=req required><input id=pat pattern="[a-c]+" value=d><input id=url type=url value=x><input id=mail type=email value="a b@c">
<input id=min type=number min=5 value=4><input id=max type=number max=5 value=6><input id=step type=number min=0 step=2 value=3><input id=date type=date min=2020-01-02 value=2020-01-01>
<input id=box type=checkbox required><select id=sel required><option value="">none<option>a</select><textarea id=area required></textarea><input id=rad type=radio name=r required>
<input id=ok1 pattern="[a-c]+" value=abc><input id=ok2 type=email value=a@b.ch><input id=ok3 type=number min=1 max=9 step=2 value=3><input id=ok4 pattern=x><input id=ok5 readonly required><input id=ok6 type=url value="https://a.ch/"><input id=ok7 type=range min=5 value=1>`).
		opens(func(t *trial) {
			for _, id := range []string{"req", "pat", "url", "mail", "min", "max", "step", "date", "box", "sel", "area", "rad"} {
				t.must(t.state("#"+id).Validity != "", "Validity of %s is empty", id)
			}
			for _, id := range []string{"ok1", "ok2", "ok3", "ok4", "ok5", "ok6", "ok7"} {
				t.equal("Validity of "+id, t.state("#"+id).Validity, "")
			}
		}),
	rule("validation/length", "minlength is held against what a person wrote, not against the first value.").at("State.Validity").
		on(`<input id=i minlength=5 value=abc>`).
		opens(func(t *trial) {
			t.equal("Validity of the first value", t.state("#i").Validity, "")
			t.focus("#i")
			t.press("End", "d")
			t.must(t.state("#i").Validity != "", "Validity of %q is empty", t.value("#i"))
			t.press("e")
			t.equal("Validity of five letters", t.state("#i").Validity, "")
		}),
	rule("validation/pseudo", "The pseudo classes :valid, :invalid and :required follow the live value.").at("CSS").
		on(`<input id=i required>`).
		opens(func(t *trial) {
			t.matches("input:invalid", "i")
			t.matches("input:required", "i")
			t.focus("#i")
			t.input(driver.InsertText{Text: "x"})
			t.matches("input:invalid", "")
			t.matches("input:valid", "i")
		}),
)
