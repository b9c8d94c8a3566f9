package knowledge

import (
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// write says what is kept of a site, the entry that was of use last first, in at most
// so many tokens, to a run that has read these origins. It returns the ids of what it says.
func write(s *Site, programs bool, tokens int, read []string) (string, []string) {
	var b strings.Builder
	var shown []string
	for i := len(s.Entries) - 1; i >= 0; i-- {
		e := &s.Entries[i]
		if e.Program != "" && (!programs || !e.proved()) || slices.ContainsFunc(strings.Fields(e.Beside), func(o string) bool { return !slices.Contains(read, o) }) {
			continue
		}
		text := e.write()
		cost := accessibility.Tokens(text)
		if cost > tokens {
			continue // a shorter one may fit
		}
		tokens -= cost
		shown = append(shown, e.ID)
		b.WriteString(text)
	}
	return b.String(), shown
}

// mostValue bounds what is shown of a constant, in bytes.
const mostValue = 80

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
