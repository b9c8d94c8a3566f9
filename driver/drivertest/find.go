package drivertest

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

const listed = `<div id=top><ul id=u class=list><li id=l1>one<li id=l2 class="x y" data-n="5">two<li id=l3>three</ul>
<form id=fm><input id=i1 type=text name=who><input id=i2 type=checkbox checked><input id=i3 disabled><button id=b>Send <b id=bold>now</b></button></form>
<p id=p class=list>para</p></div>`

var findCases = []Case{{
	Name:  "find/order",
	Rule:  "Find returns the elements in document order, each once, whatever the selector's order.",
	Doc:   "Finder.Find",
	pages: pages{"/": listed},
	check: func(t *trial) {
		t.open("/")
		t.matches("p, li, #l2, button", "l1 l2 l3 b p")
	},
}, {
	Name:  "find/none",
	Rule:  "To find nothing is no error.",
	Doc:   "Finder.Find",
	pages: pages{"/": listed},
	check: func(t *trial) {
		t.open("/")
		for _, sel := range []driver.Selector{css(".nothing"), xpath("//nothing")} {
			refs, err := t.page.Find(t.ctx, driver.NodeRef{}, sel)
			t.ok("Find", err)
			t.equal("found", len(refs), 0)
		}
	},
}, {
	Name:  "find/bad-css",
	Rule:  "A CSS selector that cannot be parsed is an error that wraps ErrSelector.",
	Doc:   "ErrSelector",
	pages: pages{"/": listed},
	check: func(t *trial) {
		t.open("/")
		for _, s := range []string{"", "li[", "li >", ":nosuch(", "::", "li,,p", "#1a"} {
			_, err := t.page.Find(t.ctx, driver.NodeRef{}, css(s))
			t.must(err != nil, "Find(%q) gave no error", s)
			t.failsAsOp("find", err, driver.ErrSelector)
		}
	},
}, {
	Name:  "find/bad-xpath",
	Rule:  "An XPath that cannot be parsed is an error that wraps ErrSelector.",
	Doc:   "ErrSelector",
	pages: pages{"/": listed},
	check: func(t *trial) {
		t.open("/")
		for _, s := range []string{"", "//li[", "//li[@", "nosuch("} {
			_, err := t.page.Find(t.ctx, driver.NodeRef{}, xpath(s))
			t.must(err != nil, "Find(%q) gave no error", s)
			t.failsAsOp("find", err, driver.ErrSelector)
		}
	},
}, {
	Name:  "find/root-document",
	Rule:  "The zero NodeRef, the document's reference with the node 0, and the captured document node are the same root.",
	Doc:   "Finder.Find",
	pages: pages{"/": listed},
	check: func(t *trial) {
		t.open("/")
		want := t.findAll(driver.NodeRef{}, "li")
		t.equal("items", len(want), 3)
		t.equal("from the captured document node", t.findAll(t.capture().Documents[0].Root(), "li"), want)
		t.equal("from the node 0", t.findAll(driver.NodeRef{Frame: t.main().ID, Doc: t.doc()}, "li"), want)
		t.equal("from the root element", len(t.findAll(driver.NodeRef{}, "html")), 1)
	},
}, {
	Name:  "find/root-element",
	Rule:  "From an element its descendants are found, not the element itself and nothing beside it.",
	Doc:   "Finder.Find",
	pages: pages{"/": listed},
	check: func(t *trial) {
		t.open("/")
		u := t.find("#u")
		t.equal("list items", t.ids(t.findAll(u, "li")), "l1 l2 l3")
		t.equal("of the class", len(t.findAll(u, ".list")), 0)
		t.equal("paragraphs", len(t.findAll(u, "p")), 0)
		t.equal("by an ancestor outside", t.ids(t.findAll(u, "#top .x")), "l2")
		t.equal("by :scope", t.ids(t.findAll(u, ":scope > li:first-child")), "l1")
	},
}, {
	Name:  "find/css",
	Rule:  "CSS selectors match as CSS says: attributes, combinators, structure, lists and negation.",
	Doc:   "CSS",
	pages: pages{"/": listed},
	check: func(t *trial) {
		t.open("/")
		for sel, want := range map[string]string{
			"LI": "l1 l2 l3", ".x.y": "l2", "[data-n='5']": "l2", "[class~=y]": "l2", "[id^=l]": "l1 l2 l3",
			"li:nth-child(2)": "l2", "li:not(.x)": "l1 l3", "li + li": "l2 l3", "li ~ .x": "l2", "ul > :last-child": "l3",
			":is(p, button)": "b p", "input[type=checkbox]": "i2", "#top > p": "p", "button:has(b)": "b",
		} {
			t.matches(sel, want)
		}
	},
}, {
	Name:  "find/state",
	Rule:  "Pseudo classes of state are live.",
	Doc:   "CSS",
	pages: pages{"/": listed},
	check: func(t *trial) {
		t.open("/")
		t.matches("input:checked", "i2")
		t.matches(":disabled", "i3")
		t.matches("input:enabled", "i1 i2")
		t.click("#i2")
		t.matches("input:checked", "")
		t.focus("#i1")
		t.matches("input:focus", "i1")
	},
}, {
	Name:  "find/xpath",
	Rule:  "XPath expressions match as XPath 1.0 says.",
	Doc:   "XPath",
	pages: pages{"/": listed},
	check: func(t *trial) {
		t.open("/")
		for path, want := range map[string]string{
			"//li": "l1 l2 l3", "//ul/li[2]": "l2", "//*[@data-n=5]": "l2", "//li[contains(., 'hre')]": "l3",
			"/html/body/div/p": "p", "//b/..": "b", "//li[last()]": "l3", "//li[1]/following-sibling::li": "l2 l3",
			"//p | //li[1]": "l1 p", "//*[normalize-space(text())='Send']": "b", "//*[@id='l2']/preceding::li": "l1",
			"//input[not(@disabled)]": "i1 i2", "id('p')": "p", "//form/*[position() < 3]": "i1 i2",
		} {
			refs, err := t.page.Find(t.ctx, driver.NodeRef{}, xpath(path))
			t.ok("Find "+path, err)
			t.equal(path, t.ids(refs), want)
		}
	},
}, {
	Name:  "find/xpath-relative",
	Rule:  "A relative XPath starts at the root that Find was given.",
	Doc:   "Finder.Find",
	pages: pages{"/": listed},
	check: func(t *trial) {
		t.open("/")
		for path, want := range map[string]string{".//li": "l1 l2 l3", "li[3]": "l3", "./li/text()/..": "l1 l2 l3"} {
			refs, err := t.page.Find(t.ctx, t.find("#u"), xpath(path))
			t.ok("Find "+path, err)
			t.equal(path, t.ids(refs), want)
		}
	},
}, {
	Name:  "find/xpath-elements",
	Rule:  "Find returns elements: what else an XPath selects (text, attributes) is left out.",
	Doc:   "Finder.Find",
	pages: pages{"/": listed},
	check: func(t *trial) {
		t.open("/")
		for path, want := range map[string]string{"//li/text()": "", "//li/@id": "", "//p/node()": "", "//button/node()": "bold"} {
			refs, err := t.page.Find(t.ctx, driver.NodeRef{}, xpath(path))
			t.ok("Find "+path, err)
			t.equal(path, t.ids(refs), want)
		}
	},
}, {
	Name:  "find/hidden",
	Rule:  "What is not displayed is found all the same; what is in a template is not in the document.",
	Doc:   "Finder.Find",
	pages: pages{"/": `<p id=a hidden>x</p><div style="display: none"><p id=b>x</p></div><template><p id=c>x</p></template>`},
	check: func(t *trial) {
		t.open("/")
		t.matches("p", "a b")
	},
}, {
	Name:  "find/escapes",
	Rule:  "Escapes in CSS selectors and any character in ids and attributes work.",
	Doc:   "CSS",
	pages: pages{"/": `<p id="a.b">x</p><p id="1st">x</p><p id="ü" data-x='quo"te'>x</p>`},
	check: func(t *trial) {
		t.open("/")
		t.matches(`#a\.b`, "a.b")
		t.matches(`#\31 st`, "1st")
		t.matches(`#ü`, "ü")
		t.matches(`[data-x="quo\"te"]`, "ü")
	},
}, {
	Name:  "find/many",
	Rule:  "There is no limit to how many elements are found.",
	Doc:   "Finder.Find",
	pages: pages{"/": strings.Repeat("<i></i>", 3000)},
	check: func(t *trial) {
		t.open("/")
		refs := t.findAll(driver.NodeRef{}, "i")
		t.equal("found", len(refs), 3000)
		seen := map[driver.NodeRef]bool{}
		for _, r := range refs {
			seen[r] = true
		}
		t.equal("different ones", len(seen), 3000)
	},
}, {
	Name:  "find/again",
	Rule:  "The same element is the same reference at every search.",
	Doc:   "NodeRef",
	pages: pages{"/": listed},
	check: func(t *trial) {
		t.open("/")
		a := t.find("#p")
		refs, err := t.page.Find(t.ctx, driver.NodeRef{}, xpath("//p"))
		t.ok("Find", err)
		t.equal("the second time", refs, []driver.NodeRef{a})
	},
}, {
	Name:  "find/svg",
	Rule:  "Elements of SVG are found by CSS.",
	Doc:   "Finder.Find",
	pages: pages{"/": `<svg id=s><g id=g><linearGradient id=lg></linearGradient></g></svg>`},
	check: func(t *trial) {
		t.open("/")
		t.matches("svg > g", "g")
		t.matches("linearGradient", "lg")
	},
}}

// matches searches the main document and compares ids.
func (t *trial) matches(selector, want string) {
	t.equal(selector, t.ids(t.findAll(driver.NodeRef{}, selector)), want)
}
