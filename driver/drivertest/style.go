package drivertest

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// styleCases are what pages rely on of CSS and HTML to show and to hide
// things. In their pages a paragraph whose id begins with "y" is shown, and
// one whose id begins with "n" is not.
var styleCases = rows(Case{Doc: "Node.Rendered"},
	rule("style/noscript", "Where scripts run, noscript shows nothing.").
		on("<head><noscript><style>#y1 { display: none }</style></noscript></head>"+
			"<p id=y1>x</p><noscript><p id=n1>Switch your scripts on.</p></noscript>").
		opens(func(t *trial) {
			d := &t.capture().Documents[0]
			for i := range d.Nodes {
				if n := &d.Nodes[i]; n.Rendered && strings.Contains(n.Text, "Switch") {
					t.errorf("the text of a noscript is rendered: %q", n.Text)
				}
			}
			t.equal("y1 rendered", d.Nodes[byID(d, "y1")].Rendered, true)
		}),
	rule("style/nesting", "Nested style rules apply below the rule around them: with & and without, with combinators, in lists, and within conditions.").
		on(`<style>
		.card { color: black; & .a { display: none } .b { display: none; } &.c { display: none } > .d { display: none }
			@media (min-width: 1px) { & .e { display: none } &.f { display: none } }
			@media (max-width: 1px) { display: none }
			.g, .h { & > b, &.i { display: none } }
			.dark & { display: none }
			&:not(.z) .k { display: none }
			position: relative }
		.top, .sub { .m { .n { display: none } } }
		@media (min-width: 1px) { .over { display: none; @media (min-width: 2px) { & { display: block } } } }
	</style>
	<div class=card><p id=n1 class=a>x</p><p id=n2 class=b>x</p><p id=n3 class=d>x</p><p id=n4 class=e>x</p><p id=n5 class="g i">x</p>
		<div><p id=y1 class=d>x</p><p id=y2 class=c>x</p><p id=y3 class=g>x</p><p id=n6 class=k>x</p></div></div>
	<p id=n7 class="card c">x</p><p id=n8 class="card f">x</p><p id=y4 class=a>x</p><p id=y5 class=b>x</p>
	<div class=dark><p id=n9 class=card>x</p></div>
	<div class=sub><div class=m><p id=n10 class=n>x</p></div><p id=y6 class=n>x</p></div><p id=y7 class=over>x</p>`).
		opens(shows),
	rule("style/variables", "Custom properties inherit and stand for values by var(), with a fallback where there is none; a value that is none leaves the property unset.").
		on(`<style>
		:root { --off: none; --On: block; --half: var(--off); --loop: var(--loop); --empty: ; --w: 7 }
		#n1 { display: var(--off) } #n2 { display: var(--missing, none) } #n3 { display: var(--half) }
		#n4 { display: var(--missing, var(--off)) } #y1 { display: var(--on, block) } #y2 { display: none; display: var(--loop) }
		#y3 { --off: block; display: var(--off) } .local { --off: flex } .local p { display: var(--off) }
		#n5 { display: var( --off ) } #n6 { --x: no; --off: none; display: var(--off) !important } #y5 { display: var(--missing) }
		#s1::before { content: var(--text, "a, b") } #s2 { --text: "one" } #s2::before { content: var(--text) " two" }
		#y6 { --off: initial; display: var(--off, block) } #w { width: calc(var(--w) * 10px); width: var(--width, 70px) }
		#y7 { display: var(--empty) block }
	</style>
	<p id=n1>x</p><p id=n2>x</p><p id=n3>x</p><p id=n4>x</p><p id=y1>x</p><p id=y2>x</p><p id=y3>x</p><div class=local><p id=y4>x</p></div>
	<p id=n5>x</p><p id=n6>x</p><p id=y5>x</p><p id=y6>x</p><p id=y7>x</p><p id=n7 style="--mine: none; display: var(--mine)">x</p>
	<p id=s1>x</p><p id=s2>x</p><div id=w>x</div>`).
		opens(func(t *trial) {
			shows(t)
			v := t.capture()
			t.equal("content by a fallback", before(v, "s1"), "a, b")
			t.equal("content by a variable", before(v, "s2"), "one two")
			t.equal("width by a fallback", v.element("w").Box.Width, 70.0)
		}),
	rule("style/has", ":has matches by what stands within an element or behind it, by any combinator, and by live state.").
		on(`<style>
		p:has(.bad) { display: none } p:has(> b) { display: none } p:has(+ hr) { display: none } p:has(~ h6) { display: none }
		section:has(> div > i) p { display: none } p:not(:has(u)):has(s) { display: none }
		div:has(:checked) + p { display: none } article:has(em em) p { display: none } p:has(q, + .last) { display: none }
	</style>
	<div><p id=n1><i><a class=bad>x</a></i></p><p id=n2><b>x</b></p><p id=y1><i><b>x</b></i></p><p id=n3>x</p><hr><p id=y2>x</p></div>
	<div><p id=n4>x</p><p id=n5>x</p><h6>x</h6><p id=y3>x</p></div>
	<section><div><i>x</i></div><p id=n6>x</p></section><section><div><s><i>x</i></s></div><p id=y4>x</p></section>
	<p id=n7><s>x</s></p><p id=y5><s>x</s><u>x</u></p>
	<div><input type=checkbox checked></div><p id=n8>x</p><div><input type=checkbox></div><p id=y6>x</p>
	<em><article><em>x</em><p id=y7>x</p></article></em><p id=n9><q>x</q></p><p id=n10>x</p><b class=last>x</b>`).
		opens(func(t *trial) {
			shows(t)
			t.equal("found", t.ids(t.findAll(driver.NodeRef{}, "p:has(> b), p:has(+ hr)")), "n2 n3")
		}),
	rule("style/supports", "@supports applies by what the browser supports: properties with values, selectors, not, and, or.").
		on(`<style>
		@supports (display: grid) { #n1 { display: none } }
		@supports not (display: grid) { #y1 { display: none } }
		@supports (display: nonsense) { #y2 { display: none } }
		@supports not (display: nonsense) { #n2 { display: none } }
		@supports (display: grid) and (not (position: nowhere)) { #n3 { display: none } }
		@supports (display: nonsense) or (display: flex) { #n4 { display: none } }
		@supports (no-such-property: 1px) { #y3 { display: none } }
		@supports selector(:has(a)) { #n5 { display: none } }
		@supports selector(:nonsense(a)) { #y4 { display: none } }
		@supports (--any: thing) { #n6 { display: none } }
		@supports (-ms-ime-align: auto) or (-moz-appearance: none) { #y5 { display: none } }
		@supports not ((display: grid) and (display: flex)) { #y6 { display: none } }
	</style><p id=n1>x</p><p id=y1>x</p><p id=y2>x</p><p id=n2>x</p><p id=n3>x</p><p id=n4>x</p><p id=y3>x</p><p id=n5>x</p><p id=y4>x</p>
	<p id=n6>x</p><p id=y5>x</p><p id=y6>x</p>`).
		opens(shows),
	rule("style/container", "@container applies by the size of the nearest container of the name, not by that of the window.").
		on(`<style>
		.box { container-type: inline-size } .side { container: side / inline-size } .narrow { width: 200px } .wide { width: 600px }
		@container (min-width: 400px) { .a { display: none } }
		@container (max-width: 399px) { .b { display: none } }
		@container (width < 400px) { .c { display: none } }
		@container side (min-width: 400px) { .d { display: none } }
		@container not (min-width: 400px) { .e { display: none } }
		@container (200px <= width) and (width <= 300px) { .f { display: none } }
	</style>
	<p id=y1 class=a>x</p><p id=y2 class=b>x</p>
	<div class="box narrow"><p id=y3 class=a>x</p><p id=n1 class=b>x</p><p id=n2 class=c>x</p><p id=n3 class=e>x</p><p id=n4 class=f>x</p></div>
	<div class="box wide"><p id=n5 class=a>x</p><p id=y4 class=b>x</p><p id=y5 class=c>x</p><p id=y6 class=d>x</p><p id=y7 class=f>x</p>
		<div class="box narrow"><p id=y8 class=a>x</p></div></div>
	<div class="side wide"><div class="box narrow"><p id=n6 class=d>x</p><p id=y9 class=a>x</p></div></div>`).
		opens(shows),
	rule("style/counter", "counter() and counters() in content are the numbers that counter-reset, counter-set and counter-increment have counted to.").at("Node.Shown").
		on(`<style>
		body { counter-reset: chapter } h2 { counter-increment: chapter; counter-reset: part }
		h2::before { content: "Chapter " counter(chapter) ": " } h3 { counter-increment: part }
		h3::before { content: counter(chapter) "." counter(part, upper-roman) " " }
		dl { counter-reset: item } dt { counter-increment: item } dt::before { content: counters(item, ".") }
		#h { counter-increment: part 5 } #s { counter-set: part 20 } .none { display: none; counter-increment: chapter }
	</style>
	<h2 id=a>x</h2><h3 id=b>x</h3><h3 id=c>x</h3><div class=none>x</div><h2 id=d>x</h2><h3 id=e>x</h3><div id=h></div><h3 id=f>x</h3><div id=s></div><h3 id=g>x</h3>
	<dl><dt id=i>x</dt><dt id=j>x<dl><dt id=k>x</dt><dt id=l>x</dt></dl></dt><dt id=m>x</dt></dl>`).
		opens(func(t *trial) {
			v := t.capture()
			for id, want := range map[string]string{"a": "Chapter 1: ", "b": "1.I ", "c": "1.II ", "d": "Chapter 2: ", "e": "2.I ", "f": "2.VII ", "g": "2.XXI ",
				"i": "1", "j": "2", "k": "2.1", "l": "2.2", "m": "3"} {
				t.equal("::before of #"+id, before(v, id), want)
			}
		}),
	rule("style/text-security", "Text with -webkit-text-security is shown as signs, one for each character; Text stays what it is.").at("Node.Shown").
		on(`<style>.s { -webkit-text-security: disc }</style><p id=p class=s>4711 <b id=b>ab</b></p><p id=q style="-webkit-text-security: circle">abc</p>
		<p class=s><i id=i style="-webkit-text-security: none">plain</i></p>`).
		opens(func(t *trial) {
			v := t.capture()
			t.equal("Shown", v.firstText("b").Shown, "••")
			t.equal("Text", v.firstText("b").Text, "ab")
			t.equal("Shown as circles", v.firstText("q").Shown, "◦◦◦")
			t.equal("Shown of none", v.firstText("i").Shown, "plain")
		}),
	rule("style/nothing-to-see",
		"What is scaled to nothing has a box without an area, text of letters of a pixel one of that height, and a box without an area that cuts off its content a scroll state that says so.").at("Node.Box").
		on(`<div id=s style="transform: scale(0)">scaled <button id=b>b</button></div><div id=t style="scale: 0">scaled</div>
		<p id=f style="font-size: 1px">small</p><div id=c style="height: 0; overflow: hidden"><p>cut off</p></div><div id=v style="height: 0"><p>seen</p></div>`).
		opens(func(t *trial) {
			v := t.capture()
			for _, id := range []string{"s", "b", "t"} {
				box := v.element(id).Box
				t.must(box.Width <= 0 || box.Height <= 0, "Box of #%s = %v, want it without an area", id, box)
			}
			for _, id := range []string{"s", "t"} {
				box := v.firstText(id).Box
				t.must(box.Width <= 0 || box.Height <= 0, "Box of the text in #%s = %v, want it without an area", id, box)
			}
			box := v.firstText("f").Box
			t.must(box.Height < 3, "Box of a text of one pixel = %v, want it lower than 3 pixels", box)
			r := v.element("c").Rare
			t.must(r != nil && r.Scroll != nil && r.Scroll.Clipped && r.Scroll.View.Height == 0 && r.Scroll.MaxY > 0,
				"Rare of what cuts off its content = %+v, want a clipped scroll state without a view", r)
			r = v.element("v").Rare
			t.must(r == nil || r.Scroll == nil, "Rare of what overflows = %+v, want no scroll state", r)
		}),
	rule("style/area", "An area of an image map is located at its shape on the picture, and a click there follows it.").at("Finder.Locate").
		with(pages{"/": `<body style="margin: 0"><img id=i usemap="#m" width=200 height=100 alt=map style="display: block" src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">
		<map name=m><area id=a href=/a shape=rect coords="0,0,100,100" alt=left><area id=b href=/b shape=circle coords="150,50,40" alt=right></map>`,
			"/a": "<title>A</title>", "/b": "<title>B</title>"}).
		checks(func(t *trial) {
			for id, at := range map[string]driver.Point{"a": {X: 50, Y: 50}, "b": {X: 150, Y: 50}} {
				t.open("/")
				ref := t.find("#" + id)
				l := t.locate(ref, nil)
				t.must(l.Visible && l.InView && l.Reached, "Locate of area %s = %+v, want it visible, in view and reached", id, *l)
				t.equal("At of area "+id, l.At, at)
				t.equal("hit", t.hit(at.X, at.Y), id)
				t.clickAt(l.At)
				wait(t, func(e driver.Navigated) bool { return e.URL == t.url("/"+id) })
			}
		}),
	rule("style/object", "An object shows what stands within it where its data cannot be shown.").
		on(`<object><p id=y1>x</p></object><object data=/missing.html type=text/html><p id=y2>x</p></object>
		<object data="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7" type=image/gif><p id=n1>x</p></object>
		<object data=/thing type=application/x-unknown><p id=y3>x</p></object><embed id=e src=/thing type=application/x-unknown width=50 height=40>`).
		opens(func(t *trial) {
			shows(t)
			e := t.capture().element("e").Box
			t.equal("the size of the embed", driver.Size{Width: e.Width, Height: e.Height}, driver.Size{Width: 50, Height: 40})
		}),
	rule("style/embed", "An embed or object of HTML is a frame.").at("Page.Frames").
		with(pages{"/": `<embed id=e src=/in type=text/html width=200 height=80><object id=o data=/in type=text/html width=200 height=80><p id=n1>x</p></object>`, "/in": "<p id=p>inside</p>"}).
		opens(func(t *trial) {
			shows(t)
			t.equal("frames", len(t.page.Frames()), 3)
			for _, owner := range []string{"#e", "#o"} {
				l := t.locate(t.find(owner, "#p"), nil)
				t.must(l.Visible && l.Reached, "Locate of what is in %s = %+v, want it visible and reached", owner, *l)
			}
		}),
)

// shows checks which paragraphs the page of a style case shows.
func shows(t *trial) {
	d := &t.capture().Documents[0]
	for i := range d.Nodes {
		n := &d.Nodes[i]
		id, _ := n.Attr("id")
		if n.Name == "p" && id != "" && (id[0] == 'y' || id[0] == 'n') {
			t.equal("Rendered of #"+id, n.Rendered, id[0] == 'y')
		}
	}
}

// before is the text of an element's ::before.
func before(v view, id string) string {
	d := &v.Documents[0]
	for _, i := range children(d, byID(d, id)) {
		if d.Nodes[i].Name == "::before" {
			return d.Nodes[i].Shown
		}
	}
	return ""
}
