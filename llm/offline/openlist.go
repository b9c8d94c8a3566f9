package offline

import (
	"regexp"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// closed reports a list whose options the outline does not say: it has to be opened.
func closed(it *accessibility.Item) bool {
	return !choosable(it) && (it.Role == "combobox" || opener(it)) && usable(it) && it.Role != "link"
}

var offered = roles("option", "menuitem", "menuitemradio", "menuitemcheckbox", "treeitem")

// fromClosed chooses from a list that has to be opened first: it opens it,
// and says that more is to follow.
func (q *question) fromClosed(list int, wanted string) *answer {
	it := &q.page.items[list]
	if q.done == 0 {
		if f := q.page.offers(wanted, offered, nil); f.one() && it.States.Expanded == accessibility.On {
			return q.page.natural(f.items[0])
		}
		switch {
		case it.States.Disabled:
			return no("%s is disabled", describe(it))
		case len(series(wanted)) > 1:
			return no("%s has to be opened, and %q are several options; give one instruction for each", describe(it), wanted)
		case it.Role == "combobox" && it.States.Expanded == accessibility.Unset:
			return q.page.do(list, "fill", wanted).fits(nearly) // a field that suggests, and nothing opens
		}
		a := q.page.do(list, "click").fits(nearly)
		a.More = true
		return a
	}
	f := q.page.offers(wanted, offered, nil)
	if len(f.items) != 1 {
		if g := q.page.offers(wanted, nil, q.added); g.one() {
			f = g
		}
	}
	if f.one() {
		return q.page.natural(f.items[0])
	}
	if len(f.items) > 1 {
		return no("ambiguous, the candidates are %s", q.page.candidates(f.items))
	}
	var others []int
	for i := range q.page.items {
		if it := &q.page.items[i]; it.Omitted == nil && offered[it.Role] {
			others = append(others, i)
		}
	}
	switch {
	case len(others) > 0:
		return no("%s was opened, and has no option %q; what it shows is %s", describe(it), wanted, q.page.candidates(others))
	case it.Role == "combobox" && q.done == 1:
		a := q.page.do(list, "fill", wanted).fits(nearly) // it suggests what fits
		a.More = true
		return a
	}
	return no("%s was opened, and nothing named %q is to be seen in it", describe(it), wanted)
}

// offers finds what an open list offers under a name, among roles and, if only
// is not nil, among those elements alone.
func (p *page) offers(wanted string, of kind, only map[accessibility.Ref]bool) finding {
	return p.named(wanted, 0, len(p.items), func(it *accessibility.Item) bool {
		return (of == nil && !editable(it) && text(it) != "" || of[it.Role]) && (only == nil || only[it.Ref])
	}).atLeast(inOrder)
}

// atLeast leaves out a weaker finding.
func (f finding) atLeast(n int) finding {
	if f.fit < n {
		return finding{}
	}
	return f
}

var addedLine = regexp.MustCompile(`(?m)^\+ +\[([0-9]+-[0-9]+)\]`)

// addedRefs are the elements that changes name as new.
func addedRefs(changes string) map[accessibility.Ref]bool {
	out := map[accessibility.Ref]bool{}
	for _, m := range addedLine.FindAllStringSubmatch(changes, -1) {
		out[accessibility.Ref(m[1])] = true
	}
	return out
}

// listOf finds the closed list that an instruction such as "choose X in Y" names.
func (q *question) listOf(pairs []pair) (list int, wanted string) {
	best := noFit
	list = -1
	for _, p := range pairs {
		name := strings.TrimSpace(p.right)
		if f := q.page.find(name, closed); f.one() && f.fit >= allWords && f.fit > best {
			best, list, wanted = f.fit, f.items[0], p.left
		}
	}
	return list, wanted
}
