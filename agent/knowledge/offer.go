package knowledge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent/program"
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

// write is an entry as a model reads it. A program itself is not in it: what it did
// once is said by its task, and it costs nothing to have it run again.
func (e *Entry) write() string {
	var b strings.Builder
	if e.Program == "" {
		fmt.Fprintf(&b, "%s note: %s\n", e.ID, e.Text)
		return b.String()
	}
	fmt.Fprintf(&b, "%s program, written for the task %q", e.ID, e.Text)
	switch {
	case e.Worked == 1:
		b.WriteString(", worked once again")
	case e.Worked > 1:
		fmt.Fprintf(&b, ", worked %d times again", e.Worked)
	}
	if e.Failed > 0 {
		b.WriteString(", failed when it was last run")
	}
	for i, c := range program.Constants(e.Program) {
		b.WriteString(map[bool]string{true: "; constants: ", false: ", "}[i == 0])
		b.WriteString(c.Name + " = " + cut(oneLine(c.Value), mostValue))
	}
	b.WriteString("\n")
	return b.String()
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
