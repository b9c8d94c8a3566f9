package offline

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

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

// placed reads a phrase with a kind or a place in it, as "the second Save button".
func (p *page) placed(phrase string, want func(*accessibility.Item) bool) finding {
	place := 0
	if m := fromTheEnd.FindStringSubmatchIndex(phrase); m != nil {
		place = -2
		if m[2] >= 0 {
			place = -ordinal(strings.ToLower(phrase[m[2]:m[3]]))
		}
		phrase = phrase[:m[0]] + phrase[m[1]:]
	}
	rest := strings.Fields(joinKinds(phrase))
	var k kind
	trim := func(w string) string { return strings.ToLower(strings.Trim(w, ".,;:?!")) }
	for len(rest) > 0 && (small[trim(rest[0])] || ordinal(trim(rest[0])) != 0) {
		if n := ordinal(trim(rest[0])); n != 0 {
			if place != 0 {
				return finding{} // two places say nothing
			}
			place = n
		}
		rest = rest[1:]
	}
	if len(rest) > 0 {
		if word := trim(rest[len(rest)-1]); word != "" {
			if found, ok := kindOf(word); ok {
				k, rest = found, rest[:len(rest)-1]
			}
		}
	}
	if k == nil && len(rest) > 1 {
		if found, ok := kindOf(trim(rest[0])); ok {
			k, rest = found, rest[1:]
			for len(rest) > 1 && set("to", "called", "named", "labelled", "labeled", "for")[trim(rest[0])] {
				rest = rest[1:]
			}
			if m := numbered.FindStringSubmatch(strings.Join(rest, " ")); m != nil && place == 0 {
				if f := p.named(m[1], 0, len(p.items), func(it *accessibility.Item) bool { return want(it) && k[it.Role] }); len(f.items) == 0 {
					place, _ = strconv.Atoi(m[1])
					rest = nil
				}
			}
		}
	}
	if k == nil && place == 0 {
		return finding{}
	}
	ofKind := func(it *accessibility.Item) bool { return want(it) && (k == nil || k[it.Role]) }
	var f finding
	if name := strings.Join(rest, " "); len(telling(words(name))) > 0 {
		f = p.named(name, 0, len(p.items), ofKind)
		if place != 0 && (f.fit < allWords || k == nil && f.fit < nearly && f.one()) {
			f = finding{} // one of several posts is none of "Posts"
		}
		if len(f.items) == 0 && k != nil && place == 0 {
			// What people call a button may be a link.
			f = p.named(name, 0, len(p.items), want).atLeast(nearly)
		}
		if k != nil && f.fit > noFit && f.fit < nearly {
			f.fit++ // a kind says more than a word that is not in the name
		}
	} else if k != nil {
		f.fit = nearly
		for i := range p.items {
			if it := &p.items[i]; it.Omitted == nil && ofKind(it) {
				f.items = append(f.items, i)
			}
		}
	}
	return pick(f, place)
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
