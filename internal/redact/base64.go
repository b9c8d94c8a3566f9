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
