package accessibility

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/accessibility/internal/htmlcapture"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// authorPaths walks the tree as its author wrote it, and returns the deep XPath
// of each element by its id: an independent way to the same result.
func authorPaths(t *testing.T, source, base string, out map[string]string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		t.Fatal(err)
	}
	var walk func(n *html.Node, path, slash string)
	walk = func(n *html.Node, path, slash string) {
		count := map[string]int{}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type != html.ElementNode {
				continue
			}
			if _, ok := attr(c, "shadowrootmode"); ok {
				walk(c, path, "//")
				continue
			}
			name := c.Data
			if c.Namespace != "" {
				name = "*[name()='" + c.Data + "']"
			}
			count[name]++
			p := fmt.Sprintf("%s%s%s[%d]", path, slash, name, count[name])
			if id, ok := attr(c, "id"); ok {
				out[id] = p
			}
			if srcdoc, ok := attr(c, "srcdoc"); ok {
				authorPaths(t, srcdoc, p, out)
			}
			walk(c, p, "/")
		}
	}
	walk(root, base, "/")
}

const nested = `<!DOCTYPE html><body id=body><div id=d1></div><div id=d2><span id=s1></span>text<b id=b1></b><span id=s2></span></div>
<svg id=svg><g id=g1></g><g id=g2><path id=p1></path></g></svg>
<x-card id=host><template shadowrootmode=open><div id=in1><slot id=slot name=x></slot></div><div id=in2><button id=in3></button><slot id=rest><i id=fallback></i></slot>
<y-card id=host2><template shadowrootmode=closed><p id=deep></p><slot id=slot3></slot></template><u id=inner1></u><u id=inner2></u></y-card></div></template>
<em slot=x id=e1></em><em slot=x id=e2><em id=e3></em></em><a id=l1></a><a id=l2></a></x-card>
<iframe id=f1></iframe><iframe id=f2 srcdoc="<div id=fd><iframe id=ff srcdoc='<p id=ffp></p><p id=ffq></p>'></iframe></div>"></iframe>
<table id=t><tr id=tr1><td id=td1><td id=td2></table>`

// TestXPath compares the paths computed from captures with the author's tree.
func TestXPath(t *testing.T) {
	c := htmlcapture.Of(t, nested)
	s := newSnapshot(c, nil)
	want := map[string]string{}
	authorPaths(t, nested, "xpath=", want)
	seen := 0
	for d := range c.Documents {
		doc := &c.Documents[d]
		for i := range doc.Nodes {
			id, ok := doc.Nodes[i].Attr("id")
			if !ok || id == "fallback" {
				continue
			}
			seen++
			if got, ok := s.path(doc.Ref(int32(i)), false); !ok || got != want[id] {
				t.Errorf("PathTo(%s) = %q, %v, want %q", id, got, ok, want[id])
			}
		}
	}
	if seen < len(want)-1 {
		t.Errorf("%d elements seen, want %d", seen, len(want)-1)
	}
}

// TestPathToOddNames covers what is not an ordinary element.
func TestPathToOddNames(t *testing.T) {
	c := htmlcapture.Of(t, `<body><p>text<p>two`)
	d := &c.Documents[0]
	for i := range d.Nodes {
		if d.Nodes[i].Name == "p" {
			d.Nodes[i].Name = "p'\"x"
		}
	}
	s := newSnapshot(c, nil)
	last := int32(len(d.Nodes) - 1)
	for _, tt := range []struct {
		ref  driver.NodeRef
		want string
		ok   bool
	}{
		{d.Ref(last), "xpath=/html[1]/body[1]/*[2]", true}, // text stands for its element
		{d.Root(), "xpath=/", true},
		{driver.NodeRef{Frame: d.Frame, Doc: d.Doc}, "xpath=/", true},
		{driver.NodeRef{Frame: d.Frame, Doc: "another", Node: 1}, "", false},
		{driver.NodeRef{Frame: d.Frame, Doc: d.Doc, Node: 4711}, "", false},
	} {
		if got, ok := s.path(tt.ref, false); got != tt.want || ok != tt.ok {
			t.Errorf("PathTo(%v) = %q, %v, want %q, %v", tt.ref, got, ok, tt.want, tt.ok)
		}
	}
}

func attr(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}
