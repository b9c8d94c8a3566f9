package grounding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// fitting takes the place whose label suits the member, and refuses one whose
// label is that of another member.
func (c *checker) fitting(v *value, h *home, open []place, shown string) (*place, string) {
	_, isNumber := v.raw.(json.Number)
	if open[0].kind == Address && !isNumber {
		return c.link(v, h, open, shown)
	}
	if v.parent == nil || !v.parent.object {
		return &open[0], ""
	}
	if rival := c.misplaced(v, h, open); rival != "" {
		return nil, fmt.Sprintf("%s stands there as %s, not as %s", shown, rival, v.member.name)
	}
	best, bestScore := -1, -1e9
	why := ""
	for i := range open {
		pl := &open[i]
		score, reason := c.suits(v, h, pl)
		if reason != "" {
			if why == "" {
				why = reason
			}
			continue
		}
		if pl.kind == Attribute {
			score -= 0.01
		}
		if score > bestScore {
			best, bestScore = i, score
		}
	}
	if best < 0 {
		return nil, shown + " " + why
	}
	if isNumber && bestScore <= 0 {
		if other := c.betterNumber(v, h, &open[best]); other != "" {
			return nil, fmt.Sprintf("%s is not what the page calls %s there, which is %s", shown, v.member.name, other)
		}
	}
	return &open[best], ""
}

// suits rates a place for a member by what the page calls it.
func (c *checker) suits(v *value, h *home, pl *place) (float64, string) {
	m := v.member
	cap := c.page.captionOf(pl.elem, pl.at)
	if pl.line < 0 {
		cap = c.page.captionOf(pl.elem, -1)
	}
	own := c.rate(m, &cap, pl)
	if pl.number >= 0 && own <= 0.3 {
		if w := c.page.numbers[pl.number].what.after; counted[w] != "" && !hasWord(m.words, idea(w)) && !hasWord(m.about, idea(w)) && !hasWord(m.path, idea(w)) {
			return 0, "stands there as a number of " + w
		}
		if c.ago(pl) && !hasWord(m.words, "age") {
			return 0, "stands there as a time ago"
		}
	}
	rival, rivalScore := "", 0.0
	sameKind := func(k *value) bool {
		switch v.raw.(type) {
		case json.Number:
			_, ok := k.raw.(json.Number)
			return ok
		case string:
			_, ok := k.raw.(string)
			return ok
		}
		return false
	}
	for _, k := range v.parent.kids {
		if k == v || !k.leaf() || !sameKind(k) && k.raw != nil {
			continue
		}
		if k.raw == v.raw { // both say the same: either may stand here
			continue
		}
		if s := c.rate(k.member, &cap, pl); s > rivalScore && !c.beneath(pl, k) {
			rival, rivalScore = k.member.name, s
		}
	}
	if cap.old && own < 0 && rivalScore >= 0.5 {
		return 0, fmt.Sprintf("stands there as a former value, as %s asks for", rival)
	}
	if rivalScore > own+0.3 && (own <= 0.01 && rivalScore >= 0.45 || rivalScore >= 0.9 && own < 0.5) && len(cap.sure) > 0 {
		return 0, fmt.Sprintf("stands there as %s, not as %s", rival, m.name)
	}
	_, number := v.raw.(json.Number)
	if number && rivalScore > own+0.2 && own <= 0.34 {
		// Only a hint: it counts where the record has another number for this member.
		return own - rivalScore, ""
	}
	return own - rivalScore/4, ""
}

// beneath reports whether a place stands in a cell behind the text of another
// member: the column's head is that one's name.
func (c *checker) beneath(pl *place, k *value) bool {
	p := c.page
	cell := pl.elem
	for i := 0; i < 6 && cell > 0 && p.tag(cell) != "td"; i++ {
		cell = p.elems[cell].parent
	}
	if p.tag(cell) != "td" || pl.line < 0 {
		return false
	}
	for _, other := range c.inside(c.find.places(k), &home{lo: cell, hi: p.elems[cell].end}) {
		if other.line >= 0 && other.line < pl.line && !p.lines[other.line].hidden {
			return true
		}
	}
	return false
}

