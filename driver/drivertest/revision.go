package drivertest

import (
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// revised is a page whose button #b does something.
const revised = `<button id=b>go</button><p id=p class=c>text</p><input id=i><input type=checkbox id=c><select id=s><option>a<option>b</select>
<div id=d style="width: 100px; height: 100px; overflow: auto"><div style="height: 900px"></div></div><div style="height: 3000px"></div>`

var revisionCases = append(revisionOpCases(), rows(Case{Doc: "Reader.Revision", pages: pages{"/": revised}},
	rule("revision/same", "Nothing that only reads changes the revision.").opens(func(t *trial) {
		t.capture()
		before := t.revision()
		t.capture()
		t.state("#i")
		t.location("#i")
		t.hit(5, 5)
		t.ok("Activity", errOf(t.page.Activity(t.ctx)))
		t.equal("Revision", t.revision(), before)
		t.equal("Revision of a capture", t.capture().Revision, before)
	}),
	rule("revision/navigation", "A navigation changes the revision, to a page that looks the same, too.").opens(func(t *trial) {
		before := t.revision()
		t.open("/")
		t.must(t.revision() != before, "the revision is %d as before", before)
	}),
	rule("revision/frame", "A change within a frame of any process changes the revision.").
		with(pages{"/": `<iframe id=f src=/in></iframe><iframe id=g src="{{other}}/in"></iframe>`, "/in": "<input id=i><p id=log></p>"}).
		opens(func(t *trial) {
			for _, selector := range []string{"#f", "#g"} {
				t.focus(selector, "#i")
				t.capture()
				before := t.revision()
				t.input(driver.InsertText{Text: "x"})
				t.changes(before)
				t.capture()
			}
		}),
	rule("revision/shadow", "A change within a shadow root of any mode changes the revision.").
		on(shadowed).
		opens(func(t *trial) {
			for _, way := range shadowWays {
				t.focus(way...)
				t.capture()
				before := t.revision()
				t.press(" ")
				t.changes(before)
			}
		}),
	rule("revision/once", "A revision never comes back, though the page comes to look as before.").opens(func(t *trial) {
		t.capture()
		seen := []driver.Revision{t.revision()}
		for range 4 {
			t.click("#c")
			t.changes(seen[len(seen)-1])
			t.capture()
			now := t.revision()
			t.must(!slices.Contains(seen, now), "the revision %d came back", now)
			seen = append(seen, now)
		}
	}),
	rule("revision/frames", "A frame that comes or goes changes the revision.").
		with(pages{"/": `<button id=b>cut</button><button id=c>add</button><div id=d><iframe id=f src=/in></iframe></div>`, "/in": "<p>in"}).
		doing(on("click", "#b", Action{Kind: Remove, Target: "#f"}), on("click", "#c", Action{Kind: AppendHTML, Target: "#d", Text: "<iframe src=/in></iframe>"})).
		opens(func(t *trial) {
			t.capture()
			before := t.revision()
			t.click("#b")
			t.changes(before)
			t.capture()
			before = t.revision()
			t.click("#c")
			t.changes(before)
		}),
	rule("revision/equal-capture", "Captures of the same revision are the same.").at("Capture.Revision").opens(func(t *trial) {
		a := t.capture()
		t.click("#c")
		t.changes(a.Revision)
		b := t.capture()
		t.must(a.Revision != b.Revision, "two captures that differ have the revision %d", a.Revision)
		c := t.capture()
		t.equal("Revision of an unchanged page", c.Revision, b.Revision)
		t.equal("the document", plain(c.Documents[0]), plain(b.Documents[0]))
	}),
)...)

// revisionOpCases has a case for each kind of change.
func revisionOpCases() []Case {
	act := func(t *trial) { t.click("#b") }
	changes := []struct {
		name, what string
		does       []Action
		act        func(t *trial)
	}{
		{"text", "a text", []Action{{Kind: SetText, Target: "#p", Text: "new"}}, act},
		{"attribute", "an attribute that is not seen", []Action{{Kind: SetAttribute, Target: "#p", Name: "aria-label", Text: "new"}}, act},
		{"added", "a node that is added", []Action{{Kind: AppendHTML, Target: "body", Text: "<p>new</p>"}}, act},
		{"removed", "a node that is removed", []Action{{Kind: Remove, Target: "#p"}}, act},
		{"value-by-script", "a value that the page sets", []Action{{Kind: SetValue, Target: "#i", Text: "new"}}, act},
		{"style", "a style", []Action{{Kind: SetAttribute, Target: "#p", Name: "style", Text: "display: none"}}, act},
		{"typing", "a value that a person writes", nil, func(t *trial) {
			t.focus("#i")
			t.press("x")
		}},
		{"checked", "a box that is checked", nil, func(t *trial) { t.click("#c") }},
		{"chosen", "a choice", nil, func(t *trial) { t.setValue("#s", "b") }},
		{"scrolled", "the page's scrolling", nil, func(t *trial) { t.scrollTo("", driver.ScrollTarget{Y: 100}) }},
		{"scrolled-container", "a container's scrolling", nil, func(t *trial) { t.scrollTo("#d", driver.ScrollTarget{Y: 100}) }},
		{"focus", "the focus", nil, func(t *trial) { t.focus("#i") }},
		{"fragment", "the address", nil, func(t *trial) { t.open("/#p") }},
	}
	var cases []Case
	for _, c := range changes {
		cases = append(cases, rule("revision/"+c.name, "The revision changes with "+c.what+".").at("Reader.Revision").
			on(revised).
			doing(on("click", "#b", c.does...)).
			opens(func(t *trial) {
				t.capture()
				before := t.revision()
				c.act(t)
				t.changes(before)
			}))
	}
	return cases
}

var activityCases = rows(Case{Doc: "Activity"},
	rule("activity/quiet", "A page that is loaded and does nothing is not busy, parsing or in transition.").
		on("<p>x").
		opens(func(t *trial) {
			a := t.activity()
			t.equal("Transition, Busy, Parsing", []bool{a.Transition, a.Busy, a.Parsing}, []bool{false, false, false})
		}),
	rule("activity/parsing", "Parsing tells that the main document is not parsed yet.").at("Activity.Parsing").checks(func(t *trial) {
		slow := t.hold("/slow", "<!DOCTYPE html><title>Begun</title><p id=p>one</p>", "<p>two</p>")
		t.ok("Navigate", errOf(t.page.Navigate(t.ctx, t.url("/slow"), &driver.NavigateOptions{WaitUntil: driver.WaitCommit})))
		t.equal("Parsing", t.activity().Parsing, true)
		slow.release()
		wait(t, func(e driver.Loaded) bool { return e.Frame == t.main().ID })
		t.equal("Parsing after the end", t.activity().Parsing, false)
	}),
	rule("activity/mutated", "Mutated is how long ago the last change of the DOM was, and not negative after one.").at("Activity.Mutated").
		on("<button id=b>go</button><p id=p>x</p>").
		doing(on("click", "#b", Action{Kind: AppendHTML, Target: "body", Text: "<p>new</p>"})).
		opens(func(t *trial) {
			t.activity()
			t.click("#b")
			t.later("a Mutated that is not negative", func() bool { return t.activity().Mutated >= 0 })
		}),
	rule("activity/input", "A change that input causes is novel, however often the input comes.").at("Activity.Mutated").
		on("<button id=b>go</button><p id=p>x</p>").
		doing(on("click", "#b", Action{Kind: SetText, Target: "#p", Text: "clicked"})).
		opens(func(t *trial) {
			t.activity()
			for range 6 {
				start := time.Now()
				t.click("#b")
				t.later("a Mutated since the click", func() bool {
					a := t.activity()
					return a.Mutated >= 0 && a.Mutated <= time.Since(start)
				})
			}
		}),
	rule("activity/busy", "Busy tells a visible aria-busy, a progress bar without a value, or a spinner; what is hidden, or takes a number, does not count.").at("Activity.Busy").
		with(pages{
			"/": `<div id=d aria-busy=true>x</div>`, "/two": `<progress></progress>`, "/three": `<div role=progressbar>x</div>`,
			"/hidden": `<div aria-busy=true style="display: none">x</div><div hidden><progress></progress></div>`, "/spinner": `<i class=spinner-border>x</i>`,
			"/value":  `<progress value=0.5></progress><div role=progressbar aria-valuenow=50>half</div>`,
			"/number": `<span class=ui-spinner>x<input class=ui-spinner-input></span><button class=spinner-button>more</button>`,
		}).
		checks(func(t *trial) {
			for path, want := range map[string]bool{"/": true, "/two": true, "/three": true, "/hidden": false, "/spinner": true, "/value": false, "/number": false} {
				t.open(path)
				t.equal("Busy of "+path, t.activity().Busy, want)
			}
		}),
	rule("activity/blank", "Blank tells a page with scripts on which nothing can be seen.").at("Activity.Blank").
		with(pages{
			"/":        `<div id=app></div><script></script>`,
			"/hidden":  `<script></script><p hidden>text</p><div style="visibility: hidden">text <img src="data:," width=20 height=20></div>`,
			"/static":  `<div id=app></div>`,
			"/text":    `<div><div>Loading</div></div><script></script>`,
			"/button":  `<div><button aria-label=go style="width: 20px"></button></div><script></script>`,
			"/picture": `<canvas width=20 height=20></canvas><script></script>`,
		}).
		checks(func(t *trial) {
			for path, want := range map[string]bool{"/": true, "/hidden": true, "/static": false, "/text": false, "/button": false, "/picture": false} {
				t.open(path)
				t.equal("Blank of "+path, t.activity().Blank, want)
			}
		}),
	rule("activity/frames", "Activity covers all frames.").
		with(pages{"/": `<iframe src="{{other}}/in"></iframe>`, "/in": `<div aria-busy=true>x</div>`}).
		opens(func(t *trial) { t.equal("Busy", t.activity().Busy, true) }),
	rule("activity/transition", "Transition tells that a CSS transition is running.").at("Activity.Transition").
		on(`<style>#p { transition: opacity 100s } .c { opacity: 0 }</style><button id=b>go</button><p id=p>x</p>`).
		doing(on("click", "#b", Action{Kind: SetAttribute, Target: "#p", Name: "class", Text: "c"})).
		opens(func(t *trial) {
			t.equal("Transition before", t.activity().Transition, false)
			t.click("#b")
			t.later("a transition", func() bool { return t.activity().Transition })
		}),
)
