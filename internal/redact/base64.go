package redact

import "unicode/utf8"

const (
	// mostWrapped is how many layers of Base64 are taken off.
	mostWrapped = 2

	// shortestWrapped is how long a run of letters is that is read as Base64.
	shortestWrapped = 8
)

func inBase64(b byte) bool {
	return isAlphanumeric(b) || b == '+' || b == '/' || b == '-' || b == '_'
}

// sextet is what a letter of Base64, in either alphabet, stands for.
func sextet(b byte) uint32 {
	switch {
	case b >= 'A' && b <= 'Z':
		return uint32(b - 'A')
	case b >= 'a' && b <= 'z':
		return uint32(b-'a') + 26
	case b >= '0' && b <= '9':
		return uint32(b-'0') + 52
	case b == '+' || b == '-':
		return 62
	}
	return 63
}

// unwrap is what stands in Base64 in a reading, one after the other: what may
// itself have escapes. A value that has none is found by its needles in less
// time. nil if there is nothing.
func (r *reading) unwrap() *reading {
	inner := &reading{to: []int32{0}}
	var text []byte
	for i := 0; i < len(r.text); {
		if !inBase64(r.text[i]) {
			i++
			continue
		}
		end, mixed := i+1, false
		for end < len(r.text) && inBase64(r.text[end]) {
			c := r.text[end]
			mixed = mixed || c < 'a' && isAlphanumeric(c)
			end++
		}
		if mixed && end-i >= shortestWrapped {
			for skip := range 4 { // what stands before may belong to the alphabet
				text = inner.unwrapRun(text, r, i+skip, end)
			}
		}
		i = end
	}
	if text == nil {
		return nil
	}
	inner.text = string(text)
	inner.from = append(inner.from, int32(r.origin(len(r.text))))
	return inner
}

// unwrapRun appends to text, the reading's, what a run of letters of r stands
// for, if that is text.
func (inner *reading) unwrapRun(text []byte, r *reading, start, end int) []byte {
	n := (end - start) * 6 / 8
	plain := make([]byte, n)
	for i := range plain {
		at, shift := start+i*8/6, 2*(i%3) // the first letter has the byte's upper 6, 4 or 2 bits
		plain[i] = byte(sextet(r.text[at])<<(2+shift) | sextet(r.text[at+1])>>(4-shift))
	}
	if !isText(plain) {
		return text
	}
	for i := range n {
		at := start + i*8/6
		inner.from = append(inner.from, int32(r.origin(at)))
		inner.to = append(inner.to, int32(r.ending(at+2)))
	}
	inner.from = append(inner.from, int32(r.origin(end))) // of a zero byte between two
	inner.to = append(inner.to, int32(r.ending(end)))
	return append(append(text, plain...), 0)
}

// isText reports that most of some bytes are characters.
func isText(b []byte) bool {
	bad, size := 0, len(b)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 || r < ' ' && r != '\n' && r != '\t' && r != '\r' {
			bad++
		}
		b = b[n:]
	}
	return bad*4 <= size
}
