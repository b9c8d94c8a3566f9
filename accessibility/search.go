package accessibility

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Search returns the nodes that contain words of query, best first: those
// with all of the words before those with some, whole words before beginnings
// before parts, names before values and descriptions, shorter names before
// longer ones; then in the order of the page. Case does not matter. A query
// without words finds nothing.
func (s *Snapshot) Search(query string) []*Node {
	words := splitWords(fold(query))
	if len(words) == 0 {
		return nil
	}
	whole := strings.Join(words, " ")
	type hit struct {
		n     *Node
		score int
	}
	var hits []hit
	for i := range s.Nodes {
		n := &s.Nodes[i]
		name := fold(n.Name)
		rest := fold(strings.Join([]string{string(n.Role), n.Value, n.Placeholder, n.Description, strings.Join(n.OptionLabels(), " ")}, " "))
		found, score := 0, 0
		for _, w := range words {
			best := max(4*wordScore(name, w), wordScore(rest, w))
			if best > 0 {
				found++
			}
			score += best
		}
		if found == 0 {
			continue
		}
		if found == len(words) {
			score += 1000
		}
		if name == whole {
			score += 500
		} else if strings.Contains(name, whole) {
			score += 100
		}
		if n.Interactive {
			score += 6
		}
		score = score*1000 - min(utf8.RuneCountInString(n.Name), 999)
		hits = append(hits, hit{n, score})
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	out := make([]*Node, len(hits))
	for i := range hits {
		out[i] = hits[i].n
	}
	return out
}

// wordScore rates how a word occurs in a text: 3 as a word, 2 as the beginning
// of one, 1 as a part of one.
func wordScore(text, word string) int {
	best := 0
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return best
		}
		from, to := at+i, at+i+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:from])
		after, _ := utf8.DecodeRuneInString(text[to:])
		starts, ends := from == 0 || !wordRune(before), to == len(text) || !wordRune(after)
		switch {
		case starts && ends:
			return 3
		case starts:
			best = max(best, 2)
		default:
			best = max(best, 1)
		}
		at = to
	}
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func splitWords(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !wordRune(r) })
}

// fold returns s in a form in which upper and lower case are the same.
func fold(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] >= 'A' && s[i] <= 'Z' {
			return strings.Map(foldRune, s)
		}
	}
	return s
}

// foldRune returns the same rune for all forms of a letter that differ in case.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		return unicode.ToLower(r)
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return unicode.ToLower(least)
}
