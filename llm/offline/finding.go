package offline

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// A finding is what a phrase was found to mean.
type finding struct {
	fit   int
	items []int // equally good ones, in the order of the page
}

func (f finding) one() bool { return len(f.items) == 1 }

// atLeast leaves out a weaker finding.
func (f finding) atLeast(n int) finding {
	if f.fit < n {
		return finding{}
	}
	return f
}

// mostLabelWords is how long a text may be to label what stands behind it.
const mostLabelWords = 8

var containerWord = regexp.MustCompile(`(?i) (?:in|of|for|from|inside|within|under|next to|beside|on|at) `)

// mostContainers bounds in how many places a phrase is parted.
const mostContainers = 5

// mostAnchors bounds how many parts of the page a container may mean. What
// stands in more places than this names none.
const mostAnchors = 40

// describe names an item for people.
func describe(it *accessibility.Item) string {
	if t := text(it); t != "" {
		return fmt.Sprintf("%s %q", it.Role, t)
	}
	return string(it.Role)
}

const mostNamed = 10

var ordinals = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
	"eleventh": 11, "twelfth": 12, "last": -1,
}

var ordinalDigits = regexp.MustCompile(`(?i)^(\d{1,4})(?:st|nd|rd|th)$`)

// ordinal reads a word as a place: counted from 1, or from the end if negative; 0 is none.
func ordinal(w string) int {
	if m := ordinalDigits.FindStringSubmatch(w); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return ordinals[w]
}

// ordered reports whether a phrase begins with a place, as "the second Save".
func ordered(phrase string) bool {
	for _, w := range words(phrase) {
		if !small[w] {
			return ordinal(w) != 0
		}
	}
	return false
}

var (
	// kindPhrases are kinds that people write in two words.
	kindPhrases = regexp.MustCompile(`(?i)\b(?:(?:text|input|edit)[ -](field|box|area|input)|(check|list|combo)[ -]box|(drop)[ -]?down(?: list| menu| box)?|(radio) button)(e?s)?\b`)
	// numbered is a kind with its number: "textbox 3", "field no. 2".
	numbered   = regexp.MustCompile(`(?i)^(?:number|no\.?|nr\.?|#)? ?#?(\d{1,4})$`)
	fromTheEnd = regexp.MustCompile(`(?i)\b(?:(second|third|fourth) (?:to |from )?(?:the )?last|(penultimate|next to last|last but one))\b`)
)

// joinKinds writes kinds of two words in one.
func joinKinds(phrase string) string {
	return kindPhrases.ReplaceAllStringFunc(phrase, func(s string) string {
		m := kindPhrases.FindStringSubmatch(s)
		switch {
		case m[1] != "":
			return "textbox"
		case m[2] != "":
			return strings.ToLower(m[2]) + "box"
		case m[3] != "":
			return "dropdown"
		}
		return "radio"
	})
}

// pick takes the element at a place: counted from 1, or from the end if negative.
func pick(f finding, place int) finding {
	switch n := len(f.items); {
	case place == 0 || n == 0:
		return f
	case place < 0 && -place <= n:
		f.items = f.items[n+place : n+place+1]
	case place > 0 && place <= n:
		f.items = f.items[place-1 : place]
	default:
		return finding{}
	}
	f.fit = max(f.fit, nearly)
	return f
}
