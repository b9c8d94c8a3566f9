package direct

import (
	"regexp"
	"slices"
	"strings"
)

// subject leaves out the facts of a page that need not be about what the page
// is about: an unlabelled address outside of its main part is the operator's.
func (p *page) subject(facts []fact) []fact {
	main := p.hasMain()
	named := slices.ContainsFunc(facts, func(f fact) bool {
		return f.key[0] == 'L' && slices.Contains(p.label(f.label), "name")
	})
	return slices.DeleteFunc(facts, func(f fact) bool {
		switch {
		case f.key[0] == 'L', f.key[0] == 'U', f.key[0] == 'J':
			return false
		case f.key[0] == 'C':
			return main && !p.inMain(f.node)
		case f.key == "K:name":
			return named || general(f.text) || main && !p.inMain(f.node)
		case main:
			return !p.inMain(f.node)
		}
		return f.key != "K:price" && f.key != "K:former"
	})
}

// hasMain reports whether the page says what its main part is.
func (p *page) hasMain() bool {
	return slices.ContainsFunc(p.nodes, func(n node) bool { return n.object.Role == "main" || n.object.Role == "article" })
}

// inMain reports whether a node stands in the page's main part, or in an article.
func (p *page) inMain(i int32) bool { return p.within(i, "main") || p.within(i, "article") }

var (
	possessive = regexp.MustCompile(`(?i)^(?:your|my|our|all|edit|new|add|create|update|manage|welcome|search|mein[e]?|ihre?|mon|ma|mes|votre|vos|tous|alle)\b`)
	generals   = setOf("profile account settings checkout cart basket orders order search results details detail about contact login sign in home overview dashboard summary confirmation receipt invoice tax page information info menu help faq news products shop konto warenkorb kasse rechnung suche einstellungen profil panier compte commande project projects compose inbox mail mailbox message messages user users team commerce e widgets tables timeline dashboard pricing")
)

// general reports whether a heading says what kind of page it is, and not what
// the page is about.
func general(heading string) bool {
	if possessive.MatchString(heading) {
		return true
	}
	for _, word := range split(heading) {
		if !generals[word] && !stopWords[word] {
			return false
		}
	}
	return strings.TrimSpace(heading) != ""
}
