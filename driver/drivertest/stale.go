package drivertest

import (
	"errors"

	"github.com/wayfinder-engine/wayfinder/driver"
)

const staleForm = `<div id=d style="height: 100px; overflow: auto"><div style="height: 900px">x</div></div>
<input id=i><input id=date type=date><input id=file type=file><button id=b>b</button>`

// A nodeOp is a method that takes a node.
type nodeOp struct {
	op   string
	on   string // what it is called on
	call func(t *trial, ref driver.NodeRef) error
}

var nodeOps = []nodeOp{
	{"find", "#d", func(t *trial, ref driver.NodeRef) error {
		_, err := t.page.Find(t.ctx, ref, css("div"))
		return err
	}},
	{"locate", "#b", func(t *trial, ref driver.NodeRef) error {
		_, err := t.page.Locate(t.ctx, ref, &driver.LocateOptions{Scroll: true})
		return err
	}},
	{"focus", "#i", func(t *trial, ref driver.NodeRef) error { return t.page.Focus(t.ctx, driver.Target{At: ref}) }},
	{"selecttext", "#i", func(t *trial, ref driver.NodeRef) error { return t.page.SelectText(t.ctx, driver.Target{At: ref}) }},
	{"setvalue", "#date", func(t *trial, ref driver.NodeRef) error {
		_, err := t.page.SetValue(t.ctx, driver.Target{At: ref}, "2020-02-02")
		return err
	}},
	{"setfiles", "#file", func(t *trial, ref driver.NodeRef) error { return t.page.SetFiles(t.ctx, driver.Target{At: ref}) }},
	{"scrollto", "#d", func(t *trial, ref driver.NodeRef) error {
		_, err := t.page.ScrollTo(t.ctx, ref, driver.ScrollTarget{Y: 10})
		return err
	}},
	{"state", "#i", func(t *trial, ref driver.NodeRef) error {
		_, err := t.page.State(t.ctx, ref)
		return err
	}},
}

