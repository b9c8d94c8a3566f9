package drivertest

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// at is the style of a box at a place.
const at = "position: absolute; "

var locateCases = rows(Case{Doc: "Location.InView"},
	rule("locate/box", "Box is the border box in the viewport, At its middle, and what is there is hit.").at("Location").
		on(`<div id=d style="`+at+`left: 40px; top: 50px; width: 100px; height: 20px; padding: 5px; border: 2px solid">x</div>`).
		opens(func(t *trial) {
			l := t.location("#d")
			t.equal("Box", l.Box, driver.Rect{X: 40, Y: 50, Width: 114, Height: 34})
			t.equal("At", [2]float64{l.At.X, l.At.Y}, [2]float64{97, 67})
			t.equal("Visible, InView, Reached", []bool{l.Visible, l.InView, l.Reached}, []bool{true, true, true})
			t.equal("Hit", l.Hit, t.find("#d"))
			t.equal("Disabled, Inert, ReadOnly, Moving", []bool{l.Disabled, l.Inert, l.ReadOnly, l.Moving}, []bool{false, false, false, false})
		}),
	rule("locate/offset", "Locate of a place in an element tells of that place, whatever lies there, and brings it into view.").at("LocateOptions.Offset").
		on(`<div id=a style="`+at+`left: 10px; top: 20px; width: 100px; height: 3000px"><button id=b style="`+at+`left: 0; top: 0; width: 50px; height: 50px; margin: 0">b</button></div>`+
			`<div id=cover style="`+at+`left: 60px; top: 20px; width: 50px; height: 50px">c</div>`).
		opens(func(t *trial) {
			a := t.find("#a")
			look := func(x, y float64, scroll bool) *driver.Location {
				return t.locate(a, &driver.LocateOptions{Scroll: scroll, Offset: &driver.Offset{X: x, Y: y}})
			}
			l := look(30, 200, false)
			t.equal("At", l.At, driver.Point{X: 40, Y: 220})
			t.equal("Hit", l.Hit, a)
			t.must(l.Reached && l.InView, "the place in the element is not reached")
			l = look(70, 30, false)
			t.equal("Hit of what is covered", l.Hit, t.find("#cover"))
			t.must(!l.Reached && l.InView, "a covered place is reached")
			t.must(!look(30, 2500, false).InView, "a place far below is in view")
			l = look(30, 2500, true)
			t.must(l.Reached && l.InView, "a place far below was not brought into view")
			t.equal("At below", l.At, driver.Point{X: l.Box.X + 30, Y: l.Box.Y + 2500})
		}),
	rule("locate/invisible", "Visible is false for what has no box, no area, or is not visible; that is no error.").at("Location.Visible").
		on(`<p id=n style="display: none">x</p><div style="display: none"><p id=c>x</p></div><p id=v style="visibility: hidden">x</p><div id=z style="width: 0; height: 0"></div><p id=h hidden>x</p><div style="visibility: hidden"><p id=s style="visibility: visible">x</p></div>`).
		opens(func(t *trial) {
			for id, want := range map[string]bool{"n": false, "c": false, "v": false, "z": false, "h": false, "s": true} {
				t.equal("Visible of "+id, t.location("#"+id).Visible, want)
			}
		}),
	rule("locate/out-of-view", "What is visible and scrolled away is not InView; its Box is where it is, outside of the viewport.").
		on(`<div style="height: 5000px"></div><p id=p style="`+at+`top: 3000px; left: 10px; width: 50px; height: 20px; margin: 0">x</p>`).
		opens(func(t *trial) {
			l := t.location("#p")
			t.equal("Visible, InView", []bool{l.Visible, l.InView}, []bool{true, false})
			t.equal("Box", l.Box, driver.Rect{X: 10, Y: 3000, Width: 50, Height: 20})
			t.equal("ScrollY", t.capture().Documents[0].ScrollY, 0.0)
			t.scrollTo("", driver.ScrollTarget{Y: 2900})
			l = t.location("#p")
			t.equal("Box after scrolling", l.Box, driver.Rect{X: 10, Y: 100, Width: 50, Height: 20})
			t.equal("InView after scrolling", l.InView, true)
		}),
	rule("locate/scroll", "With Scroll the element is brought into view.").at("LocateOptions.Scroll").
		on(`<div style="height: 5000px; width: 5000px"></div><p id=p style="`+at+`top: 3000px; left: 2500px; width: 50px; height: 20px; margin: 0">x</p>`).
		opens(func(t *trial) {
			l := t.locate(t.find("#p"), &driver.LocateOptions{Scroll: true})
			t.equal("InView, Reached", []bool{l.InView, l.Reached}, []bool{true, true})
			d := t.capture().Documents[0]
			t.must(d.ScrollX > 0 && d.ScrollY > 0, "the page is at %v, %v, want it scrolled both ways", d.ScrollX, d.ScrollY)
			t.equal("Box and scroll", []float64{l.Box.X + d.ScrollX, l.Box.Y + d.ScrollY}, []float64{2500, 3000})
		}),
	rule("locate/scroll-least", "What is in view is not scrolled.").at("LocateOptions.Scroll").
		on(`<div style="height: 5000px"></div><p id=p style="`+at+`top: 3000px; left: 10px; width: 50px; height: 20px; margin: 0">x</p>`).
		opens(func(t *trial) {
			t.scrollTo("", driver.ScrollTarget{Y: 2950})
			t.equal("Box.Y", t.locate(t.find("#p"), &driver.LocateOptions{Scroll: true}).Box.Y, 50.0)
			t.equal("ScrollY", t.capture().Documents[0].ScrollY, 2950.0)
		}),
	rule("locate/container", "InView takes scroll containers into account, and Scroll scrolls them.").at("LocateOptions.Scroll").
		on(`<div id=c style="height: 100px; width: 200px; overflow: auto"><div style="height: 800px"></div><button id=b>b</button></div>`).
		opens(func(t *trial) {
			t.equal("InView", t.location("#b").InView, false)
			l := t.locate(t.find("#b"), &driver.LocateOptions{Scroll: true})
			t.equal("InView, Reached with Scroll", []bool{l.InView, l.Reached}, []bool{true, true})
			t.must(t.state("#c").Scroll.Y > 0, "the container is not scrolled")
			t.equal("ScrollY of the page", t.capture().Documents[0].ScrollY, 0.0)
		}),
	rule("locate/clipped", "At is the middle of what can be seen, where a container clips the element.").at("Location.At").
		on(`<div style="`+at+`left: 0; top: 0; width: 100px; height: 100px; overflow: hidden"><button id=b style="`+at+`left: 50px; top: 20px; width: 400px; height: 40px">b</button></div>`).
		opens(func(t *trial) {
			l := t.location("#b")
			t.equal("Box", l.Box, driver.Rect{X: 50, Y: 20, Width: 400, Height: 40})
			t.equal("At", [2]float64{l.At.X, l.At.Y}, [2]float64{75, 40})
			t.equal("Reached", l.Reached, true)
		}),
	rule("locate/clipped-away", "What a container that cannot be scrolled to it hides is not InView.").
		on(`<div style="`+at+`left: 0; top: 0; width: 100px; height: 100px; overflow: clip"><button id=b style="`+at+`left: 300px; top: 20px; width: 40px; height: 40px">b</button></div>`).
		opens(func(t *trial) { t.equal("InView", t.location("#b").InView, false) }),
	rule("locate/clip-margin", "What shows in the margin that overflow-clip-margin leaves is InView, and no more of it.").
		on(`<div style="`+at+`left: 0; top: 0; width: 100px; height: 100px; overflow: clip; overflow-clip-margin: 60px"><button id=b style="`+at+`left: 120px; top: 20px; width: 80px; height: 40px">b</button></div>`).
		opens(func(t *trial) {
			l := t.location("#b")
			t.equal("InView, Reached", []bool{l.InView, l.Reached}, []bool{true, true})
			t.equal("At", [2]float64{l.At.X, l.At.Y}, [2]float64{140, 40})
		}),
	rule("locate/top-layer", "What is in the top layer is neither clipped nor placed by what is around it in the document.").
		on(`<button id=s popovertarget=p style="`+at+`left: 0; top: 0">show</button><button id=m style="`+at+`left: 100px; top: 0">modal</button>`+
			`<div style="`+at+`left: 10px; top: 30px; width: 50px; height: 50px; overflow: auto">`+
			`<div id=p popover style="position: absolute; inset: auto; left: 200px; top: 300px; margin: 0; border: 0; padding: 0"><button id=b style="width: 80px; height: 40px">b</button></div>`+
			`<dialog id=d style="position: absolute; inset: auto; left: 400px; top: 300px; margin: 0; border: 0; padding: 0"><button id=c style="width: 80px; height: 40px">c</button></dialog></div>`).
		doing(on("click", "#m", Action{Kind: ShowModal, Target: "#d"})).
		checks(func(t *trial) {
			for show, in := range map[string]struct {
				button string
				x      float64
			}{"#m": {"#c", 440}, "#s": {"#b", 240}} {
				t.open("/")
				t.click(show)
				l := t.locate(t.find(in.button), &driver.LocateOptions{Scroll: true})
				t.equal("Visible, InView, Reached of "+in.button, []bool{l.Visible, l.InView, l.Reached}, []bool{true, true, true})
				t.equal("At of "+in.button, [2]float64{l.At.X, l.At.Y}, [2]float64{in.x, 320})
			}
		}),
	rule("locate/interactivity", "Inert tells what interactivity: inert takes away from a person.").at("Location.Inert").
		on(`<div style="interactivity: inert"><button id=b>b</button></div><button id=c>c</button>`).
		opens(func(t *trial) {
			t.equal("Inert", []bool{t.location("#b").Inert, t.location("#c").Inert}, []bool{true, false})
		}),
	rule("locate/viewport-edge", "At is within the viewport where the element reaches over its edge.").at("Location.At").
		on(`<button id=b style="`+at+`left: 1240px; top: 100px; width: 400px; height: 40px">b</button>`).
		opens(func(t *trial) {
			l := t.location("#b")
			t.must(l.At.X > 1240 && l.At.X < 1280, "At.X = %v, want it between 1240 and 1280", l.At.X)
			t.equal("InView, Reached", []bool{l.InView, l.Reached}, []bool{true, true})
		}),
	rule("locate/fixed", "What is fixed stays where it is in the viewport when the page is scrolled.").at("Location.Box").
		on(`<div style="height: 5000px"></div><button id=b style="position: fixed; left: 10px; top: 20px; width: 50px; height: 20px">b</button>`).
		opens(func(t *trial) {
			t.scrollTo("", driver.ScrollTarget{Y: 1000})
			l := t.locate(t.find("#b"), &driver.LocateOptions{Scroll: true})
			t.equal("Box", l.Box, driver.Rect{X: 10, Y: 20, Width: 50, Height: 20})
			t.equal("InView, Reached", []bool{l.InView, l.Reached}, []bool{true, true})
			t.equal("ScrollY", t.capture().Documents[0].ScrollY, 1000.0)
		}),
	rule("locate/lines", "Box is the union of the boxes of an element that is broken over lines; At lies in one of them.").at("Location.Box").
		on(`<div style="width: 600px"><span style="display: inline-block; width: 500px; height: 10px"></span><a id=a href=/x>one<br>two</a></div>`).
		opens(func(t *trial) {
			l := t.location("#a")
			t.must(l.Box.X == 0 && l.Box.Width > 500, "Box = %+v, want both lines within it", l.Box)
			t.equal("Reached", l.Reached, true)
			t.equal("Hit", l.Hit, t.find("#a"))
		}),
	rule("locate/says", "Label is the aria-label, else the text, with single spaces and at most MaxLabel code units of UTF-16.").at("Location.Label").
		on(`<button id=a> Buy  <b>now</b>
		</button><button id=b aria-label="Buy Tea">Buy</button><p id=c>`+strings.Repeat("😀", 300)+`</p><button id=d></button>`).
		opens(func(t *trial) {
			t.equal("Label of a text", t.location("#a").Label, "Buy now")
			t.equal("Label of a label", t.location("#b").Label, "Buy Tea")
			t.equal("Label of a long text", t.location("#c").Label, strings.Repeat("\U0001F600", driver.MaxLabel/2))
			t.equal("Label of nothing", t.location("#d").Label, "")
		}),
	rule("locate/moving", "Moving tells an element that an animation of itself or of an ancestor moves.").at("Location.Moving").
		on(`<style>@keyframes m { from { transform: none } to { transform: translateX(300px) } } @keyframes c { from { color: red } to { color: blue } }
#a { animation: m 100s linear infinite } #c { animation: c 100s linear infinite }</style><div id=a><button id=b>b</button></div><button id=c>c</button><button id=s>s</button>`).
		opens(func(t *trial) {
			t.equal("Moving of what is below it", t.location("#b").Moving, true)
			t.equal("Moving where only a color changes", t.location("#c").Moving, false)
			t.equal("Moving of what stands still", t.location("#s").Moving, false)
		}),
)

