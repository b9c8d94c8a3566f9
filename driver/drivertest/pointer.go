package drivertest

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

const buttonAndLog = `<button id=b style="` + at + `left: 10px; top: 10px; width: 100px; height: 40px">b</button><p id=log style="` + at + `top: 300px"></p>`

var inButton = driver.Point{X: 60, Y: 30}

// unpointed is a button that lets the pointer through.
const unpointed = `<button style="pointer-events: none; display: block; width: 60px; height: 20px">Week</button>`

var pointerCases = rows(Case{pages: pages{"/": buttonAndLog}, Doc: "Actor.Input"}, []Case{{
	Name: "pointer/click",
	Rule: "The page sees mousedown, mouseup and click, in this order, and takes them for a person's.",
	does: logged("#b", "mousedown", "mouseup", "click"),
	opened: func(t *trial) {
		t.clickAt(inButton)
		t.equal("log", t.text("#log"), "mousedown mouseup click ")
	},
}, {
	Name: "pointer/double",
	Rule: "Presses with Clicks 1 and 2 are a double click.",
	Doc:  "MouseDown",
	does: logged("#b", "click", "dblclick"),
	opened: func(t *trial) {
		t.input(driver.MouseMove{At: inButton},
			driver.MouseDown{At: inButton, Clicks: 1}, driver.MouseUp{At: inButton, Clicks: 1},
			driver.MouseDown{At: inButton, Clicks: 2}, driver.MouseUp{At: inButton, Clicks: 2})
		t.equal("log", t.text("#log"), "click click dblclick ")
	},
}, {
	Name: "pointer/right",
	Rule: "The right button asks for the context menu and does not click.",
	Doc:  "Button",
	does: logged("#b", "click", "contextmenu"),
	opened: func(t *trial) {
		t.input(driver.MouseMove{At: inButton},
			driver.MouseDown{At: inButton, Button: driver.Right, Clicks: 1}, driver.MouseUp{At: inButton, Button: driver.Right, Clicks: 1})
		t.equal("log", t.text("#log"), "contextmenu ")
	},
}, {
	Name: "pointer/hover",
	Rule: "Moving the pointer is seen by the page: mouseenter, mousemove and mouseleave.",
	Doc:  "MouseMove",
	does: logged("#b", "mouseenter", "mouseleave"),
	opened: func(t *trial) {
		t.input(driver.MouseMove{At: inButton})
		t.input(driver.MouseMove{At: driver.Point{X: 400, Y: 200}})
		t.equal("log", t.text("#log"), "mouseenter mouseleave ")
	},
}, {
	Name: "pointer/apart",
	Rule: "A press and a release on different elements are no click on either.",
	Doc:  "MouseUp",
	does: logged("#b", "mousedown", "click"),
	opened: func(t *trial) {
		t.input(driver.MouseMove{At: inButton}, driver.MouseDown{At: inButton, Clicks: 1},
			driver.MouseMove{At: driver.Point{X: 400, Y: 200}}, driver.MouseUp{At: driver.Point{X: 400, Y: 200}, Clicks: 1})
		t.equal("log", t.text("#log"), "mousedown ")
	},
}, {
	Name:  "pointer/hold",
	Rule:  "A pause between press and release takes its time, and the release is a click.",
	Doc:   "Pause",
	pages: pages{"/": twoBoxes},
	opened: func(t *trial) {
		inBox := driver.Point{X: 20, Y: 70}
		for i, events := range [][]driver.InputEvent{{}, {driver.Target{At: t.find("#a")}}} {
			const held = 100 * time.Millisecond
			from := time.Now()
			t.input(append(events, driver.MouseMove{At: inBox}, driver.MouseDown{At: inBox, Clicks: 1},
				driver.Pause{For: held}, driver.MouseUp{At: inBox, Clicks: 1})...)
			t.must(time.Since(from) >= held, "Input returned after %v, before its pause of %v was over", time.Since(from), held)
			t.equal("Checked", t.state("#a").Checked, i == 0)
		}
	},
}, {
	Name: "pointer/hold-given-up",
	Rule: "A press whose call is given up during a pause is released.",
	Doc:  "Pause",
	does: logged("#b", "mousedown", "mouseup"),
	check: func(t *trial) {
		for limit := 100 * time.Millisecond; ; limit *= 2 { // until the press comes before the end
			t.open("/")
			target := driver.Target{At: t.find("#b")}
			ctx, cancel := context.WithTimeout(t.ctx, limit)
			err := t.page.Input(ctx, target, driver.MouseMove{At: inButton}, driver.MouseDown{At: inButton, Clicks: 1},
				driver.Pause{For: time.Hour}, driver.MouseUp{At: inButton, Clicks: 1})
			cancel()
			t.must(errors.Is(err, context.DeadlineExceeded), "Input given up in a pause = %v, want %v", err, context.DeadlineExceeded)
			t.input(driver.MouseMove{At: driver.Point{X: 400, Y: 200}}) // behind the release
			if log := t.text("#log"); log != "" {
				t.equal("log", log, "mousedown mouseup ")
				return
			}
		}
	},
}, {
	Name:  "pointer/focus",
	Rule:  "A click focuses what takes the focus, and takes it away from there where nothing does.",
	pages: pages{"/": `<input id=i><input id=j><p id=p>x</p>`},
	opened: func(t *trial) {
		t.click("#j")
		t.equal("focused", t.focused(), "j")
		t.click("#p")
		t.equal("focused after a click beside", t.focused(), "")
	},
}, {
	Name:  "pointer/wheel",
	Rule:  "The wheel scrolls what is at the point, down and to the right where positive.",
	Doc:   "Wheel",
	pages: pages{"/": `<div id=d style="` + at + `left: 0; top: 0; width: 200px; height: 200px; overflow: auto"><div style="width: 900px; height: 900px"></div></div>`},
	opened: func(t *trial) {
		before := t.revision()
		t.input(driver.Wheel{At: driver.Point{X: 50, Y: 50}, DeltaX: 40, DeltaY: 100})
		t.changes(before)
		t.later("the container's scroll position", func() bool {
			s := t.state("#d").Scroll
			return s.X == 40 && s.Y == 100
		})
	},
}, {
	Name: "pointer/tap",
	Rule: "A tap touches and lets go, and clicks.",
	Doc:  "Tap",
	does: logged("#b", "touchstart", "touchend", "click"),
	opened: func(t *trial) {
		t.input(driver.Tap{At: inButton})
		t.later("the log of a tap", func() bool { return t.text("#log") == "touchstart touchend click " })
	},
}, {
	Name:  "pointer/drag",
	Rule:  "Drag presses, moves and releases.",
	Doc:   "Drag",
	pages: pages{"/": `<div id=a style="` + at + `left: 0; top: 0; width: 100px; height: 100px">a</div><div id=c style="` + at + `left: 200px; top: 0; width: 100px; height: 100px">c</div><p id=log style="` + at + `top: 300px"></p>`},
	does:  append(logged("#a", "mousedown"), logged("#c", "mouseup")...),
	opened: func(t *trial) {
		t.input(driver.Drag{From: driver.Point{X: 50, Y: 50}, To: driver.Point{X: 250, Y: 50}})
		t.equal("log", t.text("#log"), "mousedown mouseup ")
	},
}, {
	Name: "pointer/drag-straight",
	Rule: "A drag goes straight from one end to the other: what lies beside the way has none of its moves.",
	Doc:  "Drag",
	pages: pages{"/": `<div id=a style="` + at + `left: 100px; top: 100px; width: 6px; height: 6px"></div>
		<div id=b style="` + at + `left: 106px; top: 0; width: 300px; height: 300px">b</div><div id=c style="` + at + `left: 0; top: 106px; width: 300px; height: 300px">c</div>
		<div id=d style="` + at + `left: 50px; top: 50px; width: 20px; height: 20px"></div><p id=log style="` + at + `top: 500px"></p>`},
	does: append(logged("#a", "mousedown"), append(logged("#b", "mousemove"), append(logged("#c", "mousemove"), logged("#d", "mouseup")...)...)...),
	opened: func(t *trial) {
		t.input(driver.Drag{From: driver.Point{X: 103, Y: 103}, To: driver.Point{X: 60, Y: 60}})
		t.equal("log", t.text("#log"), "mousedown mouseup ")
	},
}, {
	Name:  "pointer/drag-drop",
	Rule:  "What the page drags by a drag and drop of its own is dropped at the end.",
	Doc:   "Drag",
	pages: pages{"/": `<div id=a draggable=true style="` + at + `left: 0; top: 0; width: 100px; height: 100px">a</div><div id=c style="` + at + `left: 200px; top: 0; width: 100px; height: 100px">c</div><p id=log style="` + at + `top: 300px"></p>`},
	does: append(logged("#a", "dragstart", "dragend"), append(logged("#c", "drop"),
		on("dragover", "#c", Action{Kind: PreventDefault}))...),
	opened: func(t *trial) {
		t.input(driver.Drag{From: driver.Point{X: 50, Y: 50}, To: driver.Point{X: 250, Y: 50}})
		t.equal("log", t.text("#log"), "dragstart drop dragend ")
	},
}, {
	Name:  "pointer/drag-onto",
	Rule:  "What is dropped on an element that is out of view is dropped there: it is brought into view once the drag has begun.",
	Doc:   "Drag",
	pages: pages{"/": `<p id=log></p><div id=a style="` + at + `left: 0; top: 100px; width: 100px; height: 100px">a</div><div id=b draggable=true style="` + at + `left: 200px; top: 100px; width: 100px; height: 100px">b</div><div id=c style="` + at + `left: 0; top: 3000px; width: 400px; height: 100px">c</div>`},
	does: append(logged("#a", "mousedown"), append(logged("#c", "mouseup", "drop"),
		on("dragover", "#c", Action{Kind: PreventDefault}))...),
	opened: func(t *trial) {
		onto := &driver.DropPlace{At: t.find("#c"), Offset: &driver.Offset{X: 300, Y: 50}}
		t.input(driver.Drag{From: driver.Point{X: 50, Y: 150}, To: driver.Point{X: 50, Y: 500}, Onto: onto})
		t.equal("log", t.text("#log"), "mousedown mouseup ")
		t.open("/")
		onto.At = t.find("#c")
		t.input(driver.Drag{From: driver.Point{X: 250, Y: 150}, To: driver.Point{X: 250, Y: 500}, Onto: onto})
		t.must(strings.HasPrefix(t.text("#log"), "drop "), "what is dragged was not dropped there")
	},
}, {
	Name:  "pointer/prevented",
	Rule:  "A page that prevents a click keeps the link from being followed and the box from being checked.",
	pages: pages{"/": `<a id=a href=/two>x</a><input id=c type=checkbox>`, "/two": "<p>two"},
	does:  []Behavior{on("click", "#a", Action{Kind: PreventDefault}), on("click", "#c", Action{Kind: PreventDefault})},
	opened: func(t *trial) {
		t.click("#a")
		t.click("#c")
		t.equal("Checked", t.state("#c").Checked, false)
		t.unasked("/two")
	},
}, {
	Name:  "pointer/bubbles",
	Rule:  "A click is seen by the element's ancestors, after the element.",
	pages: pages{"/": `<div id=d><button id=b>x</button></div><p id=log></p>`},
	does: []Behavior{
		on("click", "#d", Action{Kind: AppendHTML, Target: "#log", Text: "<i>outer </i>"}),
		on("click", "#b", Action{Kind: AppendHTML, Target: "#log", Text: "<i>inner </i>"}),
	},
	opened: func(t *trial) {
		t.click("#b")
		t.equal("log", t.text("#log"), "inner outer ")
	},
}})