// counted are words whose number is surely no other's.
var counted = map[string]string{"comments": "comments", "comment": "comments", "points": "points", "reviews": "reviews", "review": "reviews", "views": "views", "votes": "votes", "replies": "comments",

	"bewertungen": "reviews", "kommentare": "comments", "antworten": "comments", "aufrufe": "views", "avis": "reviews"}

// ago reports whether a number tells how long ago something was.
func (c *checker) ago(pl *place) bool {
	p := c.page
	l := &p.lines[pl.line]
	n := &p.numbers[pl.number].what
	if _, ok := lengths[n.after]; !ok && n.after != "month" && n.after != "months" && n.after != "years" && n.after != "year" {
		return false
	}
	rest := l.text[min(int(pl.end), len(l.text)):]
	if len(rest) > 24 {
		rest = rest[:24]
	}
	return strings.Contains(rest, " ago") || strings.HasSuffix(strings.TrimSpace(l.text[:pl.at]), "vor")
}

// rate says how well a member fits what the page calls a place.
func (c *checker) rate(m *member, cap *caption, pl *place) float64 {
	score := likeness(m, cap.sure)
	if score == 0 && len(cap.sure) > 0 && len(m.about) > 0 {
		n := 0
		for _, w := range cap.sure {
			if hasWord(m.about, w) {
				n++
			}
		}
		score = 0.4 * float64(n) / float64(len(cap.sure))
	}
	if score == 0 && len(cap.sure) > 0 && len(m.path) > 0 {
		for _, w := range cap.sure {
			if hasWord(m.path, w) {
				score = 0.2
			}
		}
	}
	if len(cap.sure) == 0 {
		for _, w := range cap.hint {
			if hasWord(m.words, w) {
				score = max(score, 0.5)
			}
		}
	}
	old := hasWord(m.words, "old") || hasWord(m.about, "old")
	if cap.old != old && (old || cap.old) {
		score -= 0.6
	} else if old && cap.old {
		score += 0.5
	}
	if pl.number >= 0 {
		n := &c.page.numbers[pl.number].what
		if w := n.after; w != "" && multiples[w] == 0 {
			if hasWord(m.words, idea(w)) {
				score += 0.6
			} else if hasWord(m.about, idea(w)) {
				score += 0.2
			}
		}
		if money(m) {
			if n.currency != "" {
				score += 0.3
			} else if n.percent || n.after != "" && concepts[stem(n.after)] != "" && multiples[n.after] == 0 {
				score -= 0.5
			}
		} else if n.currency != "" {
			score -= 0.3
		}
		if n.percent && (hasWord(m.words, "discount") || hasWord(m.words, "percent")) {
			score += 0.4
		}
	}
	return score
}

// money reports whether a member is an amount of money.
func money(m *member) bool {
	for _, w := range []string{"price", "total", "subtotal", "amount", "tax", "salary"} {
		if slices.Contains(m.words, w) {
			return true
		}
	}
	return false
}

