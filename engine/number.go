package engine

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// checkNumber refuses what a number field would drop without a word. The form
// is that of HTML's "valid floating-point number".
func checkNumber(text string) error {
	if text == "" {
		return nil
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil || strings.ContainsAny(text, "xXpP_iInN+") && !strings.ContainsAny(text, "eE") {
		return fmt.Errorf("%w: %q is no number as a number field takes it; write digits with a point, as -12.5", ErrInvalid, text)
	}
	return nil
}

func sameNumber(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(strings.TrimSpace(b), 64)
	return errX == nil && errY == nil && x == y
}

// letters keeps the letters and digits of a text: what is left when a field
// puts separators between them.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}
