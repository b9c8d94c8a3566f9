package axtree

import (
	"cmp"
	"strings"
)

// texts is what a page says: the visible part of each text and of generated
// content, which flow computes, and the readings of it.
type texts struct {
	labels
	visible []string
	steps   int // see step
}

// isIgnorableSpace reports whether a text is white space that separates nothing,
// for which Chromium makes no object.
func (tx *texts) isIgnorableSpace(i int32) bool {
	it := &tx.items[i]
	if it.parent != none {
		p := &tx.items[it.parent]
		if p.is(isElement) && !tx.canHaveChildren(it.parent) || p.tag == tagIframe || p.tag == tagFrame {
			return true
		}
	}
	if !it.is(hasLayout) {
		return onlySpace(it.node.Text) && !it.is(inCanvas)
	}
	text := cmp.Or(it.node.Shown, it.node.Text)
	if text == "" {
		return true
	}
	if !onlySpace(text) || it.is(preserved) {
		return false
	}
	return !tx.separates(i)
}

func onlySpace(s string) bool { return trimmed(s) == "" }

// separates decides whether white space alone stands between two things that
// would run together without it. It can be left out next to a block, to what
// has no box, to other white space, and to a cell.
func (tx *texts) separates(i int32) bool {
	prev, next := tx.before(i), tx.after(i)
	if prev == none || next == none {
		return false
	}
	if tx.redundantSpace(prev, false, 0) || tx.redundantSpace(next, true, 0) {
		return false
	}
	box := tx.enclosingBox(i)
	for _, n := range [...]int32{prev, next} {
		if tx.items[n].is(isText) && tx.items[n].is(hasLayout) && tx.enclosingBox(n) != box {
			return false
		}
	}
	return true
}

// redundantSpace reports whether white space next to i separates nothing.
func (tx *texts) redundantSpace(i int32, after bool, depth int) bool {
	it := &tx.items[i]
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
		t := cmp.Or(it.node.Shown, it.node.Text)
		if t == "" {
			return false
		}
		if onlySpace(t) {
			return true
		}
		// What is left of it where lines have collapsed their space.
		if t = tx.visible[i]; t == "" {
			return false
		}
		if after {
			return isSpace(t[0])
		}
		return isSpace(t[len(t)-1])
	}
	if it.tag == tagImg || it.tag == tagVideo || it.tag == tagAudio || it.tag == tagInput && tx.inputType(i) == "image" {
		return false
	}
	if !it.is(inlineLevel) || it.is(atomic) {
		return true
	}
	if it.any(attrRole) && cellRoles[tx.attr(i, attrRole, "role")] {
		return true
	}
	c := tx.boxWithin(i, after)
	if c == none {
		if !it.is(isElement) {
			return it.node.Shown == "" // or generated content that is text
		}
		n := tx.before(i)
		if after {
			n = tx.after(i)
		}
		return n != none && tx.redundantSpace(n, after, depth+1)
	}
	return tx.redundantSpace(c, after, depth+1)
}

// boxWithin returns the first box or text in i, or the last one, through what
// has no box of its own.
func (tx *texts) boxWithin(i int32, first bool) int32 {
	c := tx.outermost(i, first)
	for c != none {
		if tx.items[c].is(hasLayout) {
			return c
		}
		if tx.items[c].is(boxless) {
			if down := tx.outermost(c, first); down != none {
				c = down
				continue
			}
		}
		for {
			n := tx.items[c].next
			if !first {
				n = tx.previous(c)
			}
			if n != none {
				c = n
				break
			}
			if c = tx.items[c].parent; c == i || c == none {
				return none
			}
		}
	}
	return none
}

// outermost returns an item's first child, or its last one.
func (tx *texts) outermost(i int32, first bool) int32 {
	if first {
		return tx.items[i].first
	}
	return tx.items[i].last
}

