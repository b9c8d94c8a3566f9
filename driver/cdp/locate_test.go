package cdp

import (
	"errors"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func locateNode(t testing.TB, p *page, node driver.NodeRef, scroll bool) *driver.Location {
	t.Helper()
	l, err := p.Locate(t.Context(), node, &driver.LocateOptions{Scroll: scroll})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLocate(t *testing.T) {
	p := open(t, `<!doctype html><title>locate</title><style>* {margin: 0} div, button {font: 16px sans-serif}</style><body>
<button id=plain style="position:absolute;left:10px;top:20px;width:100px;height:40px"><b id=inner>text</b></button>
<button id=covered style="position:absolute;left:200px;top:0;width:50px;height:50px">c</button>
<div id=cover style="position:absolute;left:190px;top:0;width:80px;height:60px;background:red"></div>
<button id=disabled disabled style="position:absolute;left:300px;top:0"><i id=indisabled>d</i></button>
<fieldset disabled style="position:absolute;left:350px;top:0"><input id=infieldset></fieldset>
<div inert style="position:absolute;left:0;top:100px"><button id=inert>i</button></div>
<button id=noevents style="pointer-events:none;position:absolute;left:100px;top:100px">n</button>
<button id=hidden style="visibility:hidden;position:absolute;left:150px;top:100px">h</button>
<button id=none style="display:none">n</button>
<div id=zero style="width:0;height:0"></div>
<details><summary>s</summary><button id=details>d</button></details>
<div style="content-visibility:hidden"><button id=skipped>s</button></div>
<input id=readonly readonly style="position:absolute;left:0;top:150px">
<label style="position:absolute;left:0;top:180px">agree <input type=checkbox id=boxless style="display:none"></label>
<label for=labelled style="position:absolute;left:100px;top:180px;width:90px;height:20px" id=label>name</label><input id=labelled style="position:absolute;left:100px;top:180px;width:60px;z-index:-1">
<select id=select style="position:absolute;left:200px;top:180px"><option id=option>o</select>
<div style="position:absolute;left:0;top:220px"><span id=contents style="display:contents">some text</span></div>
<div style="position:absolute;left:100px;top:220px;width:60px"><a id=broken href=#>aa <span style="display:inline-block;width:50px">bb</span></a></div>
<div id=moving style="position:absolute;left:0;top:260px;animation:m 10s infinite"><button id=inmoving>m</button></div>
<div id=spinning style="position:absolute;left:50px;top:260px;animation:o 10s infinite">fades</div>
<style>@keyframes m {to {transform: translateX(10px)}} @keyframes o {to {opacity: 0.5}}</style>
<div style="position:absolute;left:300px;top:260px;transform:rotate(45deg);width:40px;height:40px" id=rotated>r</div>
<div id=openhost style="position:absolute;left:0;top:300px"><em id=slotted>slotted</em></div>
<div id=closedhost style="position:absolute;left:100px;top:300px"><em id=closedslotted>slotted too</em></div>
<script>
openhost.attachShadow({mode:'open'}).innerHTML = '<button id=wrap><slot></slot></button>';
closedhost.attachShadow({mode:'closed'}).innerHTML = '<button id=closedwrap><slot></slot></button>';
</script>`)
	c := capture(t, p)
	ref := func(id string) driver.NodeRef { return c.Documents[0].Ref(byID(t, &c.Documents[0], id)) }
	at := func(id string) *driver.Location { return locateNode(t, p, ref(id), false) }

	if l := at("plain"); l.Box != (driver.Rect{X: 10, Y: 20, Width: 100, Height: 40}) || l.At != (driver.Point{X: 60, Y: 40}) ||
		!l.Visible || !l.InView || !l.Reached || l.Disabled || l.Inert || l.Moving || l.ReadOnly {
		t.Errorf("plain: %+v", l)
	}
	if l := at("covered"); l.Reached || !l.Visible || l.Hit != ref("cover") {
		t.Errorf("covered: %+v, want the hit to be %v", l, ref("cover"))
	}
	for _, id := range []string{"disabled", "indisabled", "infieldset"} {
		if l := at(id); !l.Disabled || !l.Visible || !l.Reached {
			t.Errorf("%s: %+v", id, l)
		}
	}
	for _, id := range []string{"inert", "noevents"} {
		if l := at(id); !l.Inert || !l.Visible || l.Reached {
			t.Errorf("%s: %+v", id, l)
		}
	}
	for _, id := range []string{"hidden", "none", "zero", "details", "skipped"} {
		if l := at(id); l.Visible || l.Reached {
			t.Errorf("%s: %+v", id, l)
		}
	}
	if l := at("readonly"); !l.ReadOnly || l.Disabled || !l.Reached {
		t.Errorf("readonly: %+v", l)
	}
	for _, id := range []string{"boxless", "labelled", "option", "contents", "broken", "rotated", "slotted", "closedslotted", "wrap", "closedwrap"} {
		if l := at(id); !l.Visible || !l.Reached || !l.InView {
			t.Errorf("%s: %+v", id, l)
		}
	}
	for id, moving := range map[string]bool{"inmoving": true, "moving": true, "spinning": false} {
		if l := at(id); l.Moving != moving {
			t.Errorf("%s: moving = %v", id, l.Moving)
		}
	}
	if l := at("labelled"); l.Hit != ref("label") {
		t.Errorf("the label is hit: %+v", l)
	}
}

func TestLocateModal(t *testing.T) {
	p := open(t, `<!doctype html><button id=behind>b</button><dialog id=d><button id=in>i</button></dialog><script>d.showModal()</script>`)
	if l := locateNode(t, p, ref(t, p, "behind"), false); !l.Inert || l.Reached {
		t.Errorf("behind the dialog: %+v", l)
	}
	if l := locateNode(t, p, ref(t, p, "in"), false); l.Inert || !l.Reached {
		t.Errorf("in the dialog: %+v", l)
	}
}

func TestLocateScrolls(t *testing.T) {
	p := open(t, `<!doctype html><title>scroll</title><style>html {scroll-behavior: smooth}</style><body style="margin:0">
<header id=header style="position:sticky;top:0;height:100px;background:#eee;z-index:1">header</header>
<div style="height:3000px"></div><button id=low>low</button>
<div id=outer style="height:200px;overflow:auto"><div style="height:800px"></div>
<div id=middle style="height:100px;overflow:hidden auto"><div style="height:900px"></div><button id=deep>deep</button><div style="height:900px"></div></div></div>
<div style="height:3000px"></div>`)
	low := ref(t, p, "low")
	if l := locateNode(t, p, low, false); l.InView || l.Reached || !l.Visible {
		t.Errorf("without scrolling: %+v", l)
	}
	if l := locateNode(t, p, low, true); !l.InView || !l.Reached {
		t.Errorf("low: %+v", l)
	}
	if l := locateNode(t, p, ref(t, p, "deep"), true); !l.InView || !l.Reached {
		t.Errorf("deep: %+v", l)
	}
	// Coming from below, the least scrolling would leave it under the header.
	if _, err := p.Evaluate(t.Context(), "scrollTo({top: 5000, behavior: 'instant'})", nil); err != nil {
		t.Fatal(err)
	}
	if l := locateNode(t, p, low, true); !l.Reached {
		t.Errorf("under the header: %+v", l)
	}
}

func TestLocateInFrames(t *testing.T) {
	pages := site{
		"/same":  `<!doctype html><body style="margin:0"><iframe id=two src="/leaf" style="border:5px solid;margin:10px;padding:3px"></iframe>`,
		"/leaf":  `<!doctype html><body style="margin:0"><div style="height:20px"></div><button id=leaf style="width:40px;height:30px">l</button>`,
		"/cross": `<!doctype html><body style="margin:0"><div style="height:900px"></div><button id=cross style="width:40px;height:30px">c</button><div style="height:900px"></div>`,
	}
	at := pages.serve(t)
	pages["/"] = `<!doctype html><body style="margin:0"><iframe id=one src="/same" style="position:absolute;left:100px;top:50px;border:0;width:400px;height:300px"></iframe>
<iframe id=x src="` + elsewhere(at) + `/cross" style="position:absolute;left:100px;top:1500px;border:0"></iframe>
<div id=cover style="position:absolute;left:100px;top:1500px;width:300px;height:150px;display:none">cover</div>`
	p := visit(t, at+"/")
	leaf := ref(t, p, "leaf")
	want := driver.Rect{X: 118, Y: 88, Width: 40, Height: 30}
	if l := locateNode(t, p, leaf, false); l.Box != want || l.At != (driver.Point{X: 138, Y: 103}) || !l.Reached || l.Hit.Node != leaf.Node {
		t.Errorf("nested: %+v, want the box %v", l, want)
	}
	cross := ref(t, p, "cross")
	l := locateNode(t, p, cross, true)
	if !l.Reached || !l.InView || l.At.Frame != cross.Frame {
		t.Errorf("another process: %+v", l)
	}
	hit, err := p.HitTest(t.Context(), l.At)
	if err != nil || hit != cross {
		t.Errorf("HitTest(%v) = %v, %v, want %v", l.At, hit, err, cross)
	}
	// From the main frame's coordinates it goes inwards through both frames.
	middle := driver.Point{X: l.Box.X + l.Box.Width/2, Y: l.Box.Y + l.Box.Height/2}
	if hit, err := p.HitTest(t.Context(), middle); err != nil || hit != cross {
		t.Errorf("HitTest(%v) = %v, %v, want %v", middle, hit, err, cross)
	}
	if _, err := p.Evaluate(t.Context(), "document.getElementById('cover').style.display = ''", nil); err != nil {
		t.Fatal(err)
	}
	if l := locateNode(t, p, cross, true); l.Reached || l.Hit != ref(t, p, "cover") {
		t.Errorf("covered from outside: %+v", l)
	}
}

// In a frame that is larger than the window, what its own viewport shows is not
// what is to be seen.
func TestLocateInTallFrame(t *testing.T) {
	pages := site{"/tall": `<!doctype html><body style="margin:0"><div style="height:1500px"></div><button id=b onclick="this.id='clicked'">b</button>`}
	at := pages.serve(t)
	for name, src := range map[string]string{"same process": "/tall", "another process": elsewhere(at) + "/tall"} {
		pages["/"] = `<!doctype html><body style="margin:0"><div style="height:900px"></div><iframe src="` + src + `" style="height:2200px"></iframe><div style="height:900px"></div>`
		p := visit(t, at+"/")
		button := ref(t, p, "b")
		l := locateNode(t, p, button, true)
		if !l.Reached || !l.InView || l.Box.Y < 0 || l.Box.Y > 720 {
			t.Errorf("%s: %+v", name, l)
			continue
		}
		sendInput(t, p, clickAt(l.At)...)
		if got := ids(t, p, []driver.NodeRef{button}); got != "clicked" {
			t.Errorf("%s: id %s after the click", name, got)
		}
	}
}

func TestHitTest(t *testing.T) {
	p := open(t, `<!doctype html><body style="margin:0"><div id=host style="position:absolute;left:0;top:0;width:100px;height:100px"></div>
<script>
const r = host.attachShadow({mode:'closed'}); r.innerHTML = '<div id=one style="height:50px"></div>';
r.querySelector('div').attachShadow({mode:'closed'}).innerHTML = '<div id=two style="height:25px"></div>';
</script>`)
	for _, c := range []struct {
		x, y float64
		want string
	}{{10, 10, "two"}, {10, 40, "one"}, {10, 80, "host"}} {
		got, err := p.HitTest(t.Context(), driver.Point{X: c.x, Y: c.y})
		if err != nil {
			t.Fatal(err)
		}
		if id := ids(t, p, []driver.NodeRef{got}); id != c.want {
			t.Errorf("HitTest(%v, %v) = %s, want %s", c.x, c.y, id, c.want)
		}
	}
	if got, err := p.HitTest(t.Context(), driver.Point{X: -5, Y: 5}); err != nil || !got.IsZero() {
		t.Errorf("outside: %v, %v", got, err)
	}
}

// Chrome takes the node numbers of a page in the back/forward cache for ones of
// the page that is shown. We must not.
func TestStaleAfterNavigation(t *testing.T) {
	pages := site{
		"/one": `<!doctype html><title>one</title><button id=b onclick="document.title='clicked'">one</button><input id=i>`,
		"/two": `<!doctype html><title>two</title><button id=b onclick="document.title='wrong'">two</button><input id=i>`,
	}
	at := pages.serve(t)
	p := visit(t, at+"/one")
	old, input := ref(t, p, "b"), ref(t, p, "i")
	goTo(t, p, at+"/two")
	ctx := t.Context()
	for name, do := range map[string]func() error{
		"locate": func() error { _, err := p.Locate(ctx, old, &driver.LocateOptions{Scroll: true}); return err },
		"find":   func() error { _, err := p.Find(ctx, old, driver.Selector{Text: "*"}); return err },
		"evaluate": func() error {
			_, err := p.Evaluate(ctx, "e => e.click()", &driver.EvaluateOptions{Node: old})
			return err
		},
		"focus":    func() error { return p.Focus(ctx, driver.Target{At: input}) },
		"select":   func() error { return p.SelectText(ctx, driver.Target{At: input}) },
		"setvalue": func() error { _, err := p.SetValue(ctx, driver.Target{At: input}, "x"); return err },
		"setfiles": func() error {
			return p.SetFiles(ctx, driver.Target{At: input}, "internal/snapshot/testdata/snapshot.html")
		},
		"scroll":     func() error { _, err := p.ScrollTo(ctx, old, driver.ScrollTarget{}); return err },
		"state":      func() error { _, err := p.State(ctx, input); return err },
		"screenshot": func() error { _, err := p.Screenshot(ctx, &driver.ScreenshotOptions{Node: old}); return err },
	} {
		if err := do(); !errors.Is(err, driver.ErrStale) {
			t.Errorf("%s: %v, want ErrStale", name, err)
		}
	}
	if _, err := p.Back(ctx, nil); err != nil {
		t.Fatal(err)
	}
	// Out of the cache, the page has its identity again.
	if p.Frames()[0].Doc == old.Doc {
		if l := locateNode(t, p, old, true); !l.Reached {
			t.Errorf("back again: %+v", l)
		}
	} else if _, err := p.Locate(ctx, old, nil); !errors.Is(err, driver.ErrStale) {
		t.Errorf("loaded anew: %v, want ErrStale", err)
	}
}
