package drivertest

import (
	"github.com/wayfinder-engine/wayfinder/driver"
)

var contentCases = rows(Case{Doc: "Node.Shown"}, []Case{{
	Name:   "content/text",
	Rule:   "Text is a text node's data as it stands: entities decoded, white space kept.",
	Doc:    "Node.Text",
	pages:  pages{"/": "<p id=p>a  b\n&amp;&eacute;&#x1F40E; c</p>"},
	opened: func(t *trial) { t.equal("Text", t.text("#p"), "a  b\n&é🐎 c") },
}, {
	Name:  "content/shown",
	Rule:  "Shown is the text as it is laid out: text-transform applied, white space not collapsed; Text stays.",
	pages: pages{"/": "<p id=p style='text-transform: uppercase'>straße  x</p><p id=q>plain</p><p id=c style='text-transform: capitalize'>two words</p>"},
	opened: func(t *trial) {
		v := t.capture()
		t.equal("Shown, upper case", v.firstText("p").Shown, "STRASSE  X")
		t.equal("Text, upper case", v.firstText("p").Text, "straße  x")
		t.equal("Shown", v.firstText("q").Shown, "plain")
		t.equal("Shown, capitalized", v.firstText("c").Shown, "Two Words")
	},
}, {
	Name:  "content/not-shown",
	Rule:  "Shown is empty where Rendered is false; the text is captured all the same.",
	pages: pages{"/": "<p id=p style='display: none'>away</p>"},
	opened: func(t *trial) {
		n := t.capture().firstText("p")
		t.equal("Rendered", n.Rendered, false)
		t.equal("Shown", n.Shown, "")
		t.equal("Text", n.Text, "away")
	},
}, {
	Name:  "content/pseudo",
	Rule:  "A pseudo element with content is a child of its element, named with its colons: ::before is the first child and ::after stands behind the others. Shown is its text.",
	Doc:   "PseudoNode",
	pages: pages{"/": "<style>#p::before { content: 'A' } #p::after { content: 'Z' }</style><p id=p>mid<b>dle</b></p>"},
	opened: func(t *trial) {
		d := &t.capture().Documents[0]
		var names []string
		for _, i := range children(d, byID(d, "p")) {
			names = append(names, d.Nodes[i].Name)
			switch d.Nodes[i].Name {
			case "::before":
				t.equal("Shown of ::before", d.Nodes[i].Shown, "A")
				t.equal("Kind", d.Nodes[i].Kind, driver.PseudoNode)
			case "::after":
				t.equal("Shown of ::after", d.Nodes[i].Shown, "Z")
			}
		}
		if len(names) != 4 || names[0] != "::before" || names[2] != "b" || names[3] != "::after" {
			t.errorf("children = %q, want ::before, the text, b, ::after", names)
		}
	},
}, {
	Name:  "content/pseudo-none",
	Rule:  "A pseudo element without content is not there.",
	Doc:   "PseudoNode",
	pages: pages{"/": "<style>#p::before { content: none } #p::after { color: red }</style><p id=p>mid</p>"},
	opened: func(t *trial) {
		d := &t.capture().Documents[0]
		t.equal("children", len(children(d, byID(d, "p"))), 1)
	},
}, {
	Name:  "content/value",
	Rule:  "Value is the live value of a text control; the attribute stays what it was.",
	Doc:   "Node.Value",
	pages: pages{"/": "<input id=i value=old><textarea id=a>old</textarea>"},
	opened: func(t *trial) {
		for _, id := range []string{"i", "a"} {
			t.equal("Value before", t.capture().element(id).Value, "old")
			t.ok("SelectText", t.page.SelectText(t.ctx, driver.Target{At: t.find("#" + id)}))
			t.input(driver.InsertText{Text: "new"})
			t.equal("Value after", t.capture().element(id).Value, "new")
		}
		attr, _ := t.capture().element("i").Attr("value")
		t.equal("attribute", attr, "old")
	},
}, {
	Name:  "content/no-value",
	Rule:  "HasValue tells a control with an empty value from what has none.",
	Doc:   "Node.HasValue",
	pages: pages{"/": "<input id=i><textarea id=a></textarea><p id=p>x</p><div id=d contenteditable>x</div>"},
	opened: func(t *trial) {
		v := t.capture()
		for id, want := range map[string]bool{"i": true, "a": true, "p": false, "d": false} {
			t.equal("HasValue of "+id, v.element(id).HasValue, want)
			t.equal("Value of "+id, v.element(id).Value, "")
		}
	},
}, {
	Name:  "content/password",
	Rule:  "A password's value is never captured, neither the live one nor the attribute: it is as many bullets as there are characters.",
	Doc:   "Node.Value",
	pages: pages{"/": "<input id=i type=password><input id=j type=password value=sécret>"},
	opened: func(t *trial) {
		t.focus("#i")
		t.input(driver.InsertText{Text: "pass4"})
		n := t.capture().element("i")
		t.equal("Value", n.Value, "•••••")
		t.equal("HasValue", n.HasValue, true)
		n = t.capture().element("j")
		attr, _ := n.Attr("value")
		t.equal("Value from the markup", n.Value, "••••••")
		t.equal("attribute", attr, "••••••")
	},
}, {
	Name:  "content/select",
	Rule:  "The Value of a select is the chosen option's; options have Selected, live.",
	Doc:   "Node.Selected",
	pages: pages{"/": "<select id=s><option id=a value=1>one<option id=b value=2 selected>two<option id=c>three</select>"},
	opened: func(t *trial) {
		v := t.capture()
		t.equal("Value", v.element("s").Value, "2")
		t.equal("Selected of b", v.element("b").Selected, true)
		t.setValue("#s", "three")
		v = t.capture()
		t.equal("Value after", v.element("s").Value, "three")
		t.equal("Selected after", []bool{v.element("a").Selected, v.element("b").Selected, v.element("c").Selected}, []bool{false, false, true})
		t.equal("Value of an option", v.element("a").Value, "1")
	},
}, {
	Name:  "content/checked",
	Rule:  "Checked is live, of checkboxes and radio buttons.",
	Doc:   "Node.Checked",
	pages: pages{"/": "<input type=checkbox id=c><input type=checkbox id=d checked><input type=radio name=r id=r1 checked><input type=radio name=r id=r2>"},
	opened: func(t *trial) {
		v := t.capture()
		t.equal("before", []bool{v.element("c").Checked, v.element("d").Checked, v.element("r1").Checked, v.element("r2").Checked}, []bool{false, true, true, false})
		for _, id := range []string{"#c", "#d", "#r2"} {
			t.click(id)
		}
		v = t.capture()
		t.equal("after", []bool{v.element("c").Checked, v.element("d").Checked, v.element("r1").Checked, v.element("r2").Checked}, []bool{true, false, false, true})
	},
}, {
	Name:  "content/clickable",
	Rule:  "Clickable tells what has a listener for clicks or is activated by nature.",
	Doc:   "Node.Clickable",
	pages: pages{"/": "<a id=a href=/x>x</a><button id=b>x</button><input id=s type=submit><div id=d>x</div><p id=p>x</p><a id=n>no link</a><div id=m>x</div>"},
	does: []Behavior{
		on("click", "#d", Action{Kind: SetText, Target: "#d", Text: "y"}),
		on("mousedown", "#m", Action{Kind: SetText, Target: "#m", Text: "y"}),
	},
	opened: func(t *trial) {
		v := t.capture()
		for id, want := range map[string]bool{"a": true, "b": true, "s": true, "d": true, "m": true, "p": false, "n": false} {
			t.equal("Clickable of "+id, v.element(id).Clickable, want)
		}
	},
}, {
	Name:  "content/active",
	Rule:  "Active is the focused element's index, -1 if there is none.",
	Doc:   "Document.Active",
	pages: pages{"/": "<input id=a><input id=b>"},
	opened: func(t *trial) {
		t.equal("Active at first", t.capture().Documents[0].Active, int32(-1))
		t.focus("#b")
		d := &t.capture().Documents[0]
		t.equal("Active", d.Active, byID(d, "b"))
		t.ok("Focus of the document", t.page.Focus(t.ctx, driver.Target{At: d.Root()}))
		t.equal("Active after the document was focused", t.capture().Documents[0].Active, int32(-1))
	},
}})

