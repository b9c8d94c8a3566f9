package offline

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// field accepts what a value can be given to.
func field(it *accessibility.Item) bool {
	return editable(it) || choosable(it) || checkable(it)
}

// typeInto reads "type X into Y".
func typeInto(q *question, in *instruction, object string) *answer {
	adds := strings.HasPrefix(strings.ToLower(in.text), "append")
	pairs := in.split(object, into)
	if a := q.into(pairs, adds); a != nil {
		return a
	}
	if len(pairs) > 0 {
		return q.page.choice(pairs[0].right, q.page.find(pairs[0].right, field), "fill")
	}
	// "write to Ada" names somebody, and nothing to type.
	if strings.HasPrefix(strings.ToLower(object), "to ") {
		return no("%q says to whom, and not what to type", in.say(object))
	}
	// Without a field, the one that has the focus is meant, or the only one.
	var fields []int
	for i := range q.page.items {
		if it := &q.page.items[i]; editable(it) {
			if it.States.Focused {
				return q.page.do(i, "fill", in.say(object))
			}
			fields = append(fields, i)
		}
	}
	if len(fields) == 1 {
		return q.page.do(fields[0], "fill", in.say(object))
	}
	return no("say where to type, as \"type … into Full name\"; the fields are %s", q.page.candidates(fields))
}

var with = regexp.MustCompile(`(?i) (?:with|to|as|by|=) |\s*[:=] `)

// fillWith reads "fill Y with X", "set Y to X", and "fill X into Y".
func fillWith(q *question, in *instruction, object string) *answer {
	pairs := in.split(object, with)
	best, at := noFit, -1
	for i, p := range pairs {
		// The first connection counts where several fit: the value comes last.
		if f := q.page.find(p.left, field); f.fit >= best && f.one() {
			best, at = f.fit, i
		}
	}
	if at >= 0 {
		f := q.page.find(pairs[at].left, field)
		if it := &q.page.items[f.items[0]]; it.Role == "combobox" && closed(it) && !strings.HasPrefix(strings.ToLower(in.text), "fill") {
			return q.fromClosed(f.items[0], pairs[at].right)
		}
		return q.page.give(f.items[0], pairs[at].right).fits(f.fit)
	}
	if a := q.into(in.split(object, into), false); a != nil {
		return a
	}
	if len(pairs) == 0 {
		return no("say what to fill in, as \"fill %s with …\"", in.say(object))
	}
	last := pairs[len(pairs)-1].left
	return q.page.choice(last, q.page.find(last, field), "fill")
}

// into gives the value on the left to the field on the right that fits best;
// nil if none does.
func (q *question) into(pairs []pair, adds bool) *answer {
	best, at, to := noFit, -1, -1
	for i, p := range pairs {
		if f := q.page.find(p.right, field); f.fit > best && f.one() {
			best, at, to = f.fit, i, f.items[0]
		}
	}
	switch {
	case at < 0:
		return nil
	case adds:
		return q.page.do(to, "type", pairs[at].left).fits(best)
	}
	return q.page.give(to, pairs[at].left).fits(best)
}

// give is how a kind of control takes a value.
func (p *page) give(i int, value string) *answer {
	it := &p.items[i]
	if unquoted := strings.Trim(value, `"`); unquoted != "" {
		value = unquoted
	}
	switch {
	case choosable(it):
		return p.options(i, value)
	case checkable(it):
		switch strings.ToLower(value) {
		case "on", "true", "yes", "checked", "selected":
			return p.do(i, "check")
		case "off", "false", "no", "unchecked":
			return p.do(i, "uncheck")
		}
		return no("%s takes on or off, not %q", describe(it), value)
	}
	return p.do(i, "fill", written(it.Role, value))
}

// dates are the ways in which people write a day that leave no doubt.
var dates = []string{"2 January 2006", "2 Jan 2006", "January 2 2006", "January 2, 2006", "Jan 2, 2006", "2. January 2006", "2006/01/02", "2.1.2006"}

// colors are the names that people use most.
var colors = map[string]string{
	"black": "#000000", "white": "#ffffff", "red": "#ff0000", "green": "#008000", "blue": "#0000ff", "yellow": "#ffff00",
	"orange": "#ffa500", "purple": "#800080", "pink": "#ffc0cb", "gray": "#808080", "grey": "#808080", "brown": "#a52a2a",
}

