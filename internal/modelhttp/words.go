package modelhttp

import (
	"strings"
	"unicode/utf8"
)

// Words collects text whose characters may be torn apart between two pieces.
type Words struct {
	all  strings.Builder
	torn string
}

// Add takes a piece in, and returns the text that it completes.
func (w *Words) Add(piece string) string {
	text := w.torn + piece
	w.torn = ""
	for i := 1; i <= min(utf8.UTFMax-1, len(text)); i++ {
		if tail := text[len(text)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRuneInString(tail) {
				text, w.torn = text[:len(text)-i], tail
			}
			break
		}
	}
	w.all.WriteString(text)
	return text
}

// Flush gives what is left where a stream ends within a character.
func (w *Words) Flush() string {
	rest := strings.ToValidUTF8(w.torn, "�")
	w.torn = ""
	w.all.WriteString(rest)
	return rest
}

// String returns all of it.
func (w *Words) String() string { return w.all.String() }