var rareCases = rows(Case{Doc: "Rare.Scroll"}, []Case{{
	Name:  "rare/mixed",
	Rule:  "Rare.Mixed tells a checkbox whose indeterminate is set; a click ends it.",
	Doc:   "Rare.Mixed",
	pages: pages{"/": "<button id=b>mix</button><input type=checkbox id=c><input type=checkbox id=d>"},
	does:  []Behavior{on("click", "#b", Action{Kind: SetMixed, Target: "#c"})},
	opened: func(t *trial) {
		t.click("#b")
		t.equal("Mixed", rare(t.capture().element("c")).Mixed, true)
		t.equal("Mixed of another", rare(t.capture().element("d")).Mixed, false)
		t.equal("State.Mixed", t.state("#c").Mixed, true)
		t.click("#c")
		t.equal("Mixed after a click", rare(t.capture().element("c")).Mixed, false)
	},
}, {
	Name:  "rare/modal",
	Rule:  "Rare.Modal tells a dialog that was shown by showModal, and not one that is open without it.",
	Doc:   "Rare.Modal",
	pages: pages{"/": "<button id=b>ask</button><dialog id=d>one</dialog><dialog id=e open>two</dialog>"},
	does:  []Behavior{on("click", "#b", Action{Kind: ShowModal, Target: "#d"})},
	opened: func(t *trial) {
		t.equal("Rendered before", t.capture().element("d").Rendered, false)
		t.click("#b")
		v := t.capture()
		t.equal("Modal", rare(v.element("d")).Modal, true)
		t.equal("Rendered", v.element("d").Rendered, true)
		t.equal("Modal of the open one", rare(v.element("e")).Modal, false)
		_, open := v.element("d").Attr("open")
		t.equal("the open attribute", open, true)
	},
}, {
	Name:  "rare/popover",
	Rule:  "Rare.PopoverOpen tells a popover that is showing; a button with popovertarget shows and hides it.",
	Doc:   "Rare.PopoverOpen",
	pages: pages{"/": `<button id=b popovertarget=p style="position: absolute; left: 0; top: 0">show</button><div id=p popover>content</div>`},
	opened: func(t *trial) {
		t.equal("Rendered before", t.capture().element("p").Rendered, false)
		t.click("#b")
		v := t.capture()
		t.equal("PopoverOpen", rare(v.element("p")).PopoverOpen, true)
		t.equal("Rendered", v.element("p").Rendered, true)
		t.click("#b")
		v = t.capture()
		t.equal("PopoverOpen after a second click", rare(v.element("p")).PopoverOpen, false)
		t.equal("Rendered after a second click", v.element("p").Rendered, false)
	},
}, {
	Name:  "rare/broken",
	Rule:  "Rare.Broken tells an image that failed.",
	Doc:   "Rare.Broken",
	pages: pages{"/": `<img id=b src=/missing.png><img id=g src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"><img id=n>`},
	opened: func(t *trial) {
		v := t.capture()
		t.equal("Broken", rare(v.element("b")).Broken, true)
		t.equal("Broken of a good one", rare(v.element("g")).Broken, false)
	},
}, {
	Name:  "rare/invalid",
	Rule:  "Rare.Invalid is the message of a control whose value is not valid, empty of one that is or that does not take part.",
	Doc:   "Rare.Invalid",
	pages: pages{"/": "<input id=r required><input id=e type=email value=x><input id=ok value=x required><input id=d required disabled>"},
	opened: func(t *trial) {
		v := t.capture()
		t.must(rare(v.element("r")).Invalid != "", "Invalid of an empty required control is empty")
		t.must(rare(v.element("e")).Invalid != "", "Invalid of a wrong e-mail address is empty")
		t.equal("Invalid of a valid control", rare(v.element("ok")).Invalid, "")
		t.equal("Invalid of a disabled control", rare(v.element("d")).Invalid, "")
		t.focus("#r")
		t.input(driver.InsertText{Text: "x"})
		t.equal("Invalid after typing", rare(t.capture().element("r")).Invalid, "")
	},
}, {
	Name:  "rare/scroll",
	Rule:  "Rare.Scroll is where a scroll container's content is, and how far it goes; what does not scroll has none.",
	pages: pages{"/": `<div id=d style="width: 200px; height: 100px; overflow: auto; scrollbar-width: none"><div style="width: 500px; height: 900px">x</div></div><div id=n>x</div>`},
	opened: func(t *trial) {
		t.scrollTo("#d", driver.ScrollTarget{X: 10, Y: 300})
		v := t.capture()
		if s := rare(v.element("d")).Scroll; s == nil {
			t.errorf("Scroll of the container is nil")
		} else {
			t.equal("Scroll", *s, driver.ScrollState{X: 10, Y: 300, MaxX: 300, MaxY: 800, View: driver.Size{Width: 200, Height: 100}})
		}
		t.must(rare(v.element("n")).Scroll == nil, "Scroll of what does not scroll is %+v", rare(v.element("n")).Scroll)
	},
}, {
	Name:  "rare/scroll-end",
	Rule:  "A container that is scrolled to its end has its scroll state still.",
	pages: pages{"/": `<div id=d style="width: 200px; height: 100px; overflow: auto; scrollbar-width: none"><div style="height: 900px">x</div></div>`},
	opened: func(t *trial) {
		t.scrollTo("#d", driver.ScrollTarget{Y: 800})
		s := rare(t.capture().element("d")).Scroll
		t.must(s != nil && s.Y == 800, "Scroll at the end is %+v", s)
	},
}, {
	Name:  "rare/scroll-clipped",
	Rule:  "ScrollState.Clipped tells a container that no wheel scrolls from one that a wheel does.",
	Doc:   "ScrollState.Clipped",
	pages: pages{"/": `<div id=h style="width: 200px; height: 100px; overflow: hidden"><div style="height: 900px">x</div></div><div id=a style="width: 200px; height: 100px; overflow: auto"><div style="height: 900px">x</div></div>`},
	opened: func(t *trial) {
		v := t.capture()
		for id, want := range map[string]bool{"h": true, "a": false} {
			s := rare(v.element(id)).Scroll
			t.must(s != nil, "Scroll of #%s is nil", id)
			t.equal("Clipped of #"+id, s.Clipped, want)
			t.equal("State.Scroll.Clipped of #"+id, t.state("#"+id).Scroll.Clipped, want)
		}
	},
}, {
	Name:  "rare/nil",
	Rule:  "Rare is nil where there is nothing rare.",
	Doc:   "Node.Rare",
	pages: pages{"/": "<p id=p>x</p><input id=i value=x>"},
	opened: func(t *trial) {
		v := t.capture()
		t.must(v.element("p").Rare == nil, "Rare of a paragraph is %+v", v.element("p").Rare)
		t.must(v.element("i").Rare == nil, "Rare of a valid input is %+v", v.element("i").Rare)
	},
}})
