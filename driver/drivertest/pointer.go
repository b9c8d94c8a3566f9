package drivertest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

const buttonAndLog = `<button id=b style="` + at + `left: 10px; top: 10px; width: 100px; height: 40px">b</button><p id=log style="` + at + `top: 300px"></p>`

var inButton = driver.Point{X: 60, Y: 30}

// unpointed is a button that lets the pointer through.
const unpointed = `<button style="pointer-events: none; display: block; width: 60px; height: 20px">Week</button>`

// box is the style of one of threeBoxes.
func box(top int) string {
	return fmt.Sprintf(at+"left: 0; top: %dpx; width: 100px; height: 60px", top)
}

var threeBoxes = fmt.Sprintf(`<p id=log style="`+at+`left: 300px; top: 0"></p><div id=a style="%s">a</div><div id=b style="%s">b</div><div id=c style="%s">c</div>`, box(0), box(100), box(200))

// boxAndPlace are one to drag and one to drop it on.
const boxAndPlace = `<div id=a draggable=true style="` + at + `left: 0; top: 0; width: 100px; height: 100px">a</div><div id=c style="` + at + `left: 200px; top: 0; width: 100px; height: 100px">c</div><p id=log style="` + at + `top: 300px"></p>`

// moved moves a box; saidBy has it say that something was dropped there.
func moved(selector string, top int) Action {
	return Action{Kind: SetAttribute, Target: selector, Name: "style", Text: box(top)}
}

func saidBy(selector string) Behavior {
	return on("mouseup", selector, Action{Kind: SetText, Target: "#log", Text: selector})
}

// dropOnto drags the first box onto one, and says which has it in the end.
func (t *trial) dropOnto(onto, want string) {
	from, to := driver.Point{X: 20, Y: 20}, driver.Point{X: 20, Y: 220}
	t.taken("Input", sent(t, driver.Target{At: t.find("#a")}, driver.Drag{From: from, To: to, Onto: &driver.DropPlace{At: t.find(onto)}}))
	t.equal("where it was dropped", t.text("#log"), want)
}

