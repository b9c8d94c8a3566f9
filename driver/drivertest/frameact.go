package drivertest

import (
	"github.com/wayfinder-engine/wayfinder/driver"
)

// framed is a page with a frame of its own site (#f) and one of another (#g),
// each 300 by 200, at (20, 30) and (20, 260), without borders.
const framed = `<style>iframe { position: absolute; left: 20px; width: 300px; height: 200px; border: 0 }</style>` +
	`<iframe id=f name=f style="top: 30px" src=/in></iframe>` +
	`<iframe id=g name=g style="top: 260px" src="{{other}}/in"></iframe>`

// inner is a frame's content: a button at (10, 40), 100 by 20, that logs.
const inner = `<button id=b style="position: absolute; left: 10px; top: 40px; width: 100px; height: 20px">b</button>` +
	`<input id=i style="position: absolute; left: 10px; top: 80px; width: 100px; height: 20px">` +
	`<p id=log></p>`

var innerDoes = []Behavior{
	onPage("/in", "click", "#b", Action{Kind: SetText, Target: "#log", Text: "clicked"}),
}

var frameActCases = rows(Case{pages: pages{"/": framed, "/in": inner}, Doc: "Finder.Find"},
	rule("frames/find-owner", "If the root of Find is the owner element of a frame, the search is in that frame's document.").opens(func(t *trial) {
		for i, selector := range []string{"#f", "#g"} {
			ref := t.find(selector, "#b")
			t.equal("Frame of what is found in "+selector, ref.Frame, t.frames(t.page)[i+1].ID)
			t.equal("Doc", ref.Doc, t.frames(t.page)[i+1].Doc)
		}
	}),
	rule("frames/find-document", "If the root of Find is a document node, the search is in that document.").opens(func(t *trial) {
		v := t.capture()
		for _, selector := range []string{"#f", "#g"} {
			t.equal("the element in "+selector, t.in(v.document(selector).Root(), "#b"), t.find(selector, "#b"))
		}
	}),
	rule("frames/find-outside", "A search in a document does not go into its frames.").
		opens(func(t *trial) { t.equal("buttons in the main document", len(t.findAll(driver.NodeRef{}, "button")), 0) }),
	rule("frames/click", "The point of Locate, passed on to Input, hits the element within a frame of the same process.").at("Point").
		doing(innerDoes...).
		opens(func(t *trial) {
			t.click("#f", "#b")
			t.equal("log", t.text("#f", "#log"), "clicked")
			t.equal("log of the other frame", t.text("#g", "#log"), "")
		}),
	rule("frames/click-cross", "The point of Locate, passed on to Input, hits the element within a frame of another process.").at("Point").
		doing(innerDoes...).
		opens(func(t *trial) {
			t.click("#g", "#b")
			t.equal("log", t.text("#g", "#log"), "clicked")
			t.equal("log of the other frame", t.text("#f", "#log"), "")
		}),
	rule("frames/locate", "Box is in the main frame's viewport, also for an element in a frame.").at("Location.Box").opens(func(t *trial) {
		t.equal("Box in #f", t.location("#f", "#b").Box, driver.Rect{X: 30, Y: 70, Width: 100, Height: 20})
	}),
	rule("frames/locate-cross", "Box is in the main frame's viewport, also for an element in a frame of another process.").at("Location.Box").opens(func(t *trial) {
		t.equal("Box in #g", t.location("#g", "#b").Box, driver.Rect{X: 30, Y: 300, Width: 100, Height: 20})
	}),
	rule("frames/scroll", "Locate with Scroll brings an element of a frame into view, in the frame and in the page.").at("LocateOptions.Scroll").
		with(pages{
			"/":   `<div style="height: 2000px"></div><iframe id=f src=/in style="width: 300px; height: 200px; border: 0"></iframe><div style="height: 2000px"></div>`,
			"/in": `<div style="height: 1500px"></div><button id=b>b</button><p id=log></p>`,
		}).
		doing(innerDoes...).
		opens(func(t *trial) {
			t.equal("InView before", t.location("#f", "#b").InView, false)
			t.click("#f", "#b")
			t.equal("log", t.text("#f", "#log"), "clicked")
			v := t.capture()
			t.must(v.Documents[0].ScrollY > 0, "the page is not scrolled")
			t.must(v.document("#f").ScrollY > 0, "the frame is not scrolled")
		}),
	rule("frames/scroll-cross", "Locate with Scroll brings an element of a frame of another process into view, in the frame and in the page.").at("LocateOptions.Scroll").
		with(pages{
			"/":   `<div style="height: 2000px"></div><iframe id=f src="{{other}}/in" style="width: 300px; height: 200px; border: 0"></iframe><div style="height: 2000px"></div>`,
			"/in": `<div style="height: 1500px"></div><button id=b>b</button><p id=log></p>`,
		}).
		doing(innerDoes...).
		opens(func(t *trial) {
			t.click("#f", "#b")
			t.equal("log", t.text("#f", "#log"), "clicked")
			t.must(t.capture().Documents[0].ScrollY > 0, "the page is not scrolled")
		}),
	rule("frames/covered", "An element of a frame is not reached where something of the page covers the frame.").at("Location.Reached").
		with(pages{"/": framed + `<div id=over style="position: fixed; inset: 0"></div>`, "/in": inner}).
		opens(func(t *trial) {
			over := t.find("#over")
			for _, selector := range []string{"#f", "#g"} {
				l := t.location(selector, "#b")
				t.equal("Reached in "+selector, l.Reached, false)
				t.equal("Hit in "+selector, l.Hit, over)
			}
		}),
	rule("frames/type", "Keys reach the focused frame, whatever process it is in.").at("Actor.Input").opens(func(t *trial) {
		for _, selector := range []string{"#g", "#f"} {
			t.click(selector, "#i")
			t.write("ab")
			t.input(driver.InsertText{Text: "c"})
			t.equal("value in "+selector, t.value(selector, "#i"), "abc")
		}
	}),
	rule("frames/focus", "Focus works within a frame of any process; the capture's Active is then the element there, and the frame's owner above.").at("Document.Active").opens(func(t *trial) {
		for _, selector := range []string{"#f", "#g"} {
			t.focus(selector, "#i")
			v := t.capture()
			d, main := v.document(selector), &v.Documents[0]
			t.equal("Active in "+selector, d.Active, byID(d, "i"))
			t.equal("Active above", main.Active, d.Owner)
		}
	}),
	rule("frames/target", "A link with a frame's name as its target navigates that frame alone.").at("Navigated").
		with(pages{"/": `<a id=a href=/two target=n>go</a><iframe id=f name=n src=/in></iframe>`, "/in": "<p>in", "/two": "<p id=p>two"}).
		opens(func(t *trial) {
			doc, frame := t.doc(), t.frames(t.page)[1]
			t.trigger("#a")
			e := wait(t, func(e driver.Navigated) bool { return e.Frame == frame.ID })
			t.must(e.Doc != frame.Doc, "the event has the former Doc")
			wait(t, func(e driver.Loaded) bool { return e.Frame == frame.ID })
			t.equal("Doc of the page", t.doc(), doc)
			t.equal("text", t.text("#f", "#p"), "two")
		}),
	rule("frames/top", "A link in a frame with the target _top navigates the page.").at("Navigated").
		with(pages{"/": `<iframe id=f src="{{other}}/in"></iframe>`, "/in": `<a id=a href="{{origin}}/two" target=_top>go</a>`, "/two": "<p id=p>two"}).
		opens(func(t *trial) {
			t.trigger("#f", "#a")
			t.settled("/two")
			t.equal("frames", len(t.page.Frames()), 1)
			t.equal("text", t.text("#p"), "two")
		}),
	rule("frames/stale", "When a frame has gone to another document, the nodes of its former one are stale; the page's own are not.").at("ErrStale").
		with(pages{"/": `<a id=a href="{{other}}/two" target=n>go</a><iframe id=f name=n src="{{other}}/in"></iframe>`, "/in": "<p id=p>in", "/two": "<p id=p>two"}).
		opens(func(t *trial) {
			own, inside, frame := t.find("#a"), t.find("#f", "#p"), t.frames(t.page)[1].ID
			t.trigger("#a")
			wait(t, func(e driver.Loaded) bool { return e.Frame == frame })
			t.fails("State of a node of the frame's former document", errOf(t.page.State(t.ctx, inside)), driver.ErrStale)
			t.ok("State of a node of the page", errOf(t.page.State(t.ctx, own)))
		}),
	rule("frames/state", "State, SelectText and ScrollTo work in frames of any process.").at("Actor").
		with(pages{"/": framed, "/in": `<input id=i value=old><div style="height: 900px"></div>`}).
		opens(func(t *trial) {
			for _, selector := range []string{"#f", "#g"} {
				t.equal("value", t.value(selector, "#i"), "old")
				t.ok("SelectText", t.page.SelectText(t.ctx, driver.Target{At: t.find(selector, "#i")}))
				t.input(driver.InsertText{Text: "new"})
				t.equal("value", t.value(selector, "#i"), "new")
				s, err := t.page.ScrollTo(t.ctx, t.capture().document(selector).Root(), driver.ScrollTarget{Y: 50})
				t.ok("ScrollTo", err)
				t.equal("Y", s.Y, 50.0)
			}
			t.equal("ScrollY of the page", t.capture().Documents[0].ScrollY, 0.0)
		}),
)
