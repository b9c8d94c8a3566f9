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
	name, at := identifier(text, 0)
	end := parenthesis(text, at)
	if end < 0 {
		return false
	}
	inside, rest := strings.TrimSpace(text[at+1:end]), strings.TrimSpace(text[end+1:])
	var is bool
	if _, not := cutWord(inside, "not"); name == "" && (not || strings.HasPrefix(inside, "(") || strings.Contains(inside, "(") && !strings.Contains(inside, ":")) {
		is = condition(inside, leaf)
	} else {
		is = leaf(dom.Lower(name), inside)
	}
	if more, ok := cutWord(rest, "or"); ok {
		return is || condition(more, leaf)
	}
	if more, ok := cutWord(rest, "and"); ok {
		return is && condition(more, leaf)
	}
	return is && rest == ""
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
	if word, _, _ := strings.Cut(property, "-"); !slices.Contains(knownProperties, word) {
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

var knownProperties = strings.Fields(`accent align all anchor animation appearance aspect backdrop backface background baseline block border bottom
	box break caption caret clear clip color column columns contain container content corner counter cursor direction display dominant empty
	field fill filter flex float flood font forced gap grid hanging height hyphenate hyphens image inline inset interactivity interpolate
	isolation justify left letter lighting line list margin marker mask math max min mix object offset opacity order orphans outline overflow
	overlay overscroll padding page paint perspective place pointer position print quotes resize right rotate row ruby scale scroll
	scrollbar shape size speak stop stroke tab table text timeline top touch transform transition translate unicode user vector vertical
	view visibility white widows width will word writing z zoom`)

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
	words := strings.Fields(spaced.Replace(feature))
	if name, value, ok := strings.Cut(feature, ":"); ok {
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if name == "orientation" {
			return (value == "landscape") == (c.Size.Width >= c.Size.Height)
		}
		words = []string{name, "=", value}
		for bound, op := range map[string]string{"min-": ">=", "max-": "<="} {
			if rest, cut := strings.CutPrefix(name, bound); cut {
				words = []string{rest, op, value}
			}
		}
	}
	if len(words) == 1 {
		words = append(words, ">", "0")
	}
	for i := 0; i+2 < len(words); i += 2 {
		if !c.compare(words[i], words[i+1], words[i+2]) {
			return false
		}
	}
	return len(words) == 3 || len(words) == 5
}

// spaced puts spaces around comparisons; of two that begin alike the longer counts.
var spaced = strings.NewReplacer("<=", " <= ", ">=", " >= ", "<", " < ", ">", " > ", "=", " = ")

// length is that of a side of the container, or one that is written as such.
func (c *Container) length(word string) (float64, bool) {
	switch word {
	case "width", "inline-size":
		return c.Size.Width, true
	case "height", "block-size":
		return c.Size.Height, c.Kind == "size"
	}
	return pixels(word)
}

// compare evaluates one comparison: by "<", "<=", ">", ">=" or "=".
func (c *Container) compare(left, op, right string) bool {
	a, ok := c.length(left)
	b, is := c.length(right)
	if !ok || !is {
		return false
	}
	switch {
	case a < b:
		return op[0] == '<'
	case a > b:
		return op[0] == '>'
	}
	return strings.HasSuffix(op, "=")
}

// A Medium is what a document is shown on, as media queries ask about it.
type Medium struct {
	Size driver.Size
	Dark bool // the person prefers dark colors
}

// mediaMatches evaluates a media query list as far as it is about width,
// height, the color scheme and the kind of medium. What it does not know does not match.
func mediaMatches(query string, on Medium) bool {
	for _, q := range strings.Split(query, ",") {
		ok, not := true, false
		for _, part := range strings.Split(strings.TrimSpace(q), " and ") {
			part = strings.TrimSpace(part)
			if rest, found := strings.CutPrefix(part, "not "); found {
				not, part = true, rest
			}
			ok = ok && on.answers(strings.TrimPrefix(part, "only "))
		}
		if ok != not {
			return true
		}
	}
	return false
}

func (m Medium) answers(part string) bool {
	switch strings.ReplaceAll(part, " ", "") {
	case "all", "screen", "", "(hover)", "(hover:hover)", "(pointer:fine)", "(any-hover:hover)":
		return true
	case "(prefers-color-scheme:light)":
		return !m.Dark
	case "(prefers-color-scheme:dark)":
		return m.Dark
	}
	return (&Container{Size: m.Size, Kind: "size"}).answers(strings.Trim(part, "()"))
}
