package drivertest

import "github.com/wayfinder-engine/wayfinder/driver"

var editCases = []Case{{
	Name:  "edit/select-text",
	Rule:  "SelectText focuses a text control and selects all of it, so that what is written takes its place.",
	Doc:   "Actor.SelectText",
	pages: pages{"/": "<input id=i value=old><textarea id=a>old\ntext</textarea><input id=n type=number value=5><input id=e type=email value=a@b.ch>"},
	check: func(t *trial) {
		t.open("/")
		for id, text := range map[string]string{"i": "new", "a": "new", "n": "12.5", "e": "c@d.ch"} {
			t.ok("SelectText "+id, t.page.SelectText(t.ctx, driver.Target{At: t.find("#" + id)}))
			t.equal("focused", t.focused(), id)
			t.input(driver.InsertText{Text: text})
			t.equal("value of "+id, t.value("#"+id), text)
		}
	},
}, {
	Name:  "edit/select-delete",
	Rule:  "What SelectText selected is deleted by Backspace.",
	Doc:   "Actor.SelectText",
	pages: pages{"/": "<input id=i value=old>"},
	check: func(t *trial) {
		t.open("/")
		t.ok("SelectText", t.page.SelectText(t.ctx, driver.Target{At: t.find("#i")}))
		t.press("Backspace")
		t.equal("value", t.value("#i"), "")
	},
}, {
	Name:  "edit/editable",
	Rule:  "SelectText, keys and InsertText work in editable elements; State.Value is their text.",
	Doc:   "State.Value",
	pages: pages{"/": "<div id=d contenteditable>old <b>bold</b></div>"},
	check: func(t *trial) {
		t.open("/")
		s := t.state("#d")
		t.equal("Editable", s.Editable, true)
		t.equal("Value", s.Value, "old bold")
		t.ok("SelectText", t.page.SelectText(t.ctx, driver.Target{At: t.find("#d")}))
		t.input(driver.InsertText{Text: "new"})
		t.write("er")
		t.press("Backspace")
		t.equal("Value", t.value("#d"), "newe")
		t.equal("text", t.text("#d"), "newe")
	},
}, {
	Name:  "edit/caret-kept",
	Rule:  "Focus on the field that has the focus leaves the caret where it is.",
	Doc:   "Actor.Focus",
	pages: pages{"/": "<input id=i value=ab>"},
	check: func(t *trial) {
		t.open("/")
		t.focus("#i")
		t.press("Home", "ArrowRight")
		t.focus("#i")
		t.press("x")
		t.equal("value", t.value("#i"), "axb")
	},
}, {
	Name:  "edit/focus-selects-nothing",
	Rule:  "Focus selects nothing: what is written then takes nothing's place.",
	Doc:   "Focus",
	pages: pages{"/": "<input id=i value=12>"},
	check: func(t *trial) {
		t.open("/")
		t.focus("#i")
		t.write("3")
		t.equal("value", t.value("#i"), "312")
	},
}, {
	Name:  "edit/maxlength",
	Rule:  "A text control takes no more than its maxlength, by keys or by InsertText.",
	Doc:   "InsertText",
	pages: pages{"/": "<input id=i maxlength=4>"},
	check: func(t *trial) {
		t.open("/")
		t.focus("#i")
		t.write("ab")
		t.input(driver.InsertText{Text: "cdef"})
		t.write("g")
		t.equal("value", t.value("#i"), "abcd")
	},
}, {
	Name:  "edit/readonly",
	Rule:  "A readonly control takes the focus and no text.",
	Doc:   "Actor.Input",
	pages: pages{"/": "<input id=i value=v readonly>"},
	check: func(t *trial) {
		t.open("/")
		t.focus("#i")
		t.write("x")
		t.input(driver.InsertText{Text: "y"})
		t.press("Backspace")
		t.equal("value", t.value("#i"), "v")
	},
}, {
	Name:  "edit/number",
	Rule:  "A number field takes figures and leaves letters out.",
	Doc:   "Actor.Input",
	pages: pages{"/": "<input id=i type=number step=any>"},
	check: func(t *trial) {
		t.open("/")
		t.focus("#i")
		t.write("x12.5y")
		t.equal("value", t.value("#i"), "12.5")
	},
}, {
	Name:  "edit/one-line",
	Rule:  "A one-line field takes no line breaks.",
	Doc:   "InsertText",
	pages: pages{"/": "<input id=i><textarea id=a></textarea>"},
	check: func(t *trial) {
		t.open("/")
		t.focus("#i")
		t.input(driver.InsertText{Text: "a\nb"})
		t.equal("value", t.value("#i"), "a b")
		t.focus("#a")
		t.input(driver.InsertText{Text: "a\nb"})
		t.equal("value of a textarea", t.value("#a"), "a\nb")
	},
}, {
	Name:  "edit/focus",
	Rule:  "Focus gives an element the focus; the page sees focus, and blur of the one before.",
	Doc:   "Actor.Focus",
	pages: pages{"/": "<input id=i><button id=b>x</button><a id=l href=/x>x</a><div id=d tabindex=-1>x</div><p id=log></p>"},
	does:  append(logged("#i", "focus", "blur"), logged("#b", "focus")...),
	check: func(t *trial) {
		t.open("/")
		for _, id := range []string{"i", "b", "l", "d"} {
			t.focus("#" + id)
			t.equal("focused", t.focused(), id)
			t.equal("Focused", t.state("#"+id).Focused, true)
		}
		t.equal("log", t.text("#log"), "focus blur focus ")
	},
}, {
	Name:  "edit/not-focusable",
	Rule:  "Focus returns ErrNotFocusable for what does not take it, and the focus stays where it is.",
	Doc:   "ErrNotFocusable",
	pages: pages{"/": `<input id=i><p id=p>x</p><button id=d disabled>x</button><input id=n style="display: none"><a id=a>x</a>`},
	check: func(t *trial) {
		t.open("/")
		t.focus("#i")
		for _, id := range []string{"p", "d", "n", "a"} {
			err := t.page.Focus(t.ctx, driver.Target{At: t.find("#" + id)})
			t.must(err != nil, "Focus of %s succeeded", id)
			t.failsAsOp("focus", err, driver.ErrNotFocusable)
			t.equal("focused", t.focused(), "i")
		}
	},
}, {
	Name:  "edit/blur",
	Rule:  "Focus on a document node takes the focus away; the page sees change and blur.",
	Doc:   "Actor.Focus",
	pages: pages{"/": "<input id=i><p id=log></p>"},
	does:  logged("#i", "change", "blur"),
	check: func(t *trial) {
		t.open("/")
		t.focus("#i")
		t.write("x")
		t.ok("Focus of the document", t.page.Focus(t.ctx, driver.Target{At: driver.NodeRef{Frame: t.main().ID, Doc: t.doc()}}))
		t.equal("focused", t.focused(), "")
		t.equal("log", t.text("#log"), "change blur ")
	},
}, {
	Name:  "edit/not-text",
	Rule:  "SelectText of what holds no text to edit is an error, and changes nothing.",
	Doc:   "Actor.SelectText",
	pages: pages{"/": `<p id=p>x</p><input id=i value=v><input id=c type=checkbox>`},
	check: func(t *trial) {
		t.open("/")
		t.must(t.page.SelectText(t.ctx, driver.Target{At: t.find("#p")}) != nil, "SelectText of a paragraph succeeded")
		t.equal("text", t.text("#p"), "x")
	},
}}
