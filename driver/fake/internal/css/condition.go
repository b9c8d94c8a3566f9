package css

import (
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// condition evaluates "not x", "x and y", "x or y" and parentheses, as
// @supports and @container have them. leaf is asked for what stands in the
// innermost ones, name being that of a function in front of them.
func condition(text string, leaf func(name, inside string) bool) bool {
	text = strings.TrimSpace(text)
	if rest, ok := cutWord(text, "not"); ok {
		return !condition(rest, leaf)
	}
	result, or, first := false, false, true
	for text != "" {
		name, at := identifier(text, 0)
		end := parenthesis(text, at)
		if end < 0 {
			return false
		}
		inside := strings.TrimSpace(text[at+1 : end])
		var is bool
		if name == "" && (strings.HasPrefix(inside, "(") || hasWord(inside, "not") || strings.Contains(inside, "(") && !strings.Contains(inside, ":")) {
			is = condition(inside, leaf)
		} else {
			is = leaf(dom.Lower(name), inside)
		}
		switch {
		case first:
			result = is
		case or:
			result = result || is
		default:
			result = result && is
		}
		first = false
		text = strings.TrimSpace(text[end+1:])
		if text == "" {
			break
		}
		rest, isOr := cutWord(text, "or")
		if !isOr {
			var isAnd bool
			if rest, isAnd = cutWord(text, "and"); !isAnd {
				return false
			}
		}
		if not, ok := cutWord(rest, "not"); ok {
			is := !condition(not, leaf)
			return isOr && (result || is) || !isOr && result && is
		}
		text, or = rest, isOr
	}
	return result
}

func hasWord(text, word string) bool {
	_, ok := cutWord(text, word)
	return ok
}

// cutWord cuts a keyword off the front.
func cutWord(text, word string) (string, bool) {
	if len(text) <= len(word) || !strings.EqualFold(text[:len(word)], word) || strings.IndexByte(" \t\n(", text[len(word)]) < 0 {
		return text, false
	}
	return strings.TrimSpace(text[len(word):]), true
}

// supports evaluates the condition of @supports.
func supports(text string) bool {
	return condition(text, func(name, inside string) bool {
		switch name {
		case "selector":
			_, err := Compile(inside)
			return err == nil
		case "font-tech", "font-format":
			return true
		case "":
			property, value, ok := strings.Cut(inside, ":")
			return ok && supportsValue(strings.TrimSpace(property), dom.Lower(strings.TrimSpace(value)))
		}
		return false
	})
}

// supportsValue reports a declaration that a browser of today knows: its
// property, by the first word of its name, and the values of those that are
// keywords alone.
func supportsValue(property, value string) bool {
	if strings.HasPrefix(property, "--") {
		return true
	}
	property = dom.Lower(property)
	if value == "" {
		return false
	}
	if strings.HasPrefix(property, "-") {
		return strings.HasPrefix(property, "-webkit-")
	}
	if word, _, _ := strings.Cut(property, "-"); !knownProperties[word] {
		return false
	}
	switch value {
	case "inherit", "initial", "unset", "revert", "revert-layer":
		return true
	}
	switch property {
	case "display", "position", "visibility":
		return slices.Contains(properties[property].words, value)
	}
	return true
}

var knownProperties = wordSet(`accent align all anchor animation appearance aspect backdrop backface background baseline block border bottom
	box break caption caret clear clip color column columns contain container content corner counter cursor direction display dominant empty
	field fill filter flex float flood font forced gap grid hanging height hyphenate hyphens image inline inset interactivity interpolate
	isolation justify left letter lighting line list margin marker mask math max min mix object offset opacity order orphans outline overflow
	overlay overscroll padding page paint perspective place pointer position print quotes resize right rotate row ruby scale scroll
	scrollbar shape size speak stop stroke tab table text timeline top touch transform transition translate unicode user vector vertical
	view visibility white widows width will word writing z zoom`)

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// A Container is the content box of an element that container queries ask about.
type Container struct {
	Size driver.Size
	Name string // one or several
	Kind string // "inline-size" or "size"
}

// A containerQuery is the condition of an @container rule.
type containerQuery struct {
	name, text string
}

func parseContainerQuery(text string) *containerQuery {
	q := &containerQuery{text: text}
	if name, at := identifier(text, 0); name != "" && name != "not" && (at >= len(text) || text[at] != '(') {
		q.name, q.text = name, strings.TrimSpace(text[at:])
	}
	return q
}

// answers evaluates one feature: "min-width: 4em", "width > 400px", "100px <= width < 20em".
func (c *Container) answers(feature string) bool {
	if name, value, ok := strings.Cut(feature, ":"); ok {
		name = strings.TrimSpace(name)
		if name == "orientation" {
			return (strings.TrimSpace(value) == "landscape") == (c.Size.Width >= c.Size.Height)
		}
		bound, cut := "", false
		for _, bound = range []string{"min-", "max-"} {
			if name, cut = strings.CutPrefix(name, bound); cut {
				break
			}
		}
		op := "="
		if cut {
			op = map[string]string{"min-": ">=", "max-": "<="}[bound]
		}
		return c.compare(name, op, value)
	}
	words := strings.Fields(spaced.Replace(feature))
	switch len(words) {
	case 1:
		size, ok := c.feature(words[0])
		return ok && size > 0
	case 3:
		if _, ok := c.feature(words[0]); ok {
			return c.compare(words[0], words[1], words[2])
		}
		return c.compare(words[2], turned[words[1]], words[0])
	case 5:
		return c.compare(words[2], turned[words[1]], words[0]) && c.compare(words[2], words[3], words[4])
	}
	return false
}

// spaced puts spaces around comparisons; of two that begin alike the longer counts.
var spaced = strings.NewReplacer("<=", " <= ", ">=", " >= ", "<", " < ", ">", " > ", "=", " = ")

// turned are the comparisons as the other side sees them.
var turned = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "="}

func (c *Container) feature(name string) (float64, bool) {
	switch name {
	case "width", "inline-size":
		return c.Size.Width, true
	case "height", "block-size":
		return c.Size.Height, c.Kind == "size"
	}
	return 0, false
}

func (c *Container) compare(name, op, value string) bool {
	size, ok := c.feature(name)
	to, isLength := pixels(strings.TrimSpace(value))
	if !ok || !isLength {
		return false
	}
	switch op {
	case "<":
		return size < to
	case "<=":
		return size <= to
	case ">":
		return size > to
	case ">=":
		return size >= to
	}
	return size == to
}
