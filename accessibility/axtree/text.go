package axtree

import "strings"

// isIgnorableSpace reports whether a text is white space that separates nothing,
// for which Chromium makes no object.
func (b *builder) isIgnorableSpace(i int32) bool {
	it := &b.items[i]
	if it.parent != none {
		p := &b.items[it.parent]
		if p.is(isElement) && !b.canHaveChildren(it.parent) || p.tag == tagIframe || p.tag == tagFrame {
			return true
		}
	}
	if !it.is(hasLayout) {
		return onlySpace(it.node.Text) && !it.is(inCanvas)
	}
	text := it.node.Shown
	if text == "" {
		text = it.node.Text
	}
	if text == "" {
		return true
	}
	if !onlySpace(text) || it.is(preserved) {
		return false
	}
	return !b.separates(i)
}

func onlySpace(s string) bool {
	for k := 0; k < len(s); k++ {
		if !isSpace(s[k]) {
			return false
		}
	}
	return true
}

// separates decides whether white space alone stands between two things that
// would run together without it. It can be left out next to a block, to what
// has no box, to other white space, and to a cell.
func (b *builder) separates(i int32) bool {
	prev, next := b.before(i), b.after(i)
	if prev == none || next == none {
		return false
	}
	if b.redundantSpace(prev, false, 0) || b.redundantSpace(next, true, 0) {
		return false
	}
	box := b.enclosingBox(i)
	for _, n := range [...]int32{prev, next} {
		if b.items[n].is(isText) && b.items[n].is(hasLayout) && b.enclosingBox(n) != box {
			return false
		}
	}
	return true
}

// redundantSpace reports whether white space next to i separates nothing.
func (b *builder) redundantSpace(i int32, after bool, depth int) bool {
	it := &b.items[i]
	if !it.is(hasLayout) {
		return true
	}
	if depth > 3 {
		return false
	}
	if it.tag == tagBr {
		return !after || !it.any(attrRole)
	}
	if it.is(isText) {
		t := it.node.Shown
		if t == "" {
			t = it.node.Text
		}
		if t == "" {
			return false
		}
		if onlySpace(t) {
			return true
		}
		// What is left of it where lines have collapsed their space.
		if t = b.texts[i]; t == "" {
			return false
		}
		if after {
			return isSpace(t[0])
		}
		return isSpace(t[len(t)-1])
	}
	if it.tag == tagImg || it.tag == tagVideo || it.tag == tagAudio || it.tag == tagInput && b.inputType(i) == "image" {
		return false
	}
	if !it.is(inlineLevel) || it.is(atomic) {
		return true
	}
	if it.any(attrRole) && cellRoles[b.attr(i, attrRole, "role")] {
		return true
	}
	c := b.boxWithin(i, after)
	if c == none {
		if !it.is(isElement) {
			return !isPseudoText(it)
		}
		var n int32
		if after {
			n = b.after(i)
		} else {
			n = b.before(i)
		}
		return n != none && b.redundantSpace(n, after, depth+1)
	}
	return b.redundantSpace(c, after, depth+1)
}

// boxWithin returns the first box or text in i, or the last one, through what
// has no box of its own.
func (b *builder) boxWithin(i int32, first bool) int32 {
	c := b.outermost(i, first)
	for c != none {
		if b.items[c].is(hasLayout) {
			return c
		}
		if b.items[c].is(boxless) {
			if down := b.outermost(c, first); down != none {
				c = down
				continue
			}
		}
		for {
			n := b.items[c].next
			if !first {
				n = b.previous(c)
			}
			if n != none {
				c = n
				break
			}
			if c = b.items[c].parent; c == i || c == none {
				return none
			}
		}
	}
	return none
}

// outermost returns an item's first child, or its last one.
func (b *builder) outermost(i int32, first bool) int32 {
	if first {
		return b.items[i].first
	}
	return b.items[i].last
}

// isPseudoText reports whether generated content is text.
func isPseudoText(it *item) bool { return it.node.Shown != "" }