// betterNumber finds another number of the record that the page calls just what
// the member is called, where the one that was given is called something else.
func (c *checker) betterNumber(v *value, h *home, given *place) string {
	if h.record == 0 || h.hi-h.lo > 600 {
		return ""
	}
	p := c.page
	givenCap := p.captionOf(given.elem, given.at)
	givenScore := c.rate(v.member, &givenCap, given)
	i, _ := slices.BinarySearchFunc(p.numbers, h.lo, func(n found[number], lo int32) int { return cmp.Compare(n.elem, lo) })
	for ; i < len(p.numbers) && p.numbers[i].elem < h.hi; i++ {
		if int32(i) == given.number || p.lines[p.numbers[i].line].hidden || !c.reachable(p.numbers[i].elem, h, v.member) {
			continue
		}
		if p.numbers[i].what.currency != "" && !money(v.member) && (given.number < 0 || p.numbers[given.number].what.currency == "") {
			continue // an amount of money is called otherwise
		}
		pl := c.find.numberPlace(int32(i), Number)
		if pl.line == given.line && pl.at == given.at {
			continue
		}
		cap := p.captionOf(pl.elem, pl.at)
		if s := c.rate(v.member, &cap, &pl); s >= givenScore+0.55 && s >= 0.5 {
			return p.numbers[i].what.raw
		}
	}
	return ""
}

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
	names := slices.ContainsFunc(v.parent.kids, func(k *value) bool { return slices.Contains(k.member.words, "name") })
	for i, k := range v.parent.kids {
		s, ok := k.raw.(string)
		if !ok || k == v || s == "" {
			continue
		}
		if n := normalize(collapse(s)); len(n) > 1 && strings.Contains(text, n) {
			// The address of a thing stands at its name; one named
			// otherwise (author's, company's) at that name.
			if i == 0 && !names || slices.Contains(k.member.words, "name") || hasWord(v.member.words, k.member.words[0]) {
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

// A wall is what a record inside of an object's home is for the object's other leaves:
// what stands in a comment is not the article's. Where the page only lays the object
// out in such parts, the wall is open.

// walled finds the outermost record that stands between a home and a place in it; 0
// if none does. closed: one of them is the home of an object of the data.
func (c *checker) walled(e int32, h *home, m *member) (wall int32, closed bool) {
	for r := c.page.elems[e].record; r > 0; r = c.page.rec.all[r].parent {
		rec := &c.page.rec.all[r]
		if r == h.record || rec.lo <= h.lo && rec.hi >= h.hi {
			break
		}
		if rec.solid && rec.group != h.group && !c.named(r, m) {
			wall, closed = r, closed || c.owned(r)
		}
	}
	return wall, closed
}

// behind finds the wall that a leaf stands behind: 0 where one of its places in the
// home is behind none, -1 where all are in the records of other objects or outside.
func (c *checker) behind(v *value, h *home) int32 {
	wall := int32(-1)
	for _, pl := range c.inside(c.find.places(v), h) {
		if pl.option {
			continue
		}
		w, closed := c.walled(pl.elem, h, v.member)
		if w == 0 || c.labelled(pl, v.member) {
			return 0
		}
		if wall < 0 && !closed {
			wall = w
		}
	}
	return wall
}

// open reports whether a wall is none for a leaf: another leaf of its object stands in
// a record beside this one, a third of the other objects of its list have the same
// member behind one, or, where there are no others, another leaf is behind another.
func (c *checker) open(v *value, h *home, pl *place) bool {
	wall, closed := c.walled(pl.elem, h, v.member)
	if c.common(v, wall) {
		return true
	}
	if closed {
		return false
	}
	apart := false
	for _, k := range v.parent.kids {
		if k == v || !k.leaf() || k.raw == nil {
			continue
		}
		for _, pl := range c.inside(c.find.places(k), h) {
			w, closed := c.walled(pl.elem, h, k.member)
			if w <= 0 || w == wall || closed {
				continue
			}
			if c.page.rec.all[w].group == c.page.rec.all[wall].group {
				return true
			}
			apart = true
		}
	}
	t := c.tallyOf(v)
	switch c.behind(v, h) {
	case -1:
	case 0:
		t.out--
	default:
		t.in--
	}
	if t.in+t.out > 1 {
		return t.in > 0 && t.in*2 >= t.out
	}
	return apart
}

// A tally counts the objects that have a member behind a wall, and those that have not.
type tally struct{ in, out int }

// tallyOf counts the objects that have the same member as a leaf.
func (c *checker) tallyOf(v *value) tally {
	if c.walls == nil {
		c.walls = map[*member]tally{}
		leaves := map[*member][]*value{}
		v.root().byMember(leaves)
		for m, list := range leaves {
			var t tally
			for _, k := range list {
				if h := around(k); h != nil && h.record >= 0 {
					switch w := c.behind(k, h); {
					case w > 0:
						t.in++
					case w == 0:
						t.out++
					}
				}
			}
			c.walls[m] = t
		}
	}
	return c.walls[v.member]
}

// common reports whether a leaf stands in most records of a group: it is said of all.
func (c *checker) common(v *value, r int32) bool {
	g := c.page.rec.all[r].group
	if g < 0 {
		return false
	}
	n, members := 0, c.page.rec.groups[g].members
	for _, m := range members {
		if len(c.inside(c.find.places(v), c.homeOf(m))) > 0 {
			n++
		}
	}
	return n > 1 && n*3 >= len(members)*2
}

// owned reports whether a record is the home of an object of a list.
func (c *checker) owned(r int32) bool { return c.owners[r] }
