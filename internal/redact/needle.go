package redact

import (
	"bytes"
	"slices"
	"strings"
)

const (
	// anywhere is how many bytes a value has that is searched for wherever it
	// stands. One of a byte less is searched for as a word, and a shorter one
	// where it is all that is said: a digit or a "yes" stands everywhere.
	anywhere = 4

	// caseless is from how many characters on letters are compared without
	// case, and separators between digits are read through.
	caseless = 6

	// shortestCode is how many letters and digits a value has that is found in
	// groups, as an IBAN is printed.
	shortestCode = 8
)

// A needle is one form of one value.
type needle struct {
	text  string // as it is searched for
	value int
	// exact, if not empty, is how the text has to be written, but for spaces
	// and characters without width.
	exact string
	word  bool // only as a word

	// before and after are how many characters on either side carry a part of
	// the value, where it stands in Base64 within something longer.
	before, after int
	base64        bool
}

// inFileName is what browsers make of a character in the name of a file.
func inFileName(r rune) rune {
	if r < ' ' || strings.ContainsRune(`"*/:<>?\|`, r) {
		return '_'
	}
	return r
}

func foldOf(text string) string {
	var f folded
	f.fold(text)
	return string(f.text)
}

// tidy is a text with its white space and what has no width folded, in the
// case that it has.
func tidy(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case invisible(r):
			return -1
		case r == '+':
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// A table finds needles by their first letters.
type table struct {
	needles []needle
	first   map[uint32][]int32 // by the first three bytes
	filter  []uint64           // a bit for each hash of those
	tiny    []int32            // needles of less than three bytes
}

func (t *table) add(n needle) {
	same := func(o needle) bool {
		return o.text == n.text && o.value == n.value && o.exact == n.exact && o.base64 == n.base64
	}
	if n.text != "" && !slices.ContainsFunc(t.needles, same) {
		t.needles = append(t.needles, n)
	}
}

const filterBits = 16

func hash(key uint32) uint32 { return key * 0x9E3779B1 >> (32 - filterBits) }

func (t *table) index() {
	t.first, t.filter = map[uint32][]int32{}, make([]uint64, 1<<filterBits/64)
	for i, n := range t.needles {
		if len(n.text) < 3 {
			t.tiny = append(t.tiny, int32(i))
			continue
		}
		key := uint32(n.text[0])<<16 | uint32(n.text[1])<<8 | uint32(n.text[2])
		t.first[key] = append(t.first[key], int32(i))
		t.filter[hash(key)/64] |= 1 << (hash(key) % 64)
	}
}

// each calls found for each needle in a folded text.
func (t *table) each(text []byte, found func(n *needle, start, end int)) {
	if len(t.needles) == 0 {
		return
	}
	var key uint32
	for i, b := range text {
		key = (key<<8 | uint32(b)) & 0xffffff
		if h := hash(key); t.filter[h/64]>>(h%64)&1 == 0 || i < 2 {
			continue
		}
		start := i - 2
		for _, at := range t.first[key] {
			n := &t.needles[at]
			if size := len(n.text); len(text)-start >= size && text[start+size-1] == n.text[size-1] && string(text[start:start+size]) == n.text {
				found(n, start, start+size)
			}
		}
	}
	for _, at := range t.tiny {
		n := &t.needles[at]
		for start := 0; ; start++ {
			next := bytes.Index(text[start:], []byte(n.text))
			if next < 0 {
				break
			}
			start += next
			found(n, start, start+len(n.text))
		}
	}
}

// widen takes in the letters beside a value that carry a part of it.
func (n *needle) widen(text string, start, end int) (int, int) {
	if n.before > 0 && start > 0 && inBase64(text[start-1]) {
		start--
	}
	if n.after > 0 && end < len(text) && inBase64(text[end]) {
		end++
	}
	for end < len(text) && text[end] == '=' {
		end++
	}
	return start, end
}
