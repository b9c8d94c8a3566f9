package offline

import "slices"

// plural is the fit of a name that differs in number alone.
const plural = 65

// nameFit tells how well a phrase fits the name of an element that is to be
// acted on. It is stricter than fit: no word of the phrase is passed over that
// could say something, and no name is taken that says the opposite.
func nameFit(p, n split) int {
	if len(p.all) == 0 || len(n.all) == 0 {
		if p.text != "" && p.text == n.text {
			return same // signs without letters, as "×"
		}
		return noFit
	}
	if p.joined == n.joined {
		return same
	}
	ep, en := exact(p.all), exact(n.all)
	if len(ep) == 0 || len(en) == 0 || contrary(p.all, n.all) {
		return noFit
	}
	switch {
	case slices.Equal(ep, en):
		return nearly
	case holds(n.all, p.all) || holds(en, ep):
		return inOrder
	case subset(ep, en, equal):
		return allWords
	case len(ep) > 1 && slices.Equal(stems(ep), stems(en)):
		return plural
	case subset(en, ep, equal) && 2*len(en) > len(ep) && harmlessBut(ep, en):
		return part
	case subset(ep, en, similar):
		return slip
	}
	return noFit
}

// exact leaves out small words, but for one that ends the phrase as in "log in".
func exact(all []string) []string {
	var out []string
	for i, w := range all {
		if !small[w] || i > 0 && i == len(all)-1 && particles[w] != 0 {
			out = append(out, w)
		}
	}
	return out
}

func stems(list []string) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = stem(w)
	}
	return out
}

// harmless are words that say nothing about which element is meant.
var harmless = set("now", "again", "once", "here", "there", "page", "website", "screen", "option", "entry")

func harmlessBut(phrase, name []string) bool {
	for _, w := range phrase {
		if _, isKind := kindOf(w); !slices.Contains(name, w) && !harmless[w] && !isKind {
			return false
		}
	}
	return true
}

// particles make opposites of one verb: "log in" and "log out", "turn on" and "turn off".
var particles = map[string]int{"in": 1, "on": 2, "off": -2, "out": -1, "up": 3, "down": -3}

// denials turn a name into its opposite.
var denials = set("not", "dont", "never", "without", "no", "cannot", "cant", "decline", "refuse", "reject")

// contrary reports whether one of two texts denies what the other says.
func contrary(p, n []string) bool {
	for i, w := range n {
		if denials[w] && !slices.Contains(p, w) && !(w == "no" && i+1 < len(n) && n[i+1][0] >= '0' && n[i+1][0] <= '9') {
			return true
		}
	}
	for _, w := range p {
		if denials[w] && !slices.Contains(n, w) {
			return true
		}
	}
	for _, w := range p {
		if particles[w] == 0 || slices.Contains(n, w) {
			continue
		}
		for _, v := range n {
			if particles[v] != 0 && v != w && !slices.Contains(p, v) && (particles[v] == -particles[w] || particles[w] < 3 && v == "up") {
				return true // in and out, on and off, sign in and sign up
			}
		}
	}
	return false
}

// nameFit tells how well a phrase fits a text of the page. A text that shows the
// instruction itself names nothing.
func (p *page) nameFit(phrase, name string) int {
	a, b := p.split(phrase), p.split(name)
	if len(p.own.all) >= mostShownWords && len(a.all) < len(p.own.all) && holds(b.all, p.own.all) {
		return noFit
	}
	return nameFit(a, b)
}

// mostShownWords is from how many words on a text that holds them is the
// instruction itself and no name.
const mostShownWords = 4
