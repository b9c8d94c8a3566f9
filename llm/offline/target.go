package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// A finding is what a phrase was found to mean.
type finding struct {
	fit   int
	items []int // equally good ones, in the order of the page
}

func (f finding) one() bool { return len(f.items) == 1 }

// find looks for the elements that a phrase names, among those that want
// accepts. The phrase may hold a kind ("button"), a place ("second") and a
// container ("in the cart").
func (p *page) find(phrase string, want func(*accessibility.Item) bool) finding {
	best := p.named(phrase, 0, len(p.items), want)
	if best.fit >= nearly {
		return best
	}
	if strings.HasPrefix(strings.ToLower(phrase), "the ") && ordered(phrase) {
		best = finding{} // "the first post" is a place; "my first post" may be a name
	}
	if f := p.placed(phrase, want); f.fit > best.fit {
		// "My first post": what has all the words is not one of several posts.
		if !ordered(phrase) || best.fit < inOrder {
			best = f
		}
	}
	if best.fit >= nearly && best.one() {
		return best
	}
	if f := p.within(phrase, want); f.fit > best.fit || f.one() && !best.one() {
		best = f
	}
	if best.one() && best.fit < nearly {
		return p.besides(best, phrase, want)
	}
	return best
}

// besides adds what differs from the phrase in number alone: "Post" in a longer
// name, and a link "Posts", are two that may be meant.
func (p *page) besides(f finding, phrase string, want func(*accessibility.Item) bool) finding {
	said := exact(words(phrase))
	for i := range p.items {
		it := &p.items[i]
		if i == f.items[0] || it.Omitted != nil || !want(it) {
			continue
		}
		if name := exact(words(text(it))); len(said) > 0 && slices.Equal(stems(said), stems(name)) {
			f.items = append(f.items, i)
		}
	}
	slices.Sort(f.items)
	return f
}

// named finds the best fits of a phrase as a name between two indexes.
func (p *page) named(phrase string, from, to int, want func(*accessibility.Item) bool) finding {
	var f finding
	for i := from; i < to; i++ {
		it := &p.items[i]
		if it.Omitted != nil || !want(it) {
			continue
		}
		switch n := p.fitOf(phrase, i); {
		case n == noFit || n < f.fit:
		case n > f.fit:
			f = finding{n, []int{i}}
		default:
			f.items = append(f.items, i)
		}
	}
	return p.sieve(f)
}

// fitOf tells how well a phrase names an item: by its name, else by what
// stands in or before it.
func (p *page) fitOf(phrase string, i int) int {
	it := &p.items[i]
	best := p.nameFit(phrase, text(it))
	for _, aside := range []string{it.Placeholder, it.Description, p.before(i)} {
		if n := p.nameFit(phrase, aside) - 5; aside != "" && n > best {
			best = n
		}
	}
	if pressed[it.Role] || it.Role == "link" {
		if n := p.nameFit(phrase, it.Value) - 5; n > best {
			best = n
		}
	}
	return best
}

// mostLabelWords is how long a text may be to label what stands behind it.
const mostLabelWords = 8

// before is the text in front of a control that has no name of its own.
func (p *page) before(i int) string {
	it := &p.items[i]
	if it.Name != "" || i == 0 || !typed[it.Role] && !checkable(it) && !lists[it.Role] {
		return ""
	}
	if prev := &p.items[i-1]; prev.Role == "text" && prev.Depth == it.Depth && len(words(prev.Name)) <= mostLabelWords {
		return prev.Name
	}
	return ""
}

// sieve leaves out what cannot be meant where another can: the disabled, and what is around another finding.
func (p *page) sieve(f finding) finding {
	var enabled []int
	for _, i := range f.items {
		if !p.items[i].States.Disabled {
			enabled = append(enabled, i)
		}
	}
	if len(enabled) > 0 {
		f.items = enabled
	}
	var inner []int
	for n, i := range f.items {
		if n+1 < len(f.items) && f.items[n+1] < p.end[i] {
			continue // the next one is within this one
		}
		inner = append(inner, i)
	}
	f.items = inner
	return f
}

var containerWord = regexp.MustCompile(`(?i) (?:in|of|for|from|inside|within|under|next to|beside|on|at) `)

// mostContainers bounds in how many places a phrase is parted.
const mostContainers = 5

// mostAnchors bounds how many parts of the page a container may mean. What
// stands in more places than this names none.
const mostAnchors = 40

// within reads a phrase with a container, as "Remove in Meridian compass": the
// element that fits the first half in the smallest part of the page which
// holds it and what the second half names.
func (p *page) within(phrase string, want func(*accessibility.Item) bool) finding {
	var best finding
	for _, at := range containerWord.FindAllStringIndex(phrase, mostContainers) {
		inner, outer := phrase[:at[0]], strings.TrimSpace(phrase[at[1]:])
		anchors := p.anchors(outer)
		if len(telling(words(outer))) == 0 || len(anchors.items) == 0 || len(anchors.items) > mostAnchors {
			continue
		}
		var found finding
		for _, a := range anchors.items {
			f := p.around(a, inner, want)
			switch {
			case f.fit > found.fit:
				found = f
			case f.fit == found.fit:
				for _, i := range f.items {
					if !contains(found.items, i) {
						found.items = append(found.items, i)
					}
				}
			}
		}
		found.items = slices.DeleteFunc(found.items, func(i int) bool {
			return contrary(words(phrase), words(text(&p.items[i]))) // "Turn on X" is not "Turn", on "X"
		})
		if len(found.items) == 0 {
			continue
		}
		// The weaker half tells how good the whole is.
		found.fit = min(found.fit, anchors.fit)
		if found.fit > best.fit || found.fit == best.fit && len(found.items) < len(best.items) {
			best = found
		}
	}
	return best
}

// anchors finds what names a part of the page.
func (p *page) anchors(phrase string) finding {
	named := func(it *accessibility.Item) bool { return text(it) != "" }
	f := p.named(phrase, 0, len(p.items), named)
	if f.fit < nearly && (!ordered(phrase) || f.fit < inOrder) {
		if g := p.placed(phrase, named); g.fit > f.fit {
			f = g
		}
	}
	return f
}

// around looks for a phrase in the subtree of an item, then in those around it.
func (p *page) around(i int, phrase string, want func(*accessibility.Item) bool) finding {
	for ; i >= 0; i = p.items[i].Parent {
		sub := &page{items: p.items[i:p.end[i]], known: p.known, own: p.own}
		sub.end = make([]int, len(sub.items))
		for j := range sub.items {
			sub.end[j] = p.end[i+j] - i
		}
		f := sub.named(phrase, 0, len(sub.items), want)
		if f.fit < nearly {
			if g := sub.placed(phrase, want); g.fit > f.fit {
				f = g
			}
		}
		if len(f.items) > 0 {
			for n := range f.items {
				f.items[n] += i
			}
			return f
		}
	}
	return finding{}
}

func contains(list []int, i int) bool {
	for _, v := range list {
		if v == i {
			return true
		}
	}
	return false
}

// describe names an item for people.
func describe(it *accessibility.Item) string {
	if t := text(it); t != "" {
		return fmt.Sprintf("%s %q", it.Role, t)
	}
	return string(it.Role)
}

const mostNamed = 10

// candidates lists items for people.
func (p *page) candidates(items []int) string {
	var out []string
	for n, i := range items {
		if n == mostNamed {
			out = append(out, fmt.Sprintf("and %d more", len(items)-n))
			break
		}
		out = append(out, fmt.Sprintf("[%s] %s", p.items[i].Ref, describe(&p.items[i])))
	}
	return strings.Join(out, "; ")
}
