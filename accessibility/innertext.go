package accessibility

// innerText is what an element's text reads like (HTML §3.2.7, in short): what
// is seen of it, or all of it where it is not rendered.
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

// spend takes one step of a walk over content that other walks may go over as
// well: a field in a field in a field. All of them together have a few steps
// for each item of the page, so that no nesting costs a square of time.
func (b *builder) spend() bool {
	b.spent++
	return b.spent <= 16*len(b.items)+1<<16
}

// A textWriter takes text, or compares it with what is expected.
type textWriter struct {
	out     []byte
	want    string
	compare bool
	differs bool
	run     int32 // the stretch that was written last
	gap     int   // line breaks that a paragraph asks for
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
		if !b.spend() {
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
