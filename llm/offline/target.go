package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// A finding is what a phrase was found to mean.
type finding struct {
	fit   int
	items []int // equally good ones, in the order of the page
}

func (f finding) one() bool { return len(f.items) == 1 }

// atLeast leaves out a weaker finding.
func (f finding) atLeast(n int) finding {
	if f.fit < n {
		return finding{}
	}
	return f
}

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

// fitOf reports how well a phrase names an item: by its name, else by what
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
		if len(distinctive(words(outer))) == 0 || len(anchors.items) == 0 || len(anchors.items) > mostAnchors {
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
					if !slices.Contains(found.items, i) {
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
		// The weaker half decides how good the whole is.
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

var ordinals = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
	"eleventh": 11, "twelfth": 12, "last": -1,
}

var ordinalDigits = regexp.MustCompile(`(?i)^(\d{1,4})(?:st|nd|rd|th)$`)

// ordinal reads a word as a place: counted from 1, or from the end if negative; 0 is none.
func ordinal(w string) int {
	if m := ordinalDigits.FindStringSubmatch(w); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return ordinals[w]
}

// ordered reports whether a phrase begins with a place, as "the second Save".
func ordered(phrase string) bool {
	for _, w := range words(phrase) {
		if !small[w] {
			return ordinal(w) != 0
		}
	}
	return false
}

var (
	// kindPhrases are kinds that people write in two words.
	kindPhrases = regexp.MustCompile(`(?i)\b(?:(?:text|input|edit)[ -](field|box|area|input)|(check|list|combo)[ -]box|(drop)[ -]?down(?: list| menu| box)?|(radio) button)(e?s)?\b`)
	// numbered is a kind with its number: "textbox 3", "field no. 2".
	numbered   = regexp.MustCompile(`(?i)^(?:number|no\.?|nr\.?|#)? ?#?(\d{1,4})$`)
	fromTheEnd = regexp.MustCompile(`(?i)\b(?:(second|third|fourth) (?:to |from )?(?:the )?last|(penultimate|next to last|last but one))\b`)
)

// joinKinds writes kinds of two words in one.
func joinKinds(phrase string) string {
	return kindPhrases.ReplaceAllStringFunc(phrase, func(s string) string {
		m := kindPhrases.FindStringSubmatch(s)
		switch {
		case m[1] != "":
			return "textbox"
		case m[2] != "":
			return strings.ToLower(m[2]) + "box"
		case m[3] != "":
			return "dropdown"
		}
		return "radio"
	})
}

// placed reads a phrase with a kind or a place in it, as "the second Save button".
func (p *page) placed(phrase string, want func(*accessibility.Item) bool) finding {
	place := 0
	if m := fromTheEnd.FindStringSubmatchIndex(phrase); m != nil {
		place = -2
		if m[2] >= 0 {
			place = -ordinal(strings.ToLower(phrase[m[2]:m[3]]))
		}
		phrase = phrase[:m[0]] + phrase[m[1]:]
	}
	rest := strings.Fields(joinKinds(phrase))
	var k kind
	trim := func(w string) string { return strings.ToLower(strings.Trim(w, ".,;:?!")) }
	for len(rest) > 0 && (small[trim(rest[0])] || ordinal(trim(rest[0])) != 0) {
		if n := ordinal(trim(rest[0])); n != 0 {
			if place != 0 {
				return finding{} // two places say nothing
			}
			place = n
		}
		rest = rest[1:]
	}
	if len(rest) > 0 {
		if word := trim(rest[len(rest)-1]); word != "" {
			if found, ok := kindOf(word); ok {
				if place == 0 && len(rest) == 1 && word != stem(word) {
					return finding{} // "the links" names all of them, and so none
				}
				k, rest = found, rest[:len(rest)-1]
			}
		}
	}
	if k == nil && len(rest) > 1 {
		if found, ok := kindOf(trim(rest[0])); ok {
			k, rest = found, rest[1:]
			for len(rest) > 1 && set("to", "called", "named", "labelled", "labeled", "for")[trim(rest[0])] {
				rest = rest[1:]
			}
			if m := numbered.FindStringSubmatch(strings.Join(rest, " ")); m != nil && place == 0 {
				if f := p.named(m[1], 0, len(p.items), func(it *accessibility.Item) bool { return want(it) && k[it.Role] }); len(f.items) == 0 {
					place, _ = strconv.Atoi(m[1])
					rest = nil
				}
			}
		}
	}
	if k == nil && place == 0 {
		return finding{}
	}
	ofKind := func(it *accessibility.Item) bool { return want(it) && (k == nil || k[it.Role]) }
	var f finding
	if name := strings.Join(rest, " "); len(distinctive(words(name))) > 0 {
		f = p.named(name, 0, len(p.items), ofKind)
		if place != 0 && (f.fit < allWords || k == nil && f.fit < nearly && f.one()) {
			f = finding{} // one of several posts is none of "Posts"
		}
		if len(f.items) == 0 && k != nil && place == 0 {
			// What people call a button may be a link.
			f = p.named(name, 0, len(p.items), want).atLeast(nearly)
		}
		if k != nil && f.fit > noFit && f.fit < nearly {
			f.fit++ // a kind says more than a word that is not in the name
		}
	} else if k != nil {
		f.fit = nearly
		for i := range p.items {
			if it := &p.items[i]; it.Omitted == nil && ofKind(it) {
				f.items = append(f.items, i)
			}
		}
	}
	return pick(f, place)
}

// pick takes the element at a place: counted from 1, or from the end if negative.
func pick(f finding, place int) finding {
	switch n := len(f.items); {
	case place == 0 || n == 0:
		return f
	case place < 0 && -place <= n:
		f.items = f.items[n+place : n+place+1]
	case place > 0 && place <= n:
		f.items = f.items[place-1 : place]
	default:
		return finding{}
	}
	f.fit = max(f.fit, nearly)
	return f
}