var pointerCases = rows(Case{pages: pages{"/": buttonAndLog}, Doc: "Actor.Input"},
	rule("pointer/click", "The page sees mousedown, mouseup and click, in this order, and takes them for a person's.").
		doing(logged("#b", "mousedown", "mouseup", "click")...).
		opens(func(t *trial) {
			t.clickAt(inButton)
			t.equal("log", t.text("#log"), "mousedown mouseup click ")
		}),
	rule("pointer/double", "Presses with Clicks 1 and 2 are a double click.").at("MouseDown").
		doing(logged("#b", "click", "dblclick")...).
		opens(func(t *trial) {
			t.input(driver.MouseMove{At: inButton},
				driver.MouseDown{At: inButton, Clicks: 1}, driver.MouseUp{At: inButton, Clicks: 1},
				driver.MouseDown{At: inButton, Clicks: 2}, driver.MouseUp{At: inButton, Clicks: 2})
			t.equal("log", t.text("#log"), "click click dblclick ")
		}),
	rule("pointer/right", "The right button asks for the context menu and does not click.").at("Button").
		doing(logged("#b", "click", "contextmenu")...).
		opens(func(t *trial) {
			t.input(driver.MouseMove{At: inButton},
				driver.MouseDown{At: inButton, Button: driver.Right, Clicks: 1}, driver.MouseUp{At: inButton, Button: driver.Right, Clicks: 1})
			t.equal("log", t.text("#log"), "contextmenu ")
		}),
	rule("pointer/hover", "Moving the pointer is seen by the page: mouseenter, mousemove and mouseleave.").at("MouseMove").
		doing(logged("#b", "mouseenter", "mouseleave")...).
		opens(func(t *trial) {
			t.input(driver.MouseMove{At: inButton})
			t.input(driver.MouseMove{At: driver.Point{X: 400, Y: 200}})
			t.equal("log", t.text("#log"), "mouseenter mouseleave ")
		}),
	rule("pointer/apart", "A press and a release on different elements are no click on either.").at("MouseUp").
		doing(logged("#b", "mousedown", "click")...).
		opens(func(t *trial) {
			t.input(driver.MouseMove{At: inButton}, driver.MouseDown{At: inButton, Clicks: 1},
				driver.MouseMove{At: driver.Point{X: 400, Y: 200}}, driver.MouseUp{At: driver.Point{X: 400, Y: 200}, Clicks: 1})
			t.equal("log", t.text("#log"), "mousedown ")
		}),
	rule("pointer/hold", "A pause between press and release takes its time, and the release is a click.").at("Pause").
		on(twoBoxes).
		opens(func(t *trial) {
			inBox := driver.Point{X: 20, Y: 70}
			for i, events := range [][]driver.InputEvent{{}, {driver.Target{At: t.find("#a")}}} {
				const held = 100 * time.Millisecond
				from := time.Now()
				t.input(append(events, driver.MouseMove{At: inBox}, driver.MouseDown{At: inBox, Clicks: 1},
					driver.Pause{For: held}, driver.MouseUp{At: inBox, Clicks: 1})...)
				t.must(time.Since(from) >= held, "Input returned after %v, before its pause of %v was over", time.Since(from), held)
				t.equal("Checked", t.state("#a").Checked, i == 0)
			}
		}),
	rule("pointer/hold-given-up", "A press whose call is given up during a pause is released.").at("Pause").
		doing(logged("#b", "mousedown", "mouseup")...).
		checks(func(t *trial) {
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
		}),
	rule("pointer/focus", "A click focuses what takes the focus, and takes it away from there where nothing does.").
		on(`<input id=i><input id=j><p id=p>x</p>`).
		opens(func(t *trial) {
			t.click("#j")
			t.equal("focused", t.focused(), "j")
			t.click("#p")
			t.equal("focused after a click beside", t.focused(), "")
		}),
	rule("pointer/focus-label", "A click on a label gives its control the focus, and takes the focus away where that takes none or there is none.").
		on(`<input id=i><label id=l>x</label><label id=m for=i>y</label><label id=n>z<input hidden></label>`).
		opens(func(t *trial) {
			t.focus("#i")
			t.click("#l")
			t.equal("focused", t.focused(), "")
			t.click("#m")
			t.equal("focused by its label", t.focused(), "i")
			t.click("#n")
			t.equal("focused after the label of what is hidden", t.focused(), "")
		}),
	rule("pointer/focus-dialog", "A click in a dialog focuses the dialog where nothing within takes the focus.").
		on(`<dialog id=d open style="position: static"><p id=p>x</p></dialog>`).
		opens(func(t *trial) {
			t.click("#p")
			t.equal("focused", t.focused(), "d")
		}),
	rule("pointer/light-dismiss", "A click outside closes the dialog that opened last if it says closedby=any, and one inside does not; nor does any click close another.").
		on(`<p id=p>x</p><dialog id=e open style="position: static"><p>x</p></dialog><dialog id=d open closedby=any style="position: static"><p id=in>x</p></dialog>`).
		opens(func(t *trial) {
			t.click("#in")
			t.equal("Rendered after a click inside", t.capture().element("d").Rendered, true)
			t.click("#p")
			t.equal("Rendered after a click outside", t.capture().element("d").Rendered, false)
			t.equal("Rendered of the other", t.capture().element("e").Rendered, true)
		}),
	rule("pointer/wheel", "The wheel scrolls what is at the point, down and to the right where positive.").at("Wheel").
		on(`<div id=d style="`+at+`left: 0; top: 0; width: 200px; height: 200px; overflow: auto"><div style="width: 900px; height: 900px"></div></div>`).
		opens(func(t *trial) {
			before := t.revision()
			t.input(driver.Wheel{At: driver.Point{X: 50, Y: 50}, DeltaX: 40, DeltaY: 100})
			t.changes(before)
			t.later("the container's scroll position", func() bool {
				s := t.state("#d").Scroll
				return s.X == 40 && s.Y == 100
			})
		}),
	rule("pointer/tap", "A tap touches and lets go, and clicks.").at("Tap").
		doing(logged("#b", "touchstart", "touchend", "click")...).
		opens(func(t *trial) {
			t.input(driver.Tap{At: inButton})
			t.later("the log of a tap", func() bool { return t.text("#log") == "touchstart touchend click " })
		}),
	rule("pointer/drag", "Drag presses, moves and releases.").at("Drag").
		on(`<div id=a style="`+at+`left: 0; top: 0; width: 100px; height: 100px">a</div><div id=c style="`+at+`left: 200px; top: 0; width: 100px; height: 100px">c</div><p id=log style="`+at+`top: 300px"></p>`).
		doing(append(logged("#a", "mousedown"), logged("#c", "mouseup")...)...).
		opens(func(t *trial) {
			t.input(driver.Drag{From: driver.Point{X: 50, Y: 50}, To: driver.Point{X: 250, Y: 50}})
			t.equal("log", t.text("#log"), "mousedown mouseup ")
		}),
	rule("pointer/drag-straight", "A drag goes straight from one end to the other: what lies beside the way has none of its moves.").at("Drag").
		on(`<div id=a style="`+at+`left: 100px; top: 100px; width: 6px; height: 6px"></div>
		<div id=b style="`+at+`left: 106px; top: 0; width: 300px; height: 300px">b</div><div id=c style="`+at+`left: 0; top: 106px; width: 300px; height: 300px">c</div>
		<div id=d style="`+at+`left: 50px; top: 50px; width: 20px; height: 20px"></div><p id=log style="`+at+`top: 500px"></p>`).
		doing(append(logged("#a", "mousedown"), append(logged("#b", "mousemove"), append(logged("#c", "mousemove"), logged("#d", "mouseup")...)...)...)...).
		opens(func(t *trial) {
			t.input(driver.Drag{From: driver.Point{X: 103, Y: 103}, To: driver.Point{X: 60, Y: 60}})
			t.equal("log", t.text("#log"), "mousedown mouseup ")
		}),
	rule("pointer/drag-drop", "What the page drags by a drag and drop of its own is dropped at the end.").at("Drag").
		on(boxAndPlace).
		doing(append(logged("#a", "dragstart", "dragend"), append(logged("#c", "drop"),
			on("dragover", "#c", Action{Kind: PreventDefault}))...)...).
		opens(func(t *trial) {
			t.input(driver.Drag{From: driver.Point{X: 50, Y: 50}, To: driver.Point{X: 250, Y: 50}})
			t.equal("log", t.text("#log"), "dragstart drop dragend ")
		}),
	rule("pointer/drag-refused", "If no element takes what the page lets be dragged, the page gets no drop event and the input fails, whatever the page shows meanwhile.").at("Drag").
		on(boxAndPlace).
		doing(append(logged("#c", "drop"), on("dragstart", "#a", Action{Kind: SetAttribute, Target: "#a", Name: "class", Text: "dragging"}),
			on("dragend", "#a", Action{Kind: SetAttribute, Target: "#a", Name: "class"}))...).
		opens(func(t *trial) {
			withheld(t, driver.ErrNotDropped, sent(t, driver.Target{At: t.find("#a")},
				driver.Drag{From: driver.Point{X: 50, Y: 50}, To: driver.Point{X: 250, Y: 50}, Onto: &driver.DropPlace{At: t.find("#c")}}))
			t.equal("log", t.text("#log"), "")
		}),
	rule("pointer/drag-follow", "What is dropped on an element is dropped there also where the page moves that because of the drag, at the press and under the pointer.").at("Drag").
		on(threeBoxes).
		doing(on("mousedown", "#a", moved("#c", 300), moved("#b", 200)), on("mouseover", "#c", moved("#c", 400), moved("#b", 300)), saidBy("#b"), saidBy("#c")).
		opens(func(t *trial) { t.dropOnto("#c", "#c") }),
	rule("pointer/drag-room", "A list that makes room under the pointer for what is dragged has it dropped there.").at("Drag").
		on(threeBoxes).
		doing(on("mouseover", "#c", moved("#c", 0), moved("#a", 200)), saidBy("#a"), saidBy("#c")).
		opens(func(t *trial) { t.dropOnto("#c", "#a") }),
	rule("pointer/drag-gone", "Where the element that something is dropped on goes from under the pointer, it is dropped there.").at("Drag").
		on(threeBoxes).
		doing(on("mouseover", "#c", moved("#b", 200), Action{Kind: Remove, Target: "#c"}), saidBy("#b")).
		opens(func(t *trial) { t.dropOnto("#c", "#b") }),
	rule("pointer/drag-onto", "What is dropped on an element that is out of view is dropped there: it is brought into view once the drag has begun.").at("Drag").
		on(`<p id=log></p><div id=a style="`+at+`left: 0; top: 100px; width: 100px; height: 100px">a</div><div id=b draggable=true style="`+at+`left: 200px; top: 100px; width: 100px; height: 100px">b</div><div id=c style="`+at+`left: 0; top: 3000px; width: 400px; height: 100px">c</div>`).
		doing(append(logged("#a", "mousedown"), append(logged("#c", "mouseup", "drop"),
			on("dragover", "#c", Action{Kind: PreventDefault}))...)...).
		opens(func(t *trial) {
			onto := &driver.DropPlace{At: t.find("#c"), Offset: &driver.Offset{X: 300, Y: 50}}
			t.input(driver.Drag{From: driver.Point{X: 50, Y: 150}, To: driver.Point{X: 50, Y: 500}, Onto: onto})
			t.equal("log", t.text("#log"), "mousedown mouseup ")
			t.open("/")
			onto.At = t.find("#c")
			t.input(driver.Drag{From: driver.Point{X: 250, Y: 150}, To: driver.Point{X: 250, Y: 500}, Onto: onto})
			t.must(strings.HasPrefix(t.text("#log"), "drop "), "what is dragged was not dropped there")
		}),
	rule("pointer/prevented", "A page that prevents a click keeps the link from being followed and the box from being checked.").
		with(pages{"/": `<a id=a href=/two>x</a><input id=c type=checkbox>`, "/two": "<p>two"}).
		doing(on("click", "#a", Action{Kind: PreventDefault}), on("click", "#c", Action{Kind: PreventDefault})).
		opens(func(t *trial) {
			t.click("#a")
			t.click("#c")
			t.equal("Checked", t.state("#c").Checked, false)
			t.unasked("/two")
		}),
	rule("pointer/bubbles", "A click is seen by the element's ancestors, after the element.").
		on(`<div id=d><button id=b>x</button></div><p id=log></p>`).
		doing(
			on("click", "#d", Action{Kind: AppendHTML, Target: "#log", Text: "<i>outer </i>"}),
			on("click", "#b", Action{Kind: AppendHTML, Target: "#log", Text: "<i>inner </i>"}),
		).
		opens(func(t *trial) {
			t.click("#b")
			t.equal("log", t.text("#log"), "inner outer ")
		}),
)

