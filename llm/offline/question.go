package offline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

const (
	provider = "offline"
	name     = "offline/words"
	honest   = "this is a word matcher and no language model"
)

// A question is what a request asks, taken apart.
type question struct {
	instruction string
	page        *page
	of          *instruction               // the part of the instruction that is meant; nil: all of it
	most        int                        // how many actions may be done; 0: as many as the engine does
	done        int                        // how many actions were done for the instruction
	added       map[accessibility.Ref]bool // what the last of them added to the page
}

func read(req *llm.Request) (*question, error) {
	switch req.Purpose {
	case llm.PurposeAct, llm.PurposeObserve, llm.PurposeExtract:
	default:
		return nil, failed(llm.KindUnsupported, "%s; it answers act, observe and extract, and not %q. Use a real model for this", honest, req.Purpose)
	}
	if len(req.Tools) > 0 {
		return nil, failed(llm.KindUnsupported, "%s and cannot call tools", honest)
	}
	if req.Schema == nil {
		return nil, failed(llm.KindUnsupported, "%s and answers only in the form of a schema", honest)
	}
	q := &question{}
	for _, m := range req.Messages {
		for _, part := range m.Parts {
			switch p := part.(type) {
			case llm.Instruction:
				q.instruction = p.Text
			case llm.Page:
				switch p.Kind {
				case "outline":
					outline, err := accessibility.ParseOutline(p.Text)
					if err != nil {
						return nil, &llm.Error{Provider: provider, Kind: llm.KindInvalid, Message: err.Error(), Err: err}
					}
					q.page = newPage(outline)
				case "changes":
					q.done, q.added = max(q.done, 1), addedRefs(p.Text)
				}
			case llm.Text:
				if m := doneSoFar.FindStringSubmatch(p.Text); m != nil {
					q.done, _ = strconv.Atoi(m[1])
				}
			case llm.Image:
				return nil, failed(llm.KindUnsupported, "%s and cannot look at pictures", honest)
			}
		}
	}
	if q.page != nil {
		q.page.own = splitWords(q.instruction)
	}
	if q.page == nil {
		return nil, failed(llm.KindUnsupported, "%s and needs the outline of a page", honest)
	}
	if len(words(q.instruction)) == 0 {
		return nil, failed(llm.KindInvalid, "the instruction has no words")
	}
	return q, nil
}

func failed(kind llm.ErrorKind, format string, args ...any) error {
	return &llm.Error{Provider: provider, Kind: cmp.Or(kind, llm.KindInvalid), Message: fmt.Sprintf(format, args...)}
}

// fits holds an answer against its schema, so that what could not be filled is
// said here, in words that name the reason.
func fits(s *llm.ResponseSchema, text []byte) error {
	form, err := schema.Parse(s.Schema)
	if err != nil {
		return &llm.Error{Provider: provider, Kind: llm.KindInvalid, Message: "the schema is none: " + err.Error(), Err: err}
	}
	if err := form.Validate(text); err != nil {
		return &llm.Error{Provider: provider, Kind: llm.KindSchema, Err: err,
			Message: "the page's words do not fill the schema (" + honest + "): " + err.Error()}
	}
	return nil
}

// doneSoFar is how the engine says what came before.
var doneSoFar = regexp.MustCompile(`^Actions done so far: (\d)\.`)

var addedLine = regexp.MustCompile(`(?m)^\+ +\[([0-9]+-[0-9]+)\]`)

// addedRefs are the elements that changes name as new.
func addedRefs(changes string) map[accessibility.Ref]bool {
	out := map[accessibility.Ref]bool{}
	for _, m := range addedLine.FindAllStringSubmatch(changes, -1) {
		out[accessibility.Ref(m[1])] = true
	}
	return out
}

// actions are those that an instruction asks about, in the order of the page.
func (q *question) actions() []*answer {
	in := parseInstruction(q.instruction)
	rest := asking.ReplaceAllString(in.text, "")
	phrase := copula.ReplaceAllString(in.say(rest), " ")
	if onlyOf(distinctive(words(phrase)), everything) {
		return q.all(usable, 0, len(q.page.items))
	}
	if found := q.ofKind(phrase); len(found) > 0 {
		return found
	}
	var out []*answer
	f := q.page.find(phrase, usable)
	for _, i := range f.items {
		out = append(out, q.page.usual(i))
	}
	if len(out) == 0 {
		if a := (&question{instruction: q.instruction, page: q.page}).act(); a.Found {
			out = append(out, a)
		}
	}
	return out
}

