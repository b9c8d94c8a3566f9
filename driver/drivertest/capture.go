package drivertest

import (
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// rich is a page with something of everything, for rules on the whole form.
const rich = `<!DOCTYPE html><!-- before --><html lang="de-CH"><head><title>Rich  page</title><base href="/sub/">
<style>b::before { content: "<" } b::after { content: ">" } body { margin: 0; height: 3000px }</style></head>
<body class="a b"><h1>One</h1><!-- a comment --><p id=p>Text <b id=b>bold</b> more<br>line</p>
<ul><li>1<li>2<li>3</ul><template><p id=intemplate>never</p></template>
<svg id=svg viewBox="0 0 10 10" width=20 height=20><linearGradient id=grad></linearGradient><g><rect id=rect width=10 height=10 /></g><foreignObject><div id=infs>html</div></foreignObject></svg>
<math id=math><mi id=mi>x</mi></math>
<form><input id=i value=v><select id=s><option>a<option selected>b</select><textarea id=t>area</textarea></form>
<div id=h><template shadowrootmode=closed><p>shadow</p><slot></slot></template><i>light</i></div>
<iframe id=f srcdoc="<p>frame</p>"></iframe></body></html>`

var captureCases = rows(Case{Doc: "Reader.Capture", pages: pages{"/": rich}},
	rule("capture/preorder", "Nodes are in preorder: Nodes[0] is the document node, a parent stands before its children, and a subtree has no gaps.").at("Document.Nodes").opens(func(t *trial) {
		for i := range t.capture().Documents {
			preorder(t, &t.capture().Documents[i])
		}
	}),
	rule("capture/ids", "Every node has a number that is not zero and that no other node of its document has.").at("NodeID").opens(func(t *trial) {
		for _, d := range t.capture().Documents {
			seen := map[driver.NodeID]bool{}
			for i := range d.Nodes {
				id := d.Nodes[i].ID
				t.must(id != 0 && !seen[id], "node %d (%s) has the number %d, which is zero or another's", i, d.Nodes[i].Name, id)
				seen[id] = true
			}
		}
	}),
	rule("capture/document", "A document has its frame, DocID, address, base address, title (white space collapsed) and language.").at("Document").opens(func(t *trial) {
		d, f := t.capture().Documents[0], t.main()
		t.equal("Frame", d.Frame, f.ID)
		t.equal("Doc", d.Doc, f.Doc)
		t.equal("Ordinal", d.Ordinal, 0)
		t.equal("URL", d.URL, t.url("/"))
		t.equal("BaseURL", d.BaseURL, t.url("/sub/"))
		t.equal("Title", d.Title, "Rich page")
		t.equal("Lang", d.Lang, "de-CH")
	}),
	rule("capture/kinds", "The doctype, elements and text are captured; comments, template contents and user-agent shadow trees are not.").at("NodeKind").opens(func(t *trial) {
		d := &t.capture().Documents[0]
		t.equal("kind of Nodes[0]", d.Nodes[0].Kind, driver.DocumentNode)
		kinds := map[driver.NodeKind]int{}
		for i := range d.Nodes {
			n := &d.Nodes[i]
			kinds[n.Kind]++
			t.must(n.Kind <= driver.PseudoNode, "node %d has the kind %d", i, n.Kind)
			t.must(!strings.Contains(n.Text, "a comment"), "a comment is captured")
		}
		t.equal("doctypes", kinds[driver.DoctypeNode], 1)
		t.equal("document nodes", kinds[driver.DocumentNode], 1)
		t.equal("index of what is in a template", byID(d, "intemplate"), int32(-1))
		input := byID(d, "i")
		t.equal("children of an input", len(children(d, input)), 0)
	}),
	rule("capture/names", "Names are local names, in lower case in HTML and as written in SVG.").at("Node.Name").opens(func(t *trial) {
		v := t.capture()
		t.equal("Name", v.element("p").Name, "p")
		t.equal("Name", v.element("svg").Name, "svg")
		t.equal("Name", v.element("grad").Name, "linearGradient")
		t.equal("Name", v.element("mi").Name, "mi")
	}),
	rule("capture/namespaces", "Every element has its namespace; HTML within SVG is HTML.").at("Namespace").opens(func(t *trial) {
		v := t.capture()
		for id, want := range map[string]driver.Namespace{"p": driver.HTML, "svg": driver.SVG, "rect": driver.SVG, "infs": driver.HTML, "math": driver.MathML, "mi": driver.MathML} {
			t.equal("Namespace of "+id, v.element(id).Namespace, want)
		}
	}),
	rule("capture/attributes", "Attributes are in document order, their names in lower case in HTML and as written in SVG; one without a value has the empty value.").at("Node.Attrs").
		on(`<p ID=p DATA-Zed="1" class="x  y" hidden aria-label=L>x</p><svg id=s viewBox="0 0 1 1"></svg>`).
		opens(func(t *trial) {
			v := t.capture()
			t.equal("Attrs", v.element("p").Attrs, []driver.Attr{{Name: "id", Value: "p"}, {Name: "data-zed", Value: "1"}, {Name: "class", Value: "x  y"}, {Name: "hidden"}, {Name: "aria-label", Value: "L"}})
			box, ok := v.element("s").Attr("viewBox")
			t.equal("viewBox", box, "0 0 1 1")
			t.must(ok, "the attribute viewBox is not found by its name as written")
		}),
	rule("capture/no-attributes", "An element without attributes has none.").at("Node.Attrs").
		on(`<div id=d><p>x</p></div>`).
		opens(func(t *trial) { t.equal("attributes", len(t.capture().at("#d > p").Attrs), 0) }),
	rule("capture/same-nodes", "The nodes of a capture and those of Find have the same references.").at("NodeRef").opens(func(t *trial) {
		v := t.capture()
		d := &v.Documents[0]
		for _, id := range []string{"p", "b", "svg", "rect", "i", "s"} {
			t.equal("reference of "+id, t.find("#"+id), d.Ref(byID(d, id)))
		}
	}),
	rule("capture/stable", "A node keeps its number while the document lives, whatever happens around it.").at("NodeID").
		on(`<button id=b>go</button><p id=x>x</p><p id=p>p</p>`).
		doing(on("click", "#b", Action{Kind: Remove, Target: "#x"},
			Action{Kind: AppendHTML, Target: "body", Text: "<p id=y>y</p>"}, Action{Kind: SetAttribute, Target: "#p", Name: "class", Text: "c"})).
		opens(func(t *trial) {
			v := t.capture()
			d := &v.Documents[0]
			p, x := d.Ref(byID(d, "p")), d.Ref(byID(d, "x"))
			t.click("#b")
			v = t.capture()
			d = &v.Documents[0]
			t.equal("reference after the change", d.Ref(byID(d, "p")), p)
			t.must(!v.has(x), "the removed node is captured")
			t.must(d.Ref(byID(d, "y")) != x, "a new node has the number of the removed one")
			class, _ := v.element("p").Attr("class")
			t.equal("class", class, "c")
		}),
	rule("capture/owned", "A capture shares nothing with the driver: what a caller does to one shows in no other.").at("Capture").opens(func(t *trial) {
		first, second := t.capture(), t.capture()
		d := &first.Documents[0]
		for i := range d.Nodes {
			d.Nodes[i].ID, d.Nodes[i].Name, d.Nodes[i].Text = -1, "gone", "gone"
			for j := range d.Nodes[i].Attrs {
				d.Nodes[i].Attrs[j].Value = "gone"
			}
			if r := d.Nodes[i].Rare; r != nil {
				*r = driver.Rare{Invalid: "gone"}
			}
		}
		d.Title = "gone"
		for _, v := range []view{second, t.capture()} {
			t.equal("Title", v.Documents[0].Title, "Rich page")
			t.equal("Name", v.element("p").Name, "p")
			value, _ := v.element("i").Attr("value")
			t.equal("attribute", value, "v")
		}
	}),
	rule("capture/same", "Two captures of an unchanged page are the same.").opens(func(t *trial) {
		a, b := t.capture(), t.capture()
		t.equal("documents", len(a.Documents), len(b.Documents))
		for i := range a.Documents {
			t.equal("the second capture's document", fmt.Sprintf("%+v", plain(b.Documents[i])), fmt.Sprintf("%+v", plain(a.Documents[i])))
		}
		t.equal("Revision", b.Revision, a.Revision)
	}),
	rule("capture/viewport", "A capture tells the viewport and the scale; the default is 1280 by 720 at 1.").at("BrowserOptions").opens(func(t *trial) {
		v := t.capture()
		t.equal("Viewport", v.Viewport, driver.Size{Width: 1280, Height: 720})
		t.equal("Scale", v.Scale, 1.0)
	}),
	rule("capture/deep", "A page of 400 elements within one another is captured whole.").
		on(strings.Repeat("<div class=d>", 400)+"<p id=p>deep").
		opens(func(t *trial) {
			d := &t.capture().Documents[0]
			depth := 0
			for i := d.Nodes[byID(d, "p")].Parent; i >= 0; i = d.Nodes[i].Parent {
				depth++
			}
			t.equal("depth", depth, 403) // 400, body, html and the document
		}),
	rule("capture/large", "A page of 5,000 elements is captured whole.").
		on(strings.Repeat("<p class=x>text</p>", 5000)).
		opens(func(t *trial) {
			d, n := &t.capture().Documents[0], 0
			for i := range d.Nodes {
				if d.Nodes[i].Name == "p" {
					n++
				}
			}
			t.equal("paragraphs", n, 5000)
		}),
)

// preorder holds the form of a document against the rule.
func preorder(t *trial, d *driver.Document) {
	if d.Nodes[0].Kind != driver.DocumentNode || d.Nodes[0].Parent != -1 || d.Nodes[0].Host != -1 {
		t.errorf("Nodes[0] = %+v, want the document node without parent and host", d.Nodes[0])
	}
	path := []int32{0} // the way from the root to the node before
	for i := int32(1); int(i) < len(d.Nodes); i++ {
		n := &d.Nodes[i]
		for len(path) > 0 && path[len(path)-1] != n.Parent {
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			t.errorf("node %d (%s) has the parent %d, whose subtree had ended", i, n.Name, n.Parent)
			return
		}
		path = append(path, i)
		if n.Host >= i || n.Host >= 0 && d.Nodes[n.Host].Kind != driver.ElementNode {
			t.errorf("node %d (%s) has the host %d, which is no element before it", i, n.Name, n.Host)
		}
		if (n.Shadow == driver.Light) != (n.Host == -1) {
			t.errorf("node %d (%s) has Shadow %d and Host %d", i, n.Name, n.Shadow, n.Host)
		}
	}
}

// plain takes the pointers out of a document, so that it can be compared as text.
func plain(d driver.Document) []string {
	var lines []string
	for i := range d.Nodes {
		n := d.Nodes[i]
		r := rare(&n)
		line := fmt.Sprintf("%+v %+v", n.Style, r.Scroll)
		n.Style, n.Rare, r.Scroll = nil, nil, nil
		lines = append(lines, fmt.Sprintf("%+v %+v %s", n, r, line))
	}
	return lines
}

// placed has a page of 3,000 by 4,000 pixels with a box at (100, 1500), and a
// frame at (50, 60), whose page has a box at (7, 900).
const placed = `<style>#big { width: 3000px; height: 4000px } #box { position: absolute; left: 100px; top: 1500px; width: 60px; height: 30px; padding: 4px; border: 3px solid }
iframe { position: absolute; left: 50px; top: 60px; width: 300px; height: 200px; border: 0 }</style>
<div id=big></div><div id=box>box</div><iframe id=f src=/in></iframe>`

const placedInner = `<div id=box style="position: absolute; left: 7px; top: 900px; width: 20px; height: 10px"></div>`

var boxCases = rows(Case{Doc: "Node.Box", pages: pages{"/": placed, "/in": placedInner}},
	rule("box/border", "Box is the border box: padding and border are within it.").opens(func(t *trial) {
		t.equal("Box", t.capture().element("box").Box, driver.Rect{X: 100, Y: 1500, Width: 74, Height: 44})
	}),
	rule("box/document", "Box is in the coordinates of the document: it does not move with the page's scrolling.").opens(func(t *trial) {
		before := t.capture().element("box").Box
		t.scrollTo("", driver.ScrollTarget{X: 200, Y: 1000})
		v := t.capture()
		t.equal("Box after scrolling", v.element("box").Box, before)
		t.equal("ScrollX", v.Documents[0].ScrollX, 200.0)
		t.equal("ScrollY", v.Documents[0].ScrollY, 1000.0)
	}),
	rule("box/frame", "In a frame, Box is in the coordinates of the frame's own document, scrolled or not.").opens(func(t *trial) {
		for range 2 {
			d := t.capture().document("#f")
			t.equal("Box", d.Nodes[byID(d, "box")].Box, driver.Rect{X: 7, Y: 900, Width: 20, Height: 10})
			t.ok("ScrollTo", errOf(t.page.ScrollTo(t.ctx, d.Root(), driver.ScrollTarget{Y: 300})))
		}
		t.equal("ScrollY of the frame", t.capture().document("#f").ScrollY, 300.0)
	}),
	rule("box/content", "Content is the size of the whole scrollable area.").at("Document.Content").opens(func(t *trial) {
		t.equal("Content", t.capture().Documents[0].Content, driver.Size{Width: 3000, Height: 4000})
	}),
	rule("box/rendered", "Rendered tells what has a box; what is not displayed, or is below such, has none and a zero Box.").at("Node.Rendered").
		on(`<p id=p>x</p><div id=n style="display: none"><b id=c>x</b></div><div id=h hidden>x</div><div id=v style="visibility: hidden">x</div><div id=z style="width: 0; height: 0"></div><style>input { display: block !important }</style><input id=i type=hidden>`).
		opens(func(t *trial) {
			v := t.capture()
			for id, want := range map[string]bool{"p": true, "n": false, "c": false, "h": false, "v": true, "z": true, "i": false} {
				n := v.element(id)
				t.equal("Rendered of "+id, n.Rendered, want)
				if !want {
					t.equal("Box of "+id, n.Box, driver.Rect{})
				}
			}
		}),
	rule("box/accordion", "Of the details elements of one name that are open in the source only the first is.").at("Node.Rendered").
		on(`<details name=a open><summary>x</summary><p id=p>x</details><details name=a open><summary>y</summary><p id=q>y</details><details name=b open><summary>z</summary><p id=r>z</details>`).
		opens(func(t *trial) {
			for id, want := range map[string]bool{"p": true, "q": false, "r": true} {
				t.equal("Visible of "+id, t.location("#"+id).Visible, want)
			}
		}),
	rule("box/inline-transform", "A transform changes nothing of what stands in a line of text.").at("Location.Visible").
		on(`<p><a id=a href=/x style="transform: scale(0)">x</a><b id=b style="transform: scale(0); display: inline-block">y</b>`).
		opens(func(t *trial) {
			t.equal("Visible", t.location("#a").Visible, true)
			t.equal("Visible of a box in a line", t.location("#b").Visible, false)
		}),
	rule("box/editable", "What can be written in has the height of a line when it is empty.").at("Node.Box").
		on(`<div id=e contenteditable></div><div id=d></div>`).
		opens(func(t *trial) {
			t.must(t.capture().element("e").Box.Height > 0, "the editable element has no height")
			t.equal("Height of another", t.capture().element("d").Box.Height, 0.0)
		}),
	rule("box/details", "The content of a closed details element is not rendered; its summary is.").at("Node.Rendered").
		on(`<details id=d><summary id=s>more</summary><p id=p>hidden</p></details>`).
		opens(func(t *trial) {
			t.equal("Rendered of the summary", t.capture().element("s").Rendered, true)
			t.equal("Visible of the content", t.location("#p").Visible, false)
			t.click("#s")
			t.equal("Rendered of the content, open", t.capture().element("p").Rendered, true)
			t.equal("Visible of the content, open", t.location("#p").Visible, true)
		}),
	rule("box/style", "Style holds the computed values as CSS serializes them, inherited ones included; it is nil where nothing is displayed.").at("Style").
		on(`<div id=a style="visibility: hidden; cursor: pointer; pointer-events: none"><span id=b>x</span></div><p id=p style="position: relative; display: flex">x</p><p id=n style="display: none">x</p><div style="interactivity: inert"><b id=inert>x</b></div><b id=plain>x</b>`).
		opens(func(t *trial) {
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
			t.equal("inherited Interactivity", v.element("inert").Style.Interactivity, "inert")
			t.equal("the defaults", *plain, driver.Style{Display: "inline", Visibility: "visible", Position: "static", PointerEvents: "auto", Cursor: "auto", Content: "normal", ContentVisibility: "visible", Interactivity: "auto"})
			t.must(v.element("n").Style == nil, "Style of what is not displayed is %+v, want nil", v.element("n").Style)
		}),
	rule("box/stylesheet", "Style follows the style sheets: specificity, order, and the style attribute over all but !important.").at("Style").
		on(`<style>#a { cursor: help } p { cursor: wait } .c { cursor: move } p.c { cursor: cell } #b { cursor: text !important }</style><p id=a class=c>x</p><p id=x class=c>x</p><p id=y>x</p><p id=b style="cursor: grab">x</p><p id=z style="cursor: grab">x</p>`).
		opens(func(t *trial) {
			v := t.capture()
			for id, want := range map[string]string{"a": "help", "x": "cell", "y": "wait", "b": "text", "z": "grab"} {
				if s := v.element(id).Style; s == nil || s.Cursor != want {
					t.errorf("Style of %s = %+v, want the cursor %s", id, s, want)
				}
			}
		}),
	rule("box/lines", "Blocks follow one another downwards, and a block encloses its children.").
		on(`<div id=a><p id=p style="margin: 0">one</p><p id=q style="margin: 0">two</p></div><div id=b>three</div>`).
		opens(func(t *trial) {
			v := t.capture()
			a, p, q, b := v.element("a").Box, v.element("p").Box, v.element("q").Box, v.element("b").Box
			t.must(p.Height > 0 && q.Y >= p.Y+p.Height, "the second paragraph %+v is not below the first %+v", q, p)
			t.must(b.Y >= a.Y+a.Height, "the second block %+v is not below the first %+v", b, a)
			t.equal("the block's height", a.Height, p.Height+q.Height)
			t.equal("a block's width", a.Width, 1280.0)
		}),
)
