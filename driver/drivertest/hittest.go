package drivertest

import "github.com/wayfinder-engine/wayfinder/driver"

var hitTestCases = []Case{{
	Name:  "hittest/deepest",
	Rule:  "HitTest returns the deepest element at a point.",
	Doc:   "Finder.HitTest",
	pages: pages{"/": `<div id=a style="` + at + `left: 0; top: 0; width: 200px; height: 200px"><div id=b style="` + at + `left: 50px; top: 50px; width: 100px; height: 100px"><span id=c style="` + at + `left: 10px; top: 10px; width: 20px; height: 20px"></span></div></div>`},
	check: func(t *trial) {
		t.open("/")
		t.equal("at 10, 10", t.hit(10, 10), "a")
		t.equal("at 100, 100", t.hit(100, 100), "b")
		t.equal("at 70, 70", t.hit(70, 70), "c")
	},
}, {
	Name:  "hittest/outside",
	Rule:  "Where there is no element, outside of the viewport, HitTest returns the zero NodeRef and no error.",
	Doc:   "Finder.HitTest",
	pages: pages{"/": `<p>x`},
	check: func(t *trial) {
		t.open("/")
		t.equal("left of the viewport", t.hit(-5, 10), "")
		t.equal("below the viewport", t.hit(10, 5000), "")
	},
}, {
	Name:  "hittest/order",
	Rule:  "Of elements at one place the later is hit, or the one with the higher z-index.",
	Doc:   "Finder.HitTest",
	pages: pages{"/": `<style>div { position: absolute; left: 0; top: 0; width: 100px; height: 100px } #c, #d { left: 200px }</style><div id=a></div><div id=b></div><div id=c style="z-index: 2"></div><div id=d style="z-index: 1"></div>`},
	check: func(t *trial) {
		t.open("/")
		t.equal("of two alike", t.hit(50, 50), "b")
		t.equal("of two with z-index", t.hit(250, 50), "c")
	},
}, {
	Name:  "hittest/through",
	Rule:  "What takes no pointer, is not visible or is inert is not hit; what is behind it is.",
	Doc:   "Finder.HitTest",
	pages: pages{"/": `<style>div { position: absolute; left: 0; top: 0; width: 100px; height: 100px }</style><div id=a></div><div id=b style="visibility: hidden"></div><div id=c style="pointer-events: none"></div><div id=d inert></div><div id=e style="display: none"></div>`},
	check: func(t *trial) {
		t.open("/")
		t.equal("at 50, 50", t.hit(50, 50), "a")
	},
}, {
	Name:  "hittest/frame",
	Rule:  "HitTest goes into frames of the same process.",
	Doc:   "Finder.HitTest",
	pages: pages{"/": framed, "/in": inner},
	check: func(t *trial) {
		t.open("/")
		ref, err := t.page.HitTest(t.ctx, driver.Point{X: 40, Y: 75})
		t.ok("HitTest", err)
		t.equal("the element", ref, t.find("#f", "#b"))
	},
}, {
	Name:  "hittest/frame-cross",
	Rule:  "HitTest goes into frames of other processes.",
	Doc:   "Finder.HitTest",
	pages: pages{"/": framed, "/in": inner},
	check: func(t *trial) {
		t.open("/")
		ref, err := t.page.HitTest(t.ctx, driver.Point{X: 40, Y: 305})
		t.ok("HitTest", err)
		t.equal("the element", ref, t.find("#g", "#b"))
	},
}, {
	Name:  "hittest/point",
	Rule:  "The frame of a point says in whose viewport it is measured.",
	Doc:   "Point",
	pages: pages{"/": framed, "/in": inner},
	check: func(t *trial) {
		t.open("/")
		for i, selector := range []string{"#f", "#g"} {
			ref, err := t.page.HitTest(t.ctx, driver.Point{Frame: t.frames(t.page)[i+1].ID, X: 20, Y: 45})
			t.ok("HitTest", err)
			t.equal("the element in "+selector, ref, t.find(selector, "#b"))
		}
	},
}, {
	Name:  "hittest/located",
	Rule:  "The point that Locate gives hits what Locate says that it hits.",
	Doc:   "Location.At",
	pages: pages{"/": framed + `<button id=own>x</button>`, "/in": inner},
	check: func(t *trial) {
		t.open("/")
		for _, way := range [][]string{{"#own"}, {"#f", "#b"}, {"#g", "#b"}, {"#g", "#i"}} {
			l := t.location(way...)
			ref, err := t.page.HitTest(t.ctx, l.At)
			t.ok("HitTest", err)
			t.equal("the element", ref, l.Hit)
			t.equal("Hit", l.Hit, t.find(way...))
		}
	},
}, {
	Name:  "hittest/scrolled",
	Rule:  "Points are in the viewport: what is hit there changes when the page is scrolled.",
	Doc:   "Point",
	pages: pages{"/": `<style>div { position: absolute; left: 0; width: 100px; height: 1000px }</style><div id=a style="top: 0"></div><div id=b style="top: 1000px"></div>`},
	check: func(t *trial) {
		t.open("/")
		t.equal("before", t.hit(50, 100), "a")
		t.scrollTo("", driver.ScrollTarget{Y: 950})
		t.equal("after", t.hit(50, 100), "b")
	},
}, {
	Name:  "hittest/container",
	Rule:  "What a scroll container hides is not hit.",
	Doc:   "Finder.HitTest",
	pages: pages{"/": `<div id=c style="` + at + `left: 0; top: 0; width: 100px; height: 100px; overflow: hidden"><div id=in style="height: 400px; width: 400px"></div></div><div id=beside style="` + at + `left: 100px; top: 0; width: 100px; height: 100px; z-index: -1"></div>`},
	check: func(t *trial) {
		t.open("/")
		t.equal("within", t.hit(50, 50), "in")
		t.equal("beside", t.hit(150, 50), "beside")
	},
}, {
	Name:  "hittest/disabled",
	Rule:  "A disabled control is hit like any other.",
	Doc:   "Finder.HitTest",
	pages: pages{"/": `<button id=b disabled style="` + at + `left: 0; top: 0; width: 100px; height: 40px">x</button>`},
	check: func(t *trial) {
		t.open("/")
		t.equal("at 50, 20", t.hit(50, 20), "b")
	},
}, {
	Name:  "hittest/gone-frame",
	Rule:  "A point of a frame that is not there is an error that wraps ErrDetached.",
	Doc:   "ErrDetached",
	pages: pages{"/": `<p>x`},
	check: func(t *trial) {
		t.open("/")
		_, err := t.page.HitTest(t.ctx, driver.Point{Frame: "nosuch", X: 5, Y: 5})
		t.failsAsOp("hittest", err, driver.ErrDetached)
		t.fails("Input", t.page.Input(t.ctx, driver.MouseMove{At: driver.Point{Frame: "nosuch"}}), driver.ErrDetached)
	},
}}
