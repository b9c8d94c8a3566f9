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

// maxTextItems bounds how many items one reading of text goes over.
const maxTextItems = 1 << 14

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
	if w.compare && len(w.out) > len(w.want)+256 {
		k := 0
		for k < len(w.out) && isSpace(w.out[k]) {
			k++
		}
		if rest := w.out[k:]; len(rest) > len(w.want) && string(rest[:len(w.want)]) != w.want {
			w.differs = true
		}
	}
}

func (b *builder) walkText(i int32, w *textWriter) {
	rendered := b.items[i].is(hasLayout | boxless)
	n, paragraph := 0, none
	for c := b.within(i, i); c != none && !w.differs; c = b.within(i, c) {
		if n++; n > maxTextItems {
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
		case it.is(hasLayout) && !b.invisible(c):
			if len(w.out) > 0 && it.run != w.run && b.texts[c] != "" {
				w.write("\n\n"[:max(w.gap, 1)])
			}
			if b.texts[c] != "" {
				w.run, w.gap = it.run, 0
			}
			w.write(b.texts[c])
		}
	}
}
