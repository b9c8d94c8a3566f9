package offline

import (
	"fmt"
	"regexp"
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

const knownVerbs = "click, double click, hold, hover, type … into …, fill … with …, choose … in …, check, uncheck, clear, press a key, upload … to …, drag … to …, scroll, focus, search for"

func starts(words string) *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:` + words + `) (.+)$`) }

// It is set here because the actions use find, which nothing in this table may depend on.
func init() {
	verbs = []verb{
		{starts(`double[- ]?click(?: on)?`), simple("doubleClick")},
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
		{starts(`click(?: on)?|tap(?: on)?|press|push|hit|open|follow|go to|visit|navigate to|choose|select|expand|collapse|show|toggle|use`), click},
		{starts(`close|dismiss`), dismiss},
	}
}

// single chooses the action for an instruction that asks for one thing.
func (q *question) single(in *instruction) *answer {
	whole := in.say(in.text)
	clicked := func(it *accessibility.Item) bool { return usable(it) && !editable(it) }
	// A name that is the whole instruction needs no verb: "Add to cart".
	if f := q.page.named(whole, 0, len(q.page.items), clicked); f.fit == same && f.one() {
		return q.page.natural(f.items[0]).fits(same)
	}
	var said *answer
	for _, v := range verbs {
		m := v.pattern.FindStringSubmatch(in.text)
		if m == nil {
			continue
		}
		a := v.act(q, in, m[1])
		if a != nil && a.Found {
			return a
		}
		if said == nil {
			said = a
		}
	}
	if f := q.page.named(whole, 0, len(q.page.items), clicked); f.fit >= allWords && f.one() {
		return q.page.natural(f.items[0]).fits(f.fit)
	}
	if said != nil {
		return said
	}
	if a := history(whole); a != nil {
		return a
	}
	return no("%s: it found no verb that it knows in %q, and nothing of that name. The verbs are %s", honest, whole, knownVerbs)
}

// simple is a verb with one object that is done as it stands.
func simple(method string) func(*question, *instruction, string) *answer {
	return func(q *question, in *instruction, object string) *answer {
		phrase := in.say(object)
		f := q.page.find(phrase, usable)
		if f.fit < nearly {
			if g := q.page.find(phrase, func(it *accessibility.Item) bool { return text(it) != "" }); g.fit >= nearly {
				f = g
			}
		}
		return q.page.choice(phrase, f, method)
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
	if f.fit < nearly && q.done > 0 { // what the action before has opened
		if g := q.page.offers(phrase, nil, q.added); g.one() && g.fit > f.fit {
			f = g
		}
	}
	if len(f.items) == 0 {
		if a := q.option(phrase); a != nil {
			return a
		}
		f = q.page.find(phrase, func(it *accessibility.Item) bool { return text(it) != "" })
		if f.fit < nearly {
			f = finding{}
		}
	}
	return q.page.choice(phrase, f, "click")
}

// dismiss closes what has a button of that name, or a button that closes it.
func dismiss(q *question, in *instruction, object string) *answer {
	phrase := in.say(object)
	if f := q.page.find("close "+phrase, usable); f.fit >= allWords {
		return q.page.choice(phrase, f, "click")
	}
	around := q.page.anchors(phrase)
	if k, ok := kindOf(strings.TrimPrefix(strings.ToLower(phrase), "the ")); ok && len(around.items) == 0 {
		around = q.page.named(phrase, 0, len(q.page.items), func(it *accessibility.Item) bool { return k[it.Role] })
	}
	for _, i := range around.items {
		names := []string{"Close", "Dismiss", "×", "✕", "Cancel"}
		if q.page.controls(i) == 1 {
			names = append(names, "OK") // beside others it would agree to something
		}
		for _, name := range names {
			if f := q.page.named(name, i, q.page.end[i], usable); f.one() && f.fit >= nearly {
				return q.page.do(f.items[0], "click").fits(nearly)
			}
		}
	}
	return no("nothing on the page closes %q (%s)", phrase, honest)
}

var onto = regexp.MustCompile(`(?i) (?:and drop (?:it )?)?(?:onto|into|to|on|over|before|after) `)

func drag(q *question, in *instruction, object string) *answer {
	shown := func(it *accessibility.Item) bool { return text(it) != "" }
	said := no("say what to drag where, as \"drag Task one to Done\"")
	for _, p := range in.split(object, onto) {
		from, to := q.page.find(p.left, shown), q.page.find(p.right, shown)
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
	said := no("say what to upload where, as \"upload list.txt to Packing list\"")
	field := func(it *accessibility.Item) bool { return usable(it) && (it.Role == "button" || it.Role == "textbox") }
	for _, p := range in.split(object, into) {
		f := q.page.find(p.right, field)
		if f.one() {
			return q.page.do(f.items[0], "setInputFiles", series(p.left)...)
		}
		said = q.page.choice(p.right, f, "setInputFiles")
	}
	return said
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
		a := q.page.choice(phrase, f, method)
		if len(f.items) == 0 {
			if g := q.page.find(in.say(in.text), usable); g.one() && g.fit >= allWords {
				return q.page.do(g.items[0], "click")
			}
		}
		return a
	}
}

func clear(q *question, in *instruction, object string) *answer {
	phrase := in.say(object)
	return q.page.choice(phrase, q.page.find(phrase, editable), "clear")
}

var (
	percent = regexp.MustCompile(`(?i)(\d{1,3})\s*(?:%|percent)`)
	pixels  = regexp.MustCompile(`(?i)(\d{1,6})\s*(?:px|pixels?)`)
	ends    = regexp.MustCompile(`(?i)\b(top|start|beginning|bottom|end|middle|halfway|down|up)\b`)
	scrolls = regexp.MustCompile(`(?i)^scroll(?: (.+?))?(?: into view)?$`)
	noise   = regexp.MustCompile(`(?i)\b(?:scroll|down|up|to|by|the|page|of|in|on|within|into|view|a|bit|little|further|very|screen|once|all|way)\b|\d+\s*(?:%|percent|px|pixels?)`)
	toward  = regexp.MustCompile(`(?i)^scroll (?:down |up )?(?:to|until|for) (.+?)(?: (?:appears|is visible|comes into view))?$`)
)

// scroll moves the page, a part of it, or an element into view.
func scroll(q *question, in *instruction, object string) *answer {
	root, ok := q.page.root()
	if !ok {
		return no("the page is empty")
	}
	object = in.say(object)
	if m := toward.FindStringSubmatch(object); m != nil {
		shown := func(it *accessibility.Item) bool { return text(it) != "" && it.Ref != root }
		if f := q.page.find(m[1], shown); f.fit >= allWords || f.one() {
			return q.page.choice(m[1], f, "scrollIntoView")
		}
	}
	at := 0
	if rest := strings.Join(strings.Fields(ends.ReplaceAllString(noise.ReplaceAllString(object, " "), " ")), " "); rest != "" {
		scrollable := func(it *accessibility.Item) bool { return it.ScrollY.Set && it.Ref != root }
		f := q.page.find(rest, scrollable)
		if !f.one() {
			if m := scrolls.FindStringSubmatch(object); m != nil && m[1] != "" {
				shown := func(it *accessibility.Item) bool { return text(it) != "" }
				return q.page.choice(rest, q.page.find(rest, shown), "scrollIntoView")
			}
			return q.page.choice(rest, f, "scrollTo")
		}
		at = f.items[0]
	}
	if m := pixels.FindStringSubmatch(object); m != nil {
		y := m[1]
		if strings.Contains(strings.ToLower(object), " up") {
			y = "-" + y
		}
		return q.page.do(at, "scrollByPixelOffset", "0", y)
	}
	if m := percent.FindStringSubmatch(object); m != nil {
		return q.page.do(at, "scrollTo", m[1]+"%")
	}
	to := map[string]string{"top": "0%", "start": "0%", "beginning": "0%", "bottom": "100%", "end": "100%", "middle": "50%", "halfway": "50%"}
	words := ends.FindAllString(strings.ToLower(object), -1)
	for _, w := range words {
		if to[w] != "" {
			return q.page.do(at, "scrollTo", to[w])
		}
	}
	if len(words) > 0 && words[0] == "up" {
		return q.page.do(at, "prevChunk")
	}
	return q.page.do(at, "nextChunk")
}

// option chooses an option that only one list has; nil if none has it.
func (q *question) option(phrase string) *answer {
	var found finding
	label := ""
	for i := range q.page.items {
		it := &q.page.items[i]
		if !choosable(it) {
			continue
		}
		for _, o := range it.OptionLabels() {
			switch n := nameFit(splitWords(phrase), splitWords(o)); {
			case n < nearly || n < found.fit:
			case n > found.fit:
				found, label = finding{n, []int{i}}, o
			case o != label && contains(found.items, i):
				return no("ambiguous, %s has %q and %q", describe(it), label, o)
			case !contains(found.items, i):
				found.items = append(found.items, i)
			}
		}
	}
	if len(found.items) == 0 {
		return nil
	}
	return q.page.choice(fmt.Sprintf("%s in …", label), found, "selectOption", label)
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

var with = regexp.MustCompile(`(?i) (?:with|to|as|by|=) |\s*[:=] `)

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
