package snapshot

import (
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/cbor"
)

// A source is a reply that is read front to back. After the first error every method
// returns at once. The hash leaves out the headers of maps and of their lists: an envelope
// contains its length, which changes with values that the hash leaves out.
type source struct {
	cbor.Reader
	hash *tableHash
}

// end returns the first error; something behind the end is one.
func (s *source) end() error {
	if s.Err == nil && s.I != len(s.B) {
		s.Fail("something behind the end")
	}
	return s.Err
}

// object calls field with each member's name, which must consume its value.
func (s *source) object(field func(name string)) {
	s.header()
	s.Object(func(name []byte) { field(string(name)) })
}

// array calls element before each element, which it must consume.
func (s *source) array(element func()) {
	s.header()
	s.Array(element)
}

// header leaves the header that comes next out of the hash.
func (s *source) header() {
	s.hash.take(s.I)
	s.hash.from = min(s.I+cbor.HeaderLength, len(s.B))
}

// ints appends an array of whole numbers to dst. Nearly all of a reply passes
// through here, so short numbers are read in place.
func (s *source) ints(dst []int32) []int32 {
	end := s.EnterArray()
	for s.More() {
		b, i := s.B, s.I
		for i+4 < len(b) {
			switch c := b[i]; {
			case c < 24:
				dst = append(dst, int32(c))
				i++
				continue
			case c == 24:
				dst = append(dst, int32(b[i+1]))
				i += 2
				continue
			case c == 25:
				dst = append(dst, int32(b[i+1])<<8|int32(b[i+2]))
				i += 3
				continue
			case c >= 0x20 && c < 0x38:
				dst = append(dst, -1-int32(c&31))
				i++
				continue
			}
			break
		}
		if s.I = i; !s.More() {
			break
		}
		dst = append(dst, s.Int())
	}
	s.Leave(end)
	return dst
}

// lists appends arrays of whole numbers to dst, and where each ends to ends.
func (s *source) lists(dst, ends []int32) (_, _ []int32) {
	s.array(func() {
		dst = s.ints(dst)
		ends = append(ends, int32(len(dst)))
	})
	return dst, ends
}

// floats appends an array of numbers to dst.
func (s *source) floats(dst []float64) []float64 {
	end := s.EnterArray()
	for s.More() {
		dst = append(dst, s.Float())
	}
	s.Leave(end)
	return dst
}

// stringList reads the strings. All share two blocks of memory: one is a copy of
// the list as it came, in which those in UTF-8 stand; the other holds the rest.
func (s *source) stringList() []string {
	type span struct {
		from, to int
		wide     bool
	}
	var (
		spans = make([]span, 0, 256)
		other []byte
		start = s.I
	)
	s.array(func() {
		text, wide := s.Text()
		if !wide && utf8.Valid(text) {
			spans = append(spans, span{s.I - start - len(text), s.I - start, false})
			return
		}
		from := len(other)
		other = cbor.AppendUTF8(other, text, wide)
		spans = append(spans, span{from, len(other), true})
	})
	if s.Err != nil {
		return nil
	}
	plain, rest := string(s.B[start:s.I]), string(other)
	list := make([]string, len(spans))
	for i, p := range spans {
		if p.wide {
			list[i] = rest[p.from:p.to]
		} else {
			list[i] = plain[p.from:p.to]
		}
	}
	return list
}