var cellRoles = map[string]bool{"gridcell": true, "cell": true, "columnheader": true, "rowheader": true}

// enclosingBox returns the nearest ancestor that is a box of its own, not part of
// a line.
func (tx *texts) enclosingBox(i int32) int32 {
	for n := 0; i != none && n < maxAncestors; n++ {
		it := &tx.items[i]
		if it.is(hasLayout) && (!it.is(inlineLevel) || it.is(atomic)) {
			return i
		}
		i = it.parent
	}
	return none
}

// innerText is an element's text (HTML §3.2.7, in short): the visible part, or all
// of it if the element is not rendered.
func (tx *texts) innerText(i int32) string {
	var w textWriter
	tx.walkText(i, &w)
	return string(w.out)
}

// innerTextIs reports whether an element's text, without white space around
// it, is want. It reads no further than it needs to.
func (tx *texts) innerTextIs(i int32, want string) bool {
	w := textWriter{want: want, compare: true}
	tx.walkText(i, &w)
	return !w.differs && trimmed(string(w.out)) == want
}

// step counts a step of a walk over content that other walks may visit as well: a
// field in a field in a field. It reports whether there are steps left: all walks
// together have a few for each item of the page, so that the time is linear
// however elements are nested.
func (tx *texts) step() bool {
	tx.steps++
	return tx.steps <= 16*len(tx.items)+1<<16
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

func (tx *texts) walkText(i int32, w *textWriter) {
	rendered := tx.items[i].is(hasLayout | boxless)
	paragraph := none
	for c := tx.within(i, i); c != none && !w.differs; c = tx.within(i, c) {
		if !tx.step() {
			w.differs = true
			return
		}
		it := &tx.items[c]
		if it.tag == tagP || paragraph != none && c >= tx.items[paragraph].end {
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
		case it.is(hasLayout) && !tx.invisible(c) && tx.visible[c] != "":
			if len(w.out) > 0 && it.run != w.run {
				w.write("\n\n"[:max(w.gap, 1)])
			}
			w.run, w.gap = it.run, 0
			w.write(tx.visible[c])
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
	return oneSpace(s, false)
}

// oneSpace makes one space of each stretch of white space. space says that one stands
// before s already.
func oneSpace(s string, space bool) string {
	out := make([]byte, 0, len(s))
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

// pseudoAlt is the alternative that a style sheet gives generated content, as
// in content: url(x.png) / "a star". It stands for all of it. On an element that
// is not a pseudo-element it only applies beside a single picture.
func (tx *texts) pseudoAlt(i int32) (string, bool) {
	it := &tx.items[i]
	s := it.node.Style
	if s == nil || !it.is(hasLayout) || it.is(isText) || len(s.Content) < 4 || s.Content == "normal" || s.Content == "none" {
		return "", false
	}
	pieces, alt, ok := splitAlt(s.Content)
	if !ok || it.is(isElement) && (pieces != 1 || !strings.HasPrefix(s.Content, "url(") && !strings.HasPrefix(s.Content, "image")) {
		return "", false
	}
	host := i
	if it.is(isPseudo) && it.parent != none {
		host = it.parent
	}
	return tx.altText(host, alt), true
}

// altText joins the strings of an alternative, and the attributes that it reads.
func (tx *texts) altText(host int32, alt string) string {
	var out strings.Builder
	for k := 0; k < len(alt); k++ {
		switch {
		case alt[k] == '"' || alt[k] == '\'':
			end := closeQuote(alt, k)
			out.WriteString(unquote(alt[k+1 : min(end, len(alt))]))
			k = end
		case strings.HasPrefix(alt[k:], "attr("):
			end := strings.IndexByte(alt[k:], ')')
			if end < 0 {
				return out.String()
			}
			v, _ := tx.items[host].node.Attr(strings.TrimSpace(alt[k+5 : k+end]))
			out.WriteString(v)
			k += end
		}
	}
	return out.String()
}
