package drivertest

import "github.com/wayfinder-engine/wayfinder/driver"

// tall is a page of 3,000 by 4,000 pixels, with a container of 200 by 100
// pixels whose content is 500 by 900. There are no scroll bars, whose width
// is the platform's.
const tall = `<style>html, #d { scrollbar-width: none }</style><div id=d style="width: 200px; height: 100px; overflow: auto"><div style="width: 500px; height: 900px">x</div></div>
<p id=p>x</p><div style="` + at + `left: 0; top: 0; width: 3000px; height: 4000px; z-index: -1"></div>`

var scrollCases = []Case{{
	Name:  "scroll/page",
	Rule:  "ScrollTo with a document node scrolls the page and returns where it is then, how far it goes, and how much is shown.",
	Doc:   "Actor.ScrollTo",
	pages: pages{"/": tall},
	check: func(t *trial) {
		t.open("/")
		t.equal("ScrollTo", t.scrollTo("", driver.ScrollTarget{X: 100, Y: 200}),
			driver.ScrollState{X: 100, Y: 200, MaxX: 3000 - 1280, MaxY: 4000 - 720, View: driver.Size{Width: 1280, Height: 720}})
		d := t.capture().Documents[0]
		t.equal("captured", []float64{d.ScrollX, d.ScrollY}, []float64{100, 200})
	},
}, {
	Name:  "scroll/document-zero",
	Rule:  "A reference with the node 0 is the document: the page scrolls.",
	Doc:   "NodeRef",
	pages: pages{"/": tall},
	check: func(t *trial) {
		t.open("/")
		s, err := t.page.ScrollTo(t.ctx, driver.NodeRef{Frame: t.main().ID, Doc: t.doc()}, driver.ScrollTarget{Y: 70})
		t.ok("ScrollTo", err)
		t.equal("Y", s.Y, 70.0)
	},
}, {
	Name:  "scroll/element",
	Rule:  "ScrollTo with an element scrolls its content and not the page.",
	Doc:   "Actor.ScrollTo",
	pages: pages{"/": tall},
	check: func(t *trial) {
		t.open("/")
		want := driver.ScrollState{X: 10, Y: 20, MaxX: 300, MaxY: 800, View: driver.Size{Width: 200, Height: 100}}
		t.equal("ScrollTo", t.scrollTo("#d", driver.ScrollTarget{X: 10, Y: 20}), want)
		t.equal("State.Scroll", t.state("#d").Scroll, want)
		t.equal("ScrollY of the page", t.capture().Documents[0].ScrollY, 0.0)
	},
}, {
	Name:  "scroll/clamped",
	Rule:  "The content is scrolled as far as it goes, at both ends.",
	Doc:   "Actor.ScrollTo",
	pages: pages{"/": tall},
	check: func(t *trial) {
		t.open("/")
		s := t.scrollTo("#d", driver.ScrollTarget{X: 9999, Y: 9999})
		t.equal("at the end", []float64{s.X, s.Y}, []float64{300, 800})
		s = t.scrollTo("#d", driver.ScrollTarget{X: -50, Y: -50})
		t.equal("at the start", []float64{s.X, s.Y}, []float64{0, 0})
		s = t.scrollTo("", driver.ScrollTarget{Y: 1e6})
		t.equal("at the page's end", s.Y, s.MaxY)
	},
}, {
	Name:  "scroll/by",
	Rule:  "With By the offsets are added to the present ones.",
	Doc:   "ScrollTarget.By",
	pages: pages{"/": tall},
	check: func(t *trial) {
		t.open("/")
		for _, selector := range []string{"", "#d"} {
			t.scrollTo(selector, driver.ScrollTarget{X: 10, Y: 100})
			s := t.scrollTo(selector, driver.ScrollTarget{X: 5, Y: -30, By: true})
			t.equal("position of "+selector, []float64{s.X, s.Y}, []float64{15, 70})
		}
	},
}, {
	Name:  "scroll/percent",
	Rule:  "Percent stands in place of Y: 0 is the top, 100 the end; what is beyond is clamped.",
	Doc:   "ScrollTarget.Percent",
	pages: pages{"/": tall},
	check: func(t *trial) {
		t.open("/")
		for percent, want := range map[float64]float64{0: 0, 25: 200, 50: 400, 100: 800, 150: 800, -1: 0} {
			t.equal("Y", t.scrollTo("#d", driver.ScrollTarget{Percent: &percent}).Y, want)
		}
		half := 50.0
		t.equal("Y of the page", t.scrollTo("", driver.ScrollTarget{Percent: &half}).Y, 1640.0)
	},
}, {
	Name:  "scroll/nothing",
	Rule:  "What has nothing to scroll stays where it is; that is no error.",
	Doc:   "Actor.ScrollTo",
	pages: pages{"/": tall},
	check: func(t *trial) {
		t.open("/")
		s := t.scrollTo("#p", driver.ScrollTarget{Y: 50})
		t.equal("position and ends", []float64{s.X, s.Y, s.MaxX, s.MaxY}, []float64{0, 0, 0, 0})
		t.equal("ScrollY of the page", t.capture().Documents[0].ScrollY, 0.0)
	},
}, {
	Name:  "scroll/at-once",
	Rule:  "Scrolling is at once and without animation, though the page asks for one.",
	Doc:   "Actor.ScrollTo",
	pages: pages{"/": `<style>* { scroll-behavior: smooth }</style>` + tall},
	check: func(t *trial) {
		t.open("/")
		t.equal("Y of the page", t.scrollTo("", driver.ScrollTarget{Y: 1500}).Y, 1500.0)
		t.equal("captured", t.capture().Documents[0].ScrollY, 1500.0)
		t.equal("Y of the container", t.scrollTo("#d", driver.ScrollTarget{Y: 300}).Y, 300.0)
	},
}, {
	Name:  "scroll/hidden",
	Rule:  "What hides its overflow can be scrolled by ScrollTo.",
	Doc:   "Actor.ScrollTo",
	pages: pages{"/": `<div id=d style="width: 100px; height: 100px; overflow: hidden"><div style="height: 500px">x</div></div>`},
	check: func(t *trial) {
		t.open("/")
		t.equal("Y", t.scrollTo("#d", driver.ScrollTarget{Y: 250}).Y, 250.0)
	},
}, {
	Name:  "scroll/fragment",
	Rule:  "A navigation to a fragment scrolls to the element that it names.",
	Doc:   "Navigator.Navigate",
	pages: pages{"/": tall + `<p id=far style="` + at + `top: 2000px; margin: 0">x</p>`},
	check: func(t *trial) {
		t.open("/#far")
		t.later("the page's scroll position", func() bool { return t.capture().Documents[0].ScrollY == 2000 })
	},
}, {
	Name:  "scroll/events",
	Rule:  "The page sees scroll.",
	Doc:   "Actor.ScrollTo",
	pages: pages{"/": tall + `<p id=log></p>`},
	does:  []Behavior{on("scroll", "#d", Action{Kind: SetText, Target: "#log", Text: "scrolled"})},
	check: func(t *trial) {
		t.open("/")
		t.scrollTo("#d", driver.ScrollTarget{Y: 100})
		t.later("the log", func() bool { return t.text("#log") == "scrolled" })
	},
}}
