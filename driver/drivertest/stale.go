package drivertest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A nodeOp is a method that takes a node.
type nodeOp struct {
	op   string
	on   string // what it is called on
	call func(t *trial, ref driver.NodeRef) error
}

var nodeOps = []nodeOp{
	{"find", "#d", func(t *trial, ref driver.NodeRef) error { return errOf(t.page.Find(t.ctx, ref, css("div"))) }},
	{"locate", "#b", func(t *trial, ref driver.NodeRef) error {
		return errOf(t.page.Locate(t.ctx, ref, &driver.LocateOptions{Scroll: true}))
	}},
	{"focus", "#i", func(t *trial, ref driver.NodeRef) error { return t.page.Focus(t.ctx, driver.Target{At: ref}) }},
	{"selecttext", "#i", func(t *trial, ref driver.NodeRef) error { return t.page.SelectText(t.ctx, driver.Target{At: ref}) }},
	{"setvalue", "#date", func(t *trial, ref driver.NodeRef) error {
		return errOf(t.page.SetValue(t.ctx, driver.Target{At: ref}, "2020-02-02"))
	}},
	{"setfiles", "#file", func(t *trial, ref driver.NodeRef) error { return t.page.SetFiles(t.ctx, driver.Target{At: ref}) }},
	{"scrollto", "#d", func(t *trial, ref driver.NodeRef) error {
		return errOf(t.page.ScrollTo(t.ctx, ref, driver.ScrollTarget{Y: 10}))
	}},
	{"state", "#i", func(t *trial, ref driver.NodeRef) error { return errOf(t.page.State(t.ctx, ref)) }},
}

var staleCases = append(staleOpCases(), rows(Case{Doc: "NodeRef", pages: pages{"/": staleForm}},
	rule("stale/reload", "A reload makes the nodes of the document stale, though its successor looks the same.").at("ErrStale").opens(func(t *trial) {
		ref := t.find("#b")
		t.ok("Reload", errOf(t.page.Reload(t.ctx, nil)))
		t.must(t.find("#b") != ref, "the new document's node has the reference of the old one's")
		t.failsAsOp("locate", errOf(t.page.Locate(t.ctx, ref, nil)), driver.ErrStale)
	}),
	rule("stale/forward", "A node of a page that was left by Back is stale, and of use again if Forward brings the same document.").
		with(pages{"/": "<button id=b>one</button>", "/two": "<button id=b>two</button>"}).
		opens(func(t *trial) {
			t.open("/two")
			ref, doc := t.find("#b"), t.doc()
			t.back()
			t.fails("Locate after Back", errOf(t.page.Locate(t.ctx, ref, nil)), driver.ErrStale)
			t.fails("Focus after Back", t.page.Focus(t.ctx, driver.Target{At: ref}), driver.ErrStale)
			t.forward()
			_, err := t.page.Locate(t.ctx, ref, nil)
			if t.doc() == doc {
				t.ok("Locate with the former Doc", err)
			} else {
				t.fails("Locate with a new Doc", err, driver.ErrStale)
			}
		}),
	rule("stale/cross-site", "A navigation to another site makes the nodes stale.").at("ErrStale").opens(func(t *trial) {
		ref := t.find("#b")
		t.visit(t.elsewhere("/"))
		t.failsAsOp("state", errOf(t.page.State(t.ctx, ref)), driver.ErrStale)
	}),
	rule("stale/mixed", "A node's number with another document's identity is stale: the number alone names nothing.").
		with(pages{"/": `<input id=i><iframe id=f src=/in></iframe>`, "/in": "<input id=i>"}).
		opens(func(t *trial) {
			ref, inside := t.find("#i"), t.find("#f", "#i")
			t.fails("State with another frame's Doc", errOf(t.page.State(t.ctx, driver.NodeRef{Frame: ref.Frame, Doc: inside.Doc, Node: ref.Node})), driver.ErrStale)
			t.fails("State with an unknown Doc", errOf(t.page.State(t.ctx, driver.NodeRef{Frame: ref.Frame, Doc: "nosuch", Node: ref.Node})), driver.ErrStale)
		}),
	rule("stale/unknown", "A number that no node of the document has is stale; a frame that is not there is detached.").at("ErrDetached").opens(func(t *trial) {
		ref := t.find("#i")
		t.failsAsOp("state", errOf(t.page.State(t.ctx, driver.NodeRef{Frame: ref.Frame, Doc: ref.Doc, Node: 987654321})), driver.ErrStale)
		t.failsAsOp("state", errOf(t.page.State(t.ctx, driver.NodeRef{Frame: "nosuch", Doc: ref.Doc, Node: ref.Node})), driver.ErrDetached)
	}),
	rule("stale/removed",
		"An element that left its document is no more to be acted on: ErrDetached, or ErrStale where the browser has forgotten it. State may still tell that it is not Connected.").at("ErrDetached").
		on(`<button id=b>cut</button><div id=d><input id=i></div>`).
		doing(on("click", "#b", Action{Kind: Remove, Target: "#d"})).
		opens(func(t *trial) {
			ref := t.find("#i")
			t.click("#b")
			gone := func(call string, err error) {
				t.must(errors.Is(err, driver.ErrDetached) || errors.Is(err, driver.ErrStale), "%s: error %v, want ErrDetached or ErrStale", call, err)
			}
			gone("Locate", errOf(t.page.Locate(t.ctx, ref, nil)))
			gone("Focus", t.page.Focus(t.ctx, driver.Target{At: ref}))
			if s, err := t.page.State(t.ctx, ref); err != nil {
				gone("State, which may succeed", err)
			} else {
				t.equal("Connected, Visible", []bool{s.Connected, s.Visible}, []bool{false, false})
			}
		}),
	rule("stale/replaced", "An element that was taken out and written anew is another node.").
		on(`<button id=b>again</button><div id=d><input id=i></div>`).
		doing(on("click", "#b", Action{Kind: Remove, Target: "#i"}, Action{Kind: AppendHTML, Target: "#d", Text: "<input id=i>"})).
		opens(func(t *trial) {
			ref := t.find("#i")
			t.click("#b")
			t.must(t.find("#i") != ref, "the new element has the reference of the old one")
			t.must(t.page.Focus(t.ctx, driver.Target{At: ref}) != nil, "Focus of the old element succeeded")
			t.equal("Focused of the new one", t.state("#i").Focused, false)
		}),
)...)

