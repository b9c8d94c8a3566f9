package drivertest

import (
	"github.com/wayfinder-engine/wayfinder/driver"
)

var contentCases = rows(Case{Doc: "Node.Shown"},
	rule("content/text", "Text is a text node's data as it stands: entities decoded, white space kept.").at("Node.Text").
		on("<p id=p>a  b\n&amp;&eacute;&#x1F40E; c</p>").
		opens(func(t *trial) { t.equal("Text", t.text("#p"), "a  b\n&é🐎 c") }),
	rule("content/shown", "Shown is the text as it is laid out: text-transform applied, white space not collapsed; Text stays. A control does not inherit it.").
		on("<div style='text-transform: uppercase'><button id=b>save</button></div><p id=p style='text-transform: uppercase'>straße  x</p><p id=q>plain</p><p id=c style='text-transform: capitalize'>two words</p>").
		opens(func(t *trial) {
			v := t.capture()
			t.equal("Shown, upper case", v.firstText("p").Shown, "STRASSE  X")
			t.equal("Text, upper case", v.firstText("p").Text, "straße  x")
			t.equal("Shown", v.firstText("q").Shown, "plain")
			t.equal("Shown, capitalized", v.firstText("c").Shown, "Two Words")
			t.equal("Shown in a button", v.firstText("b").Shown, "save")
		}),
	rule("content/not-shown", "Shown is empty where Rendered is false; the text is captured all the same.").
		on("<p id=p style='display: none'>away</p>").
		opens(func(t *trial) {
			n := t.capture().firstText("p")
			t.equal("Rendered", n.Rendered, false)
			t.equal("Shown", n.Shown, "")
			t.equal("Text", n.Text, "away")
		}),
	rule("content/pseudo", "A pseudo element with content is a child of its element, named with its colons: ::before is the first child and ::after stands behind the others. Shown is its text.").at("PseudoNode").
		on("<style>#p::before { content: 'A' } #p::after { content: 'Z' }</style><p id=p>mid<b>dle</b></p>").
		opens(func(t *trial) {
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
		}),
	rule("content/pseudo-none", "A pseudo element without content is not there.").at("PseudoNode").
		on("<style>#p::before { content: none } #p::after { color: red }</style><p id=p>mid</p>").
		opens(func(t *trial) {
			d := &t.capture().Documents[0]
			t.equal("children", len(children(d, byID(d, "p"))), 1)
		}),
	rule("content/value", "Value is the live value of a text control; the attribute stays what it was.").at("Node.Value").
		on("<input id=i value=old><textarea id=a>old</textarea>").
		opens(func(t *trial) {
			for _, id := range []string{"i", "a"} {
				t.equal("Value before", t.capture().element(id).Value, "old")
				t.ok("SelectText", t.page.SelectText(t.ctx, driver.Target{At: t.find("#" + id)}))
				t.input(driver.InsertText{Text: "new"})
				t.equal("Value after", t.capture().element(id).Value, "new")
			}
			attr, _ := t.capture().element("i").Attr("value")
			t.equal("attribute", attr, "old")
		}),
	rule("content/no-value", "HasValue tells a control with an empty value from what has none.").at("Node.HasValue").
		on("<input id=i><textarea id=a></textarea><p id=p>x</p><div id=d contenteditable>x</div>").
		opens(func(t *trial) {
			v := t.capture()
			for id, want := range map[string]bool{"i": true, "a": true, "p": false, "d": false} {
				t.equal("HasValue of "+id, v.element(id).HasValue, want)
				t.equal("Value of "+id, v.element(id).Value, "")
			}
		}),
	rule("content/password", "A password's value is never captured, neither the live one nor the attribute: it is as many bullets as there are characters.").at("Node.Value").
		on("<input id=i type=password><input id=j type=password value=sécret>").
		opens(func(t *trial) {
			t.focus("#i")
			t.input(driver.InsertText{Text: "pass4"})
			n := t.capture().element("i")
			t.equal("Value", n.Value, "•••••")
			t.equal("HasValue", n.HasValue, true)
			n = t.capture().element("j")
			attr, _ := n.Attr("value")
			t.equal("Value from the markup", n.Value, "••••••")
			t.equal("attribute", attr, "••••••")
		}),
	rule("content/select", "The Value of a select is the chosen option's; options have Selected, live.").at("Node.Selected").
		on("<select id=s><option id=a value=1>one<option id=b value=2 selected>two<option id=c>three</select>").
		opens(func(t *trial) {
			v := t.capture()
			t.equal("Value", v.element("s").Value, "2")
			t.equal("Selected of b", v.element("b").Selected, true)
			t.setValue("#s", "three")
			v = t.capture()
			t.equal("Value after", v.element("s").Value, "three")
			t.equal("Selected after", []bool{v.element("a").Selected, v.element("b").Selected, v.element("c").Selected}, []bool{false, false, true})
			t.equal("Value of an option", v.element("a").Value, "1")
		}),
	rule("content/checked", "Checked is live, of checkboxes and radio buttons.").at("Node.Checked").
		on("<input type=checkbox id=c><input type=checkbox id=d checked><input type=radio name=r id=r1 checked><input type=radio name=r id=r2>").
		opens(func(t *trial) {
			v := t.capture()
			t.equal("before", []bool{v.element("c").Checked, v.element("d").Checked, v.element("r1").Checked, v.element("r2").Checked}, []bool{false, true, true, false})
			for _, id := range []string{"#c", "#d", "#r2"} {
				t.click(id)
			}
			v = t.capture()
			t.equal("after", []bool{v.element("c").Checked, v.element("d").Checked, v.element("r1").Checked, v.element("r2").Checked}, []bool{true, false, false, true})
		}),
	rule("content/clickable", "Clickable tells what has a listener for clicks or is activated by nature.").at("Node.Clickable").
		on("<a id=a href=/x>x</a><button id=b>x</button><input id=s type=submit><div id=d>x</div><p id=p>x</p><a id=n>no link</a><div id=m>x</div>").
		doing(
			on("click", "#d", Action{Kind: SetText, Target: "#d", Text: "y"}),
			on("mousedown", "#m", Action{Kind: SetText, Target: "#m", Text: "y"}),
		).
		opens(func(t *trial) {
			v := t.capture()
			for id, want := range map[string]bool{"a": true, "b": true, "s": true, "d": true, "m": true, "p": false, "n": false} {
				t.equal("Clickable of "+id, v.element(id).Clickable, want)
			}
		}),
	rule("content/active", "Active is the focused element's index, -1 if there is none.").at("Document.Active").
		on("<input id=a><input id=b>").
		opens(func(t *trial) {
			t.equal("Active at first", t.capture().Documents[0].Active, int32(-1))
			t.focus("#b")
			d := &t.capture().Documents[0]
			t.equal("Active", d.Active, byID(d, "b"))
			t.ok("Focus of the document", t.page.Focus(t.ctx, driver.Target{At: d.Root()}))
			t.equal("Active after the document was focused", t.capture().Documents[0].Active, int32(-1))
		}),
)

