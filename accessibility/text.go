package accessibility

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A textRun is text that stands on one line so far, from one or more nodes.
type textRun struct {
	set       bool
	single    string // while there is a single piece: that piece as captured
	buf       []byte
	many      bool
	spaced    bool // ends in white space
	doc, node int32
	newLine   bool
	joined    bool  // follows what is before without white space
	below     int32 // the node that the run belongs to
}

// space puts white space between the run and what follows.
func (r *textRun) space() {
	if !r.set {
		return
	}
	if r.startBuffer(); r.spaced {
		return
	}
	r.buf = append(r.buf, ' ')
	r.spaced = true
}

// startBuffer copies the single piece into the buffer, so that more can follow.
func (r *textRun) startBuffer() {
	if !r.many {
		r.many = true
		r.buf, r.spaced = appendTidy(r.buf[:0], r.single, true)
	}
}

// blankEnd reports whether s ends in white space.
func blankEnd(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return s != "" && blank(r)
}

// numbering reports whether a list marker is a number or a letter, not a bullet.
func numbering(s string) bool {
	return strings.ContainsAny(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// isSymbol reports whether text consists of symbols, such as × or ▾, which add
// nothing to a name.
func isSymbol(s string) bool {
	for _, r := range s {
		if r < 0x80 && (r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z') || r >= 0xc0 && r < 0x2000 && r != 0xd7 && r != 0xf7 || r > 0x2e00 {
			return false
		}
	}
	return true
}

// isOperator reports whether text is a sign that means something beside a number:
// an operator, a currency, percent.
func isOperator(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n == len(s) && (r == '-' || r == '%' || r == '±' || unicode.In(r, unicode.Sm, unicode.Sc)) && r < 0x2500 && (r < 0x2190 || r > 0x21ff)
}

// A cover is the text that a node already shows as its name or value. Content
// that repeats it is left out.
type cover struct {
	name, value string
	at          int  // up to here the name has been found in the content
	whole       bool // only a whole run of text can be covered
}

// window bounds how far into a long name covers searches, in bytes.
const window = 4096

// covers reports whether the cover contains text. It looks behind the piece that
// it found last first, since content repeats a name in order.
func (c *cover) covers(text string) bool {
	if c.value != "" && strings.Contains(c.value[:min(len(c.value), window+len(text))], text) {
		return true
	}
	if c.name == "" {
		return false
	}
	if c.whole {
		return equalText(c.name, text)
	}
	rest := c.name[c.at:]
	if i := strings.Index(rest[:min(len(rest), window+len(text))], text); i >= 0 {
		c.at += i + len(text)
		return true
	}
	return strings.Contains(c.name[:min(len(c.name), window)], text)
}

// equalText reports whether a and b are equal but for white space and a closing colon.
func equalText(a, b string) bool {
	a, b = strings.TrimRight(a, ": *"), strings.TrimRight(b, ": *")
	if a == b {
		return true
	}
	if len(a) > window || len(b) > window {
		return false
	}
	return strings.ReplaceAll(a, " ", "") == strings.ReplaceAll(b, " ", "")
}
