package drivertest

import "github.com/wayfinder-engine/wayfinder/driver"

var obstacleCases = []Case{{
	Name:  "obstacle/covered",
	Rule:  "Where another element lies on top, Reached is false and Hit is that element.",
	Doc:   "Location.Hit",
	pages: pages{"/": `<button id=b>b</button><div id=over style="position: fixed; inset: 0"></div>`},
	check: func(t *trial) {
		t.open("/")
		l := t.location("#b")
		t.equal("Visible, InView, Reached", []bool{l.Visible, l.InView, l.Reached}, []bool{true, true, false})
		t.equal("Hit", l.Hit, t.find("#over"))
	},
}, {
	Name:  "obstacle/transparent",
	Rule:  "An element on top with pointer-events none does not cover.",
	Doc:   "Location.Reached",
	pages: pages{"/": `<button id=b>b</button><div id=over style="position: fixed; inset: 0; pointer-events: none"></div>`},
	check: func(t *trial) {
		t.open("/")
		t.equal("Reached", t.location("#b").Reached, true)
	},
}, {
	Name:  "obstacle/descendant",
	Rule:  "A descendant that is hit counts as reached.",
	Doc:   "Location.Reached",
	pages: pages{"/": `<button id=b><span id=s style="display: block; width: 200px; height: 40px">b</span></button>`},
	check: func(t *trial) {
		t.open("/")
		l := t.location("#b")
		t.equal("Hit", l.Hit, t.find("#s"))
		t.equal("Reached", l.Reached, true)
	},
}, {
	Name:  "obstacle/shadow-descendant",
	Rule:  "A descendant in the flat tree counts as reached: a shadow host is reached by what is in its closed root.",
	Doc:   "Location.Reached",
	pages: pages{"/": `<div id=h style="width: 200px; height: 40px"><template shadowrootmode=closed><p id=p style="height: 40px; margin: 0">in</p></template></div>`},
	check: func(t *trial) {
		t.open("/")
		l := t.location("#h")
		t.equal("Hit", l.Hit, t.find("#h", "#p"))
		t.equal("Reached", l.Reached, true)
	},
}, {
	Name:  "obstacle/label",
	Rule:  "A control whose label is hit at its place counts as reached.",
	Doc:   "Location.Reached",
	pages: pages{"/": `<input id=c type=checkbox style="` + at + `left: 10px; top: 10px; width: 20px; height: 20px; margin: 0; opacity: 0"><label id=l for=c style="` + at + `left: 0; top: 0; width: 60px; height: 40px">x</label>`},
	check: func(t *trial) {
		t.open("/")
		l := t.location("#c")
		t.equal("Hit", l.Hit, t.find("#l"))
		t.equal("Reached", l.Reached, true)
		t.click("#c")
		t.equal("Checked after the click", t.state("#c").Checked, true)
	},
}, {
	Name: "obstacle/stand-in",
	Rule: "For a control that nobody can point at, its label stands in where that can be seen: it has no box, lets the pointer through, is clipped away, or is but a pixel wide.",
	Doc:  "Location",
	pages: pages{"/": `<style>label { ` + at + `width: 60px; height: 20px; left: 100px } input { position: absolute; left: 10px; top: 10px; width: 20px; height: 20px; margin: 0 }</style>` +
		`<input id=a type=checkbox style="display: none"><label for=a style="top: 100px">a</label>` +
		`<input id=b type=checkbox style="pointer-events: none"><label for=b style="top: 130px">b</label>` +
		`<input id=c type=checkbox style="clip: rect(0, 0, 0, 0)"><label for=c style="top: 160px">c</label>` +
		`<input id=d type=checkbox style="width: 1px; height: 1px"><label for=d style="top: 190px">d</label>` +
		`<input id=e type=checkbox style="pointer-events: none"><label for=e style="visibility: hidden">e</label>` +
		`<input id=f type=checkbox style="top: 40px"><label for=f style="top: 220px">f</label>`},
	check: func(t *trial) {
		t.open("/")
		for id, y := range map[string]float64{"a": 100, "b": 130, "c": 160, "d": 190} {
			l := t.location("#" + id)
			t.equal("Box of "+id, l.Box, driver.Rect{X: 100, Y: y, Width: 60, Height: 20})
			t.equal("Inert of "+id, l.Inert, false)
			t.equal("Reached of "+id, l.Reached, true)
			if missed := t.aimed(t.find("#"+id), clickOn(l.At)...); missed != nil {
				t.errorf("Input for %s = %v, want nil", id, missed)
			}
			t.equal("Checked of "+id, t.state("#"+id).Checked, true)
		}
		t.equal("Inert of e", t.location("#e").Inert, true)
		t.equal("Box of f", t.location("#f").Box, driver.Rect{X: 10, Y: 40, Width: 20, Height: 20})
	},
}, {
	Name:  "obstacle/other-label",
	Rule:  "The label of another control does not count.",
	Doc:   "Location.Reached",
	pages: pages{"/": `<input id=d type=checkbox><input id=c type=checkbox style="` + at + `left: 10px; top: 10px; width: 20px; height: 20px; margin: 0"><label id=l for=d style="` + at + `left: 0; top: 0; width: 60px; height: 40px">x</label>`},
	check: func(t *trial) {
		t.open("/")
		t.equal("Reached", t.location("#c").Reached, false)
	},
}, {
	Name:  "obstacle/disabled",
	Rule:  "Disabled tells a control that is disabled by its own attribute or by a fieldset's; the first legend of the fieldset is excepted, and aria-disabled does not count: AriaDisabled tells that.",
	Doc:   "Location.Disabled",
	pages: pages{"/": `<button id=a disabled>x</button><fieldset disabled><legend><input id=l></legend><input id=f><div><select id=s><option id=o>x</select></div></fieldset><button id=r aria-disabled=true>x</button><p id=p disabled>x</p><button id=n>x</button>`},
	check: func(t *trial) {
		t.open("/")
		for id, want := range map[string]bool{"a": true, "l": false, "f": true, "s": true, "r": false, "p": false, "n": false} {
			t.equal("Disabled of "+id, t.location("#"+id).Disabled, want)
			t.equal("State.Disabled of "+id, t.state("#"+id).Disabled, want)
			t.equal("AriaDisabled of "+id, t.location("#"+id).AriaDisabled, id == "r")
		}
	},
}, {
	Name:  "obstacle/inert",
	Rule:  "Inert tells what is inert by an attribute of its own or of an ancestor, or takes no pointer.",
	Doc:   "Location.Inert",
	pages: pages{"/": `<button id=a inert>x</button><div inert><button id=b>x</button></div><button id=c style="pointer-events: none">x</button><div style="pointer-events: none"><button id=d>x</button><button id=e style="pointer-events: auto">x</button></div><button id=n>x</button>`},
	check: func(t *trial) {
		t.open("/")
		for id, want := range map[string]bool{"a": true, "b": true, "c": true, "d": true, "e": false, "n": false} {
			t.equal("Inert of "+id, t.location("#"+id).Inert, want)
		}
	},
}, {
	Name:  "obstacle/modal",
	Rule:  "What is behind a modal dialog is inert; what is in the dialog is not.",
	Doc:   "Location.Inert",
	pages: pages{"/": `<button id=b>ask</button><dialog id=d><button id=in>ok</button></dialog>`},
	does:  []Behavior{on("click", "#b", Action{Kind: ShowModal, Target: "#d"})},
	check: func(t *trial) {
		t.open("/")
		t.equal("Inert before", t.location("#b").Inert, false)
		t.click("#b")
		t.equal("Inert behind", t.location("#b").Inert, true)
		t.equal("Reached behind", t.location("#b").Reached, false)
		l := t.location("#in")
		t.equal("Inert, Reached in the dialog", []bool{l.Inert, l.Reached}, []bool{false, true})
	},
}, {
	Name:  "obstacle/readonly",
	Rule:  "ReadOnly tells a control that takes no input, among those that can be read-only.",
	Doc:   "Location.ReadOnly",
	pages: pages{"/": `<input id=a readonly><textarea id=b readonly></textarea><input id=d type=date readonly><input id=n><input id=r type=range readonly><p id=p>x</p>`},
	check: func(t *trial) {
		t.open("/")
		for id, want := range map[string]bool{"a": true, "b": true, "d": true, "n": false, "r": false, "p": false} {
			t.equal("ReadOnly of "+id, t.location("#"+id).ReadOnly, want)
			t.equal("State.ReadOnly of "+id, t.state("#"+id).ReadOnly, want)
		}
	},
}, {
	Name:  "obstacle/input",
	Rule:  "Input does what a hand would: a click at a covered place reaches what is on top.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<button id=b style="` + at + `left: 0; top: 0; width: 100px; height: 40px">b</button><div id=over style="position: fixed; inset: 0"></div><p id=log></p>`},
	does: []Behavior{
		on("click", "#b", Action{Kind: SetText, Target: "#log", Text: "button"}),
		on("click", "#over", Action{Kind: SetText, Target: "#log", Text: "cover"}),
	},
	check: func(t *trial) {
		t.open("/")
		t.clickAt(driver.Point{X: 50, Y: 20})
		t.equal("log", t.text("#log"), "cover")
	},
}, {
	Name:  "obstacle/disabled-click",
	Rule:  "A click on a disabled button does nothing.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<form action=/sent><button id=b disabled>b</button></form><p id=log></p>`, "/sent": "<p>sent"},
	does:  []Behavior{on("click", "#b", Action{Kind: SetText, Target: "#log", Text: "clicked"})},
	check: func(t *trial) {
		t.open("/")
		l := t.location("#b")
		t.equal("Reached", l.Reached, true)
		t.clickAt(l.At)
		t.equal("log", t.text("#log"), "")
		t.unasked("/sent")
	},
}}
