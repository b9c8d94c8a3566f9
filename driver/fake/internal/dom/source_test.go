package dom

import (
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"
)

// TestSources opens a source again and again: each tree is what the parser
// makes of it, and nobody's but the caller's.
func TestSources(t *testing.T) {
	var all Sources
	for name, source := range map[string]string{
		"empty":      "",
		"attributes": `<p class=a id=b CLASS=c>x<input value="1" disabled>`,
		"template":   `<div><template shadowrootmode=open><slot></slot><template><b>y</b></template></template>x</div>`,
		"foreign":    `<svg viewBox="0 0 1 1"><a xlink:href="#x"><foreignObject><p>z</foreignObject></a></svg><math><mi>x</mi></math>`,
		"misnested":  `<table><b>1<tr><td>2</b>3</table><p><b><i>4</b>5</i><!-- c --></p></html>6`,
		"deep":       strings.Repeat("<div a=b>", 2000),
	} {
		t.Run(name, func(t *testing.T) {
			want := ParseHTML(source, true)
			for range 3 {
				got := all.Copy(source, true)
				sameTree(t, got, want)
				spoil(got)
			}
			var work sync.WaitGroup
			for range 4 {
				work.Go(func() { spoil(all.Copy(source, true)) })
			}
			work.Wait()
			sameTree(t, all.Copy(source, true), want)
		})
	}
}

// sameTree holds a tree against another, link by link.
func sameTree(t *testing.T, got, want *html.Node) {
	t.Helper()
	if got.Type != want.Type || got.DataAtom != want.DataAtom || got.Data != want.Data || got.Namespace != want.Namespace || len(got.Attr) != len(want.Attr) {
		t.Fatalf("%+v, want %+v", got, want)
	}
	for i := range got.Attr {
		if got.Attr[i] != want.Attr[i] {
			t.Fatalf("%s has %+v, want %+v", got.Data, got.Attr[i], want.Attr[i])
		}
	}
	a, b := got.FirstChild, want.FirstChild
	var before *html.Node
	for ; a != nil && b != nil; a, b = a.NextSibling, b.NextSibling {
		if a.Parent != got || a.PrevSibling != before {
			t.Fatalf("%s hangs below %v after %v", a.Data, a.Parent, a.PrevSibling)
		}
		sameTree(t, a, b)
		before = a
	}
	if a != nil || b != nil || got.LastChild != before {
		t.Fatalf("%s has other children", got.Data)
	}
}

// spoil changes all of a tree that a page can change.
func spoil(n *html.Node) {
	for i := range n.Attr {
		n.Attr[i].Val = "spoilt"
	}
	n.Attr = append(n.Attr, html.Attribute{Key: "spoilt"})
	n.Data += "spoilt"
	for child := range n.ChildNodes() {
		spoil(child)
	}
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
}
