package program

import (
	"regexp"
	"strings"

	"go.starlark.net/starlark"
)

var word = regexp.MustCompile(`[\p{L}\p{N}]`)

func hasWords(text string) bool { return word.MatchString(text) }

// A query is what an element has to be.
type query struct{ role, name, text string }

func says(text, part string) bool {
	return strings.Contains(strings.ToLower(strings.Join(strings.Fields(text), " ")), strings.ToLower(strings.Join(strings.Fields(part), " ")))
}

var refForm = regexp.MustCompile(`^\[?[0-9]+-[0-9]+(:[0-9]+)?\]?$`)

func around(within starlark.Value) string {
	if within == nil || within == starlark.None {
		return ""
	}
	return " within " + short(within)
}