// staleOpCases has a case for each method that takes a node.
func staleOpCases() []Case {
	var cases []Case
	for _, op := range nodeOps {
		cases = append(cases, rule("stale/"+op.op, "A node of a document that is no longer shown gives ErrStale, and the document shown now is not touched.").at("ErrStale").
			with(pages{"/": staleForm, "/two": staleForm}).
			opens(func(t *trial) {
				ref := t.find(op.on)
				t.ok(op.op+" while the document is shown", op.call(t, ref))
				t.open("/two")
				before := t.revision()
				t.failsAsOp(op.op, op.call(t, ref), driver.ErrStale)
				t.equal("Revision of the new document", t.revision(), before)
			}))
	}
	return cases
}

var cancelCases = rows(Case{Doc: "Page"},
	rule("cancel/before", "A call whose context has ended returns an error that wraps ctx.Err(), does nothing, and leaves the page usable.").
		on(staleForm).
		opens(func(t *trial) {
			ref, doc := t.find("#i"), t.doc()
			ctx, cancel := context.WithCancel(t.ctx)
			cancel()
			for _, c := range t.calls(ref) {
				t.failsAsOp(c.op, c.call(ctx), context.Canceled)
			}
			t.equal("Doc", t.doc(), doc)
			t.equal("focused", t.focused(), "")
			t.fails("NewPage", errOf(t.browser.NewPage(ctx)), context.Canceled)
			t.equal("pages", len(t.browser.Pages()), 1)
			t.fails("Cookies", errOf(t.browser.Cookies(ctx)), context.Canceled)
		}),
	rule("cancel/under-way", "A context that ends stops the call that it was passed to, and the page stays open and usable.").at("Navigator.Navigate").
		on("<p id=p>one").
		checks(func(t *trial) {
			slow := t.hold("/slow", "", "<p>slow")
			ctx, cancel := context.WithCancel(t.ctx)
			failed := t.navigating(ctx, t.page, "/slow")
			t.await("the request", slow.arrived)
			cancel()
			t.fails("Navigate", <-failed, context.Canceled)
			t.open("/")
			t.equal("text", t.text("#p"), "one")
		}),
	rule("cancel/deadline", "A deadline that passes gives an error that wraps context.DeadlineExceeded.").at("Navigator.Navigate").
		on("<p id=p>one").
		checks(func(t *trial) {
			t.hold("/slow", "", "<p>slow")
			ctx, cancel := context.WithTimeout(t.ctx, 50*time.Millisecond)
			defer cancel()
			t.fails("Navigate", errOf(t.page.Navigate(ctx, t.url("/slow"), nil)), context.DeadlineExceeded)
			t.open("/")
			t.equal("text", t.text("#p"), "one")
		}),
	rule("cancel/open", "Open with a context that has ended gives an error that wraps its error, and no browser.").at("Driver.Open").checks(func(t *trial) {
		ctx, cancel := context.WithCancel(t.ctx)
		cancel()
		b, err := t.driver.Open(ctx, &driver.BrowserOptions{})
		t.fails("Open", err, context.Canceled)
		t.must(b == nil, "Open gave a browser with its error")
	}),
	rule("cancel/open-alone", "The context of Open bounds the opening alone: the browser lives on when it ends.").at("Driver.Open").
		on("<p>x").
		checks(func(t *trial) {
			ctx, cancel := context.WithCancel(t.ctx)
			b, err := t.driver.Open(ctx, &driver.BrowserOptions{})
			t.ok("Open", err)
			defer b.Close()
			cancel()
			t.openIn(b.Pages()[0], "/")
		}),
	rule("cancel/page-context", "No driver stores a context beyond the call: a page lives on when NewPage's context and that of its navigation end.").at("Browser.NewPage").
		on("<p id=p>x").
		checks(func(t *trial) {
			ctx, cancel := context.WithCancel(t.ctx)
			p, err := t.browser.NewPage(ctx)
			t.ok("NewPage", err)
			t.ok("Navigate", errOf(p.Navigate(ctx, t.url("/"), nil)))
			cancel()
			t.page = p
			t.equal("text", t.text("#p"), "x")
			t.revision()
		}),
	rule("cancel/independent", "Calls on two pages do not wait for each other.").
		on("<p id=p>one").
		checks(func(t *trial) {
			slow := t.hold("/slow", "", "<p>slow")
			other := t.newPage()
			failed := t.navigating(t.ctx, other, "/slow")
			t.await("the request", slow.arrived)
			t.open("/")
			t.equal("text", t.text("#p"), "one")
			slow.release()
			t.ok("Navigate of the other page", <-failed)
		}),
	rule("cancel/concurrent", "Every method may be called from several goroutines at once.").
		on(staleForm).
		opens(func(t *trial) {
			ref := t.find("#i")
			var wg sync.WaitGroup
			for range 3 {
				for _, c := range t.calls(ref)[4:12] { // those that leave the document
					wg.Go(func() {
						if err := c.call(t.ctx); err != nil {
							t.errorf("%s: %v", c.op, err)
						}
					})
				}
				wg.Go(func() {
					t.page.Frames()
					t.browser.Pages()
					t.browser.Listen(func(driver.Event) {})()
				})
			}
			wg.Wait()
		}),
	rule("cancel/concurrent-navigation", "Calls that a navigation overtakes end: with their answer, as stale, or as detached, and never hang.").at("ErrStale").
		on(staleForm).
		opens(func(t *trial) {
			ref := t.find("#i")
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					for range 5 {
						_, err := t.page.State(t.ctx, ref)
						t.must(err == nil || errors.Is(err, driver.ErrStale) || errors.Is(err, driver.ErrDetached), "State: %v", err)
						_, err = t.page.Capture(t.ctx)
						t.must(err == nil, "Capture: %v", err)
					}
				})
			}
			t.open("/")
			t.open("/")
			wg.Wait()
		}),
)
