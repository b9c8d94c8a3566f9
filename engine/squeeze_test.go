package engine

import (
	"strings"
	"testing"
)

func TestSqueeze(t *testing.T) {
	for _, text := range []string{
		"", " ", "a", " a", "a ", "a b", "a  b", "a\tb", "a\nb c", "a b c", "a\u00a0b", "a \u2003b", "é è", " é", "é ", "\xff", "\xff \xff", "a\u200bb",
	} {
		want := strings.Join(strings.Fields(text), " ")
		if got := squeeze(text); got != want {
			t.Errorf("squeeze(%q) = %q, want %q", text, got, want)
		}
	}
	const plain = "words that need nothing done"
	if n := testing.AllocsPerRun(10, func() { squeeze(plain) }); n != 0 {
		t.Errorf("squeeze(%q) allocates %v times, want 0", plain, n)
	}
}
