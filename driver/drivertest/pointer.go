package drivertest

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

const buttonAndLog = `<button id=b style="` + at + `left: 10px; top: 10px; width: 100px; height: 40px">b</button><p id=log style="` + at + `top: 300px"></p>`

var inButton = driver.Point{X: 60, Y: 30}

var pointerCases = []Case{{
	Name:  "pointer/click",
	Rule:  "The page sees mousedown, mouseup and click, in this order, and takes them for a person's.",
	Doc:   "Actor.Input",
	pages: pages{"/": buttonAndLog},
	does:  logged("#b", "mousedown", "mouseup", "click"),
	check: func(t *trial) {
		t.open("/")
		t.clickAt(inButton)
		t.equal("log", t.text("#log"), "mousedown mouseup click ")
	},
}, {
	Name:  "pointer/double",
	Rule:  "Presses with Clicks 1 and 2 are a double click.",
	Doc:   "MouseDown",
	pages: pages{"/": buttonAndLog},
	does:  logged("#b", "click", "dblclick"),
	check: func(t *trial) {
		t.open("/")
		t.input(driver.MouseMove{At: inButton},
			driver.MouseDown{At: inButton, Clicks: 1}, driver.MouseUp{At: inButton, Clicks: 1},
			driver.MouseDown{At: inButton, Clicks: 2}, driver.MouseUp{At: inButton, Clicks: 2})
		t.equal("log", t.text("#log"), "click click dblclick ")
	},
}, {
	Name:  "pointer/right",
	Rule:  "The right button asks for the context menu and does not click.",
	Doc:   "Button",
	pages: pages{"/": buttonAndLog},
	does:  logged("#b", "click", "contextmenu"),
	check: func(t *trial) {
		t.open("/")
		t.input(driver.MouseMove{At: inButton},
			driver.MouseDown{At: inButton, Button: driver.Right, Clicks: 1}, driver.MouseUp{At: inButton, Button: driver.Right, Clicks: 1})
		t.equal("log", t.text("#log"), "contextmenu ")
	},
}, {
	Name:  "pointer/hover",
	Rule:  "Moving the pointer is seen by the page: mouseenter, mousemove and mouseleave.",
	Doc:   "MouseMove",
	pages: pages{"/": buttonAndLog},
	does:  logged("#b", "mouseenter", "mouseleave"),
	check: func(t *trial) {
		t.open("/")
		t.input(driver.MouseMove{At: inButton})
		t.input(driver.MouseMove{At: driver.Point{X: 400, Y: 200}})
		t.equal("log", t.text("#log"), "mouseenter mouseleave ")
	},
}, {
	Name:  "pointer/apart",
	Rule:  "A press and a release on different elements are no click on either.",
	Doc:   "MouseUp",
	pages: pages{"/": buttonAndLog},
	does:  logged("#b", "mousedown", "click"),
	check: func(t *trial) {
		t.open("/")
		t.input(driver.MouseMove{At: inButton}, driver.MouseDown{At: inButton, Clicks: 1},
			driver.MouseMove{At: driver.Point{X: 400, Y: 200}}, driver.MouseUp{At: driver.Point{X: 400, Y: 200}, Clicks: 1})
		t.equal("log", t.text("#log"), "mousedown ")
	},
}, {
	Name:  "pointer/focus",
	Rule:  "A click focuses what takes the focus, and takes it away from there where nothing does.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<input id=i><input id=j><p id=p>x</p>`},
	check: func(t *trial) {
		t.open("/")
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
	check: func(t *trial) {
		t.open("/")
		before := t.revision()
		t.input(driver.Wheel{At: driver.Point{X: 50, Y: 50}, DeltaX: 40, DeltaY: 100})
		t.changes(before)
		t.later("the container's scroll position", func() bool {
			s := t.state("#d").Scroll
			return s.X == 40 && s.Y == 100
		})
	},
}, {
	Name:  "pointer/tap",
	Rule:  "A tap touches and lets go, and clicks.",
	Doc:   "Tap",
	pages: pages{"/": buttonAndLog},
	does:  logged("#b", "touchstart", "touchend", "click"),
	check: func(t *trial) {
		t.open("/")
		t.input(driver.Tap{At: inButton})
		t.later("the log of a tap", func() bool { return t.text("#log") == "touchstart touchend click " })
	},
}, {
	Name:  "pointer/drag",
	Rule:  "Drag presses, moves and releases.",
	Doc:   "Drag",
	pages: pages{"/": `<div id=a style="` + at + `left: 0; top: 0; width: 100px; height: 100px">a</div><div id=c style="` + at + `left: 200px; top: 0; width: 100px; height: 100px">c</div><p id=log style="` + at + `top: 300px"></p>`},
	does:  append(logged("#a", "mousedown"), logged("#c", "mouseup")...),
	check: func(t *trial) {
		t.open("/")
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
	check: func(t *trial) {
		t.open("/")
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
	check: func(t *trial) {
		t.open("/")
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
	check: func(t *trial) {
		t.open("/")
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
	Doc:   "Actor.Input",
	pages: pages{"/": `<a id=a href=/two>x</a><input id=c type=checkbox>`, "/two": "<p>two"},
	does:  []Behavior{on("click", "#a", Action{Kind: PreventDefault}), on("click", "#c", Action{Kind: PreventDefault})},
	check: func(t *trial) {
		t.open("/")
		t.click("#a")
		t.click("#c")
		t.equal("Checked", t.state("#c").Checked, false)
		t.unasked("/two")
	},
}, {
	Name:  "pointer/bubbles",
	Rule:  "A click is seen by the element's ancestors, after the element.",
	Doc:   "Actor.Input",
	pages: pages{"/": `<div id=d><button id=b>x</button></div><p id=log></p>`},
	does: []Behavior{
		on("click", "#d", Action{Kind: AppendHTML, Target: "#log", Text: "<i>outer </i>"}),
		on("click", "#b", Action{Kind: AppendHTML, Target: "#log", Text: "<i>inner </i>"}),
	},
	check: func(t *trial) {
		t.open("/")
		t.click("#b")
		t.equal("log", t.text("#log"), "inner outer ")
	},
}}

// changes waits until the revision is another than before.
func (t *trial) changes(before driver.Revision) {
	t.later("a new revision", func() bool { return t.revision() != before })
}

// later asks the driver until it gives the answer that is to come, or the
// case's time is over. Each question is a round trip, so this is no busy loop.
func (t *trial) later(what string, come func() bool) {
	for !come() {
		if t.ctx.Err() != nil {
			t.fatalf("%s did not come", what)
		}
	}
}