var hitTestCases = rows(Case{Doc: "Finder.HitTest", pages: pages{"/": framed, "/in": inner}},
	rule("hittest/deepest", "HitTest returns the deepest element at a point.").
		on(`<div id=a style="`+at+`left: 0; top: 0; width: 200px; height: 200px"><div id=b style="`+at+`left: 50px; top: 50px; width: 100px; height: 100px"><span id=c style="`+at+`left: 10px; top: 10px; width: 20px; height: 20px"></span></div></div>`).
		opens(func(t *trial) {
			t.equal("at 10, 10", t.hit(10, 10), "a")
			t.equal("at 100, 100", t.hit(100, 100), "b")
			t.equal("at 70, 70", t.hit(70, 70), "c")
		}),
	rule("hittest/outside", "Where there is no element, outside of the viewport, HitTest returns the zero NodeRef and no error.").
		on(`<p>x`).
		opens(func(t *trial) {
			t.equal("left of the viewport", t.hit(-5, 10), "")
			t.equal("below the viewport", t.hit(10, 5000), "")
		}),
	rule("hittest/order", "Of elements at one place the later is hit, or the one with the higher z-index.").
		on(`<style>div { position: absolute; left: 0; top: 0; width: 100px; height: 100px } #c, #d { left: 200px }</style><div id=a></div><div id=b></div><div id=c style="z-index: 2"></div><div id=d style="z-index: 1"></div>`).
		opens(func(t *trial) {
			t.equal("of two alike", t.hit(50, 50), "b")
			t.equal("of two with z-index", t.hit(250, 50), "c")
		}),
	rule("hittest/through", "What takes no pointer, is not visible or is inert is not hit; what is behind it is.").
		on(`<style>div { position: absolute; left: 0; top: 0; width: 100px; height: 100px }</style><div id=a></div><div id=b style="visibility: hidden"></div><div id=c style="pointer-events: none"></div><div id=d inert></div><div id=e style="display: none"></div>`).
		opens(func(t *trial) { t.equal("at 50, 50", t.hit(50, 50), "a") }),
	rule("hittest/frame", "HitTest goes into frames of the same process.").opens(func(t *trial) {
		t.equal("the element", t.hitTest(driver.Point{X: 40, Y: 75}), t.find("#f", "#b"))
	}),
	rule("hittest/frame-cross", "HitTest goes into frames of other processes.").opens(func(t *trial) {
		t.equal("the element", t.hitTest(driver.Point{X: 40, Y: 305}), t.find("#g", "#b"))
	}),
	rule("hittest/point", "The frame of a point says in whose viewport it is measured.").at("Point").opens(func(t *trial) {
		for i, selector := range []string{"#f", "#g"} {
			t.equal("the element in "+selector, t.hitTest(driver.Point{Frame: t.frames(t.page)[i+1].ID, X: 20, Y: 45}), t.find(selector, "#b"))
		}
	}),
	rule("hittest/located", "The point that Locate gives hits what Locate says that it hits.").at("Location.At").
		with(pages{"/": framed + `<button id=own>x</button>`, "/in": inner}).
		opens(func(t *trial) {
			for _, way := range [][]string{{"#own"}, {"#f", "#b"}, {"#g", "#b"}, {"#g", "#i"}} {
				l := t.location(way...)
				t.equal("the element", t.hitTest(l.At), l.Hit)
				t.equal("Hit", l.Hit, t.find(way...))
			}
		}),
	rule("hittest/scrolled", "Points are in the viewport: what is hit there changes when the page is scrolled.").at("Point").
		on(`<style>div { position: absolute; left: 0; width: 100px; height: 1000px }</style><div id=a style="top: 0"></div><div id=b style="top: 1000px"></div>`).
		opens(func(t *trial) {
			t.equal("before", t.hit(50, 100), "a")
			t.scrollTo("", driver.ScrollTarget{Y: 950})
			t.equal("after", t.hit(50, 100), "b")
		}),
	rule("hittest/container", "What a scroll container hides is not hit.").
		on(`<div id=c style="`+at+`left: 0; top: 0; width: 100px; height: 100px; overflow: hidden"><div id=in style="height: 400px; width: 400px"></div></div><div id=beside style="`+at+`left: 100px; top: 0; width: 100px; height: 100px; z-index: -1"></div>`).
		opens(func(t *trial) {
			t.equal("within", t.hit(50, 50), "in")
			t.equal("beside", t.hit(150, 50), "beside")
		}),
	rule("hittest/disabled", "A disabled control is hit like any other.").
		on(`<button id=b disabled style="`+at+`left: 0; top: 0; width: 100px; height: 40px">x</button>`).
		opens(func(t *trial) { t.equal("at 50, 20", t.hit(50, 20), "b") }),
	rule("hittest/gone-frame", "A point of a frame that is not there is an error that wraps ErrDetached.").at("ErrDetached").
		on(`<p>x`).
		opens(func(t *trial) {
			t.failsAsOp("hittest", errOf(t.page.HitTest(t.ctx, driver.Point{Frame: "nosuch", X: 5, Y: 5})), driver.ErrDetached)
			t.fails("Input", t.page.Input(t.ctx, driver.MouseMove{At: driver.Point{Frame: "nosuch"}}), driver.ErrDetached)
		}),
)
