package drivertest

import "github.com/wayfinder-engine/wayfinder/driver"

var rareCases = []Case{{
	Name:  "rare/mixed",
	Rule:  "Rare.Mixed tells a checkbox whose indeterminate is set; a click ends it.",
	Doc:   "Rare.Mixed",
	pages: pages{"/": "<button id=b>mix</button><input type=checkbox id=c><input type=checkbox id=d>"},
	does:  []Behavior{on("click", "#b", Action{Kind: SetMixed, Target: "#c"})},
	check: func(t *trial) {
		t.open("/")
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
	check: func(t *trial) {
		t.open("/")
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
	check: func(t *trial) {
		t.open("/")
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
	check: func(t *trial) {
		t.open("/")
		v := t.capture()
		t.equal("Broken", rare(v.element("b")).Broken, true)
		t.equal("Broken of a good one", rare(v.element("g")).Broken, false)
	},
}, {
	Name:  "rare/invalid",
	Rule:  "Rare.Invalid is the message of a control whose value is not valid, empty of one that is or that does not take part.",
	Doc:   "Rare.Invalid",
	pages: pages{"/": "<input id=r required><input id=e type=email value=x><input id=ok value=x required><input id=d required disabled>"},
	check: func(t *trial) {
		t.open("/")
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
	Doc:   "Rare.Scroll",
	pages: pages{"/": `<div id=d style="width: 200px; height: 100px; overflow: auto; scrollbar-width: none"><div style="width: 500px; height: 900px">x</div></div><div id=n>x</div>`},
	check: func(t *trial) {
		t.open("/")
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
	Doc:   "Rare.Scroll",
	pages: pages{"/": `<div id=d style="width: 200px; height: 100px; overflow: auto; scrollbar-width: none"><div style="height: 900px">x</div></div>`},
	check: func(t *trial) {
		t.open("/")
		t.scrollTo("#d", driver.ScrollTarget{Y: 800})
		s := rare(t.capture().element("d")).Scroll
		t.must(s != nil && s.Y == 800, "Scroll at the end is %+v", s)
	},
}, {
	Name:  "rare/scroll-clipped",
	Rule:  "ScrollState.Clipped tells a container that no wheel scrolls from one that a wheel does.",
	Doc:   "ScrollState.Clipped",
	pages: pages{"/": `<div id=h style="width: 200px; height: 100px; overflow: hidden"><div style="height: 900px">x</div></div><div id=a style="width: 200px; height: 100px; overflow: auto"><div style="height: 900px">x</div></div>`},
	check: func(t *trial) {
		t.open("/")
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
	check: func(t *trial) {
		t.open("/")
		v := t.capture()
		t.must(v.element("p").Rare == nil, "Rare of a paragraph is %+v", v.element("p").Rare)
		t.must(v.element("i").Rare == nil, "Rare of a valid input is %+v", v.element("i").Rare)
	},
}}