var rareCases = rows(Case{Doc: "Rare.Scroll"},
	rule("rare/mixed", "Rare.Mixed tells a checkbox whose indeterminate is set; a click ends it.").at("Rare.Mixed").
		on("<button id=b>mix</button><input type=checkbox id=c><input type=checkbox id=d>").
		doing(on("click", "#b", Action{Kind: SetMixed, Target: "#c"})).
		opens(func(t *trial) {
			t.click("#b")
			t.equal("Mixed", rare(t.capture().element("c")).Mixed, true)
			t.equal("Mixed of another", rare(t.capture().element("d")).Mixed, false)
			t.equal("State.Mixed", t.state("#c").Mixed, true)
			t.click("#c")
			t.equal("Mixed after a click", rare(t.capture().element("c")).Mixed, false)
		}),
	rule("rare/modal", "Rare.Modal tells a dialog that was shown by showModal, and not one that is open without it.").at("Rare.Modal").
		on("<button id=b>ask</button><dialog id=d>one</dialog><dialog id=e open>two</dialog>").
		doing(on("click", "#b", Action{Kind: ShowModal, Target: "#d"})).
		opens(func(t *trial) {
			t.equal("Rendered before", t.capture().element("d").Rendered, false)
			t.click("#b")
			v := t.capture()
			t.equal("Modal", rare(v.element("d")).Modal, true)
			t.equal("Rendered", v.element("d").Rendered, true)
			t.equal("Modal of the open one", rare(v.element("e")).Modal, false)
			_, open := v.element("d").Attr("open")
			t.equal("the open attribute", open, true)
		}),
	rule("rare/popover", "Rare.PopoverOpen tells a popover that is showing; a button with popovertarget shows and hides it.").at("Rare.PopoverOpen").
		on(`<button id=b popovertarget=p style="position: absolute; left: 0; top: 0">show</button><div id=p popover>content</div>`).
		opens(func(t *trial) {
			t.equal("Rendered before", t.capture().element("p").Rendered, false)
			t.click("#b")
			v := t.capture()
			t.equal("PopoverOpen", rare(v.element("p")).PopoverOpen, true)
			t.equal("Rendered", v.element("p").Rendered, true)
			t.click("#b")
			v = t.capture()
			t.equal("PopoverOpen after a second click", rare(v.element("p")).PopoverOpen, false)
			t.equal("Rendered after a second click", v.element("p").Rendered, false)
		}),
	rule("rare/broken", "Rare.Broken tells an image that failed.").at("Rare.Broken").
		on(`<img id=b src=/missing.png><img id=g src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"><img id=n>`).
		opens(func(t *trial) {
			v := t.capture()
			t.equal("Broken", rare(v.element("b")).Broken, true)
			t.equal("Broken of a good one", rare(v.element("g")).Broken, false)
		}),
	rule("rare/invalid", "Rare.Invalid is the message of a control whose value is not valid, empty of one that is or that does not take part.").at("Rare.Invalid").
		on("<input id=r required><input id=e type=email value=x><input id=ok value=x required><input id=d required disabled>"+
			"<input id=early type=date value=2026-01-01 min=2026-01-05><input id=month type=month value=2026-05 max=2026-01>"+
			"<input id=time type=time value=09:00 min=10:30><input id=week type=week value=2026-W07 max=2026-W05>"+
			"<input id=moment type=datetime-local value=2026-01-01T10:00 min=2026-01-05T13:30>").
		opens(func(t *trial) {
			v := t.capture()
			t.must(rare(v.element("r")).Invalid != "", "Invalid of an empty required control is empty")
			t.must(rare(v.element("e")).Invalid != "", "Invalid of a wrong e-mail address is empty")
			t.equal("Invalid of an early date", rare(v.element("early")).Invalid, "Value must be 01/05/2026 or later.")
			t.equal("Invalid of a late month", rare(v.element("month")).Invalid, "Value must be January 2026 or earlier.")
			t.equal("Invalid of an early time", rare(v.element("time")).Invalid, "Value must be 10:30\u202fAM or later.")
			t.equal("Invalid of a late week", rare(v.element("week")).Invalid, "Value must be Week 05, 2026 or earlier.")
			t.equal("Invalid of an early moment", rare(v.element("moment")).Invalid, "Value must be 01/05/2026, 1:30\u202fPM or later.")
			t.equal("Invalid of a valid control", rare(v.element("ok")).Invalid, "")
			t.equal("Invalid of a disabled control", rare(v.element("d")).Invalid, "")
			t.focus("#r")
			t.input(driver.InsertText{Text: "x"})
			t.equal("Invalid after typing", rare(t.capture().element("r")).Invalid, "")
		}),
	rule("rare/scroll", "Rare.Scroll is where a scroll container's content is, and how far it goes; what does not scroll has none.").
		on(`<div id=d style="width: 200px; height: 100px; overflow: auto; scrollbar-width: none"><div style="width: 500px; height: 900px">x</div></div><div id=n>x</div>`).
		opens(func(t *trial) {
			t.scrollTo("#d", driver.ScrollTarget{X: 10, Y: 300})
			v := t.capture()
			if s := rare(v.element("d")).Scroll; s == nil {
				t.errorf("Scroll of the container is nil")
			} else {
				t.equal("Scroll", *s, driver.ScrollState{X: 10, Y: 300, MaxX: 300, MaxY: 800, View: driver.Size{Width: 200, Height: 100}})
			}
			t.must(rare(v.element("n")).Scroll == nil, "Scroll of what does not scroll is %+v", rare(v.element("n")).Scroll)
		}),
	rule("rare/scroll-end", "A container that is scrolled to its end has its scroll state still.").
		on(`<div id=d style="width: 200px; height: 100px; overflow: auto; scrollbar-width: none"><div style="height: 900px">x</div></div>`).
		opens(func(t *trial) {
			t.scrollTo("#d", driver.ScrollTarget{Y: 800})
			s := rare(t.capture().element("d")).Scroll
			t.must(s != nil && s.Y == 800, "Scroll at the end is %+v", s)
		}),
	rule("rare/scroll-clipped", "ScrollState.Clipped tells a container that no wheel scrolls from one that a wheel does.").at("ScrollState.Clipped").
		on(`<div id=h style="width: 200px; height: 100px; overflow: hidden"><div style="height: 900px">x</div></div><div id=a style="width: 200px; height: 100px; overflow: auto"><div style="height: 900px">x</div></div>`).
		opens(func(t *trial) {
			v := t.capture()
			for id, want := range map[string]bool{"h": true, "a": false} {
				s := rare(v.element(id)).Scroll
				t.must(s != nil, "Scroll of #%s is nil", id)
				t.equal("Clipped of #"+id, s.Clipped, want)
				t.equal("State.Scroll.Clipped of #"+id, t.state("#"+id).Scroll.Clipped, want)
			}
		}),
	rule("rare/nil", "Rare is nil where there is nothing rare.").at("Node.Rare").
		on("<p id=p>x</p><input id=i value=x>").
		opens(func(t *trial) {
			v := t.capture()
			t.must(v.element("p").Rare == nil, "Rare of a paragraph is %+v", v.element("p").Rare)
			t.must(v.element("i").Rare == nil, "Rare of a valid input is %+v", v.element("i").Rare)
		}),
)
