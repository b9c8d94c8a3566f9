package drivertest

import (
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// revised is a page whose button #b does something.
const revised = `<button id=b>go</button><p id=p class=c>text</p><input id=i><input type=checkbox id=c><select id=s><option>a<option>b</select>
<div id=d style="width: 100px; height: 100px; overflow: auto"><div style="height: 900px"></div></div><div style="height: 3000px"></div>`

var revisionCases = append(revisionOpCases(), []Case{{
	Name:  "revision/same",
	Rule:  "Nothing that only reads changes the revision.",
	Doc:   "Reader.Revision",
	pages: pages{"/": revised},
	check: func(t *trial) {
		t.open("/")
		t.capture()
		before := t.revision()
		t.capture()
		t.state("#i")
		t.location("#i")
		t.hit(5, 5)
		_, err := t.page.Activity(t.ctx)
		t.ok("Activity", err)
		t.equal("Revision", t.revision(), before)
		t.equal("Revision of a capture", t.capture().Revision, before)
	},
}, {
	Name:  "revision/navigation",
	Rule:  "A navigation changes the revision, to a page that looks the same, too.",
	Doc:   "Reader.Revision",
	pages: pages{"/": revised},
	check: func(t *trial) {
		t.open("/")
		before := t.revision()
		t.open("/")
		t.must(t.revision() != before, "the revision is %d as before", before)
	},
}, {
	Name:  "revision/frame",
	Rule:  "A change within a frame of any process changes the revision.",
	Doc:   "Reader.Revision",
	pages: pages{"/": `<iframe id=f src=/in></iframe><iframe id=g src="{{other}}/in"></iframe>`, "/in": "<input id=i><p id=log></p>"},
	check: func(t *trial) {
		t.open("/")
		for _, selector := range []string{"#f", "#g"} {
			t.focus(selector, "#i")
			t.capture()
			before := t.revision()
			t.input(driver.InsertText{Text: "x"})
			t.changes(before)
			t.capture()
		}
	},
}, {
	Name:  "revision/shadow",
	Rule:  "A change within a shadow root of any mode changes the revision.",
	Doc:   "Reader.Revision",
	pages: pages{"/": shadowed},
	check: func(t *trial) {
		t.open("/")
		for _, way := range [][]string{{"#open", "#in"}, {"#closed", "#inc"}, {"#outer", "#host", "#deep"}} {
			t.focus(way...)
			t.capture()
			before := t.revision()
			t.press(" ")
			t.changes(before)
		}
	},
}, {
	Name:  "revision/once",
	Rule:  "A revision never comes back, though the page comes to look as before.",
	Doc:   "Reader.Revision",
	pages: pages{"/": revised},
	check: func(t *trial) {
		t.open("/")
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
	},
}, {
	Name:  "revision/frames",
	Rule:  "A frame that comes or goes changes the revision.",
	Doc:   "Reader.Revision",
	pages: pages{"/": `<button id=b>cut</button><button id=c>add</button><div id=d><iframe id=f src=/in></iframe></div>`, "/in": "<p>in"},
	does: []Behavior{on("click", "#b", Action{Kind: Remove, Target: "#f"}),
		on("click", "#c", Action{Kind: AppendHTML, Target: "#d", Text: "<iframe src=/in></iframe>"})},
	check: func(t *trial) {
		t.open("/")
		t.capture()
		before := t.revision()
		t.click("#b")
		t.changes(before)
		t.capture()
		before = t.revision()
		t.click("#c")
		t.changes(before)
	},
}, {
	Name:  "revision/equal-capture",
	Rule:  "Captures of the same revision are the same.",
	Doc:   "Capture.Revision",
	pages: pages{"/": revised},
	check: func(t *trial) {
		t.open("/")
		a := t.capture()
		t.click("#c")
		t.changes(a.Revision)
		b := t.capture()
		t.must(a.Revision != b.Revision, "two captures that differ have the revision %d", a.Revision)
		c := t.capture()
		t.equal("Revision of an unchanged page", c.Revision, b.Revision)
		t.equal("the document", plain(c.Documents[0]), plain(b.Documents[0]))
	},
}}...)

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
		cases = append(cases, Case{
			Name:  "revision/" + c.name,
			Rule:  "The revision changes with " + c.what + ".",
			Doc:   "Reader.Revision",
			pages: pages{"/": revised},
			does:  []Behavior{on("click", "#b", c.does...)},
			check: func(t *trial) {
				t.open("/")
				t.capture()
				before := t.revision()
				c.act(t)
				t.changes(before)
			},
		})
	}
	return cases
}
