package grounding

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

var (
	listMark   = regexp.MustCompile(`^\s*(?:[-*•–]\s+|\d{1,3}[.)]\s+|>\s*)+`)
	emphasis   = strings.NewReplacer("**", "", "__", "", "`", "", "|", " | ")
	sentenceAt = regexp.MustCompile(`[.!?]["'”’)\]]*\s+|[。！？][”」』）]*`)
	shortened  = regexp.MustCompile(`(?:^|[\s(])(?:\p{Lu}\p{L}{0,3}|\p{L}|\d{1,2})$`)
)

// plainLine takes the marks of Markdown off a line.
func plainLine(line string) (text string, heading bool) {
	line = strings.TrimSpace(line)
	trimmed := strings.TrimLeft(line, "#")
	heading = trimmed != line && strings.HasPrefix(trimmed, " ")
	if heading {
		line = trimmed
	}
	return pagedata.Collapse(emphasis.Replace(listMark.ReplaceAllString(line, ""))), heading
}

// sentencesOf splits a line at the ends of its sentences. A full stop behind a short
// word with a capital ("Dr. Quint"), behind a letter, or before a small letter or a
// digit ("approx. 5") may be an abbreviation's, and one in quotation marks is the
// quotation's.
func sentencesOf(line string) []string {
	var out []string
	start := 0
	for _, at := range sentenceAt.FindAllStringIndex(line, -1) {
		before := line[start:at[0]]
		next, _ := utf8.DecodeRuneInString(line[at[1]:])
		open := strings.LastIndexAny(before, "“„«「『") > strings.LastIndexAny(before, "”»」』")
		if line[at[0]] == '.' && (unicode.IsDigit(next) || shortened.MatchString(before)) || unicode.IsLower(next) ||
			open && !strings.ContainsAny(line[at[0]:at[1]], "”»」』") && strings.ContainsAny(line[at[1]:], "”»」』") {
			continue
		}
		out = append(out, strings.TrimSpace(line[start:at[1]]))
		start = at[1]
	}
	if rest := strings.TrimSpace(line[start:]); rest != "" {
		out = append(out, rest)
	}
	return out
}