// ofKind lists what is of a kind, as "the buttons of the cart", "links".
func (q *question) ofKind(phrase string) []*answer {
	from, to := 0, len(q.page.items)
	for _, at := range append(containerWord.FindAllStringIndex(phrase, 1), []int{len(phrase), len(phrase)}) {
		k, narrow, ok := kindWords(phrase[:at[0]])
		if !ok {
			continue
		}
		if outer := strings.TrimSpace(phrase[at[1]:]); outer != "" && !onlyOf(distinctive(words(outer)), everything) {
			f := q.page.anchors(outer)
			i := q.page.part(f)
			if i < 0 {
				return nil
			}
			from, to = i, q.page.end[i]
		}
		return q.all(func(it *accessibility.Item) bool {
			return usable(it) && k(it) && (narrow == "" || nameFit(splitWords(narrow), splitWords(it.Name)) >= allWords)
		}, from, to)
	}
	return nil
}

func (q *question) all(want func(*accessibility.Item) bool, from, to int) []*answer {
	var out []*answer
	for i := from; i < to; i++ {
		if it := &q.page.items[i]; it.Omitted == nil && want(it) && !it.States.Disabled {
			out = append(out, q.page.usual(i))
		}
	}
	return out
}

// observe lists the actions that an instruction asks about.
func (q *question) observe() any {
	type item struct {
		Ref         string   `json:"ref"`
		Description string   `json:"description"`
		Method      string   `json:"method"`
		Arguments   []string `json:"arguments"`
	}
	out := struct {
		Actions []item `json:"actions"`
	}{[]item{}}
	for _, a := range q.actions() {
		for _, b := range append([]*answer{a}, a.then...) {
			if b.Found {
				out.Actions = append(out.Actions, item{b.Ref, b.Description, b.Method, b.Arguments})
			}
		}
	}
	return out
}

// series takes apart an instruction whose verb is said once: "type a into One
// and b into Two". Each part must be one by itself; nil where that is not so.
// doubt reports that a value would hold what reads as a further part, of which
// the page has no field.
func (q *question) series(in *instruction) (out []*instruction, doubt bool) {
	verb, last := fieldLast.FindString(in.text), true
	if verb == "" {
		verb, last = fieldFirst.FindString(in.text), false
	}
	if tick := ticking.FindString(in.text); tick != "" {
		verb, last = tick, true
	}
	text := in.text[len(verb):]
	cuts := append(enumeration.FindAllStringIndex(text, -1), []int{len(text), len(text)})
	if verb == "" || len(cuts) < 2 || len(cuts) > 2*cmp.Or(q.most, mostActions)+4 {
		return nil, false
	}
	part := func(from, to int) *instruction {
		s := verb + strings.TrimSpace(text[from:to])
		return &instruction{text: s, raw: s, quotes: in.quotes}
	}
	whole := func(from, to int) bool {
		if strings.TrimSpace(text[from:to]) == "" {
			return false
		}
		a := q.single(part(from, to))
		return a.Found && a.fit >= nearly
	}
	begin := func(i int) int {
		if i == 0 {
			return 0
		}
		return cuts[i-1][1]
	}
	start := 0 // of the last part
	for i := 0; i < len(cuts); {
		// A name or a value may hold "and": the first end with which it is a part counts.
		end := i
		for end < len(cuts) && !whole(begin(i), cuts[end][0]) {
			end++
		}
		switch {
		case end < len(cuts):
			start = begin(i)
			out = append(out, part(start, cuts[end][0]))
			doubt = doubt || last && len(toField.FindAllString(text[start:cuts[end][0]], 2)) > 1
			i = end + 1
		case last || len(out) == 0:
			return nil, false
		default: // "One with bread, butter": the value continues
			out[len(out)-1] = part(start, cuts[i][0])
			doubt = doubt || withValue.MatchString(text[begin(i):cuts[i][0]])
			i++
		}
	}
	if doubt || len(out) < 2 {
		return nil, doubt
	}
	return out, false
}