var cellRoles = map[string]bool{"gridcell": true, "cell": true, "columnheader": true, "rowheader": true}

// enclosingBox returns the nearest ancestor that is a box of its own, not part of
// a line.
func (b *builder) enclosingBox(i int32) int32 {
	for n := 0; i != none && n < maxAncestors; n++ {
		it := &b.items[i]
		if it.is(hasLayout) && (!it.is(inlineLevel) || it.is(atomic)) {
			return i
		}
		i = it.parent
	}
	return none
}

// innerText is an element's text (HTML §3.2.7, in short): the visible part, or all
// of it if the element is not rendered.
func (b *builder) innerText(i int32) string {
	var w textWriter
	b.walkText(i, &w)
	return string(w.out)
}

// innerTextIs reports whether an element's text, without white space around
// it, is want. It reads no further than it needs to.
func (b *builder) innerTextIs(i int32, want string) bool {
	w := textWriter{want: want, compare: true}
	b.walkText(i, &w)
	return !w.differs && trimmed(string(w.out)) == want
}

// step counts a step of a walk over content that other walks may visit as well: a
// field in a field in a field. It reports whether there are steps left: all walks
// together have a few for each item of the page, so that the time is linear
// however elements are nested.
func (b *builder) step() bool {
	b.steps++
	return b.steps <= 16*len(b.items)+1<<16
}

// A textWriter takes text, or compares it with what is expected.
type textWriter struct {
	out     []byte
	want    string
	compare bool
	differs bool
	run     int32 // the stretch that was written last
	gap     int   // line breaks before the next text, for a paragraph
}

func (w *textWriter) write(s string) {
	w.out = append(w.out, s...)
	if !w.compare {
		return
	}
	k := 0
	for k < len(w.out) && isSpace(w.out[k]) {
		k++
	}
	text := w.out[k:]
	n := min(len(text), len(w.want))
	w.differs = string(text[:n]) != w.want[:n] || !onlySpace(string(text[n:]))
}

func (b *builder) walkText(i int32, w *textWriter) {
	rendered := b.items[i].is(hasLayout | boxless)
	paragraph := none
	for c := b.within(i, i); c != none && !w.differs; c = b.within(i, c) {
		if !b.step() {
			w.differs = true
			return
		}
		it := &b.items[c]
		if it.tag == tagP || paragraph != none && c >= b.items[paragraph].end {
			w.gap = 2
			if paragraph = none; it.tag == tagP {
				paragraph = c
			}
		}
		switch {
		case !it.is(isText):
			if it.tag == tagBr && rendered {
				w.write("\n")
			}
		case !rendered:
			w.write(it.node.Text)
		case it.is(hasLayout) && !b.invisible(c) && b.texts[c] != "":
			if len(w.out) > 0 && it.run != w.run {
				w.write("\n\n"[:max(w.gap, 1)])
			}
			w.run, w.gap = it.run, 0
			w.write(b.texts[c])
		}
	}
}

// simplify makes one space of each stretch of white space. Space at either end
// stays as one space: the text went on there.
func simplify(s string) string {
	if s != "" && onlySpace(s) {
		return "  " // space at the front and at the back
	}
	if !needsCollapse(s) {
		return s
	}
	out := make([]byte, 0, len(s))
	space := false
	for k := 0; k < len(s); k++ {
		if isSpace(s[k]) {
			if !space {
				out = append(out, ' ')
			}
			space = true
			continue
		}
		out = append(out, s[k])
		space = false
	}
	return string(out)
}

// needsCollapse reports whether s has white space other than single spaces.
func needsCollapse(s string) bool {
	for k := 0; k < len(s); k++ {
		if isSpace(s[k]) && (s[k] != ' ' || k > 0 && s[k-1] == ' ') {
			return true
		}
	}
	return false
}

// trimmed is s without white space around it.
func trimmed(s string) string { return strings.Trim(s, " \n\t\r\f") }
