package css

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// A hasStep marks the elements that have, by a combinator, one that a compound
// selector matches. The matcher knows :has of descendants alone, and none that
// begins with a combinator: "a:has(> b + i)" becomes a step that marks each b
// before an i, one that marks the parents of those, and an attribute selector.
// Each step takes one pass over the tree.
type hasStep struct {
	mark       string // the attribute
	combinator byte   // ' ', '>', '+' or '~'
	sel        *Selector
}

// hasClass rewrites a :has whose argument begins at end.
func (r *rewriter) hasClass(end int) error {
	inner, after, err := r.argument(end)
	if err != nil {
		return err
	}
	parts := splitList(inner)
	if !slices.ContainsFunc(parts, func(s string) bool { return len(chain(s)) != 1 || chain(s)[0].combinator != ' ' }) {
		r.copy(end) // the matcher knows it; what is within is rewritten in its turn
		return nil
	}
	h := fnv.New64a()
	h.Write([]byte(inner))
	mark := fmt.Sprintf("has%x", h.Sum64())
	if strings.Contains(inner, ":hover") || strings.Contains(inner, ":active") {
		mark += "hover" // a sheet of such rules is read again for the pointer
	}
	weight := [3]int{}
	for i, text := range parts {
		w, err := r.hasSteps(chain(text), mark, i)
		if err != nil {
			return err
		}
		if slices.Compare(w[:], weight[:]) > 0 {
			weight = w
		}
	}
	r.reflect(mark, after)
	for i := range weight {
		r.extra[i] += weight[i]
	}
	r.extra[1]-- // of the attribute that stands for it
	return nil
}

// hasSteps adds the steps of one chain, the last link first, and returns its specificity.
func (r *rewriter) hasSteps(links []link, mark string, part int) (weight [3]int, err error) {
	inner := ""
	for i := len(links) - 1; i >= 0; i-- {
		l := links[i]
		if l.compound == "" {
			return weight, errors.New("a combinator without a selector")
		}
		s, err := compileSelector(l.compound)
		if err != nil {
			return weight, err
		}
		for _, one := range s.SelectorGroup {
			for k, n := range one.Specificity() {
				weight[k] += n
			}
		}
		if inner != "" {
			if s, err = compileMarked(l.compound, inner); err != nil {
				return weight, err
			}
		}
		r.live = r.live || s.Live
		name := mark
		if i > 0 {
			name = fmt.Sprintf("%s-%d-%d", mark, part, i)
		}
		r.has = append(r.has, hasStep{name, l.combinator, s})
		inner = name
	}
	return weight, nil
}

// compileMarked compiles a compound that must have a mark as well.
func compileMarked(compound, mark string) (*Selector, error) {
	plain, w, err := rewrite(compound)
	if err != nil {
		return nil, err
	}
	group, err := cascadia.ParseGroup(plain + `[\20 ` + mark + `]`)
	if err != nil {
		return nil, err
	}
	return &Selector{SelectorGroup: group, Live: w.live}, nil
}

// A link is one compound of a relative selector with the combinator before it.
type link struct {
	combinator byte
	compound   string
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

// maxSteps bounds the steps of a tree's sheets. Rules beyond it match nothing.
const maxSteps = 300

// appendSteps adds the steps that are not there yet.
func appendSteps(to, steps []hasStep) []hasStep {
	for _, s := range steps {
		if len(to) >= maxSteps {
			return to
		}
		if !slices.ContainsFunc(to, func(have hasStep) bool {
			return have.mark == s.mark && have.combinator == s.combinator && sameGroup(have.sel, s.sel)
		}) {
			to = append(to, s)
		}
	}
	return to
}

func sameGroup(a, b *Selector) bool {
	return a == b || a.SelectorGroup.String() == b.SelectorGroup.String()
}

// ReflectHas writes the marks that a selector asks for into the trees of a document.
func (s *Selector) ReflectHas(t *dom.Tree) {
	if len(s.has) == 0 {
		return
	}
	markAll(s.has, t.Root)
	for _, shadow := range t.Shadows {
		markAll(s.has, shadow.Root)
	}
}

func markAll(steps []hasStep, root *html.Node) {
	for _, s := range steps {
		for n := root; n != nil; n = dom.Next(n, root) {
			if n.Type == html.ElementNode && s.sel.Match(n) {
				s.markFrom(n)
			}
		}
	}
}

// markFrom marks the elements from which the combinator leads to n, up to one
// that has the mark: those beyond it have it, too.
func (s *hasStep) markFrom(n *html.Node) {
	key := " " + s.mark
	for at := s.back(n); at != nil && !dom.Has(at, key); at = s.back(at) {
		at.Attr = append(at.Attr, html.Attribute{Key: key})
		if s.combinator == '>' || s.combinator == '+' {
			return
		}
	}
}

// back goes one step against the combinator.
func (s *hasStep) back(n *html.Node) *html.Node {
	if s.combinator == ' ' || s.combinator == '>' {
		if p := n.Parent; p != nil && p.Type == html.ElementNode {
			return p
		}
		return nil
	}
	for n = n.PrevSibling; n != nil && n.Type != html.ElementNode; n = n.PrevSibling {
	}
	return n
}