// act chooses the action that carries out the instruction. One that asks for
// several things is done in order, or refused before the first.
func (q *question) act() *answer {
	in := cmp.Or(q.of, parseInstruction(q.instruction))
	parts, certain := in.parts()
	if len(parts) == 0 {
		whole := q.single(in)
		if whole.Method == "selectOption" && len(whole.Arguments) > 1 {
			return whole
		}
		var doubt bool
		if parts, doubt = q.series(in); doubt {
			return no("%q reads as several values, and not all of their fields are on the page; put quotes around a text that is one", in.say(in.text))
		}
		if parts == nil {
			return whole
		}
	}
	if q.done > 0 {
		return q.part(parts, min(q.done, len(parts)-1))
	}
	plan, why := q.plan(parts)
	whole := q.single(in)
	named := whole.Found && len(whole.Arguments) == 0 && whole.fit == same
	switch {
	case why != nil && named:
		return whole
	case why != nil && whole.Found && !certain && len(whole.Arguments) == 0 && whole.fit >= allWords:
		return whole
	case why != nil:
		return why
	case named && nameFit(splitWords(in.say(in.text)), splitWords(text(q.item(whole.Ref)))) == same:
		return no("%s says the whole instruction, and what it says can be done as well; say \"click …\" with its name in quotes, or one thing at a time", describe(q.item(whole.Ref)))
	case named:
		return whole
	case whole.Found && len(whole.Arguments) > 0 && plan[0].fit < nearly:
		return no("%q can be read as one thing or as %d; put quotes around the text that is meant", in.say(in.text), len(parts))
	}
	first := plan[0]
	first.More, first.then = true, plan[1:]
	return first
}

// at is the index of an element; that of the document where it is not on the page.
func (q *question) at(ref string) int {
	return max(0, slices.IndexFunc(q.page.items, func(it accessibility.Item) bool { return string(it.Ref) == ref }))
}

func (q *question) item(ref string) *accessibility.Item { return &q.page.items[q.at(ref)] }

// part is the action for one of several parts, after those before it were done.
func (q *question) part(parts []*instruction, n int) *answer {
	within := *q
	within.done = q.done - n
	a := within.single(parts[n])
	if a.Found && a.Method == "press" && n > 0 && !strings.Contains(a.Description, " in ") {
		a = q.keyAfter(parts[n-1], a)
	}
	if a.Found && n+1 < len(parts) {
		a.More = true
	}
	if !a.Found {
		a.Reason = "the first " + numeral(q.done) + " done, and then: " + a.Reason
	}
	return a
}

// keyAfter has a key that names no element pressed in the field that was filled before.
func (q *question) keyAfter(before *instruction, key *answer) *answer {
	if i := q.at(key.Ref); i != 0 {
		return key // the focus says where
	}
	fresh := *q
	fresh.done = 0
	if a := fresh.single(before); a.Found && editable(q.item(a.Ref)) {
		return q.page.do(q.at(a.Ref), "press", key.Arguments...)
	}
	return key
}

// plan finds the action for each part on the page as it is. why is the refusal
// of the whole where one of them cannot be done.
func (q *question) plan(parts []*instruction) (plan []*answer, why *answer) {
	steps := 0
	for i, part := range parts {
		a := q.single(part)
		last := i == len(parts)-1
		switch {
		case !a.Found && last && i > 0 && q.opens(plan[i-1]):
			// What opens may hold it.
		case !a.Found:
			return nil, no("it asks for %d things, and %q cannot be done on this page: %s. Nothing was done; give one instruction at a time", len(parts), part.say(part.text), a.Reason)
		case a.More && !last:
			return nil, no("%q takes more than one action, and more is to follow. Nothing was done; give one instruction at a time", part.say(part.text))
		}
		for _, b := range plan {
			if b.Method == "selectOption" && a.Method == b.Method && a.Ref == b.Ref {
				return nil, no("the options of one list are chosen at once: \"choose A and B in C\"")
			}
		}
		if plan = append(plan, a); a.More {
			steps++
		}
		steps++
	}
	if most := cmp.Or(q.most, mostActions); steps > most {
		return nil, no("it asks for %d actions, and one instruction takes at most %d. Nothing was done; give them in turn", steps, most)
	}
	return plan, nil
}

// opens reports whether an action opens something that holds more.
func (q *question) opens(a *answer) bool {
	it := q.item(a.Ref)
	return a.Method == "click" && opener(it)
}

// views are verbs for which a link that is called as the thing itself is meant.
var views = set("open", "view", "see", "show", "visit")