var obstacleCases = rows(Case{Doc: "Location.Reached"}, []Case{{
	Name:  "obstacle/covered",
	Rule:  "Where another element lies on top, Reached is false and Hit is that element.",
	Doc:   "Location.Hit",
	pages: pages{"/": `<button id=b>b</button><div id=over style="position: fixed; inset: 0"></div>`},
	opened: func(t *trial) {
		l := t.location("#b")
		t.equal("Visible, InView, Reached", []bool{l.Visible, l.InView, l.Reached}, []bool{true, true, false})
		t.equal("Hit", l.Hit, t.find("#over"))
	},
}, {
	Name:   "obstacle/transparent",
	Rule:   "An element on top with pointer-events none does not cover.",
	pages:  pages{"/": `<button id=b>b</button><div id=over style="position: fixed; inset: 0; pointer-events: none"></div>`},
	opened: func(t *trial) { t.equal("Reached", t.location("#b").Reached, true) },
}, {
	Name:  "obstacle/descendant",
	Rule:  "A descendant that is hit counts as reached.",
	pages: pages{"/": `<button id=b><span id=s style="display: block; width: 200px; height: 40px">b</span></button>`},
	opened: func(t *trial) {
		l := t.location("#b")
		t.equal("Hit", l.Hit, t.find("#s"))
		t.equal("Reached", l.Reached, true)
	},
}, {
	Name:  "obstacle/shadow-descendant",
	Rule:  "A descendant in the flat tree counts as reached: a shadow host is reached by what is in its closed root.",
	pages: pages{"/": `<div id=h style="width: 200px; height: 40px"><template shadowrootmode=closed><p id=p style="height: 40px; margin: 0">in</p></template></div>`},
	opened: func(t *trial) {
		l := t.location("#h")
		t.equal("Hit", l.Hit, t.find("#h", "#p"))
		t.equal("Reached", l.Reached, true)
	},
}, {
	Name:  "obstacle/label",
	Rule:  "A control whose label is hit at its place counts as reached.",
	pages: pages{"/": `<input id=c type=checkbox style="` + at + `left: 10px; top: 10px; width: 20px; height: 20px; margin: 0; opacity: 0"><label id=l for=c style="` + at + `left: 0; top: 0; width: 60px; height: 40px">x</label>`},
	opened: func(t *trial) {
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
	opened: func(t *trial) {
		for id, y := range map[string]float64{"a": 100, "b": 130, "c": 160, "d": 190} {
			l := t.location("#" + id)
			t.equal("Box of "+id, l.Box, driver.Rect{X: 100, Y: y, Width: 60, Height: 20})
			t.equal("Inert of "+id, l.Inert, false)
			t.equal("Reached of "+id, l.Reached, true)
			t.taken("Input for "+id, t.aimed(t.find("#"+id), clickOn(l.At)...))
			t.equal("Checked of "+id, t.state("#"+id).Checked, true)
		}
		t.equal("Inert of e", t.location("#e").Inert, true)
		t.equal("Box of f", t.location("#f").Box, driver.Rect{X: 10, Y: 40, Width: 20, Height: 20})
	},
}, {
	Name: "obstacle/unseen",
	Rule: "A control that nobody sees, of opacity 0 or in a box of a pixel, is pressed at its label where it is not reached itself.",
	pages: pages{"/": `<style>label { ` + at + `width: 60px; height: 20px; left: 100px } #over { ` + at + `left: 0; top: 0; width: 50px; height: 50px; z-index: 1 }</style>` +
		`<input id=a type=checkbox style="` + at + `left: 10px; top: 10px; opacity: 0"><label for=a style="top: 100px">a</label><div id=over></div>` +
		`<label style="top: 130px"><span style="` + at + `left: -50px; top: 0; width: 1px; height: 1px; overflow: hidden"><input id=b type=checkbox></span>b</label>` +
		`<input id=c type=checkbox style="` + at + `left: 100px; top: 10px; width: 20px; height: 20px; margin: 0; opacity: 0"><label for=c style="top: 160px">c</label>` +
		`<input id=d type=checkbox style="` + at + `left: 10px; top: 30px"><label for=d style="top: 190px">d</label>`},
	opened: func(t *trial) {
		for id, y := range map[string]float64{"a": 110, "b": 140, "c": 20} {
			l := t.location("#" + id)
			t.equal("Reached of "+id, l.Reached, true)
			t.equal("At.Y of "+id, l.At.Y, y)
			t.taken("Input for "+id, t.aimed(t.find("#"+id), clickOn(l.At)...))
			t.equal("Checked of "+id, t.state("#"+id).Checked, true)
		}
		// What a person sees and cannot press is covered.
		t.equal("Reached of d", t.location("#d").Reached, false)
	},
}, {
	Name: "obstacle/drawn-box",
	Rule: "A hidden checkbox or radio button without a label is pressed at the box that is drawn in its place, close around it; not at one that says something, holds another control, or is a cell.",
	pages: pages{"/": `<style>div, td { width: 40px; height: 30px; border: 1px solid; padding: 0 } b { ` + at + `width: 1px; height: 1px; overflow: hidden; clip: rect(0, 0, 0, 0) } input { pointer-events: none }</style>` +
		`<div id=s><b><input id=a type=radio aria-label="4 stars"></b></div><div>Order<b><input id=w type=checkbox></b></div>` +
		`<div><b><input id=x type=checkbox></b><button style="width: 9px; height: 9px; padding: 0"></button></div><table><tr><td><b><input id=c type=checkbox></b></table>`},
	opened: func(t *trial) {
		l := t.location("#a")
		t.equal("Reached", l.Reached, true)
		t.equal("Box", l.Box, t.location("#s").Box)
		t.taken("Input", t.aimed(t.find("#a"), clickOn(l.At)...))
		for _, id := range []string{"w", "x", "c"} {
			t.equal("Reached of "+id, t.location("#"+id).Reached, false)
		}
	},
}, {
	Name: "obstacle/shadow-host",
	Rule: "A control that lets the pointer through and is the only one of its shadow tree and of what stands in it is pressed at the tree's host, unless that lets the pointer through, too: to a page, an event in the tree is one at the host.",
	pages: pages{"/": `<style>x-a { display: block; width: 80px; height: 30px }</style>` +
		`<x-a id=a><template shadowrootmode=open>` + unpointed + `</template></x-a><x-a id=b><template shadowrootmode=open>` + unpointed + `<a href=#>more</a></template></x-a>` +
		`<x-a id=c><template shadowrootmode=open>` + unpointed + `<slot></slot></template><a href=#>more</a></x-a><x-a id=d style="pointer-events: none"><template shadowrootmode=open>` + unpointed + `</template></x-a>`},
	opened: func(t *trial) {
		inner := t.find("#a", "button")
		l := t.locate(inner, nil)
		t.equal("Reached", l.Reached, true)
		t.equal("Inert", l.Inert, false)
		t.equal("Hit", l.Hit, t.find("#a"))
		t.taken("Input", t.aimed(inner, clickOn(l.At)...))
		for _, host := range []string{"#b", "#c", "#d"} {
			t.equal("Inert in "+host, t.location(host, "button").Inert, true)
		}
	},
}, {
	Name: "obstacle/list-face",
	Rule: "A select that nobody sees is pressed at the box, close around it or right beside it, that says what it has chosen; Shown is what that box says.",
	Doc:  "Location.Shown",
	pages: pages{"/": `<style>select { ` + at + `opacity: 0; pointer-events: none } .one { ` + at + `width: 1px; height: 1px; overflow: hidden; clip: rect(0, 0, 0, 0) } div, section { width: 120px; height: 30px; border: 1px solid }</style>` +
		`<div id=around><select id=a><option>Single<option>Double</select>Single</div>` +
		`<section><label for=b>Room</label><span class=one><select id=b><option>Twin<option>Suite</select></span><div id=beside>Twin</div></section>` +
		`<section><select id=c><option>One<option>Two</select><b>Rooms</b></section>` +
		`<section><select id=d><option>Three<option>Four</select>Three<input style="width: 9px; height: 9px"></section>` +
		`<select id=e style="position: static; opacity: 1; pointer-events: auto"><option>Five</select>`},
	opened: func(t *trial) {
		for id, want := range map[string]string{"a": "Single", "b": "Twin", "c": "", "d": "", "e": ""} {
			t.equal("Shown of "+id, t.location("#"+id).Shown, want)
		}
		for id, box := range map[string]string{"a": "#around", "b": "#beside"} {
			l := t.location("#" + id)
			t.equal("Reached of "+id, l.Reached, true)
			t.equal("Box of "+id, l.Box, t.location(box).Box)
			t.taken("Input for "+id, t.aimed(t.find("#"+id), clickOn(l.At)...))
		}
		t.equal("Reached of c", t.location("#c").Reached, false)
		if _, err := t.page.SetValue(t.ctx, driver.Target{At: t.find("#a")}, "Double"); err != nil {
			t.errorf("SetValue = %v, want nil", err)
		}
		t.equal("Shown after a choice that the box does not follow", t.location("#a").Shown, "Single")
	},
}, {
	Name:   "obstacle/other-label",
	Rule:   "The label of another control does not count.",
	pages:  pages{"/": `<input id=d type=checkbox><input id=c type=checkbox style="` + at + `left: 10px; top: 10px; width: 20px; height: 20px; margin: 0"><label id=l for=d style="` + at + `left: 0; top: 0; width: 60px; height: 40px">x</label>`},
	opened: func(t *trial) { t.equal("Reached", t.location("#c").Reached, false) },
}, {
	Name:  "obstacle/disabled",
	Rule:  "Disabled tells a control that is disabled by its own attribute or by a fieldset's; the first legend of the fieldset is excepted, and aria-disabled does not count: AriaDisabled tells that.",
	Doc:   "Location.Disabled",
	pages: pages{"/": `<button id=a disabled>x</button><fieldset disabled><legend><input id=l></legend><input id=f><div><select id=s><option id=o>x</select></div></fieldset><button id=r aria-disabled=true>x</button><p id=p disabled>x</p><button id=n>x</button>`},
	opened: func(t *trial) {
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
	opened: func(t *trial) {
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
	opened: func(t *trial) {
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
	opened: func(t *trial) {
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
	opened: func(t *trial) {
		t.clickAt(driver.Point{X: 50, Y: 20})
		t.equal("log", t.text("#log"), "cover")
	},
}, {
	Name:  "obstacle/disabled-click",
	Rule:  "A click on a disabled button does nothing.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<form action=/sent><button id=b disabled>b</button></form><p id=log></p>`, "/sent": "<p>sent"},
	does:  []Behavior{on("click", "#b", Action{Kind: SetText, Target: "#log", Text: "clicked"})},
	opened: func(t *trial) {
		l := t.location("#b")
		t.equal("Reached", l.Reached, true)
		t.clickAt(l.At)
		t.equal("log", t.text("#log"), "")
		t.unasked("/sent")
	},
}})
