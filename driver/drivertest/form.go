package drivertest

import (
	"mime"
	"mime/multipart"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

var formCases = []Case{{
	Name: "form/get",
	Rule: "A form is sent by GET in the query of its action, whose own query it replaces; only controls that count are in it, in document order.",
	Doc:  "Actor.Input",
	pages: pages{"/": `<form action="/sent?old=1#f"><input name=t value="a b&c"><input value=noname><input name=d value=x disabled>
<input type=checkbox name=c1 checked><input type=checkbox name=c2 value=v checked><input type=checkbox name=c3>
<input type=radio name=r value=1><input type=radio name=r value=2 checked>
<select name=s><option value=1>x<option selected>two</select><select name=m multiple><option selected>a<option selected>b<option>c</select>
<textarea name=a>text</textarea><input type=hidden name=h value=é><fieldset disabled><input name=f value=x></fieldset>
<button name=b1 value=1>x</button><button id=b name=b2 value=2>x</button><input type=reset name=z value=z></form>`, "/sent": "<p>sent"},
	check: func(t *trial) {
		t.open("/")
		t.send("#b")
		r := t.request("/sent")
		t.equal("method", r.Method, "GET")
		t.equal("query", r.Query, "t=a+b%26c&c1=on&c2=v&r=2&s=two&m=a&m=b&a=text&h=%C3%A9&b2=2")
	},
}, {
	Name:  "form/post",
	Rule:  "A form is sent by POST as application/x-www-form-urlencoded, with line breaks as CR LF.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<form action="/sent?q=1" method=post><input name=a value="x y"><textarea name=t>one` + "\n" + `two</textarea><button id=b>x</button></form>`, "/sent": "<p>sent"},
	check: func(t *trial) {
		t.open("/")
		t.send("#b")
		r := t.request("/sent")
		t.equal("method", r.Method, "POST")
		t.equal("query", r.Query, "q=1")
		t.equal("type", r.Header.Get("Content-Type"), "application/x-www-form-urlencoded")
		t.equal("body", r.Body, "a=x+y&t=one%0D%0Atwo")
	},
}, {
	Name:  "form/multipart",
	Rule:  "A form with enctype multipart/form-data is sent so.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<form action=/sent method=post enctype=multipart/form-data><input name=a value="x é"><input type=file name=f><button id=b>x</button></form>`, "/sent": "<p>sent"},
	check: func(t *trial) {
		t.open("/")
		t.send("#b")
		form := t.multipart(t.request("/sent"))
		t.equal("a", form.Value["a"], []string{"x é"})
		files := form.File["f"]
		t.must(len(files) == 1 && files[0].Filename == "" || len(form.Value["f"]) == 1, "the empty file input is not sent: %+v", form)
	},
}, {
	Name:  "form/submitter",
	Rule:  "A submit button's formaction and formmethod take the place of the form's.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<form action=/no><input name=a value=1><button id=b formaction=/sent formmethod=post name=b value=2>x</button></form>`, "/sent": "<p>sent"},
	check: func(t *trial) {
		t.open("/")
		t.send("#b")
		t.equal("method", t.request("/sent").Method, "POST")
		t.equal("body", t.request("/sent").Body, "a=1&b=2")
		t.unasked("/no")
	},
}, {
	Name:  "form/association",
	Rule:  "Controls outside of a form that name it by the form attribute belong to it.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<form id=fm action=/sent><input name=a value=1></form><input form=fm name=o value=2><input name=x value=3><button id=b form=fm>x</button>`, "/sent": "<p>sent"},
	check: func(t *trial) {
		t.open("/")
		t.send("#b")
		t.equal("query", t.request("/sent").Query, "a=1&o=2")
	},
}, {
	Name:  "form/live",
	Rule:  "What is sent are the live values.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<form action=/sent><input id=i name=i value=old><input id=c type=checkbox name=c><select id=s name=s><option>a<option>b</select><button id=b>x</button></form>`, "/sent": "<p>sent"},
	check: func(t *trial) {
		t.open("/")
		t.ok("SelectText", t.page.SelectText(t.ctx, driver.Target{At: t.find("#i")}))
		t.input(driver.InsertText{Text: "new"})
		t.click("#c")
		t.setValue("#s", "b")
		t.send("#b")
		t.equal("query", t.request("/sent").Query, "i=new&c=on&s=b")
	},
}, {
	Name:  "form/reset",
	Rule:  "A reset button gives the controls their first values.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<form action=/sent><input id=i value=old><input id=c type=checkbox checked><select id=s><option>a<option selected>b</select><textarea id=t>first</textarea><button type=reset id=b>x</button></form>`},
	check: func(t *trial) {
		t.open("/")
		for _, id := range []string{"#i", "#t"} {
			t.focus(id)
			t.write("x")
		}
		t.click("#c")
		t.setValue("#s", "a")
		t.click("#b")
		t.equal("values", []string{t.value("#i"), t.value("#s"), t.value("#t")}, []string{"old", "b", "first"})
		t.equal("Checked", t.state("#c").Checked, true)
	},
}, {
	Name:  "form/label",
	Rule:  "A click on a label activates its control, by for and by nesting.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<label id=l1 for=c>x</label><input id=c type=checkbox><label id=l2>text <input id=d type=checkbox></label><label id=l3 for=i>y</label><input id=i>`},
	check: func(t *trial) {
		t.open("/")
		t.click("#l1")
		t.equal("Checked by for", t.state("#c").Checked, true)
		t.clickAt(driver.Point{X: t.location("#l2").Box.X + 3, Y: t.location("#l2").At.Y})
		t.equal("Checked by nesting", t.state("#d").Checked, true)
		t.click("#l3")
		t.equal("focused", t.focused(), "i")
	},
}, {
	Name:  "form/radio",
	Rule:  "A click on a radio button takes the choice from the others of its group, within its form.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<form><input type=radio name=r id=a checked><input type=radio name=r id=b></form><form><input type=radio name=r id=c checked></form><input type=radio name=q id=d checked>`},
	check: func(t *trial) {
		t.open("/")
		t.click("#b")
		t.equal("Checked", []bool{t.state("#a").Checked, t.state("#b").Checked, t.state("#c").Checked, t.state("#d").Checked}, []bool{false, true, true, true})
	},
}, {
	Name:  "form/events",
	Rule:  "The page sees click, input and change of a checkbox that is clicked, and submit of a form that is sent.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<form id=f action=/sent><input id=c type=checkbox><button id=b>x</button></form><p id=log></p>`},
	does: append(logged("#c", "click", "input", "change"),
		on("submit", "#f", Action{Kind: LogEvent, Target: "#log"}, Action{Kind: PreventDefault})),
	check: func(t *trial) {
		t.open("/")
		t.click("#c")
		t.click("#b")
		t.equal("log", t.text("#log"), "click input change submit ")
		t.unasked("/sent")
	},
}, {
	Name:  "form/dialog",
	Rule:  "A form with the method dialog closes its dialog and sends nothing.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<button id=b>ask</button><dialog id=d><form method=dialog><button id=ok value=yes>ok</button></form></dialog>`},
	does:  []Behavior{on("click", "#b", Action{Kind: ShowModal, Target: "#d"})},
	check: func(t *trial) {
		t.open("/")
		doc := t.doc()
		t.click("#b")
		t.click("#ok")
		t.equal("Rendered", t.capture().element("d").Rendered, false)
		t.equal("Doc", t.doc(), doc)
		t.equal("requests", len(t.requests("/", 1)), 1)
	},
}, {
	Name:  "form/details",
	Rule:  "A click on a summary opens and closes its details; State.Expanded of both tells it.",
	Doc:   "State.Expanded",
	pages: pages{"/": `<details id=d><summary id=s>more</summary><p>x</p></details>`},
	check: func(t *trial) {
		t.open("/")
		for _, want := range []bool{false, true, false} {
			for _, id := range []string{"#d", "#s"} {
				e := t.state(id).Expanded
				t.must(e != nil && *e == want, "Expanded of %s = %s, want %v", id, pointed(e), want)
			}
			t.click("#s")
		}
	},
}, {
	Name:  "form/button-type",
	Rule:  "A button of the type button sends nothing.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<form action=/sent><button id=b type=button>x</button><input id=i type=button value=x></form><p id=log></p>`},
	does:  append(logged("#b", "click"), logged("#i", "click")...),
	check: func(t *trial) {
		t.open("/")
		t.click("#b")
		t.click("#i")
		t.equal("log", t.text("#log"), "click click ")
		t.unasked("/sent")
	},
}}

// send clicks a submit button and waits for the page that its form asks for.
func (t *trial) send(selector string) {
	t.events.mark()
	t.click(selector)
	t.settled("/sent")
}

// multipart reads a request's body.
func (t *trial) multipart(r request) *multipart.Form {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	t.ok("the request's Content-Type", err)
	t.equal("Content-Type", kind, "multipart/form-data")
	form, err := multipart.NewReader(strings.NewReader(r.Body), params["boundary"]).ReadForm(1 << 20)
	t.ok("the request's body", err)
	return form
}

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
