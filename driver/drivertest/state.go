package drivertest

import "strings"

var stateCases = []Case{{
	Name:  "state/tag",
	Rule:  "State has the local name and an input's type, in lower case; an unknown or missing type is text.",
	Doc:   "State.Type",
	pages: pages{"/": `<INPUT id=a TYPE=Email><input id=b><input id=c type=nosuch><textarea id=t></textarea><p id=p>x</p>`},
	check: func(t *trial) {
		t.open("/")
		for id, want := range map[string]string{"a": "input email", "b": "input text", "c": "input text", "t": "textarea", "p": "p"} {
			s := t.state("#" + id)
			kind := s.Type
			if s.Tag != "input" {
				kind = ""
			}
			t.equal("Tag and Type of "+id, strings.TrimSpace(s.Tag+" "+kind), want)
		}
	},
}, {
	Name:  "state/checked",
	Rule:  "Checked and Mixed are live.",
	Doc:   "State.Checked",
	pages: pages{"/": `<input type=checkbox id=a><input type=checkbox id=b checked><input type=radio id=r>`},
	check: func(t *trial) {
		t.open("/")
		for id, want := range map[string]bool{"a": false, "b": true, "r": false} {
			t.equal("Checked of "+id, t.state("#"+id).Checked, want)
			t.click("#" + id)
			t.equal("Checked after a click on "+id, t.state("#"+id).Checked, !want)
			t.equal("Mixed", t.state("#"+id).Mixed, false)
		}
	},
}, {
	Name:  "state/aria",
	Rule:  "Expanded, Pressed and AriaChecked are the attributes' and nil where there is none; Mixed and Selected tell of roles that scripts keep.",
	Doc:   "State.Expanded",
	pages: pages{"/": `<button id=e aria-expanded=true>x</button><button id=f aria-expanded=false>x</button><button id=p aria-pressed=true>x</button><div id=c role=checkbox aria-checked=true tabindex=0>x</div><div id=u role=checkbox aria-checked=false>x</div><div id=m role=checkbox aria-checked=mixed>x</div><div id=s role=tab aria-selected=true>x</div><button id=n>x</button>`},
	check: func(t *trial) {
		t.open("/")
		t.equal("Mixed", []bool{t.state("#m").Mixed, t.state("#c").Mixed, t.state("#n").Mixed}, []bool{true, false, false})
		t.equal("Selected", []bool{t.state("#s").Selected, t.state("#n").Selected}, []bool{true, false})
		t.equal("Expanded", []string{pointed(t.state("#e").Expanded), pointed(t.state("#f").Expanded), pointed(t.state("#n").Expanded)}, []string{"true", "false", "nil"})
		t.equal("Pressed", []string{pointed(t.state("#p").Pressed), pointed(t.state("#n").Pressed)}, []string{"true", "nil"})
		t.equal("AriaChecked", []string{pointed(t.state("#c").AriaChecked), pointed(t.state("#u").AriaChecked), pointed(t.state("#n").AriaChecked)}, []string{"true", "false", "nil"})
	},
}, {
	Name:  "state/editable",
	Rule:  "Editable tells what takes typed text: text controls and editable elements, not others; what stands in an editable element is editable.",
	Doc:   "State.Editable",
	pages: pages{"/": `<input id=t><input id=n type=number><input id=p type=password><textarea id=a></textarea><div id=d contenteditable><b id=in>x</b><i id=not contenteditable=false>x</i></div><input id=c type=checkbox><input id=dt type=date><button id=b>x</button><select id=s></select><p id=para>x</p>`},
	check: func(t *trial) {
		t.open("/")
		for id, want := range map[string]bool{"t": true, "n": true, "p": true, "a": true, "d": true, "in": true, "not": false, "c": false, "dt": false, "b": false, "s": false, "para": false} {
			t.equal("Editable of "+id, t.state("#"+id).Editable, want)
		}
	},
}, {
	Name:  "state/visible",
	Rule:  "Visible and Connected are told; Visible as Locate does.",
	Doc:   "State.Visible",
	pages: pages{"/": `<p id=a>x</p><p id=b hidden>x</p><p id=c style="visibility: hidden">x</p>`},
	check: func(t *trial) {
		t.open("/")
		for id, want := range map[string]bool{"a": true, "b": false, "c": false} {
			s := t.state("#" + id)
			t.equal("Visible of "+id, s.Visible, want)
			t.equal("Connected of "+id, s.Connected, true)
		}
	},
}, {
	Name:  "state/focused",
	Rule:  "Focused is true of the focused element alone.",
	Doc:   "State.Focused",
	pages: pages{"/": `<input id=a><input id=b>`},
	check: func(t *trial) {
		t.open("/")
		t.focus("#b")
		t.equal("Focused", []bool{t.state("#a").Focused, t.state("#b").Focused}, []bool{false, true})
	},
}, {
	Name:  "state/selected",
	Rule:  "Selected of an option is live.",
	Doc:   "State.Selected",
	pages: pages{"/": `<select id=s><option id=a>a<option id=b>b</select>`},
	check: func(t *trial) {
		t.open("/")
		t.equal("Selected", []bool{t.state("#a").Selected, t.state("#b").Selected}, []bool{true, false})
		t.setValue("#s", "b")
		t.equal("Selected after", []bool{t.state("#a").Selected, t.state("#b").Selected}, []bool{false, true})
	},
}, {
	Name:  "state/password",
	Rule:  "A State has a control's live value, a password's too, so that what was written can be compared.",
	Doc:   "State.Value",
	pages: pages{"/": `<input id=i type=password value=secret>`},
	check: func(t *trial) {
		t.open("/")
		t.equal("Value", t.value("#i"), "secret")
	},
}}
