package drivertest

import "github.com/wayfinder-engine/wayfinder/driver"

var validationCases = []Case{{
	Name:  "validation/blocks",
	Rule:  "A form with a control that is not valid is not sent; the control takes the focus.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<form action=/sent><input name=a value=x required><input id=r name=r required><button id=b>x</button></form>`, "/sent": "<p>sent"},
	check: func(t *trial) {
		t.open("/")
		t.click("#b")
		t.equal("focused", t.focused(), "r")
		t.unasked("/sent")
		t.write("y")
		t.send("#b")
		t.equal("query", t.request("/sent").Query, "a=x&r=y")
	},
}, {
	Name:  "validation/off",
	Rule:  "A form with novalidate, or a submit button with formnovalidate, is sent unchecked.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<form action=/sent novalidate><input name=a required><button id=b>x</button></form>`, "/two": `<form action=/sent><input name=c required><button id=b formnovalidate>x</button></form>`, "/sent": "<p>sent"},
	check: func(t *trial) {
		t.open("/")
		t.send("#b")
		t.equal("query", t.request("/sent").Query, "a=")
		t.open("/two")
		t.send("#b")
		t.equal("query", t.requests("/sent", 2)[0].Query, "c=")
	},
}, {
	Name: "validation/messages",
	Rule: "State.Validity is the browser's message of a control whose value is not valid, by required, pattern, type, length, range and step; empty if it is valid.",
	Doc:  "State.Validity",
	pages: pages{"/": `<input id=req required><input id=pat pattern="[a-c]+" value=d><input id=url type=url value=x><input id=mail type=email value="a b@c">
<input id=min type=number min=5 value=4><input id=max type=number max=5 value=6><input id=step type=number min=0 step=2 value=3><input id=date type=date min=2020-01-02 value=2020-01-01>
<input id=box type=checkbox required><select id=sel required><option value="">none<option>a</select><textarea id=area required></textarea><input id=rad type=radio name=r required>
<input id=ok1 pattern="[a-c]+" value=abc><input id=ok2 type=email value=a@b.ch><input id=ok3 type=number min=1 max=9 step=2 value=3><input id=ok4 pattern=x><input id=ok5 readonly required><input id=ok6 type=url value="https://a.ch/"><input id=ok7 type=range min=5 value=1>`},
	check: func(t *trial) {
		t.open("/")
		for _, id := range []string{"req", "pat", "url", "mail", "min", "max", "step", "date", "box", "sel", "area", "rad"} {
			t.must(t.state("#"+id).Validity != "", "Validity of %s is empty", id)
		}
		for _, id := range []string{"ok1", "ok2", "ok3", "ok4", "ok5", "ok6", "ok7"} {
			t.equal("Validity of "+id, t.state("#"+id).Validity, "")
		}
	},
}, {
	Name:  "validation/length",
	Rule:  "minlength is held against what a person wrote, not against the first value.",
	Doc:   "State.Validity",
	pages: pages{"/": `<input id=i minlength=5 value=abc>`},
	check: func(t *trial) {
		t.open("/")
		t.equal("Validity of the first value", t.state("#i").Validity, "")
		t.focus("#i")
		t.press("End", "d")
		t.must(t.state("#i").Validity != "", "Validity of %q is empty", t.value("#i"))
		t.press("e")
		t.equal("Validity of five letters", t.state("#i").Validity, "")
	},
}, {
	Name:  "validation/pseudo",
	Rule:  "The pseudo classes :valid, :invalid and :required follow the live value.",
	Doc:   "CSS",
	pages: pages{"/": `<input id=i required>`},
	check: func(t *trial) {
		t.open("/")
		t.matches("input:invalid", "i")
		t.matches("input:required", "i")
		t.focus("#i")
		t.input(driver.InsertText{Text: "x"})
		t.matches("input:invalid", "")
		t.matches("input:valid", "i")
	},
}}
