package drivertest

import (
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// The page of the wait cases has a frame whose answer is held, because that
// holds the load event and not DOMContentLoaded.
const slowFrame = `<p id=p>one</p><iframe src=/slow></iframe>`

var waitCases = []Case{{
	Name:  "wait/load",
	Rule:  "Navigate waits for the load event unless told otherwise: Loaded of the main frame has been told when it returns.",
	Doc:   "NavigateOptions",
	pages: pages{"/": slowFrame},
	check: func(t *trial) {
		slow := t.hold("/slow", "", "<p>slow")
		t.events.mark()
		done := make(chan error, 1)
		go func() {
			_, err := t.page.Navigate(t.ctx, t.url("/"), nil)
			done <- err
		}()
		t.await("the frame's request", slow.arrived)
		t.must(!t.hasLoaded(), "Loaded was told while a frame was loading")
		select {
		case err := <-done:
			t.fatalf("Navigate returned while a frame was loading: %v", err)
		default:
		}
		slow.release()
		t.ok("Navigate", <-done)
		t.must(t.hasLoaded(), "Loaded was not told when Navigate returned; events:%s", t.events.list())
	},
}, {
	Name:  "wait/domcontentloaded",
	Rule:  "WaitDOMContentLoaded waits until the document is parsed and not for its frames.",
	Doc:   "WaitDOMContentLoaded",
	pages: pages{"/": slowFrame},
	check: func(t *trial) {
		slow := t.hold("/slow", "", "<p>slow")
		t.events.mark()
		r, err := t.page.Navigate(t.ctx, t.url("/"), &driver.NavigateOptions{WaitUntil: driver.WaitDOMContentLoaded})
		t.ok("Navigate", err)
		t.must(r != nil && r.Status == 200, "the response is %+v, want a 200", r)
		t.must(slices.ContainsFunc(told[driver.DOMContentLoaded](t), func(e driver.DOMContentLoaded) bool {
			return e.Frame == t.main().ID
		}), "DOMContentLoaded was not told when Navigate returned")
		t.must(!t.hasLoaded(), "Loaded was told while a frame was loading")
		t.equal("text", t.text("#p"), "one")
		slow.release()
		wait(t, func(e driver.Loaded) bool { return e.Frame == t.main().ID })
	},
}, {
	Name: "wait/commit",
	Rule: "WaitCommit waits until the response is there and the document has begun, and for nothing more.",
	Doc:  "WaitCommit",
	check: func(t *trial) {
		slow := t.hold("/slow", "<!DOCTYPE html><title>Begun</title><p id=p>one</p>", "<p id=q>two</p>")
		t.events.mark()
		r, err := t.page.Navigate(t.ctx, t.url("/slow"), &driver.NavigateOptions{WaitUntil: driver.WaitCommit})
		t.ok("Navigate", err)
		t.must(r != nil && r.Status == 200, "the response is %+v, want a 200", r)
		t.equal("the frame's URL", t.main().URL, t.url("/slow"))
		t.must(!t.hasLoaded(), "Loaded was told while the document was coming")
		slow.release()
		wait(t, func(e driver.Loaded) bool { return e.Frame == t.main().ID })
		t.equal("text of what came later", t.text("#q"), "two")
	},
}, {
	Name:  "wait/networkidle",
	Rule:  "WaitNetworkIdle waits for load, and then until no request is under way.",
	Doc:   "WaitNetworkIdle",
	pages: pages{"/": slowFrame, "/slow": "<p>slow"},
	check: func(t *trial) {
		t.events.mark()
		_, err := t.page.Navigate(t.ctx, t.url("/"), &driver.NavigateOptions{WaitUntil: driver.WaitNetworkIdle})
		t.ok("Navigate", err)
		t.must(t.hasLoaded(), "Loaded was not told when Navigate returned")
		open := map[string]bool{}
		for _, e := range t.events.since() {
			switch e := e.(type) {
			case driver.RequestStarted:
				open[e.ID] = true
			case driver.RequestEnded:
				delete(open, e.ID)
			}
		}
		t.equal("requests under way", len(open), 0)
	},
}, {
	Name:  "wait/frames",
	Rule:  "The load event waits for the frames: they are parsed when Navigate returns.",
	Doc:   "WaitLoad",
	pages: pages{"/": `<iframe id=f src=/in></iframe><iframe id=g src="{{other}}/in"></iframe>`, "/in": "<p id=p>in"},
	check: func(t *trial) {
		t.open("/")
		t.equal("text", t.text("#f", "#p"), "in")
		t.equal("text", t.text("#g", "#p"), "in")
	},
}, {
	Name:  "wait/late",
	Rule:  "A wait that ends early leaves the navigation running: the document is completed.",
	Doc:   "WaitDOMContentLoaded",
	pages: pages{"/": slowFrame},
	check: func(t *trial) {
		slow := t.hold("/slow", "", "<p id=s>slow")
		_, err := t.page.Navigate(t.ctx, t.url("/"), &driver.NavigateOptions{WaitUntil: driver.WaitDOMContentLoaded})
		t.ok("Navigate", err)
		slow.release()
		wait(t, func(e driver.Loaded) bool { return e.Frame == t.main().ID })
		t.equal("text", t.text("iframe", "#s"), "slow")
	},
}}

// hasLoaded tells whether Loaded of the main frame has been told since the mark.
func (t *trial) hasLoaded() bool {
	return slices.ContainsFunc(told[driver.Loaded](t), func(e driver.Loaded) bool {
		return e.Frame == driver.FrameID(t.page.ID())
	})
}