// entity finds the control for a step that names a thing instead of a control:
// "cancel the order 1003" is the button Cancel in what says 1003. Every word
// of the step must be in the button's name, in the part of the page that it
// stands in, or, for what all parts of that kind have in common, in a heading.
func (q *question) entity(in *instruction) *answer {
	phrase := in.say(in.text)
	wanted := exact(words(phrase))
	if len(wanted) < 2 {
		return no("nothing on the page is named %q", phrase)
	}
	var best []int
	names, size := 0, 0
	for i := range q.page.items {
		it := &q.page.items[i]
		if !usable(it) || editable(it) || choosable(it) || it.States.Disabled {
			continue
		}
		said := exact(words(text(it)))
		named := len(said) > 0 && subset(said, wanted, equal) && !contrary(words(phrase), words(text(it)))
		if !named || !slices.Contains(said, wanted[0]) && !(views[wanted[0]] && it.Role == "link") {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(wanted), func(w string) bool {
			return slices.Contains(said, w) || views[w] && it.Role == "link"
		})
		n, ok := q.partAround(i, rest)
		if !ok {
			continue
		}
		switch {
		case len(said) > names || len(said) == names && n < size:
			best, names, size = []int{i}, len(said), n
		case len(said) == names && n == size:
			best = append(best, i)
		}
	}
	switch len(best) {
	case 0:
		return no("nothing on the page does %q", phrase)
	case 1:
		return q.page.do(best[0], "click").fits(allWords)
	}
	return no("ambiguous, the candidates for %q are %s", phrase, q.page.candidates(best))
}

// partAround finds the smallest part of the page around a control that says
// the words, and how much it holds. A part with a second control of that name
// is none.
func (q *question) partAround(i int, rest []string) (int, bool) {
	p := q.page
	own := text(&p.items[i])
	for at := i; at >= 0 && p.items[at].Depth > 0; at = p.items[at].Parent {
		for j := at; j < p.end[at]; j++ {
			if it := &p.items[j]; j != i && usable(it) && !it.States.Disabled && text(it) == own && it.Role == p.items[i].Role {
				return 0, false
			}
		}
		said := words(p.allText(at))
		here, whole := 0, true
		for _, w := range rest {
			switch {
			case slices.Contains(said, w):
				here++
			case particular(w) || !q.common(w, i):
				whole = false
			}
		}
		if whole && (here > 0 || len(rest) == 0) {
			return p.end[at] - at, true
		}
	}
	return 0, false
}

// particular reports a word that tells one thing from another of its kind: a number.
func particular(w string) bool { return strings.IndexFunc(w, unicode.IsDigit) >= 0 }

// common reports whether a word is what the page, or a part of it around an
// element, is called: "order" where the heading is "Orders".
func (q *question) common(w string, i int) bool {
	for j := range q.page.items {
		it := &q.page.items[j]
		around := j <= i && i < q.page.end[j]
		title := headings[it.Role] || it.Heading > 0 || it.Role == "row" && it.Header || around && text(it) != "" || it.States.Current != ""
		if !title || it.Omitted != nil {
			continue
		}
		for _, v := range words(text(it)) {
			if stem(v) == stem(w) {
				return true
			}
		}
	}
	return false
}

// confirming finds the button that confirms in a dialog which a step has opened.
func (q *question) confirming(in *instruction) *answer {
	wanted := words(in.say(in.text))
	for i := range q.page.items {
		it := &q.page.items[i]
		if it.Role != "dialog" && it.Role != "alertdialog" || !q.added[it.Ref] && !it.States.Modal {
			continue
		}
		var found []int
		for j := i + 1; j < q.page.end[i]; j++ {
			b := &q.page.items[j]
			if editable(b) || choosable(b) {
				return nil // it asks for more than a yes
			}
			said := words(text(b))
			if b.Role != "button" || len(said) == 0 || b.States.Disabled {
				continue
			}
			if set("yes", "ok", "confirm", "continue")[said[0]] || said[0] == wanted[0] && subset(exact(said), append([]string{"it"}, wanted...), equal) {
				found = append(found, j)
			}
		}
		if len(found) == 1 {
			return q.page.do(found[0], "click").fits(nearly)
		}
	}
	return nil
}

var more = set("next page", "load more", "show more", "more results", "older", "view more")

// concluding are words that ask for more than reading. To pass over them would
// give a text that is not what was asked for.
var concluding = regexp.MustCompile(`(?i)\b(?:cheapest|cheaper|dearest|most expensive|less than|more than|greater than|fewer than|larger than|smaller than|at least|at most|average|except|only those|sort(?:ed)?|order(?:ed)? by|newest|oldest|highest|lowest|biggest|smallest|best|worst|summari[sz]e|translate|compare)\b`)

