package drivertest

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

const listed = `<div id=top><ul id=u class=list><li id=l1>one<li id=l2 class="x y" data-n="5">two<li id=l3>three</ul>
<form id=fm><input id=i1 type=text name=who><input id=i2 type=checkbox checked><input id=i3 disabled><button id=b>Send <b id=bold>now</b></button></form>
<p id=p class=list>para</p></div>`

var findCases = rows(Case{Doc: "Finder.Find", pages: pages{"/": listed}},
	rule("find/order", "Find returns the elements in document order, each once, whatever the selector's order.").opens(func(t *trial) { t.matches("p, li, #l2, button", "l1 l2 l3 b p") }),
	rule("find/none", "To find nothing is no error.").opens(func(t *trial) {
		for _, sel := range []driver.Selector{css(".nothing"), xpath("//nothing")} {
			t.equal("found", len(t.findBy(driver.NodeRef{}, sel)), 0)
		}
	}),
	rule("find/bad-css", "A CSS selector that cannot be parsed is an error that wraps ErrSelector.").at("ErrSelector").
		opens(func(t *trial) { cannotParse(t, css, "", "li[", "li >", ":nosuch(", "::", "li,,p", "#1a") }),
	rule("find/bad-xpath", "An XPath that cannot be parsed is an error that wraps ErrSelector.").at("ErrSelector").
		opens(func(t *trial) { cannotParse(t, xpath, "", "//li[", "//li[@", "nosuch(") }),
	rule("find/root-document", "The zero NodeRef, the document's reference with the node 0, and the captured document node are the same root.").opens(func(t *trial) {
		want := t.findAll(driver.NodeRef{}, "li")
		t.equal("items", len(want), 3)
		t.equal("from the captured document node", t.findAll(t.capture().Documents[0].Root(), "li"), want)
		t.equal("from the node 0", t.findAll(driver.NodeRef{Frame: t.main().ID, Doc: t.doc()}, "li"), want)
		t.equal("from the root element", len(t.findAll(driver.NodeRef{}, "html")), 1)
	}),
	rule("find/root-element", "From an element its descendants are found, not the element itself and nothing beside it.").opens(func(t *trial) {
		u := t.find("#u")
		t.equal("list items", t.ids(t.findAll(u, "li")), "l1 l2 l3")
		t.equal("of the class", len(t.findAll(u, ".list")), 0)
		t.equal("paragraphs", len(t.findAll(u, "p")), 0)
		t.equal("by an ancestor outside", t.ids(t.findAll(u, "#top .x")), "l2")
		t.equal("by :scope", t.ids(t.findAll(u, ":scope > li:first-child")), "l1")
	}),
	rule("find/css", "CSS selectors match as CSS says: attributes, combinators, structure, lists and negation.").at("CSS").opens(func(t *trial) {
		for sel, want := range map[string]string{
			"LI": "l1 l2 l3", ".x.y": "l2", "[data-n='5']": "l2", "[class~=y]": "l2", "[id^=l]": "l1 l2 l3",
			"li:nth-child(2)": "l2", "li:not(.x)": "l1 l3", "li + li": "l2 l3", "li ~ .x": "l2", "ul > :last-child": "l3",
			":is(p, button)": "b p", "input[type=checkbox]": "i2", "#top > p": "p", "button:has(b)": "b",
		} {
			t.matches(sel, want)
		}
	}),
	rule("find/state", "Pseudo classes of state are live.").at("CSS").opens(func(t *trial) {
		t.matches("input:checked", "i2")
		t.matches(":disabled", "i3")
		t.matches("input:enabled", "i1 i2")
		t.click("#i2")
		t.matches("input:checked", "")
		t.focus("#i1")
		t.matches("input:focus", "i1")
	}),
	rule("find/xpath", "XPath expressions match as XPath 1.0 says.").at("XPath").opens(func(t *trial) {
		for path, want := range map[string]string{
			"//li": "l1 l2 l3", "//ul/li[2]": "l2", "//*[@data-n=5]": "l2", "//li[contains(., 'hre')]": "l3",
			"/html/body/div/p": "p", "//b/..": "b", "//li[last()]": "l3", "//li[1]/following-sibling::li": "l2 l3",
			"//p | //li[1]": "l1 p", "//*[normalize-space(text())='Send']": "b", "//*[@id='l2']/preceding::li": "l1",
			"//input[not(@disabled)]": "i1 i2", "id('p')": "p", "//form/*[position() < 3]": "i1 i2",
		} {
			t.equal(path, t.ids(t.findBy(driver.NodeRef{}, xpath(path))), want)
		}
	}),
	rule("find/xpath-relative", "A relative XPath starts at the root that Find was given.").opens(func(t *trial) {
		for path, want := range map[string]string{".//li": "l1 l2 l3", "li[3]": "l3", "./li/text()/..": "l1 l2 l3"} {
			t.equal(path, t.ids(t.findBy(t.find("#u"), xpath(path))), want)
		}
	}),
	rule("find/xpath-elements", "Find returns elements: what else an XPath selects (text, attributes) is left out.").opens(func(t *trial) {
		for path, want := range map[string]string{"//li/text()": "", "//li/@id": "", "//p/node()": "", "//button/node()": "bold"} {
			t.equal(path, t.ids(t.findBy(driver.NodeRef{}, xpath(path))), want)
		}
	}),
	rule("find/hidden", "What is not displayed is found all the same; what is in a template is not in the document.").
		on(`<p id=a hidden>x</p><div style="display: none"><p id=b>x</p></div><template><p id=c>x</p></template>`).
		opens(func(t *trial) { t.matches("p", "a b") }),
	rule("find/escapes", "Escapes in CSS selectors and any character in ids and attributes work.").at("CSS").
		on(`<p id="a.b">x</p><p id="1st">x</p><p id="ü" data-x='quo"te'>x</p>`).
		opens(func(t *trial) {
			t.matches(`#a\.b`, "a.b")
			t.matches(`#\31 st`, "1st")
			t.matches(`#ü`, "ü")
			t.matches(`[data-x="quo\"te"]`, "ü")
		}),
	rule("find/many", "There is no limit to how many elements are found.").
		on(strings.Repeat("<i></i>", 3000)).
		opens(func(t *trial) {
			refs := t.findAll(driver.NodeRef{}, "i")
			t.equal("found", len(refs), 3000)
			seen := map[driver.NodeRef]bool{}
			for _, r := range refs {
				seen[r] = true
			}
			t.equal("different ones", len(seen), 3000)
		}),
	rule("find/again", "The same element is the same reference at every search.").at("NodeRef").opens(func(t *trial) {
		a := t.find("#p")
		refs := t.findBy(driver.NodeRef{}, xpath("//p"))
		t.equal("the second time", refs, []driver.NodeRef{a})
	}),
	rule("find/svg", "Elements of SVG are found by CSS.").
		on(`<svg id=s><g id=g><linearGradient id=lg></linearGradient></g></svg>`).
		opens(func(t *trial) {
			t.matches("svg > g", "g")
			t.matches("linearGradient", "lg")
		}),
)

