package offline

import (
	"regexp"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// A verb is a way to begin an instruction. Its pattern has one group, the
// object.
type verb struct {
	pattern *regexp.Regexp
	act     func(q *question, in *instruction, object string) *answer
}

// verbs are tried in order; the first whose pattern fits and that gives an
// answer takes the instruction.
var verbs []verb

const knownVerbs = "click, double click, right click, hold, hover, type … into …, fill … with …, choose … in …, check, uncheck, clear, press a key, upload … to …, drag … to …, scroll, focus, search for"

func starts(words string) *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:` + words + `) (.+)$`) }

// It is set here because the actions use find, which nothing in this table may depend on.
func init() {
	verbs = []verb{
		{starts(`double[- ]?click(?: on)?`), simple("doubleClick")},
		{starts(`triple[- ]?click(?: on)?`), simple("tripleClick")},
		{starts(`right[- ]?click(?: on)?|open (?:the )?context menu (?:of|on|for)`), simple("click", "right")},
		{starts(`middle[- ]?click(?: on)?`), simple("click", "middle")},
		{starts(`(?:long[- ]?press|(?:press |tap )?(?:and )?hold)(?: down)?(?: on)?`), simple("longPress")},
		{starts(`(?:hover|mouse)(?: over| on)?|move the (?:mouse|pointer) (?:to|over|onto)|point (?:at|to)`), simple("hover")},
		{starts(`drag(?: and drop)?`), drag},
		{starts(`upload|attach`), upload},
		{starts(`press|hit|push|type|send`), key},
		{regexp.MustCompile(`(?i)^(scroll\b.*)$`), scroll},
		{starts(`(?:search|look)(?: for)?|google`), search},
		{starts(`type|enter|write|input|put|insert|paste|key in|append`), typeInto},
		{starts(`fill(?: in| out)?|set|change|update`), fillWith},
		{starts(`choose|select|pick`), choose},
		{starts(`uncheck|untick|unselect|deselect|disable|turn off|switch off`), box("uncheck")},
		{starts(`check|tick|enable|activate|turn on|switch on|accept|agree to`), box("check")},
		{starts(`clear|empty|erase`), clear},
		{starts(`focus(?: on)?`), simple("focus")},
		{starts(`blur|leave`), simple("blur")},
		{starts(`click(?: on)?|tap(?: on)?|press|push|hit|open|follow|go to|visit|navigate to|choose|select|show|toggle|use`), click},
	}
}

// simple is a verb with one object that is done as it stands.
func simple(method string, args ...string) func(*question, *instruction, string) *answer {
	return func(q *question, in *instruction, object string) *answer {
		phrase := in.say(object)
		f := q.page.find(phrase, usable)
		if f.fit < nearly {
			if a := q.page.pressText(phrase, method, args...); a.Found || len(f.items) == 0 {
				return a
			}
		}
		return q.page.choice(phrase, f, method, args...)
	}
}

// destination is a place to go to, with the word that says that it is one.
var destination = regexp.MustCompile(`(?i)^(?:open|go to|visit|navigate to|show) (?:the )?(.+?) (?:page|section|screen|view|area)$`)

func click(q *question, in *instruction, object string) *answer {
	phrase := in.say(object)
	f := q.page.find(phrase, usable)
	if m := destination.FindStringSubmatch(in.say(in.text)); m != nil && len(f.items) == 0 {
		f = q.page.find(m[1], usable).atLeast(nearly) // "go to the Mail page"
	}
	if len(f.items) == 0 {
		if a := q.option(phrase); a != nil {
			return a
		}
		return q.page.pressText(phrase, "click")
	}
	return q.page.choice(phrase, f, "click")
}

var onto = regexp.MustCompile(`(?i) (?:and drop (?:it )?)?(?:onto|into|to|on|over|before|after) `)

func drag(q *question, in *instruction, object string) *answer {
	said := no("say what to drag where, as \"drag Task one to Done\"")
	for _, p := range in.split(object, onto) {
		from, to := q.page.find(p.left, says), q.page.find(p.right, says)
		if from.one() && to.one() {
			return q.page.do(from.items[0], "dragAndDrop", string(q.page.items[to.items[0]].Ref))
		}
		if said = q.page.choice(p.left, from, "dragAndDrop"); said.Found {
			said = q.page.choice(p.right, to, "dragAndDrop")
		}
	}
	return said
}

var into = regexp.MustCompile(`(?i) (?:into|in|to|on|as|for|at|under) `)

func upload(q *question, in *instruction, object string) *answer {
	field := func(it *accessibility.Item) bool { return usable(it) && (it.Role == "button" || it.Role == "textbox") }
	look := func(p pair) finding { return q.page.find(p.right, field) }
	pairs := in.split(object, into) // a file's name, or a field's, may hold a connection
	if best, at := bestPair(pairs, look); best.one() {
		return q.page.do(best.items[0], "setInputFiles", series(at.left)...)
	}
	if len(pairs) == 0 {
		return no("say what to upload where, as \"upload list.txt to Packing list\"")
	}
	last := pairs[len(pairs)-1]
	return q.page.choice(last.right, look(last), "setInputFiles")
}

var keyWords = regexp.MustCompile(`(?i)^(?:the )?(?:key )?(.+?)(?: key)?$`)

// key presses a key; it answers nil where the object names none.
func key(q *question, in *instruction, object string) *answer {
	object = in.say(object)
	for _, p := range append([]pair{{object, ""}}, in.split(object, into)...) {
		m := keyWords.FindStringSubmatch(p.left)
		if m == nil {
			continue
		}
		k, ok := keyOf(m[1])
		if !ok {
			continue
		}
		if p.right != "" {
			return q.page.choice(p.right, q.page.find(p.right, usable), "press", k)
		}
		for i := range q.page.items {
			if it := &q.page.items[i]; it.States.Focused && it.Omitted == nil {
				return q.page.do(i, "press", k)
			}
		}
		if _, ok := q.page.root(); ok {
			return q.page.do(0, "press", k)
		}
	}
	return nil
}

// search fills the search field and, as a second action, sends it.
func search(q *question, in *instruction, object string) *answer {
	what := in.say(object)
	field := func(it *accessibility.Item) bool { return it.Role == "searchbox" && usable(it) }
	f := finding{fit: same}
	for i := range q.page.items {
		if field(&q.page.items[i]) {
			f.items = append(f.items, i)
		}
	}
	if len(f.items) == 0 {
		f = q.page.find("search", editable)
	}
	if q.done > 0 {
		// A field that was found by its placeholder shows none with the words in it.
		for i := range q.page.items {
			if it := &q.page.items[i]; editable(it) && it.States.Focused && it.Value == what {
				return q.page.do(i, "press", "Enter")
			}
		}
		return q.page.choice("search", f, "press", "Enter")
	}
	a := q.page.choice("search field", f, "fill", what)
	a.More = a.Found
	return a
}

// box sets a checkbox, a switch or a radio button.
func box(method string) func(*question, *instruction, string) *answer {
	return func(q *question, in *instruction, object string) *answer {
		phrase := in.say(object)
		f := q.page.find(phrase, checkable)
		if len(f.items) == 0 {
			f = q.page.find(in.say(in.text), checkable)
		}
		if f.one() && method == "uncheck" && q.page.items[f.items[0]].Role == "radio" {
			return no("%s is a radio button, which another one of its group unchecks", describe(&q.page.items[f.items[0]]))
		}
		return q.page.choice(phrase, f, method)
	}
}

func clear(q *question, in *instruction, object string) *answer {
	phrase := in.say(object)
	return q.page.choice(phrase, q.page.find(phrase, editable), "clear")
}

// scrolls are the ways to move the page itself: to a place on it, or by a part of it.
var scrolls = regexp.MustCompile(`(?i)^scroll(?: (down|up)(?: the page)?| (?:down |up )?to (?:the )?(?:(top|start|beginning)|(bottom|end)|(middle)|(\d{1,3})\s*(?:%|percent))(?: of the page)?)?$`)

var toward = regexp.MustCompile(`(?i)^scroll (?:down |up )?(?:to|until|for) (.+?)(?: (?:appears|is visible|comes into view))?$`)

// scroll moves the page, or an element into view.
func scroll(q *question, in *instruction, object string) *answer {
	root, ok := q.page.root()
	if !ok {
		return no("the page is empty")
	}
	object = in.say(object)
	if m := toward.FindStringSubmatch(object); m != nil {
		shown := func(it *accessibility.Item) bool { return says(it) && it.Ref != root }
		if f := q.page.find(m[1], shown); f.fit >= allWords || f.one() || !scrolls.MatchString(object) {
			return q.page.choice(m[1], f, "scrollIntoView")
		}
	}
	switch m := scrolls.FindStringSubmatch(object); {
	case m == nil:
		return no("say where to scroll, as \"scroll to the end\", or to what, as \"scroll to Field notebook\"")
	case m[2] != "":
		return q.page.do(0, "scrollTo", "0%")
	case m[3] != "":
		return q.page.do(0, "scrollTo", "100%")
	case m[4] != "":
		return q.page.do(0, "scrollTo", "50%")
	case m[5] != "":
		return q.page.do(0, "scrollTo", m[5]+"%")
	case strings.EqualFold(m[1], "up"):
		return q.page.do(0, "prevChunk")
	}
	return q.page.do(0, "nextChunk")
}

// typeInto reads "type X into Y".
func typeInto(q *question, in *instruction, object string) *answer {
	adds := strings.HasPrefix(strings.ToLower(in.text), "append")
	pairs := in.split(object, into)
	if a := q.into(pairs, adds, editable); a != nil {
		return a
	}
	if a := q.into(pairs, adds, field); a != nil {
		return a
	}
	if len(pairs) > 0 {
		return q.page.noField(pairs[0].right)
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

// fillWith reads "fill Y with X", "set Y to X", and "fill X into Y".
func fillWith(q *question, in *instruction, object string) *answer {
	if m := quotedValue.FindStringSubmatch(object); m != nil {
		// The quotes say where the value ends; behind it stands where the field is.
		phrase := in.say(m[1]) + " in " + in.say(m[3])
		f := q.page.find(phrase, field)
		if !f.one() {
			return q.page.choice(phrase, f, "fill")
		}
		return q.page.give(f.items[0], in.say(m[2])).fits(f.fit)
	}
	pairs := in.split(object, with)
	slices.Reverse(pairs) // the first connection counts where several fit: the value comes last
	if f, at := bestPair(pairs, func(p pair) finding { return q.page.find(p.left, field) }); f.one() {
		if it := &q.page.items[f.items[0]]; it.Role == "combobox" && closed(it) && !strings.HasPrefix(strings.ToLower(in.text), "fill") {
			return q.fromClosed(f.items[0], at.right)
		}
		return q.page.give(f.items[0], at.right).fits(f.fit)
	}
	if a := q.into(in.split(object, into), false, field); a != nil {
		return a
	}
	if len(pairs) == 0 {
		return no("say what to fill in, as \"fill %s with …\"", in.say(object))
	}
	return q.page.noField(pairs[0].left)
}

// quotedValue is a value in quotes with words behind it.
var quotedValue = regexp.MustCompile(`(?i)^(.+?) (?:with|to|as|by|=) ([\x{e000}-\x{e0ff}]) (?:in|of|on|at|inside|within|under|for) (.+)$`)

var with = regexp.MustCompile(`(?i) (?:with|to|as|by|=) |\s*[:=] `)

// choose reads "choose X in Y", "choose X and Y in Z", "choose X".
func choose(q *question, in *instruction, object string) *answer {
	pairs := in.split(object, regexp.MustCompile(`(?i) (?:in|from|for|as|under|of|at|on|within) `))
	listed, at := bestPair(pairs, func(p pair) finding { return q.page.find(p.right, choosable) })
	var said *answer
	if listed.one() {
		if said = q.page.options(listed.items[0], at.left); said.Found {
			return said.fits(listed.fit)
		}
	} else if f, at := bestPair(pairs, func(p pair) finding { return q.page.find(p.right, closed).atLeast(allWords) }); f.one() {
		a := q.fromClosed(f.items[0], at.left)
		a.final = true
		return a
	}
	phrase := in.say(object)
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
