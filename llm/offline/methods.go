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

const knownVerbs = "click, double click, right click, hold, hover, type … into …, fill … with …, choose … in …, check, uncheck, expand, collapse, clear, remove, sort by, press a key, upload … to …, drag … to …, scroll, focus, search for"

func starts(words string) *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:` + words + `) (.+)$`) }

// It is set here because the actions use find, which nothing in this table may depend on.
func init() {
	verbs = []verb{
		{starts(`double[- ]?click(?: on)?`), simple("doubleClick")},
		{starts(`triple[- ]?click(?: on)?`), simple("tripleClick")},
		{starts(`right[- ]?click(?: on)?|open (?:the )?context menu (?:of|on|for)`), simple("click", "right")},
		{starts(`middle[- ]?click(?: on)?`), simple("click", "middle")},
		{starts(`expand|unfold`), disclose(accessibility.On)},
		{starts(`collapse|fold`), disclose(accessibility.Off)},
		{starts(`sort(?: (?:the )?(?:table|list|rows|results|column|items))?(?: by)?`), sortBy},
		{starts(`remove|delete`), remove},
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

// disclose opens or closes what can be opened: its state has to be the other one.
// A tree's item is opened by its own toggle or, as the ARIA practices have it for
// trees, by an arrow key: a click on it selects.
func disclose(to accessibility.Tristate) func(*question, *instruction, string) *answer {
	return func(q *question, in *instruction, object string) *answer {
		phrase := in.say(object)
		f := q.page.find(phrase, func(it *accessibility.Item) bool {
			return usable(it) && it.States.Expanded != accessibility.Unset
		})
		if !f.one() {
			if g := q.page.find(phrase, usable); len(f.items) == 0 && g.one() && q.page.items[g.items[0]].Role == "treeitem" {
				return no("%s holds nothing that could be opened", describe(&q.page.items[g.items[0]]))
			}
			return q.page.choice(phrase, f, "click")
		}
		i := f.items[0]
		it := &q.page.items[i]
		if it.States.Expanded == to {
			return no("%s is %s already", describe(it), map[accessibility.Tristate]string{accessibility.On: "expanded", accessibility.Off: "collapsed"}[to])
		}
		if it.Role != "treeitem" {
			return q.page.do(i, "click").fits(f.fit)
		}
		for _, j := range q.page.children(i) {
			if pressed[q.page.items[j].Role] && q.page.items[j].Role != "treeitem" && toggles.MatchString(q.page.items[j].Name) {
				return q.page.do(j, "click").fits(f.fit)
			}
		}
		return q.page.do(i, "press", map[accessibility.Tristate]string{accessibility.On: "ArrowRight", accessibility.Off: "ArrowLeft"}[to]).fits(f.fit)
	}
}

// toggles are the names of the button that opens and closes the item around it.
var toggles = regexp.MustCompile(`(?i)^(?:expand|collapse|toggle|open|close)?$`)

// direction says which way something is sorted. One press sorts, and does not say which way.
var direction = regexp.MustCompile(`(?i)[ ,]+(?:in )?(?:ascending|descending|asc|desc|reverse)(?: order)?$`)

// sortBy presses what sorts by a name, or chooses it in the one list that has it.
func sortBy(q *question, in *instruction, object string) *answer {
	phrase := in.say(object)
	if a := q.option(phrase); a != nil {
		return a
	}
	if direction.MatchString(phrase) {
		return no("one press sorts, and does not say in which direction: say \"sort by %s\", and look", direction.ReplaceAllString(phrase, ""))
	}
	f := q.page.find(phrase, func(it *accessibility.Item) bool { return usable(it) && it.Role == "columnheader" })
	if len(f.items) == 0 {
		f = q.page.find(phrase, func(it *accessibility.Item) bool { return usable(it) && (pressed[it.Role] || it.Role == "link") })
	}
	return q.page.choice(phrase, f, "click")
}

// remove presses the button of that name in the entry that the phrase names. The
// button of another entry, or of what holds them all, is none.
func remove(q *question, in *instruction, object string) *answer {
	phrase := in.say(object)
	if f := q.page.find(in.say(in.text), usable); f.one() && f.fit >= inOrder {
		return q.page.do(f.items[0], "click").fits(f.fit)
	}
	var found finding
	for _, i := range q.page.anchors(phrase).items {
		for i >= 0 && !entries[q.page.items[i].Role] {
			i = q.page.items[i].Parent
		}
		if i < 0 {
			continue
		}
		for _, name := range []string{"Remove", "Delete"} {
			f := q.page.named(name, i, q.page.end[i], func(it *accessibility.Item) bool { return usable(it) && (pressed[it.Role] || it.Role == "link") })
			for _, j := range f.atLeast(inOrder).items {
				if !slices.Contains(found.items, j) {
					found.items, found.fit = append(found.items, j), max(found.fit, f.fit)
				}
			}
		}
	}
	if len(found.items) == 0 {
		return no("nothing on the page removes %q (%s)", phrase, honest)
	}
	return q.page.choice(phrase, found, "click")
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
		return q.page.pressText(phrase, "click")
	}
	return q.page.choice(phrase, f, "click")
}

var onto = regexp.MustCompile(`(?i) (?:and drop (?:it )?)?(?:onto|into|to|on|over|before|after) `)

// byPixels is a drag by a distance: "the slider 100 pixels to the right", "it by 30, -20 pixels".
var (
	byPixels = regexp.MustCompile(`(?i)^(.+?) (?:by )?(\d{1,5}) ?(?:px|pixels?) (?:to the |to )?(left|right|up|down)(?:wards?)?$`)
	toPixels = regexp.MustCompile(`(?i)^(.+?) (?:to the |to )?(left|right|up|down)(?:wards?)? (?:by )?(\d{1,5}) ?(?:px|pixels?)$`)
	atPixels = regexp.MustCompile(`(?i)^(.+?) by (-?\d{1,5}) ?(?:,| and | by ) ?(-?\d{1,5}) ?(?:px|pixels?)$`)
)

// offset reads a drag by a distance: what is dragged, and how far.
func offset(object string) (what, x, y string, ok bool) {
	if m := atPixels.FindStringSubmatch(object); m != nil {
		return m[1], m[2], m[3], true
	}
	m := byPixels.FindStringSubmatch(object)
	if m == nil {
		if m = toPixels.FindStringSubmatch(object); m == nil {
			return "", "", "", false
		}
		m[2], m[3] = m[3], m[2]
	}
	switch strings.ToLower(m[3]) {
	case "left":
		return m[1], "-" + m[2], "0", true
	case "right":
		return m[1], m[2], "0", true
	case "up":
		return m[1], "0", "-" + m[2], true
	}
	return m[1], "0", m[2], true
}

func drag(q *question, in *instruction, object string) *answer {
	shown := func(it *accessibility.Item) bool { return text(it) != "" }
	if what, x, y, ok := offset(in.say(object)); ok {
		f := q.page.find(what, usable)
		if len(f.items) == 0 {
			f = q.page.find(what, shown)
		}
		return q.page.choice(what, f, "dragByPixelOffset", x, y)
	}
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
	best, at := finding{}, pair{}
	for _, p := range in.split(object, into) { // a file's name, or a field's, may hold a connection
		f := q.page.find(p.right, field)
		if f.one() && (!best.one() || f.fit > best.fit) {
			best, at = f, p
		} else if !best.one() {
			said = q.page.choice(p.right, f, "setInputFiles")
		}
	}
	if best.one() {
		return q.page.do(best.items[0], "setInputFiles", series(at.left)...)
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
		f := q.page.field(phrase, field)
		if !f.one() {
			return q.page.choice(phrase, f, "fill")
		}
		return q.page.give(f.items[0], in.say(m[2])).fits(f.fit)
	}
	pairs := in.split(object, with)
	best, at := noFit, -1
	for i, p := range pairs {
		// The first connection counts where several fit: the value comes last.
		if f := q.page.field(p.left, field); f.fit >= best && f.one() {
			best, at = f.fit, i
		}
	}
	if at >= 0 {
		f := q.page.field(pairs[at].left, field)
		if it := &q.page.items[f.items[0]]; it.Role == "combobox" && closed(it) && !strings.HasPrefix(strings.ToLower(in.text), "fill") {
			return q.fromClosed(f.items[0], pairs[at].right)
		}
		return q.page.give(f.items[0], pairs[at].right).fits(f.fit)
	}
	if a := q.into(in.split(object, into), false, field); a != nil {
		return a
	}
	if len(pairs) == 0 {
		return no("say what to fill in, as \"fill %s with …\"", in.say(object))
	}
	return q.page.noField(pairs[len(pairs)-1].left)
}

// quotedValue is a value in quotes with words behind it.
var quotedValue = regexp.MustCompile(`(?i)^(.+?) (?:with|to|as|by|=) ([\x{e000}-\x{e0ff}]) (?:in|of|on|at|inside|within|under|for) (.+)$`)

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
		if f := q.page.within(phrase, func(it *accessibility.Item) bool { return offered[it.Role] || checkable(it) }).atLeast(inOrder); q.done == 0 && f.one() && q.page.offeredBy(list, f.items[0]) {
			return q.page.natural(f.items[0]).fits(f.fit)
		}
		a := q.fromClosed(list, wanted)
		a.final = true
		return a
	}
	if q.done > 0 && len(q.added) > 0 && said == nil && len(pairs) > 0 {
		// The popup that the action before has opened hides the list itself.
		return q.fromOpened(pairs[0].right, true, pairs[0].left, func() *answer { return nil })
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