var obstacleCases = rows(Case{Doc: "Location.Reached"},
	rule("obstacle/covered", "Where another element lies on top, Reached is false and Hit is that element.").at("Location.Hit").
		on(`<button id=b>b</button><div id=over style="position: fixed; inset: 0"></div>`).
		opens(func(t *trial) {
			l := t.location("#b")
			t.equal("Visible, InView, Reached", []bool{l.Visible, l.InView, l.Reached}, []bool{true, true, false})
			t.equal("Hit", l.Hit, t.find("#over"))
		}),
	rule("obstacle/transparent", "An element on top with pointer-events none does not cover.").
		on(`<button id=b>b</button><div id=over style="position: fixed; inset: 0; pointer-events: none"></div>`).
		opens(func(t *trial) { t.equal("Reached", t.location("#b").Reached, true) }),
	rule("obstacle/descendant", "A descendant that is hit counts as reached.").
		on(`<button id=b><span id=s style="display: block; width: 200px; height: 40px">b</span></button>`).
		opens(func(t *trial) {
			l := t.location("#b")
			t.equal("Hit", l.Hit, t.find("#s"))
			t.equal("Reached", l.Reached, true)
		}),
	rule("obstacle/shadow-descendant", "A descendant in the flat tree counts as reached: a shadow host is reached by what is in its closed root.").
		on(`<div id=h style="width: 200px; height: 40px"><template shadowrootmode=closed><p id=p style="height: 40px; margin: 0">in</p></template></div>`).
		opens(func(t *trial) {
			l := t.location("#h")
			t.equal("Hit", l.Hit, t.find("#h", "#p"))
			t.equal("Reached", l.Reached, true)
		}),
	rule("obstacle/label", "A control whose label is hit at its place counts as reached.").
		on(`<input id=c type=checkbox style="`+at+`left: 10px; top: 10px; width: 20px; height: 20px; margin: 0; opacity: 0"><label id=l for=c style="`+at+`left: 0; top: 0; width: 60px; height: 40px">x</label>`).
		opens(func(t *trial) {
			l := t.location("#c")
			t.equal("Hit", l.Hit, t.find("#l"))
			t.equal("Reached", l.Reached, true)
			t.click("#c")
			t.equal("Checked after the click", t.state("#c").Checked, true)
		}),
	rule("obstacle/stand-in",
		"For a control that nobody can point at, its label stands in where that can be seen: it has no box, lets the pointer through, is clipped away, or is but a pixel wide.").at("Location").
		on(`<style>label { `+at+`width: 60px; height: 20px; left: 100px } input { position: absolute; left: 10px; top: 10px; width: 20px; height: 20px; margin: 0 }</style>`+
			`<input id=a type=checkbox style="display: none"><label for=a style="top: 100px">a</label>`+
			`<input id=b type=checkbox style="pointer-events: none"><label for=b style="top: 130px">b</label>`+
			`<input id=c type=checkbox style="clip: rect(0, 0, 0, 0)"><label for=c style="top: 160px">c</label>`+
			`<input id=d type=checkbox style="width: 1px; height: 1px"><label for=d style="top: 190px">d</label>`+
			`<input id=e type=checkbox style="pointer-events: none"><label for=e style="visibility: hidden">e</label>`+
			`<input id=f type=checkbox style="top: 40px"><label for=f style="top: 220px">f</label>`).
		opens(func(t *trial) {
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
		}),
	rule("obstacle/unseen", "A control that nobody sees, of opacity 0 or in a box of a pixel, is pressed at its label where it is not reached itself.").
		on(`<style>label { `+at+`width: 60px; height: 20px; left: 100px } #over { `+at+`left: 0; top: 0; width: 50px; height: 50px; z-index: 1 }</style>`+
			`<input id=a type=checkbox style="`+at+`left: 10px; top: 10px; opacity: 0"><label for=a style="top: 100px">a</label><div id=over></div>`+
			`<label style="top: 130px"><span style="`+at+`left: -50px; top: 0; width: 1px; height: 1px; overflow: hidden"><input id=b type=checkbox></span>b</label>`+
			`<input id=c type=checkbox style="`+at+`left: 100px; top: 10px; width: 20px; height: 20px; margin: 0; opacity: 0"><label for=c style="top: 160px">c</label>`+
			`<input id=d type=checkbox style="`+at+`left: 10px; top: 30px"><label for=d style="top: 190px">d</label>`).
		opens(func(t *trial) {
			for id, y := range map[string]float64{"a": 110, "b": 140, "c": 20} {
				l := t.location("#" + id)
				t.equal("Reached of "+id, l.Reached, true)
				t.equal("At.Y of "+id, l.At.Y, y)
				t.taken("Input for "+id, t.aimed(t.find("#"+id), clickOn(l.At)...))
				t.equal("Checked of "+id, t.state("#"+id).Checked, true)
			}
			// What a person sees and cannot press is covered.
			t.equal("Reached of d", t.location("#d").Reached, false)
		}),
	rule("obstacle/drawn-box",
		"A hidden checkbox or radio button without a label is pressed at the box that is drawn in its place, close around it; not at one that says something, holds another control, or is a cell.").
		on(`<style>div, td { width: 40px; height: 30px; border: 1px solid; padding: 0 } b { `+at+`width: 1px; height: 1px; overflow: hidden; clip: rect(0, 0, 0, 0) } input { pointer-events: none }</style>`+
			`<div id=s><b><input id=a type=radio aria-label="4 stars"></b></div><div>Order<b><input id=w type=checkbox></b></div>`+
			`<div><b><input id=x type=checkbox></b><button style="width: 9px; height: 9px; padding: 0"></button></div><table><tr><td><b><input id=c type=checkbox></b></table>`).
		opens(func(t *trial) {
			l := t.location("#a")
			t.equal("Reached", l.Reached, true)
			t.equal("Box", l.Box, t.location("#s").Box)
			t.taken("Input", t.aimed(t.find("#a"), clickOn(l.At)...))
			for _, id := range []string{"w", "x", "c"} {
				t.equal("Reached of "+id, t.location("#"+id).Reached, false)
			}
		}),
	rule("obstacle/shadow-host",
		"A control that lets the pointer through and is the only one of its shadow tree and of what stands in it is pressed at the tree's host, unless that lets the pointer through, too: to a page, an event in the tree is one at the host.").
		on(`<style>x-a { display: block; width: 80px; height: 30px }</style>`+
			`<x-a id=a><template shadowrootmode=open>`+unpointed+`</template></x-a><x-a id=b><template shadowrootmode=open>`+unpointed+`<a href=#>more</a></template></x-a>`+
			`<x-a id=c><template shadowrootmode=open>`+unpointed+`<slot></slot></template><a href=#>more</a></x-a><x-a id=d style="pointer-events: none"><template shadowrootmode=open>`+unpointed+`</template></x-a>`).
		opens(func(t *trial) {
			inner := t.find("#a", "button")
			l := t.locate(inner, nil)
			t.equal("Reached", l.Reached, true)
			t.equal("Inert", l.Inert, false)
			t.equal("Hit", l.Hit, t.find("#a"))
			t.taken("Input", t.aimed(inner, clickOn(l.At)...))
			for _, host := range []string{"#b", "#c", "#d"} {
				t.equal("Inert in "+host, t.location(host, "button").Inert, true)
			}
		}),
	rule("obstacle/list-face", "A select that nobody sees is pressed at the box, close around it or right beside it, that says what it has chosen; Shown is what that box says.").at("Location.Shown").
		on(`<style>select { `+at+`opacity: 0; pointer-events: none } .one { `+at+`width: 1px; height: 1px; overflow: hidden; clip: rect(0, 0, 0, 0) } div, section { width: 120px; height: 30px; border: 1px solid }</style>`+
			`<div id=around><select id=a><option>Single<option>Double</select>Single</div>`+
			`<section><label for=b>Room</label><span class=one><select id=b><option>Twin<option>Suite</select></span><div id=beside>Twin</div></section>`+
			`<section><select id=c><option>One<option>Two</select><b>Rooms</b></section>`+
			`<section><select id=d><option>Three<option>Four</select>Three<input style="width: 9px; height: 9px"></section>`+
			`<select id=e style="position: static; opacity: 1; pointer-events: auto"><option>Five</select>`).
		opens(func(t *trial) {
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
		}),
	rule("obstacle/control-within", "A control within another that says something else takes a press for itself: by its text, its label, its value as a button or its picture.").
		on(`<style>[role=button] { position: relative; width: 60px; height: 30px } [role=button] > * { `+at+`left: 0; top: 0; width: 60px; height: 30px; margin: 0; padding: 0; border: 0 }</style>`+
			`<div id=a role=button aria-label=Open><input type=button value=Delete></div><div id=b role=button aria-label=Open><button><img alt=Delete></button></div>`+
			`<div id=c role=button aria-label=Open><button>Delete</button></div><div id=d role=button aria-label=Open><input type=button value=Open></div>`+
			`<div id=e role=button><input type=submit value=Open></div><div id=f role=button aria-label=Open><button></button></div>`).
		opens(func(t *trial) {
			for id, want := range map[string]bool{"a": false, "b": false, "c": false, "d": true, "e": true, "f": true} {
				t.equal("Reached of "+id, t.location("#"+id).Reached, want)
			}
		}),
	rule("obstacle/other-label", "The label of another control does not count.").
		on(`<input id=d type=checkbox><input id=c type=checkbox style="`+at+`left: 10px; top: 10px; width: 20px; height: 20px; margin: 0"><label id=l for=d style="`+at+`left: 0; top: 0; width: 60px; height: 40px">x</label>`).
		opens(func(t *trial) { t.equal("Reached", t.location("#c").Reached, false) }),
	rule("obstacle/disabled",
		"Disabled tells a control that is disabled by its own attribute or by a fieldset's; the first legend of the fieldset is excepted, and aria-disabled does not count: AriaDisabled tells that.").at("Location.Disabled").
		on(`<button id=a disabled>x</button><fieldset disabled><legend><input id=l></legend><input id=f><div><select id=s><option id=o>x</select></div></fieldset><button id=r aria-disabled=true>x</button><p id=p disabled>x</p><button id=n>x</button>`).
		opens(func(t *trial) {
			for id, want := range map[string]bool{"a": true, "l": false, "f": true, "s": true, "r": false, "p": false, "n": false} {
				t.equal("Disabled of "+id, t.location("#"+id).Disabled, want)
				t.equal("State.Disabled of "+id, t.state("#"+id).Disabled, want)
				t.equal("AriaDisabled of "+id, t.location("#"+id).AriaDisabled, id == "r")
			}
		}),
	rule("obstacle/inert", "Inert tells what is inert by an attribute of its own or of an ancestor, or takes no pointer.").at("Location.Inert").
		on(`<button id=a inert>x</button><div inert><button id=b>x</button></div><button id=c style="pointer-events: none">x</button><div style="pointer-events: none"><button id=d>x</button><button id=e style="pointer-events: auto">x</button></div><button id=n>x</button>`).
		opens(func(t *trial) {
			for id, want := range map[string]bool{"a": true, "b": true, "c": true, "d": true, "e": false, "n": false} {
				t.equal("Inert of "+id, t.location("#"+id).Inert, want)
			}
		}),
	rule("obstacle/modal", "What is behind a modal dialog is inert; what is in the dialog is not.").at("Location.Inert").
		on(`<button id=b>ask</button><dialog id=d><button id=in>ok</button></dialog>`).
		doing(on("click", "#b", Action{Kind: ShowModal, Target: "#d"})).
		opens(func(t *trial) {
			t.equal("Inert before", t.location("#b").Inert, false)
			t.click("#b")
			t.equal("Inert behind", t.location("#b").Inert, true)
			t.equal("Reached behind", t.location("#b").Reached, false)
			l := t.location("#in")
			t.equal("Inert, Reached in the dialog", []bool{l.Inert, l.Reached}, []bool{false, true})
		}),
	rule("obstacle/readonly", "ReadOnly tells a control that takes no input, among those that can be read-only.").at("Location.ReadOnly").
		on(`<input id=a readonly><textarea id=b readonly></textarea><input id=d type=date readonly><input id=n><input id=r type=range readonly><p id=p>x</p>`).
		opens(func(t *trial) {
			for id, want := range map[string]bool{"a": true, "b": true, "d": true, "n": false, "r": false, "p": false} {
				t.equal("ReadOnly of "+id, t.location("#"+id).ReadOnly, want)
				t.equal("State.ReadOnly of "+id, t.state("#"+id).ReadOnly, want)
			}
		}),
	rule("obstacle/input", "Input does what a hand would: a click at a covered place reaches what is on top.").at("Actor.Input").
		on(`<button id=b style="`+at+`left: 0; top: 0; width: 100px; height: 40px">b</button><div id=over style="position: fixed; inset: 0"></div><p id=log></p>`).
		doing(
			on("click", "#b", Action{Kind: SetText, Target: "#log", Text: "button"}),
			on("click", "#over", Action{Kind: SetText, Target: "#log", Text: "cover"}),
		).
		opens(func(t *trial) {
			t.clickAt(driver.Point{X: 50, Y: 20})
			t.equal("log", t.text("#log"), "cover")
		}),
	rule("obstacle/disabled-click", "A click on a disabled button does nothing.").at("Actor.Input").
		with(pages{"/": `<form action=/sent><button id=b disabled>b</button></form><p id=log></p>`, "/sent": "<p>sent"}).
		doing(on("click", "#b", Action{Kind: SetText, Target: "#log", Text: "clicked"})).
		opens(func(t *trial) {
			l := t.location("#b")
			t.equal("Reached", l.Reached, true)
			t.clickAt(l.At)
			t.equal("log", t.text("#log"), "")
			t.unasked("/sent")
		}),
)
