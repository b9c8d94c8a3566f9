package offline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// views are verbs for which a link that is called as the thing itself is meant.
var views = set("open", "view", "see", "show", "visit")

// entity finds the control for a step that names a thing instead of a control:
// "cancel the order 1003" is the button Cancel in what says 1003. Every word
// of the step must be in the button's name, in the part of the page that it
// stands in, or, for what all parts of that kind have in common, in a heading.
func (q *question) entity(in *instruction) *answer {
	phrase := in.say(in.text)
	wanted := exact(words(phrase))
	if len(wanted) < 2 {
		return no("nothing on the page is named %q", phrase)
	}
	var best []int
	names, size := 0, 0
	for i := range q.page.items {
		it := &q.page.items[i]
		if !usable(it) || editable(it) || choosable(it) || it.States.Disabled {
			continue
		}
		said := exact(words(text(it)))
		named := len(said) > 0 && subset(said, wanted, equal) && !contrary(words(phrase), words(text(it)))
		if !named || !slices.Contains(said, wanted[0]) && !(views[wanted[0]] && it.Role == "link") {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(wanted), func(w string) bool {
			return slices.Contains(said, w) || views[w] && it.Role == "link"
		})
		n, ok := q.partAround(i, rest)
		if !ok {
			continue
		}
		switch {
		case len(said) > names || len(said) == names && n < size:
			best, names, size = []int{i}, len(said), n
		case len(said) == names && n == size:
			best = append(best, i)
		}
	}
	switch len(best) {
	case 0:
		return no("nothing on the page does %q", phrase)
	case 1:
		return q.page.do(best[0], "click").fits(allWords)
	}
	return no("ambiguous, the candidates for %q are %s", phrase, q.page.candidates(best))
}

// partAround finds the smallest part of the page around a control that says
// the words, and how much it holds. A part with a second control of that name
// is none.
func (q *question) partAround(i int, rest []string) (int, bool) {
	p := q.page
	own := text(&p.items[i])
	for at := i; at >= 0 && p.items[at].Depth > 0; at = p.items[at].Parent {
		for j := at; j < p.end[at]; j++ {
			if it := &p.items[j]; j != i && usable(it) && !it.States.Disabled && text(it) == own && it.Role == p.items[i].Role {
				return 0, false
			}
		}
		said := words(p.allText(at))
		here, whole := 0, true
		for _, w := range rest {
			switch {
			case slices.Contains(said, w):
				here++
			case particular(w) || !q.common(w, i):
				whole = false
			}
		}
		if whole && (here > 0 || len(rest) == 0) {
			return p.end[at] - at, true
		}
	}
	return 0, false
}

// particular reports a word that tells one thing from another of its kind: a number.
func particular(w string) bool { return strings.IndexFunc(w, unicode.IsDigit) >= 0 }

// common reports whether a word is what the page, or a part of it around an
// element, is called: "order" where the heading is "Orders".
func (q *question) common(w string, i int) bool {
	for j := range q.page.items {
		it := &q.page.items[j]
		around := j <= i && i < q.page.end[j]
		title := headings[it.Role] || it.Heading > 0 || it.Role == "row" && it.Header || around && text(it) != "" || it.States.Current != ""
		if !title || it.Omitted != nil {
			continue
		}
		for _, v := range words(text(it)) {
			if stem(v) == stem(w) {
				return true
			}
		}
	}
	return false
}

// confirming finds the button that confirms in a dialog which a step has opened.
func (q *question) confirming(in *instruction) *answer {
	wanted := words(in.say(in.text))
	for i := range q.page.items {
		it := &q.page.items[i]
		if it.Role != "dialog" && it.Role != "alertdialog" || !q.added[it.Ref] && !it.States.Modal {
			continue
		}
		var found []int
		for j := i + 1; j < q.page.end[i]; j++ {
			b := &q.page.items[j]
			if editable(b) || choosable(b) {
				return nil // it asks for more than a yes
			}
			said := words(text(b))
			if b.Role != "button" || len(said) == 0 || b.States.Disabled {
				continue
			}
			if set("yes", "ok", "confirm", "continue")[said[0]] || said[0] == wanted[0] && subset(exact(said), append([]string{"it"}, wanted...), equal) {
				found = append(found, j)
			}
		}
		if len(found) == 1 {
			return q.page.do(found[0], "click").fits(nearly)
		}
	}
	return nil
}

var more = set("next page", "load more", "show more", "more results", "older", "view more")

// moreOf finds the one control that brings more of a list.
func (p *page) moreOf() (accessibility.Ref, bool) {
	var found []accessibility.Ref
	for i := range p.items {
		it := &p.items[i]
		if usable(it) && !it.States.Disabled && more[strings.Join(words(text(it)), " ")] {
			found = append(found, it.Ref)
		}
	}
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}