var getting = regexp.MustCompile(`(?i)^(?:extract|get|read|find|give me|tell me|show me|return|list|what (?:is|are|does)|how (?:much|many)(?: is| are)?|which|collect)\b *(?:me |all |every |each )*(?:of )?(?:the )?`)

// ofPage is what a question about the page itself ends with.
var ofPage = regexp.MustCompile(`(?i) (?:of|on) (?:the |this )?(?:page|document|site)$`)

// extract quotes the one text of the page that an instruction names. Data in the
// form of a schema is never asked of a matcher: the engine reads what the page's
// markup structures, and leaves the rest open.
func (q *question) extract(form []byte) (any, error) {
	var asked struct {
		Properties map[string]struct{ Type string }
	}
	if err := json.Unmarshal(form, &asked); err != nil {
		return nil, failed(llm.KindInvalid, "the schema is no JSON object: %v", err)
	}
	if len(asked.Properties) != 1 || asked.Properties["extraction"].Type != "string" {
		return nil, failed(llm.KindUnsupported, "%s and does not fill schemas: Extract with a schema reads what the page's own markup structures without a model; for the rest use a real model", honest)
	}
	in := parseInstruction(q.instruction)
	if m := concluding.FindString(in.say(in.text)); m != "" {
		return nil, failed(llm.KindUnsupported, "%s and cannot do what %q asks for; ask for the data as it stands, and conclude yourself, or use a real model", honest, m)
	}
	wanted := in.say(getting.ReplaceAllString(in.text, ""))
	at, said, ok := q.page.quote(wanted)
	if !ok {
		return nil, failed(llm.KindRefusal, "%s, and found no one text on the page under the words %q", honest, wanted)
	}
	if why := q.page.cutOff(at, said); why != "" {
		return nil, failed(llm.KindRefusal, "%s, and %s; look at a part of the page, or raise the limit", honest, why)
	}
	return map[string]any{"extraction": said}, nil
}

// login fills in a login and sends it, one call a stage; on a page without the
// fields it opens the login first.
//
// What was filled in before is known by its refs, since a field may hide its value.
func (q *question) login(l login, before map[accessibility.Ref]bool) *answer {
	user, password := -1, -1
	for i := range q.page.items {
		it := &q.page.items[i]
		if !editable(it) || it.Role != "textbox" && it.Role != "searchbox" {
			continue
		}
		label := text(it) + " " + it.Placeholder + " " + it.Description + " " + q.page.before(i)
		switch {
		case passwordField.MatchString(label):
			if password >= 0 {
				return no("two fields ask for a password, %s; say which", q.page.candidates([]int{password, i}))
			}
			password = i
		case userField.MatchString(label):
			if password < 0 || user < 0 {
				user = i
			}
		}
	}
	filled := func(i int) bool { return i < 0 || before[q.page.items[i].Ref] }
	switch {
	case user < 0 && password < 0:
		if q.done >= 2 {
			return no("no fields for a login are on the page")
		}
		a := q.button(loginNames, -1)
		a.More = a.Found
		return a
	case password < 0 && l.password != "" && filled(user):
		a := q.button(slices.Concat(goOnNames, loginNames), user)
		a.More = a.Found
		return a
	case filled(user) && filled(password):
		return q.button(slices.Concat(loginNames, goOnNames), max(user, password))
	case q.done > mostActions+1:
		return no("the login does not take what is filled in")
	}
	a := &answer{Found: true, Method: "form", More: true, Arguments: []string{}}
	if user >= 0 && l.user != "" && !filled(user) {
		a.fields = append(a.fields, formField{string(q.page.items[user].Ref), l.user})
	}
	if password >= 0 && l.password != "" {
		a.fields = append(a.fields, formField{string(q.page.items[password].Ref), l.password})
	}
	if password >= 0 && l.password == "" || user >= 0 && l.user == "" && q.page.items[user].Value == "" {
		return no("the task does not say all that the login asks for")
	}
	return a
}