// written brings a value into the form that a control takes.
func written(role accessibility.Role, value string) string {
	switch role {
	case "date":
		for _, layout := range dates {
			if t, err := time.Parse(layout, value); err == nil {
				return t.Format(time.DateOnly)
			}
		}
	case "inputtime":
		for _, layout := range []string{"3:04 pm", "3:04 PM", "3:04pm", "3pm", "3 pm", "15:04", "15.04"} {
			if t, err := time.Parse(layout, value); err == nil {
				return t.Format("15:04")
			}
		}
	case "datetime":
		for _, layout := range []string{"January 2006", "Jan 2006"} {
			if t, err := time.Parse(layout, value); err == nil {
				return t.Format("2006-01")
			}
		}
	case "slider", "spinbutton":
		return strings.TrimSpace(strings.TrimSuffix(value, "%"))
	case "colorwell":
		if c, ok := colors[strings.ToLower(value)]; ok {
			return c
		}
		return strings.ToLower(value)
	}
	return value
}

// choose reads "choose X in Y", "choose X and Y in Z", "choose X".
func choose(q *question, in *instruction, object string) *answer {
	var said *answer
	best, at, list := noFit, -1, -1
	pairs := in.split(object, regexp.MustCompile(`(?i) (?:in|from|for|as|under|of|at|on|within) `))
	for i, p := range pairs {
		if f := q.page.find(p.right, choosable); f.fit > best && f.one() {
			best, at, list = f.fit, i, f.items[0]
		}
	}
	phrase := in.say(object)
	if at >= 0 {
		said = q.page.options(list, pairs[at].left)
		if said.Found {
			return said.fits(best)
		}
	}
	if list, wanted := q.listOf(pairs); said == nil && list >= 0 {
		if f := q.page.within(phrase, func(it *accessibility.Item) bool { return offered[it.Role] || checkable(it) }).atLeast(inOrder); q.done == 0 && f.one() {
			return q.page.natural(f.items[0]).fits(f.fit)
		}
		return q.fromClosed(list, wanted)
	}
	meant := func(it *accessibility.Item) bool { return usable(it) && !choosable(it) && !editable(it) }
	f := q.page.find(phrase, meant)
	if f.one() {
		return q.page.natural(f.items[0]).fits(f.fit)
	}
	if a := q.option(phrase); a != nil {
		return a
	}
	if said != nil {
		return said
	}
	return q.page.choice(phrase, f, "click")
}

// options chooses the options of a list that a phrase names, one or more.
func (p *page) options(i int, phrase string) *answer {
	it := &p.items[i]
	if label, ok := optionOf(it, phrase); ok {
		return p.do(i, "selectOption", label)
	}
	var labels []string
	for _, part := range series(phrase) {
		label, ok := optionOf(it, part)
		if !ok {
			return no("%s has no option %q; its options are %s", describe(it), part, optionNames(it))
		}
		labels = append(labels, label)
	}
	if len(labels) == 0 {
		return no("say which option of %s", describe(it))
	}
	if len(labels) > 1 && !it.States.Multiselectable {
		return no("%s takes one option", describe(it))
	}
	return p.do(i, "selectOption", labels...)
}

// optionOf finds the one option that a phrase names. Where the outline leaves
// options out, the phrase itself is taken for one.
func optionOf(it *accessibility.Item, phrase string) (string, bool) {
	best, label, several := noFit, "", false
	for _, o := range it.Options {
		switch n := nameFit(splitWords(phrase), splitWords(o)); {
		case n < allWords || n < best:
		case n > best:
			best, label, several = n, o, false
		default:
			several = true
		}
	}
	switch {
	case best > noFit && !several:
		return label, true
	case it.MoreOptions > 0 && !enumeration.MatchString(phrase) || strings.HasPrefix(phrase, "%") && strings.HasSuffix(phrase, "%"):
		return phrase, true
	}
	return "", false
}

func optionNames(it *accessibility.Item) string {
	var out []string
	for _, o := range it.Options {
		out = append(out, fmt.Sprintf("%q", o))
	}
	if it.MoreOptions > 0 {
		out = append(out, fmt.Sprintf("and %d more", it.MoreOptions))
	}
	return strings.Join(out, ", ")
}
