package llmtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// Ref finds the reference of an element in the pages of a request: that of the
// first outline line that contains the words, as "button: Sign in". A message
// may hold changes alone, so that the latest message is read first and then
// those before it; lines that a page lost do not count.
//
// It panics if there is none, with what the request has: an answer with an
// empty reference would be a test of something else. Within a [Step] the panic
// is an error of the test.
func Ref(req *llm.Request, words string) string {
	lost := map[string]bool{}
	for _, m := range slices.Backward(req.Messages) {
		for _, page := range slices.Backward(pagesOf(m.Parts)) {
			for line := range strings.Lines(page.Text) {
				ref, text, gone := outlineLine(line)
				switch {
				case ref == "":
				case gone:
					lost[ref] = true
				case strings.Contains(text, words) && !lost[ref]:
					return ref
				}
			}
		}
	}
	panic(noRef(fmt.Sprintf("llmtest: no line of the request's pages contains %q:\n%s", words, Show(req))))
}

// A noRef is what Ref panics with.
type noRef string

func (e noRef) Error() string { return string(e) }

// pagesOf are the pages among parts, also those that tools gave.
func pagesOf(parts []llm.Part) []llm.Page {
	var pages []llm.Page
	for _, part := range parts {
		switch part := part.(type) {
		case llm.Page:
			pages = append(pages, part)
		case llm.ToolResult:
			pages = append(pages, pagesOf(part.Parts)...)
		}
	}
	return pages
}

// outlineLine reads "[ref] role: name" of an outline, or a line of changes with
// its sign in front; gone says that the sign is a minus.
func outlineLine(line string) (ref, text string, gone bool) {
	line = strings.TrimSpace(line)
	if rest, ok := strings.CutPrefix(line, "-"); ok {
		line, gone = rest, true
	} else {
		line = strings.TrimLeft(line, "+~")
	}
	line, ok := strings.CutPrefix(strings.TrimSpace(line), "[")
	ref, text, closed := strings.Cut(line, "]")
	if !ok || !closed {
		return "", "", false
	}
	return ref, text, gone
}