// button finds the button or link of one of several names, the first that is
// there; near an element where that is not negative.
func (q *question) button(names []string, near int) *answer {
	press := func(it *accessibility.Item) bool {
		return usable(it) && (it.Role == "button" || it.Role == "link") && !it.States.Disabled
	}
	for at := near; at >= 0; at = q.page.items[at].Parent {
		for _, name := range names {
			if f := q.page.named(name, at, q.page.end[at], press); f.fit == same && f.one() {
				return q.page.do(f.items[0], "click").fits(same)
			}
		}
	}
	for _, name := range names {
		if f := q.page.named(name, 0, len(q.page.items), press); f.fit >= nearly && len(f.items) > 0 && near < 0 {
			return q.page.do(f.items[0], "click").fits(f.fit)
		}
	}
	return no("no button of a login is on the page")
}

// into gives the value on the left to the field on the right that fits best;
// nil if none does.
func (q *question) into(pairs []pair, adds bool, field func(*accessibility.Item) bool) *answer {
	best, at, to := noFit, -1, -1
	for i, p := range pairs {
		if f := q.page.field(p.right, field); f.fit > best && f.one() {
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

// fromClosed chooses from a list that has to be opened first: it opens it,
// and says that more is to follow.
func (q *question) fromClosed(list int, wanted string) *answer {
	it := &q.page.items[list]
	if q.done == 0 {
		if f := q.page.offers(wanted, offered, nil); f.one() && it.States.Expanded == accessibility.On {
			return q.page.natural(f.items[0])
		}
		switch {
		case it.States.Disabled:
			return no("%s is disabled", describe(it))
		case len(series(wanted)) > 1:
			return no("%s has to be opened, and %q are several options; give one instruction for each", describe(it), wanted)
		case it.Role == "combobox" && it.States.Expanded == accessibility.Unset:
			return q.page.do(list, "fill", wanted).fits(nearly) // a field that suggests, and nothing opens
		}
		a := q.page.do(list, "click").fits(nearly)
		a.More = true
		return a
	}
	return q.fromOpened(describe(it), it.States.Expanded == accessibility.On, wanted, func() *answer {
		if it.Role != "combobox" || q.done != 1 {
			return nil
		}
		a := q.page.do(list, "fill", wanted).fits(nearly) // it suggests what fits
		a.More = true
		return a
	})
}

// fromOpened chooses from what the action before has shown: options that it added,
// or those of a list that says that it is open. Options of other lists are none. list
// is the opened one for people; else is what to do where it shows nothing.
func (q *question) fromOpened(list string, open bool, wanted string, otherwise func() *answer) *answer {
	only := q.added
	if open && len(only) == 0 {
		only = nil // it was open before, or its options are not said to be new
	} else if only == nil {
		only = map[accessibility.Ref]bool{}
	}
	f := q.page.offers(wanted, offered, only)
	if !f.one() {
		if g := q.page.offers(wanted, nil, q.added); q.added != nil && g.one() {
			f = g
		}
	}
	if f.one() {
		return q.page.natural(f.items[0])
	}
	if len(f.items) > 1 {
		return no("ambiguous, the candidates are %s", q.page.candidates(f.items))
	}
	var others []int
	for i := range q.page.items {
		if it := &q.page.items[i]; it.Omitted == nil && offered[it.Role] && (only == nil || only[it.Ref]) {
			others = append(others, i)
		}
	}
	if len(others) > 0 {
		return no("%s was opened, and has no option %q; what it shows is %s", list, wanted, q.page.candidates(others))
	}
	if a := otherwise(); a != nil {
		return a
	}
	if open {
		return no("%s is open, and nothing named %q is to be seen in it", list, wanted)
	}
	return no("%s was pressed and did not open: no option came. Try \"press ArrowDown in %s\"", list, list)
}

// listOf finds the closed list that an instruction such as "choose X in Y" names.
func (q *question) listOf(pairs []pair) (list int, wanted string) {
	best := noFit
	list = -1
	for _, p := range pairs {
		name := strings.TrimSpace(p.right)
		if f := q.page.find(name, closed); f.one() && f.fit >= allWords && f.fit > best {
			best, list, wanted = f.fit, f.items[0], p.left
		}
	}
	return list, wanted
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
		if a != nil && (a.Found || a.final) {
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
			case o != label && slices.Contains(found.items, i):
				return no("ambiguous, %s has %q and %q", describe(it), label, o)
			case !slices.Contains(found.items, i):
				found.items = append(found.items, i)
			}
		}
	}
	if len(found.items) == 0 {
		return nil
	}
	return q.page.choice(fmt.Sprintf("%s in …", label), found, "selectOption", label)
}
