package css

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// A hasMark is an attribute for the elements that a :has is true of. The matcher
// knows :has of descendants alone, and none that begins with a combinator: of
// "a:has(> b + i)" an attribute selector remains, and one pass over the tree goes
// from each i back to the elements that get the attribute.
type hasMark struct {
	name string
	ways [][]link // of each selector of the list
}

// A link is one compound of a relative selector with the combinator before it.
type link struct {
	combinator byte // ' ', '>', '+' or '~'
	compound   string
	sel        *Selector
}

// chain splits a relative selector at its combinators.
func chain(text string) []link {
	var out []link
	next := link{combinator: ' '}
	r := scanner{text: strings.TrimSpace(text)}
	for first := true; r.i < len(r.text); first = false {
		stop := r.until(" \t\n>+~")
		if next.compound = r.text[r.i:stop]; next.compound != "" || !first && next.combinator != ' ' {
			out = append(out, next)
		}
		next = link{combinator: ' '}
		for r.i = stop; r.i < len(r.text) && strings.IndexByte(" \t\n>+~", r.text[r.i]) >= 0; r.i++ {
			if c := r.text[r.i]; c == '>' || c == '+' || c == '~' {
				next.combinator = c
			}
		}
	}
	if next.combinator != ' ' {
		out = append(out, next) // nothing stands behind it
	}
	return out
}

// maxMarks bounds the marks of a tree's sheets. Rules beyond it match nothing.
const maxMarks = 300

// appendMarks adds the marks that are not there yet.
func appendMarks(to, marks []hasMark) []hasMark {
	for _, m := range marks {
		if len(to) < maxMarks && !slices.ContainsFunc(to, func(have hasMark) bool { return have.name == m.name }) {
			to = append(to, m)
		}
	}
	return to
}

func markAll(marks []hasMark, root *html.Node) {
	for _, m := range marks {
		for _, way := range m.ways {
			w := walk{way, " " + m.name, map[step]bool{}}
			last := way[len(way)-1].sel
			for n := root; n != nil; n = dom.Next(n, root) {
				if n.Type == html.ElementNode && last.Match(n) {
					w.from(n, len(way)-1)
				}
			}
		}
	}
}

// A walk goes a way of links back, each step once.
type walk struct {
	way  []link
	key  string // of the attribute
	done map[step]bool
}

type step struct {
	n *html.Node
	i int // of the link
}

// from marks the elements from which the links up to i lead to n.
func (w *walk) from(n *html.Node, i int) {
	c := w.way[i].combinator
	for n = back(n, c); n != nil && !w.done[step{n, i}]; n = back(n, c) {
		w.done[step{n, i}] = true // and those beyond it
		switch {
		case i > 0 && w.way[i-1].sel.Match(n):
			w.from(n, i-1)
		case i == 0 && !dom.Has(n, w.key):
			n.Attr = append(n.Attr, html.Attribute{Key: w.key})
		}
		if c == '>' || c == '+' {
			return
		}
	}
}

// back goes one step against a combinator.
func back(n *html.Node, combinator byte) *html.Node {
	if combinator == ' ' || combinator == '>' {
		if p := n.Parent; p != nil && p.Type == html.ElementNode {
			return p
		}
		return nil
	}
	for n = n.PrevSibling; n != nil && n.Type != html.ElementNode; n = n.PrevSibling {
	}
	return n
}
