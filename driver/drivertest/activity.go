package drivertest

import (
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

var activityCases = []Case{{
	Name:  "activity/quiet",
	Rule:  "A page that is loaded and does nothing is not busy, parsing or in transition.",
	Doc:   "Activity",
	pages: pages{"/": "<p>x"},
	check: func(t *trial) {
		t.open("/")
		a := t.activity()
		t.equal("Transition, Busy, Parsing", []bool{a.Transition, a.Busy, a.Parsing}, []bool{false, false, false})
	},
}, {
	Name: "activity/parsing",
	Rule: "Parsing tells that the main document is not parsed yet.",
	Doc:  "Activity.Parsing",
	check: func(t *trial) {
		slow := t.hold("/slow", "<!DOCTYPE html><title>Begun</title><p id=p>one</p>", "<p>two</p>")
		_, err := t.page.Navigate(t.ctx, t.url("/slow"), &driver.NavigateOptions{WaitUntil: driver.WaitCommit})
		t.ok("Navigate", err)
		t.equal("Parsing", t.activity().Parsing, true)
		slow.release()
		wait(t, func(e driver.Loaded) bool { return e.Frame == t.main().ID })
		t.equal("Parsing after the end", t.activity().Parsing, false)
	},
}, {
	Name:  "activity/mutated",
	Rule:  "Mutated is how long ago the last change of the DOM was, and not negative after one.",
	Doc:   "Activity.Mutated",
	pages: pages{"/": "<button id=b>go</button><p id=p>x</p>"},
	does:  []Behavior{on("click", "#b", Action{Kind: AppendHTML, Target: "body", Text: "<p>new</p>"})},
	check: func(t *trial) {
		t.open("/")
		t.activity()
		t.click("#b")
		t.later("a Mutated that is not negative", func() bool { return t.activity().Mutated >= 0 })
	},
}, {
	Name:  "activity/input",
	Rule:  "A change that input causes is novel, however often the input comes.",
	Doc:   "Activity.Mutated",
	pages: pages{"/": "<button id=b>go</button><p id=p>x</p>"},
	does:  []Behavior{on("click", "#b", Action{Kind: SetText, Target: "#p", Text: "clicked"})},
	check: func(t *trial) {
		t.open("/")
		t.activity()
		for range 6 {
			start := time.Now()
			t.click("#b")
			t.later("a Mutated since the click", func() bool {
				a := t.activity()
				return a.Mutated >= 0 && a.Mutated <= time.Since(start)
			})
		}
	},
}, {
	Name:  "activity/busy",
	Rule:  "Busy tells a visible aria-busy or progress bar; what is hidden does not count.",
	Doc:   "Activity.Busy",
	pages: pages{"/": `<div id=d aria-busy=true>x</div>`, "/two": `<progress></progress>`, "/three": `<div role=progressbar>x</div>`, "/four": `<div aria-busy=true style="display: none">x</div><div hidden><progress></progress></div>`},
	check: func(t *trial) {
		for path, want := range map[string]bool{"/": true, "/two": true, "/three": true, "/four": false} {
			t.open(path)
			t.equal("Busy of "+path, t.activity().Busy, want)
		}
	},
}, {
	Name: "activity/blank",
	Rule: "Blank tells a page with scripts on which nothing can be seen.",
	Doc:  "Activity.Blank",
	pages: pages{
		"/":        `<div id=app></div><script></script>`,
		"/hidden":  `<script></script><p hidden>text</p><div style="visibility: hidden">text <img src="data:," width=20 height=20></div>`,
		"/static":  `<div id=app></div>`,
		"/text":    `<div><div>Loading</div></div><script></script>`,
		"/button":  `<div><button aria-label=go style="width: 20px"></button></div><script></script>`,
		"/picture": `<canvas width=20 height=20></canvas><script></script>`,
	},
	check: func(t *trial) {
		for path, want := range map[string]bool{"/": true, "/hidden": true, "/static": false, "/text": false, "/button": false, "/picture": false} {
			t.open(path)
			t.equal("Blank of "+path, t.activity().Blank, want)
		}
	},
}, {
	Name:  "activity/frames",
	Rule:  "Activity covers all frames.",
	Doc:   "Activity",
	pages: pages{"/": `<iframe src="{{other}}/in"></iframe>`, "/in": `<div aria-busy=true>x</div>`},
	check: func(t *trial) {
		t.open("/")
		t.equal("Busy", t.activity().Busy, true)
	},
}, {
	Name:  "activity/transition",
	Rule:  "Transition tells that a CSS transition is running.",
	Doc:   "Activity.Transition",
	pages: pages{"/": `<style>#p { transition: opacity 100s } .c { opacity: 0 }</style><button id=b>go</button><p id=p>x</p>`},
	does:  []Behavior{on("click", "#b", Action{Kind: SetAttribute, Target: "#p", Name: "class", Text: "c"})},
	check: func(t *trial) {
		t.open("/")
		t.equal("Transition before", t.activity().Transition, false)
		t.click("#b")
		t.later("a transition", func() bool { return t.activity().Transition })
	},
}}

func (t *trial) activity() *driver.Activity {
	a, err := t.page.Activity(t.ctx)
	t.ok("Activity", err)
	return a
}