// cannotParse searches by what are no selectors of a kind.
func cannotParse(t *trial, kind func(string) driver.Selector, texts ...string) {
	for _, s := range texts {
		err := errOf(t.page.Find(t.ctx, driver.NodeRef{}, kind(s)))
		t.must(err != nil, "Find(%q) gave no error", s)
		t.failsAsOp("find", err, driver.ErrSelector)
	}
}

// shadowed has a host with an open root and one with a closed root, each with
// a slot, and a closed root within an open one.
const shadowed = `<div id=open><template shadowrootmode=open><input type=checkbox id=in><slot id=s></slot></template><b id=slotted>light</b></div>` +
	`<div id=closed><template shadowrootmode=closed><input type=checkbox id=inc><slot id=sc></slot></template><b id=slottedc>light</b></div>` +
	`<div id=outer><template shadowrootmode=open><p id=mid><span id=host><template shadowrootmode=closed><input type=checkbox id=deep></template></span></p></template></div>`

// shadowWays lead to the box in each of its shadow trees.
var shadowWays = [][]string{{"#open", "#in"}, {"#closed", "#inc"}, {"#outer", "#host", "#deep"}}

var shadowCases = rows(Case{Doc: "Node", pages: pages{"/": shadowed}},
	rule("shadow/open", "What is in an open shadow root is captured under its host, with Shadow OpenShadow and the host's index.").at("Node.Host").
		opens(func(t *trial) { inShadow(t, "open", "in", driver.OpenShadow) }),
	rule("shadow/closed", "What is in a closed shadow root is captured under its host, with Shadow ClosedShadow and the host's index.").at("Node.Host").
		opens(func(t *trial) { inShadow(t, "closed", "inc", driver.ClosedShadow) }),
	rule("shadow/nested", "Shadow trees within shadow trees are captured; Host is the innermost host, and what stands in the tree stays within it.").at("Node.Host").opens(func(t *trial) {
		d := &t.capture().Documents[0]
		outer, mid, host, deep := byID(d, "outer"), byID(d, "mid"), byID(d, "host"), byID(d, "deep")
		if deep < 0 || host < 0 {
			t.fatalf("the inner tree is not captured")
		}
		t.equal("Host of #mid", d.Nodes[mid].Host, outer)
		t.equal("Host of #host", d.Nodes[host].Host, outer)
		t.equal("Shadow of #host", d.Nodes[host].Shadow, driver.OpenShadow)
		t.equal("Parent of #deep", d.Nodes[deep].Parent, host)
		t.equal("Host of #deep", d.Nodes[deep].Host, host)
		t.equal("Shadow of #deep", d.Nodes[deep].Shadow, driver.ClosedShadow)
	}),
	rule("shadow/comments", "Comments in a shadow root, which are not captured, change nothing: the host is in the tree that it stands in.").at("Node.Shadow").
		on(`<div id=a><template shadowrootmode=open><!-- 1 --><p id=ina>x</p><!-- 2 --></template></div>`+
			`<div id=b><template shadowrootmode=closed><!-- 1 --><p id=inb>x<span id=c><template shadowrootmode=open><!-- 1 --><i id=inc>y</i></template></span></p></template></div>`).
		opens(func(t *trial) {
			inShadow(t, "a", "ina", driver.OpenShadow)
			inShadow(t, "b", "inb", driver.ClosedShadow)
			d := &t.capture().Documents[0]
			for id, want := range map[string]driver.ShadowKind{"a": driver.Light, "b": driver.Light, "c": driver.ClosedShadow} {
				t.equal("Shadow of "+id, d.Nodes[byID(d, id)].Shadow, want)
			}
			t.equal("Host of a", d.Nodes[byID(d, "a")].Host, int32(-1))
			t.equal("Host of b", d.Nodes[byID(d, "b")].Host, int32(-1))
			t.equal("Host of c", d.Nodes[byID(d, "c")].Host, byID(d, "b"))
		}),
	rule("shadow/slotted", "Slotted children stand under their slot and keep the Host and Shadow of the tree that they belong to.").opens(func(t *trial) {
		d := &t.capture().Documents[0]
		for _, c := range [][2]string{{"s", "slotted"}, {"sc", "slottedc"}} {
			slot, child := byID(d, c[0]), byID(d, c[1])
			if slot < 0 || child < 0 {
				t.fatalf("#%s or #%s is not captured", c[0], c[1])
			}
			t.equal("Name of the slot", d.Nodes[slot].Name, "slot")
			t.equal("Parent of the slotted", d.Nodes[child].Parent, slot)
			t.equal("Host of the slotted", d.Nodes[child].Host, int32(-1))
			t.equal("Shadow of the slotted", d.Nodes[child].Shadow, driver.Light)
			t.equal("text", text(d, child), "light")
		}
	}),
	rule("shadow/slots", "Slotted children stand in the order of the slots, named and unnamed.").
		on(`<div id=h><template shadowrootmode=open><slot name=b></slot><slot></slot><slot name=a></slot></template><i id=a slot=a>a</i><i id=x>x</i><i id=b slot=b>b</i></div>`).
		opens(func(t *trial) {
			d := &t.capture().Documents[0]
			t.must(byID(d, "b") < byID(d, "x") && byID(d, "x") < byID(d, "a"), "the order is not b, x, a")
			t.equal("text", text(d, byID(d, "h")), "bxa")
		}),
	rule("shadow/unslotted", "Light children that no slot takes are absent from a capture.").
		on(`<div id=h><template shadowrootmode=open><p id=p>in</p><slot name=n></slot></template><b id=lost>lost</b>text</div>`).
		opens(func(t *trial) {
			d := &t.capture().Documents[0]
			t.equal("index of the child without a slot", byID(d, "lost"), int32(-1))
			t.equal("text", text(d, byID(d, "h")), "in")
		}),
	rule("shadow/fallback", "A slot that nothing is assigned to has its own children; one that has something has not.").
		on(`<div id=h><template shadowrootmode=closed><slot name=a>fall</slot>-<slot name=b>back</slot></template><b slot=b>taken</b></div>`).
		opens(func(t *trial) {
			d := &t.capture().Documents[0]
			t.equal("text", text(d, byID(d, "h")), "fall-taken")
		}),
	rule("shadow/reslotted", "What is slotted into an inner host's slot through an outer slot stands where it is shown.").
		on(`<div id=o><template shadowrootmode=open><section id=i><template shadowrootmode=open><p id=p><slot id=inner></slot></p></template><slot id=outer></slot></section></template><b id=b>light</b></div>`).
		opens(func(t *trial) {
			d := &t.capture().Documents[0]
			b := byID(d, "b")
			if b < 0 {
				t.fatalf("the slotted element is not captured")
			}
			t.equal("Parent of the slotted", d.Nodes[b].Parent, byID(d, "outer"))
			t.equal("Parent of the outer slot", d.Nodes[byID(d, "outer")].Parent, byID(d, "inner"))
			t.equal("Host of the outer slot", d.Nodes[byID(d, "outer")].Host, byID(d, "o"))
		}),
	rule("shadow/find", "If the root of Find hosts a shadow root of any mode, the search is in that root, and not in the light children.").at("Finder.Find").opens(func(t *trial) {
		v := t.capture()
		t.equal("in the open root", v.node(t.find("#open", "input")), v.element("in"))
		t.equal("in the closed root", v.node(t.find("#closed", "input")), v.element("inc"))
		t.equal("in the nested one", v.node(t.find("#outer", "#host", "input")), v.element("deep"))
		t.equal("light children found from the open host", len(t.findAll(t.find("#open"), "b")), 0)
		t.equal("light children found from the closed host", len(t.findAll(t.find("#closed"), "b")), 0)
	}),
	rule("shadow/find-document", "A search in a document does not go into shadow roots, and finds slotted elements.").at("Finder.Find").opens(func(t *trial) {
		t.equal("inputs in the document", len(t.findAll(driver.NodeRef{}, "input")), 0)
		t.equal("slotted", t.ids(t.findAll(driver.NodeRef{}, "b")), "slotted slottedc")
	}),
	rule("shadow/find-within", "The root of Find may be an element within a shadow root.").at("Finder.Find").
		opens(func(t *trial) { t.equal("found", t.ids(t.findAll(t.find("#outer", "#mid"), "span")), "host") }),
	rule("shadow/find-xpath", "An XPath is searched in shadow roots as a CSS selector is.").at("Finder.Find").opens(func(t *trial) {
		for _, c := range [][2]string{{"#open", "in"}, {"#closed", "inc"}} {
			refs := t.findBy(t.find(c[0]), xpath(".//input"))
			t.equal("found in "+c[0], t.ids(refs), c[1])
		}
	}),
	rule("shadow/click", "Elements within shadow roots of any mode are located and clicked.").at("Finder.Locate").opens(func(t *trial) {
		for _, way := range shadowWays {
			t.click(way...)
			t.equal("Checked of "+way[len(way)-1], t.state(way...).Checked, true)
		}
	}),
	rule("shadow/hittest", "HitTest returns the deepest element, through shadow roots of any mode.").at("Finder.HitTest").opens(func(t *trial) {
		for _, way := range shadowWays {
			ref := t.find(way...)
			t.equal("the element at "+way[len(way)-1], t.hitTest(t.locate(ref, nil).At), ref)
		}
	}),
	rule("shadow/active", "Active is the focused element itself, also within a shadow root of any mode.").at("Document.Active").opens(func(t *trial) {
		for _, way := range shadowWays {
			t.focus(way...)
			d := &t.capture().Documents[0]
			t.equal("Active", d.Active, byID(d, way[len(way)-1][1:]))
			t.equal("Focused", t.state(way...).Focused, true)
		}
	}),
	rule("shadow/frame", "A frame within a shadow root is captured with its owner, and searched.").at("Document.Owner").
		with(pages{"/": `<div id=h><template shadowrootmode=closed><iframe id=f src=/in></iframe></template></div>`, "/in": "<p id=p>in"}).
		opens(func(t *trial) {
			d := t.capture().document("#h", "#f")
			t.equal("text", text(d, byID(d, "p")), "in")
			t.equal("text of what is found", t.text("#h", "#f", "#p"), "in")
		}),
)

// inShadow looks at a node at the top of a shadow tree.
func inShadow(t *trial, host, id string, kind driver.ShadowKind) {
	d := &t.capture().Documents[0]
	h, i := byID(d, host), byID(d, id)
	if h < 0 || i < 0 {
		t.fatalf("#%s or #%s is not captured", host, id)
	}
	t.equal("Shadow of the host", d.Nodes[h].Shadow, driver.Light)
	t.equal("Host of the host", d.Nodes[h].Host, int32(-1))
	t.equal("Parent", d.Nodes[i].Parent, h)
	t.equal("Host", d.Nodes[i].Host, h)
	t.equal("Shadow", d.Nodes[i].Shadow, kind)
}
