package fake_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// on top: which element is hit in the middle of #t, by its id.
func onTop(t *testing.T, page string) string {
	t.Helper()
	_, p := open(t, fake.Web{"https://a.test/": "<!doctype html><body style='margin:0'>" + page}, "https://a.test/")
	loc, err := p.Locate(t.Context(), find(t, p, "#t"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if loc.Hit.IsZero() {
		return "nothing"
	}
	c := capture(t, p)
	for i := range c.Documents[0].Nodes {
		n := &c.Documents[0].Nodes[i]
		if n.ID == loc.Hit.Node {
			if id, ok := n.Attr("id"); ok {
				return id
			}
			return n.Name
		}
	}
	return fmt.Sprint(loc.Hit)
}

func TestWhatLiesOnTop(t *testing.T) {
	const over = `style="position:absolute;left:0;top:0;width:200px;height:200px`
	for page, want := range map[string]string{
		`<button id=t>x</button>`:                                                                                                                             "t",
		`<button id=t>x</button><div id=o ` + over + `"></div>`:                                                                                               "o",
		`<div id=o ` + over + `"></div><button id=t style="position:relative">x</button>`:                                                                     "t",
		`<button id=t>x</button><div id=o ` + over + `;pointer-events:none"></div>`:                                                                           "t",
		`<button id=t>x</button><div id=o ` + over + `;visibility:hidden"></div>`:                                                                             "t",
		`<button id=t>x</button><div id=o ` + over + `;z-index:-1"></div>`:                                                                                    "t",
		`<button id=t style="position:relative;z-index:2">x</button><div id=o ` + over + `;z-index:1"></div>`:                                                 "t",
		`<div style="position:relative;z-index:1"><button id=t style="position:relative;z-index:99">x</button></div><div id=o ` + over + `;z-index:2"></div>`: "o",
		`<button id=t>x</button><div inert id=o ` + over + `"></div>`:                                                                                         "t",
		`<button id=t>x</button><div style="overflow:hidden;width:0;height:0;position:absolute"><div id=o ` + over + `"></div></div>`:                         "t",
		`<button id=t>x</button><iframe id=o srcdoc="<p>x" ` + over + `"></iframe>`:                                                                           "o",
		`<button id=t><b id=in>bold</b></button>`:                                                                                                             "in",
		`<button id=t popovertarget=o>x</button><div id=o popover>pop</div>`:                                                                                  "t",
	} {
		got := onTop(t, page)
		if want == "o" && got != "o" && page[len(page)-9:] == "</iframe>" {
			continue // the hit is within the frame's own document
		}
		if got != want {
			t.Errorf("%s\nhit %s, want %s", page, got, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	for page, want := range map[string]driver.Rect{
		`<p style="margin:0">above</p><div id=t style="height:30px">x</div>`:                                                 {X: 0, Y: 18, Width: 1280, Height: 30},
		`<div style="display:flex"><div style="width:100px">a</div><div id=t style="width:50px">b</div></div>`:               {X: 100, Y: 0, Width: 50, Height: 18},
		`<span>1234</span><span id=t>56</span>`:                                                                              {X: 32, Y: 0, Width: 16, Height: 18},
		`<div id=t style="position:fixed;right:10px;bottom:20px;width:30px;height:40px"></div>`:                              {X: 1240, Y: 660, Width: 30, Height: 40},
		`<div style="position:relative;margin-top:50px;height:10px"><i id=t style="position:absolute;top:100%">x</i></div>`:  {X: 0, Y: 60, Width: 8, Height: 18},
		`<table><tr><td style="padding:0">a</td><td id=t style="padding:0">b</td></tr></table>`:                              {X: 8, Y: 0, Width: 8, Height: 18},
		`<div id=t style="transform:translate(10px, 5px);width:20px;height:20px"></div>`:                                     {X: 10, Y: 5, Width: 20, Height: 20},
		`<div id=t style="transform:translateX(10px) translateY(5px);width:20px;height:20px"></div>`:                         {X: 10, Y: 5, Width: 20, Height: 20},
		`<div id=t style="transform:scaleX(0);width:20px;height:20px"></div>`:                                                {},
		`<style>@media (width > 10px) and (height<=720px) { #t { width: 30px } }</style><div id=t style="height:7px"></div>`: {X: 0, Y: 0, Width: 30, Height: 7},
		`<div id=t style="width:50%;max-width:100px;min-height:7px"></div>`:                                                  {X: 0, Y: 0, Width: 100, Height: 7},
	} {
		_, p := open(t, fake.Web{"https://a.test/": "<!doctype html><body style='margin:0'>" + page}, "https://a.test/")
		loc, err := p.Locate(t.Context(), find(t, p, "#t"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if loc.Box != want {
			t.Errorf("%s\nBox = %+v, want %+v", page, loc.Box, want)
		}
	}
}

// A sheet that does nothing else makes a control transparent.
func TestTransparentBySheet(t *testing.T) {
	_, p := open(t, fake.Web{"https://a.test/": `<style>#t { opacity: 0 }</style><select id=t><option>x</select>`}, "https://a.test/")
	if loc, err := p.Locate(t.Context(), find(t, p, "#t"), nil); err != nil || !loc.Unseen {
		t.Errorf("Locate = %+v, %v, want it unseen", loc, err)
	}
}

// A link that is broken over two lines is pressed on its first piece, not
// between them.
func TestBrokenLink(t *testing.T) {
	_, p := open(t, fake.Web{
		"https://a.test/":     `<!doctype html><body style="margin:0"><div style="width:160px">0123456789abc<a href=/next>a link of many words</a></div>`,
		"https://a.test/next": "next",
	}, "https://a.test/")
	loc, err := p.Locate(t.Context(), find(t, p, "a"), nil)
	if err != nil || !loc.Reached || loc.At.Y > 18 {
		t.Errorf("Locate = %+v, %v, want a point on the first line", loc, err)
	}
	click(t, p, "a")
	if got := address(t, p); got != "https://a.test/next" {
		t.Errorf("the page shows %s", got)
	}
}

// What a style sheet shows while the pointer is on a menu can be used.
func TestHoverMenu(t *testing.T) {
	_, p := open(t, fake.Web{
		"https://a.test/":     `<style>nav ul{display:none} nav:hover ul{display:block} #c:checked ~ p{display:none} a:focus{visibility:visible}</style><nav>Menu<ul><li><a href=/next>Next</a></ul></nav><input type=checkbox id=c><p>off</p>`,
		"https://a.test/next": "next",
	}, "https://a.test/")
	if loc, err := p.Locate(t.Context(), find(t, p, "a"), nil); err != nil || loc.Visible {
		t.Fatalf("before: %+v, %v", loc, err)
	}
	click(t, p, "#c")
	if got := shown(capture(t, p)); got != "Menu|" {
		t.Errorf("with the box checked the page shows %q", got)
	}
	loc, err := p.Locate(t.Context(), find(t, p, "nav"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Input(t.Context(), driver.MouseMove{At: loc.At}); err != nil {
		t.Fatal(err)
	}
	click(t, p, "a")
	if got := address(t, p); got != "https://a.test/next" {
		t.Errorf("the page shows %s", got)
	}
}

// An attribute that a sheet asks for changes what is shown, in a selector or in
// a text; one that none asks for is read all the same.
func TestAttributesThatStyle(t *testing.T) {
	const page = `<style>[aria-expanded=true] + p{display:none} #x::after{content:attr(data-n)}</style>
		<button id=b>b</button><p id=p>p</p><p><span id=x></span></p>`
	_, p := open(t, fake.Web{"https://a.test/": page}, "https://a.test/")
	look := func(selector string) *driver.Location {
		loc, err := p.Locate(t.Context(), find(t, p, selector), nil)
		if err != nil {
			t.Fatal(err)
		}
		return loc
	}
	change := func(selector, name, value string) {
		if err := fake.Change(t.Context(), p, func(d *fake.Document) { d.Find(selector).SetAttr(name, value) }); err != nil {
			t.Fatal(err)
		}
	}
	if !look("#p").Visible {
		t.Fatal("the paragraph is not shown at first")
	}
	change("#b", "aria-expanded", "true")
	if look("#p").Visible {
		t.Error("aria-expanded is set, and the paragraph still shown")
	}
	narrow := look("#x").Box.Width
	change("#x", "data-n", "wide")
	if got := look("#x").Box.Width; got <= narrow {
		t.Errorf("the width is %v with a text behind it, %v without", got, narrow)
	}
	before, err := p.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	change("#b", "aria-label", "Other")
	if after, err := p.Revision(t.Context()); err != nil || after == before {
		t.Errorf("Revision = %v, %v after a change, %v before", after, err, before)
	}
	if got := look("#b").Label; got != "Other" {
		t.Errorf("Label = %q, want Other", got)
	}
}

// TestPositionedWithinPositioned: a box that is placed late takes those along
// that wait within it, and no others.
func TestPositionedWithinPositioned(t *testing.T) {
	_, p := open(t, fake.Web{"https://a.test/": `<!doctype html><body style="margin:0"><style>div{position:absolute;width:10px;height:10px}</style>
<div id=a style="left:100px;top:200px"><div id=b><div id=c style="right:0;top:5px"><div id=d></div></div></div><div id=e></div></div>
<div id=f style="left:7px;top:8px"><p style="margin:0;height:30px"></p><div id=g><div id=h style="left:1px"></div></div></div>`}, "https://a.test/")
	got := map[string]driver.Offset{}
	for _, n := range capture(t, p).Documents[0].Nodes {
		if id, ok := n.Attr("id"); ok {
			got[id] = driver.Offset{X: n.Box.X, Y: n.Box.Y}
		}
	}
	want := map[string]driver.Offset{
		"a": {X: 100, Y: 200}, "b": {X: 100, Y: 200}, "c": {X: 100, Y: 205}, "d": {X: 100, Y: 205}, "e": {X: 100, Y: 200},
		"f": {X: 7, Y: 8}, "g": {X: 7, Y: 38}, "h": {X: 8, Y: 38},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("boxes (-want +got):\n%s", diff)
	}
}