var staleCases = append(staleOpCases(), []Case{{
	Name:  "stale/reload",
	Rule:  "A reload makes the nodes of the document stale, though its successor looks the same.",
	Doc:   "ErrStale",
	pages: pages{"/": staleForm},
	check: func(t *trial) {
		t.open("/")
		ref := t.find("#b")
		_, err := t.page.Reload(t.ctx, nil)
		t.ok("Reload", err)
		t.must(t.find("#b") != ref, "the new document's node has the reference of the old one's")
		_, err = t.page.Locate(t.ctx, ref, nil)
		t.failsAsOp("locate", err, driver.ErrStale)
	},
}, {
	Name:  "stale/forward",
	Rule:  "A node of a page that was left by Back is stale, and of use again if Forward brings the same document.",
	Doc:   "NodeRef",
	pages: pages{"/": "<button id=b>one</button>", "/two": "<button id=b>two</button>"},
	check: func(t *trial) {
		t.open("/")
		t.open("/two")
		ref, doc := t.find("#b"), t.doc()
		t.back()
		_, err := t.page.Locate(t.ctx, ref, nil)
		t.fails("Locate after Back", err, driver.ErrStale)
		t.fails("Focus after Back", t.page.Focus(t.ctx, driver.Target{At: ref}), driver.ErrStale)
		t.forward()
		_, err = t.page.Locate(t.ctx, ref, nil)
		if t.doc() == doc {
			t.ok("Locate with the former Doc", err)
		} else {
			t.fails("Locate with a new Doc", err, driver.ErrStale)
		}
	},
}, {
	Name:  "stale/cross-site",
	Rule:  "A navigation to another site makes the nodes stale.",
	Doc:   "ErrStale",
	pages: pages{"/": staleForm},
	check: func(t *trial) {
		t.open("/")
		ref := t.find("#b")
		_, err := t.page.Navigate(t.ctx, t.elsewhere("/"), nil)
		t.ok("Navigate", err)
		_, err = t.page.State(t.ctx, ref)
		t.failsAsOp("state", err, driver.ErrStale)
	},
}, {
	Name:  "stale/mixed",
	Rule:  "A node's number with another document's identity is stale: the number alone names nothing.",
	Doc:   "NodeRef",
	pages: pages{"/": `<input id=i><iframe id=f src=/in></iframe>`, "/in": "<input id=i>"},
	check: func(t *trial) {
		t.open("/")
		ref, inside := t.find("#i"), t.find("#f", "#i")
		_, err := t.page.State(t.ctx, driver.NodeRef{Frame: ref.Frame, Doc: inside.Doc, Node: ref.Node})
		t.fails("State with another frame's Doc", err, driver.ErrStale)
		_, err = t.page.State(t.ctx, driver.NodeRef{Frame: ref.Frame, Doc: "nosuch", Node: ref.Node})
		t.fails("State with an unknown Doc", err, driver.ErrStale)
	},
}, {
	Name:  "stale/unknown",
	Rule:  "A number that no node of the document has is stale; a frame that is not there is detached.",
	Doc:   "ErrDetached",
	pages: pages{"/": staleForm},
	check: func(t *trial) {
		t.open("/")
		ref := t.find("#i")
		_, err := t.page.State(t.ctx, driver.NodeRef{Frame: ref.Frame, Doc: ref.Doc, Node: 987654321})
		t.failsAsOp("state", err, driver.ErrStale)
		_, err = t.page.State(t.ctx, driver.NodeRef{Frame: "nosuch", Doc: ref.Doc, Node: ref.Node})
		t.failsAsOp("state", err, driver.ErrDetached)
	},
}, {
	Name:  "stale/removed",
	Rule:  "An element that left its document is no more to be acted on: ErrDetached, or ErrStale where the browser has forgotten it. State may still tell that it is not Connected.",
	Doc:   "ErrDetached",
	pages: pages{"/": `<button id=b>cut</button><div id=d><input id=i></div>`},
	does:  []Behavior{on("click", "#b", Action{Kind: Remove, Target: "#d"})},
	check: func(t *trial) {
		t.open("/")
		ref := t.find("#i")
		t.click("#b")
		_, err := t.page.Locate(t.ctx, ref, nil)
		t.must(errors.Is(err, driver.ErrDetached) || errors.Is(err, driver.ErrStale), "Locate: error %v, want ErrDetached or ErrStale", err)
		err = t.page.Focus(t.ctx, driver.Target{At: ref})
		t.must(errors.Is(err, driver.ErrDetached) || errors.Is(err, driver.ErrStale), "Focus: error %v, want ErrDetached or ErrStale", err)
		s, err := t.page.State(t.ctx, ref)
		if err == nil {
			t.equal("Connected", s.Connected, false)
			t.equal("Visible", s.Visible, false)
		} else {
			t.must(errors.Is(err, driver.ErrDetached) || errors.Is(err, driver.ErrStale), "State: error %v, want none, ErrDetached or ErrStale", err)
		}
	},
}, {
	Name:  "stale/replaced",
	Rule:  "An element that was taken out and written anew is another node.",
	Doc:   "NodeRef",
	pages: pages{"/": `<button id=b>again</button><div id=d><input id=i></div>`},
	does:  []Behavior{on("click", "#b", Action{Kind: Remove, Target: "#i"}, Action{Kind: AppendHTML, Target: "#d", Text: "<input id=i>"})},
	check: func(t *trial) {
		t.open("/")
		ref := t.find("#i")
		t.click("#b")
		t.must(t.find("#i") != ref, "the new element has the reference of the old one")
		t.must(t.page.Focus(t.ctx, driver.Target{At: ref}) != nil, "Focus of the old element succeeded")
		t.equal("Focused of the new one", t.state("#i").Focused, false)
	},
}}...)

// staleOpCases has a case for each method that takes a node.
func staleOpCases() []Case {
	var cases []Case
	for _, op := range nodeOps {
		cases = append(cases, Case{
			Name:  "stale/" + op.op,
			Rule:  "A node of a document that is no longer shown gives ErrStale, and the document shown now is not touched.",
			Doc:   "ErrStale",
			pages: pages{"/": staleForm, "/two": staleForm},
			check: func(t *trial) {
				t.open("/")
				ref := t.find(op.on)
				t.ok(op.op+" while the document is shown", op.call(t, ref))
				t.open("/two")
				before := t.revision()
				t.failsAsOp(op.op, op.call(t, ref), driver.ErrStale)
				t.equal("Revision of the new document", t.revision(), before)
			},
		})
	}
	return cases
}
