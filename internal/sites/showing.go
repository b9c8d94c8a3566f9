package sites

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// outlineLine is a line with a ref, as our tools and others write it.
var outlineLine = regexp.MustCompile(`^([+~] )?( *)\[((?:ref_)?[0-9]+-[0-9]+)\] (.*)$`)

// Showing returns the ref of an element in an outline, as a task names it: "row:
// Ada / button: Edit" is the button in the row. It is empty if there is none.
func Showing(outline, element string) string {
	path := strings.Split(element, " / ")
	var lines [][]string // mark, indent, ref, what
	for line := range strings.Lines(outline) {
		if m := outlineLine.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			lines = append(lines, m[1:])
		}
	}
	around, name := path[:len(path)-1], path[len(path)-1]
	for _, block := range around {
		role, text, _ := strings.Cut(block, ": ")
		at := -1
		for i := range lines { // the innermost one that says so
			if strings.HasPrefix(lines[i][3], role) && blockSays(lines[i:blockEnd(lines, i)], text) {
				at = i
			}
		}
		if at < 0 {
			return ""
		}
		lines = lines[at+1 : blockEnd(lines, at)]
	}
	for _, fits := range []func(what, name string) bool{
		func(what, name string) bool { return what == name },
		func(what, name string) bool { return strings.HasPrefix(what, name+" ") },
		strings.HasPrefix,
	} {
		if at := slices.IndexFunc(lines, func(line []string) bool { return fits(line[3], name) }); at >= 0 {
			return lines[at][2]
		}
	}
	return ""
}

// blockEnd is where the lines below one end.
func blockEnd(lines [][]string, at int) int {
	i := at + 1
	for i < len(lines) && len(lines[i][1]) > len(lines[at][1]) {
		i++
	}
	return i
}

// blockSays reports whether one of the lines has a text, at the end of words.
func blockSays(lines [][]string, text string) bool {
	return slices.ContainsFunc(lines, func(line []string) bool {
		_, after, ok := strings.Cut(line[3], text)
		return ok && (after == "" || !unicode.IsLetter(rune(after[0])) && !unicode.IsDigit(rune(after[0])))
	})
}
