package drivertest

import "github.com/wayfinder-engine/wayfinder/driver"

// placed has a page of 3,000 by 4,000 pixels with a box at (100, 1500), and a
// frame at (50, 60), whose page has a box at (7, 900).
const placed = `<style>#big { width: 3000px; height: 4000px } #box { position: absolute; left: 100px; top: 1500px; width: 60px; height: 30px; padding: 4px; border: 3px solid }
iframe { position: absolute; left: 50px; top: 60px; width: 300px; height: 200px; border: 0 }</style>
<div id=big></div><div id=box>box</div><iframe id=f src=/in></iframe>`

const placedInner = `<div id=box style="position: absolute; left: 7px; top: 900px; width: 20px; height: 10px"></div>`

var boxCases = []Case{{
	Name:  "box/border",
	Rule:  "Box is the border box: padding and border are within it.",
	Doc:   "Node.Box",
	pages: pages{"/": placed, "/in": placedInner},
	check: func(t *trial) {
		t.open("/")
		t.equal("Box", t.capture().element("box").Box, driver.Rect{X: 100, Y: 1500, Width: 74, Height: 44})
	},
}, {
	Name:  "box/document",
	Rule:  "Box is in the coordinates of the document: it does not move with the page's scrolling.",
	Doc:   "Node.Box",
	pages: pages{"/": placed, "/in": placedInner},
	check: func(t *trial) {
		t.open("/")
		before := t.capture().element("box").Box
		t.scrollTo("", driver.ScrollTarget{X: 200, Y: 1000})
		v := t.capture()
		t.equal("Box after scrolling", v.element("box").Box, before)
		t.equal("ScrollX", v.Documents[0].ScrollX, 200.0)
		t.equal("ScrollY", v.Documents[0].ScrollY, 1000.0)
	},
}, {
	Name:  "box/frame",
	Rule:  "In a frame, Box is in the coordinates of the frame's own document, scrolled or not.",
	Doc:   "Node.Box",
	pages: pages{"/": placed, "/in": placedInner},
	check: func(t *trial) {
		t.open("/")
		for range 2 {
			d := t.capture().document("#f")
			t.equal("Box", d.Nodes[byID(d, "box")].Box, driver.Rect{X: 7, Y: 900, Width: 20, Height: 10})
			_, err := t.page.ScrollTo(t.ctx, d.Root(), driver.ScrollTarget{Y: 300})
			t.ok("ScrollTo", err)
		}
		t.equal("ScrollY of the frame", t.capture().document("#f").ScrollY, 300.0)
	},
}, {
	Name:  "box/content",
	Rule:  "Content is the size of the whole scrollable area.",
	Doc:   "Document.Content",
	pages: pages{"/": placed, "/in": placedInner},
	check: func(t *trial) {
		t.open("/")
		t.equal("Content", t.capture().Documents[0].Content, driver.Size{Width: 3000, Height: 4000})
	},
}, {
	Name:  "box/rendered",
	Rule:  "Rendered tells what has a box; what is not displayed, or is below such, has none and a zero Box.",
	Doc:   "Node.Rendered",
	pages: pages{"/": `<p id=p>x</p><div id=n style="display: none"><b id=c>x</b></div><div id=h hidden>x</div><div id=v style="visibility: hidden">x</div><div id=z style="width: 0; height: 0"></div>`},
	check: func(t *trial) {
		t.open("/")
		v := t.capture()
		for id, want := range map[string]bool{"p": true, "n": false, "c": false, "h": false, "v": true, "z": true} {
			n := v.element(id)
			t.equal("Rendered of "+id, n.Rendered, want)
			if !want {
				t.equal("Box of "+id, n.Box, driver.Rect{})
			}
		}
	},
}, {
	Name:  "box/details",
	Rule:  "The content of a closed details element is not rendered; its summary is.",
	Doc:   "Node.Rendered",
	pages: pages{"/": `<details id=d><summary id=s>more</summary><p id=p>hidden</p></details>`},
	check: func(t *trial) {
		t.open("/")
		v := t.capture()
		t.equal("Rendered of the summary", v.element("s").Rendered, true)
		t.equal("Visible of the content", t.location("#p").Visible, false)
		t.click("#s")
		t.equal("Rendered of the content, open", t.capture().element("p").Rendered, true)
		t.equal("Visible of the content, open", t.location("#p").Visible, true)
	},
}, {
	Name:  "box/style",
	Rule:  "Style holds the computed values as CSS serializes them, inherited ones included; it is nil where nothing is displayed.",
	Doc:   "Style",
	pages: pages{"/": `<div id=a style="visibility: hidden; cursor: pointer; pointer-events: none"><span id=b>x</span></div><p id=p style="position: relative; display: flex">x</p><p id=n style="display: none">x</p><b id=plain>x</b>`},
	check: func(t *trial) {
		t.open("/")
		v := t.capture()
		b, p, plain := v.element("b").Style, v.element("p").Style, v.element("plain").Style
		if b == nil || p == nil || plain == nil {
			t.fatalf("Style of a displayed element is nil")
		}
		t.equal("inherited Visibility", b.Visibility, "hidden")
		t.equal("inherited Cursor", b.Cursor, "pointer")
		t.equal("inherited PointerEvents", b.PointerEvents, "none")
		t.equal("Display", b.Display, "inline")
		t.equal("Display", p.Display, "flex")
		t.equal("Position", p.Position, "relative")
		t.equal("the defaults", *plain, driver.Style{Display: "inline", Visibility: "visible", Position: "static", PointerEvents: "auto", Cursor: "auto", Content: "normal", ContentVisibility: "visible"})
		t.must(v.element("n").Style == nil, "Style of what is not displayed is %+v, want nil", v.element("n").Style)
	},
}, {
	Name:  "box/stylesheet",
	Rule:  "Style follows the style sheets: specificity, order, and the style attribute over all but !important.",
	Doc:   "Style",
	pages: pages{"/": `<style>#a { cursor: help } p { cursor: wait } .c { cursor: move } p.c { cursor: cell } #b { cursor: text !important }</style><p id=a class=c>x</p><p id=x class=c>x</p><p id=y>x</p><p id=b style="cursor: grab">x</p><p id=z style="cursor: grab">x</p>`},
	check: func(t *trial) {
		t.open("/")
		v := t.capture()
		for id, want := range map[string]string{"a": "help", "x": "cell", "y": "wait", "b": "text", "z": "grab"} {
			if s := v.element(id).Style; s == nil || s.Cursor != want {
				t.errorf("Style of %s = %+v, want the cursor %s", id, s, want)
			}
		}
	},
}, {
	Name:  "box/lines",
	Rule:  "Blocks follow one another downwards, and a block encloses its children.",
	Doc:   "Node.Box",
	pages: pages{"/": `<div id=a><p id=p style="margin: 0">one</p><p id=q style="margin: 0">two</p></div><div id=b>three</div>`},
	check: func(t *trial) {
		t.open("/")
		v := t.capture()
		a, p, q, b := v.element("a").Box, v.element("p").Box, v.element("q").Box, v.element("b").Box
		t.must(p.Height > 0 && q.Y >= p.Y+p.Height, "the second paragraph %+v is not below the first %+v", q, p)
		t.must(b.Y >= a.Y+a.Height, "the second block %+v is not below the first %+v", b, a)
		t.equal("the block's height", a.Height, p.Height+q.Height)
		t.equal("a block's width", a.Width, 1280.0)
	},
}}
