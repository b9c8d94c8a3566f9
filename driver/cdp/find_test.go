package cdp

import (
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// query returns what a selector matches.
func query(t testing.TB, p *page, root driver.NodeRef, kind driver.SelectorKind, text string) []driver.NodeRef {
	t.Helper()
	refs, err := p.Find(t.Context(), root, driver.Selector{Kind: kind, Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return refs
}

// ids returns the id attributes of elements.
func ids(t testing.TB, p *page, refs []driver.NodeRef) string {
	t.Helper()
	var list []string
	for _, r := range refs {
		raw, err := p.Evaluate(t.Context(), "(e) => e.id", &driver.EvaluateOptions{Node: r})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, strings.Trim(string(raw), `"`))
	}
	return strings.Join(list, " ")
}

const findPage = `<!doctype html><title>find</title><body>
<ul id=list><li id=a>1<li id=b>2<li id=c>3</ul>
<div id=open><b id=light></b></div><div id=closed><b id=light2></b></div>
<iframe id=frame srcdoc="<p id=p1><p id=p2>"></iframe>
<script>
open = document.getElementById('open').attachShadow({mode:'open'}); open.innerHTML = 'x<i id=o1></i><p id=o2><i id=o3></i></p>';
const r = document.getElementById('closed').attachShadow({mode:'closed'}); r.innerHTML = '<i id=c1></i><div id=c2></div><i id=c3></i>';
r.querySelector('div').attachShadow({mode:'closed'}).innerHTML = '<i id=n1></i>';
</script>`

func TestFindElements(t *testing.T) {
	p := open(t, findPage)
	none := driver.NodeRef{}
	in := func(id string) driver.NodeRef {
		refs := query(t, p, none, driver.CSS, "#"+id)
		if len(refs) != 1 {
			t.Fatalf("%d elements #%s", len(refs), id)
		}
		return refs[0]
	}
	closed := in("closed")
	for _, c := range []struct {
		root driver.NodeRef
		kind driver.SelectorKind
		text string
		want string
	}{
		{none, driver.CSS, "li", "a b c"},
		{none, driver.CSS, "#c, #a", "a c"},
		{none, driver.CSS, "i", ""},
		{none, driver.XPath, "//li[2]", "b"},
		{none, driver.XPath, "/html/body/ul/li", "a b c"},
		{none, driver.XPath, "//li/text()", ""},
		{in("list"), driver.XPath, "li[3]", "c"},
		{in("list"), driver.XPath, ".//li", "a b c"},
		{in("list"), driver.XPath, "/html/body", ""},
		{in("list"), driver.CSS, "ul > li:first-child", "a"},
		{in("open"), driver.CSS, "i, b", "o1 o3"},
		{in("open"), driver.XPath, "/i", "o1"},
		{in("open"), driver.XPath, "p/i", "o3"},
		{in("open"), driver.XPath, "(.//i)[2]", "o3"},
		{closed, driver.CSS, "*", "c1 c2 c3"},
		{closed, driver.XPath, "//i", "c1 c3"},
		{query(t, p, closed, driver.CSS, "div")[0], driver.CSS, "i", "n1"},
		{in("frame"), driver.CSS, "p", "p1 p2"},
		{in("frame"), driver.XPath, "/html/body/p[2]", "p2"},
	} {
		if got := ids(t, p, query(t, p, c.root, c.kind, c.text)); got != c.want {
			t.Errorf("Find(%v, %q) = %q, want %q", c.root.Node, c.text, got, c.want)
		}
	}
}

func TestFindErrors(t *testing.T) {
	p := open(t, findPage)
	for _, sel := range []driver.Selector{
		{Kind: driver.CSS, Text: "li["}, {Kind: driver.CSS, Text: ""}, {Kind: driver.XPath, Text: "//li["}, {Kind: driver.XPath, Text: "1+1"},
	} {
		if _, err := p.Find(t.Context(), driver.NodeRef{}, sel); !errors.Is(err, driver.ErrSelector) {
			t.Errorf("Find(%q) = %v, want ErrSelector", sel.Text, err)
		}
	}
	frame := driver.FrameID(p.ID())
	gone := driver.NodeRef{Frame: frame, Doc: p.Frames()[0].Doc, Node: 999999}
	if _, err := p.Find(t.Context(), gone, driver.Selector{Text: "li"}); !errors.Is(err, driver.ErrStale) {
		t.Errorf("an id that there is not: %v, want ErrStale", err)
	}
	list := query(t, p, driver.NodeRef{}, driver.CSS, "ul")[0]
	if _, err := p.Evaluate(t.Context(), "e => e.remove()", &driver.EvaluateOptions{Node: list}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Find(t.Context(), list, driver.Selector{Text: "li"}); !errors.Is(err, driver.ErrDetached) {
		t.Errorf("a removed element: %v, want ErrDetached", err)
	}
}

func TestFindInFrameOfAnotherProcess(t *testing.T) {
	pages := site{"/in": `<p id=inside>`}
	at := pages.serve(t)
	pages["/"] = `<!doctype html><iframe id=f src="` + elsewhere(at) + `/in"></iframe>`
	p := visit(t, at+"/")
	frame := query(t, p, driver.NodeRef{}, driver.CSS, "iframe")[0]
	found := query(t, p, frame, driver.XPath, "//p")
	if len(found) != 1 || found[0].Frame == frame.Frame || ids(t, p, found) != "inside" {
		t.Errorf("found %v", found)
	}
}
