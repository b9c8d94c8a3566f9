package grounding

import (
	"fmt"
	"slices"
	"strings"
)

// link takes the address that belongs to the object: where several links stand
// in its home, the one that is called as the member or as the object is.
func (c *checker) link(v *value, h *home, open []place, shown string) (*place, string) {
	if v.parent == nil || !v.parent.object {
		return &open[0], ""
	}
	best := &open[0]
	bestScore := -1.0
	if s, ok := v.raw.(string); ok && (strings.HasPrefix(s, "tel:") || strings.HasPrefix(s, "mailto:")) && !hasWord(v.member.words, "phone") && !hasWord(v.member.words, "email") && !hasWord(v.member.words, "contact") {
		return nil, shown + " is no page that a link leads to; give the address of one"
	}
	if s, ok := v.raw.(string); ok && !strings.Contains(s, "://") && strings.Contains(s, "@") {
		return best, "" // a mail address is its own name
	}
	for i := range open {
		if s := c.linkScore(v, open[i].elem); s > bestScore {
			best, bestScore = &open[i], s
		}
	}
	if bestScore > 0 {
		return best, ""
	}
	// Another link of the home that is surely the one?
	if other := c.betterLink(v, h, best); other != "" {
		return nil, fmt.Sprintf("%s is another link or picture than that of %s (%s)", shown, v.member.name, other)
	}
	return best, ""
}

// linkScore says how well an element with an address suits a member: by the
// words of its name, and by the object's own name.
func (c *checker) linkScore(v *value, e int32) float64 {
	p := c.page
	tag := p.tag(e)
	picture := slices.Contains(v.member.words, "image")
	if picture != (tag == "img" || tag == "source" || tag == "video" || tag == "picture" || tag == "svg") && (picture || tag == "img") {
		return -0.5
	}
	words := append(labelWords(p.textOf(e, 200)), p.classWords(e)...)
	words = append(words, labelWords(p.attr(e, "aria-label")+" "+p.attr(e, "rel")+" "+p.attr(e, "alt")+" "+p.attr(e, "title"))...)
	score := 0.0
	for _, w := range v.member.words {
		if w != "url" && w != "image" && hasWord(words, w) {
			score += 0.6
		}
	}
	cap := p.captionOf(e, 0)
	score += likeness(v.member, cap.sure)
	text := normalize(collapse(p.textOf(e, 400) + " " + p.attr(e, "alt")))
	for i, k := range v.parent.kids {
		s, ok := k.raw.(string)
		if !ok || k == v || s == "" {
			continue
		}
		if n := normalize(collapse(s)); len(n) > 1 && strings.Contains(text, n) {
			// The address of a thing stands at its name; one named
			// otherwise (author's, company's) at that name.
			if i == 0 || slices.Contains(k.member.words, "name") || hasWord(v.member.words, k.member.words[0]) {
				score += 0.5
			} else {
				score += 0.1
			}
		}
	}
	return score
}

// betterLink finds another address in a home that suits a member surely.
func (c *checker) betterLink(v *value, h *home, given *place) string {
	if h.hi-h.lo > 20_000 {
		return ""
	}
	p := c.page
	for e := h.lo; e < h.hi; e++ {
		if e == given.elem || !p.elems[e].visible {
			continue
		}
		if t := p.tag(e); t != "a" && t != "img" && t != "area" {
			continue
		}
		if _, ok := p.node(e).Attr("href"); !ok && p.tag(e) != "img" {
			continue
		}
		if p.sameTarget(e, given.elem) || !h.run && !c.reachable(e, h, v.member) {
			continue
		}
		if c.linkScore(v, e) >= 0.5 {
			ref, _ := p.ref(e)
			return string(ref)
		}
	}
	return ""
}

func (p *page) sameTarget(a, b int32) bool {
	return p.attr(a, "href") == p.attr(b, "href") && p.attr(a, "src") == p.attr(b, "src")
}
