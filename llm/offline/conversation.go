package offline

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// giveUp ends the task, and says what was done and what was not.
func (c *conversation) giveUp(why string) next {
	steps := clauses(c.task)
	criteria := c.criteria(steps, true)
	message := "Not done: " + why + "."
	if len(criteria) > 0 {
		message += fmt.Sprintf(" Before that, %d of %d steps were carried out.", len(criteria), len(steps))
	}
	return next{place{clause: len(steps), kind: ending}, "done", map[string]any{"success": false, "message": message, "criteria": criteria}}
}

// finish says that all steps were carried out, and on what that rests.
func (c *conversation) finish(steps []*instruction) next {
	message := fmt.Sprintf("All %d steps were carried out.", len(steps))
	if len(steps) == 1 {
		message = "The step was carried out."
	}
	for i := range c.calls {
		if is := &c.calls[i]; is.kind == reading && is.answered && !is.failed {
			message += " " + stepNumber.ReplaceAllString(is.result, "")
		}
	}
	return next{place{clause: len(steps), kind: ending}, "done", map[string]any{"success": true, "message": message, "criteria": c.criteria(steps, false)}}
}

// criteria names for each step the calls that carried it out. done leaves out
// steps that were not.
func (c *conversation) criteria(steps []*instruction, done bool) []any {
	out := []any{}
	for n, step := range steps {
		evidence, whole := []any{}, false
		for _, d := range c.done {
			if d.clause == n {
				whole = true
				evidence = append(evidence, map[string]any{"kind": "action", "step": d.step})
			}
		}
		shown := false // a step whose whole effect is on what is seen
		for i := range c.calls {
			is := &c.calls[i]
			if is.clause != n || !is.answered || is.failed || is.kind != acting && is.kind != beginning {
				continue
			}
			whole = true
			shown = shown || is.name == "scroll" || is.name == "hover"
			evidence = append(evidence, c.standing(is)...)
		}
		if !whole && done || shown && len(evidence) == 0 && len(steps) > 1 {
			continue
		}
		out = append(out, map[string]any{"criterion": step.say(step.text), "evidence": evidence})
	}
	return out
}

// standing is the evidence for a call that found things as they were to be:
// what stands on the page.
func (c *conversation) standing(is *called) []any {
	var to struct {
		Ref, Text, Value string
		Options          []string
		Fields           []formField
	}
	if json.Unmarshal(is.arguments, &to) != nil {
		return nil
	}
	switch {
	case is.name == "wait" && to.Value != "":
		return []any{map[string]any{"kind": "text", "text": to.Value}}
	case !strings.Contains(is.result, alreadySo):
		return nil
	case is.name == "fill":
		to.Fields = []formField{{to.Ref, to.Text}}
	case is.name == "select" && len(to.Options) == 1:
		to.Fields = []formField{{to.Ref, to.Options[0]}}
	}
	var out []any
	for _, f := range to.Fields {
		out = append(out, map[string]any{"kind": "value", "ref": f.Ref, "value": f.Value})
	}
	return out
}

// A conversation is what an agent's request says was asked, done and seen. All
// that the matcher has to know stands in it: its own calls say in their IDs
// what they were for.
type conversation struct {
	task      string
	variables []string // placeholders, as "%password%"
	tools     map[string]bool
	calls     []called
	done      []doneStep
	foreign   bool // another model's calls are among them
	lost      bool // what was done before is no longer in the conversation

	page  *page
	fresh bool // the page is as the newest outline says, and not put together from changes
	added map[accessibility.Ref]bool
}

// A called is one of the matcher's own calls with its answer.
type called struct {
	place
	name      string
	arguments json.RawMessage
	result    string
	failed    bool
	answered  bool
}

// A place is where in the task a call stands.
type place struct {
	clause, stage, attempt int
	kind                   string
}

// The kinds of calls.
const (
	acting    = "act"  // carries out the clause
	beginning = "more" // carries out a part of it
	looking   = "look" // asks for an outline, or waits
	pairing   = "pair" // carries out a clause and the one before it
	paging    = "page" // brings more of a list
	reading   = "read" // asks for what the clause wants to know
	ending    = "done"
)

// id writes the place, and the steps that were done by then: a long
// conversation loses its beginning.
func (p place) id(turn int, done []doneStep) string {
	id := fmt.Sprintf("w%d-%d-%d-%d-%s", turn, p.clause, p.stage, p.attempt, p.kind)
	for _, d := range done {
		id += fmt.Sprintf("_%d.%d", d.clause, d.step)
	}
	return id
}

// A doneStep is a step of the run that carried out a clause, or a part of it.
type doneStep struct{ clause, step int }

func doneSteps(id string) []doneStep {
	var out []doneStep
	for _, pair := range strings.Split(id, "_")[1:] {
		var d doneStep
		if n, err := fmt.Sscanf(pair, "%d.%d", &d.clause, &d.step); err == nil && n == 2 {
			out = append(out, d)
		}
	}
	return out
}

var placeID = regexp.MustCompile(`^w\d+-(\d+)-(\d+)-(\d+)-([a-z]+)(?:_\d+\.\d+)*$`)

func placeOf(id string) (place, bool) {
	m := placeID.FindStringSubmatch(id)
	if m == nil {
		return place{}, false
	}
	at := func(i int) int { n, _ := strconv.Atoi(m[i]); return n }
	return place{at(1), at(2), at(3), m[4]}, true
}

var (
	placeholder = regexp.MustCompile(`%[\w.-]+%`)
	stepNumber  = regexp.MustCompile(`^step (\d+): ?`)
)

// readConversation takes a request of an agent apart.
func readConversation(req *llm.Request) (*conversation, error) {
	c := &conversation{tools: map[string]bool{}}
	for _, t := range req.Tools {
		c.tools[t.Name] = true
	}
	var outline *accessibility.Outline
	begun := 0
	for i, m := range req.Messages {
		for _, part := range m.Parts {
			switch p := part.(type) {
			case llm.Instruction: // a new task, after those before it
				c.task, c.calls, c.done, c.foreign, begun = p.Text, nil, nil, false, i
			case llm.Text:
				if m.Role == llm.User && len(c.calls) == 0 {
					c.variables = append(c.variables, placeholder.FindAllString(p.Text, -1)...)
				}
			case llm.ToolCall:
				at, ok := placeOf(p.ID)
				c.foreign = c.foreign || !ok
				c.remember(doneSteps(p.ID)...)
				c.calls = append(c.calls, called{place: at, name: p.Name, arguments: p.Arguments})
			case llm.ToolResult:
				if p.Name == "outline" {
					if o := readOutline(stepNumber.ReplaceAllString(textOf(p.Parts), "")); o != nil {
						outline, c.fresh, c.added = o, true, nil
					}
				}
				c.answer(p)
			case llm.Page:
				switch p.Kind {
				case "outline":
					if o := readOutline(p.Text); o != nil {
						outline, c.fresh = o, true
						c.added = nil
					}
				case "changes":
					outline = withChanges(outline, p.Text)
					c.fresh, c.added = false, addedRefs(p.Text)
				}
			}
		}
	}
	c.lost = len(c.calls) == 0 && begun < len(req.Messages)-1
	if outline != nil {
		c.page = newPage(outline)
		c.page.own = splitWords(c.task)
	}
	if len(words(c.task)) == 0 {
		return nil, failed(llm.KindInvalid, "the task has no words")
	}
	return c, nil
}

// answer notes the result of the call that it belongs to.
func (c *conversation) answer(r llm.ToolResult) {
	at, ok := placeOf(r.ID)
	for i := len(c.calls) - 1; i >= 0 && ok; i-- {
		if is := &c.calls[i]; is.place == at && !is.answered {
			is.answered, is.failed, is.result = true, r.Error, textOf(r.Parts)
			if n := is.step(); n > 0 && !is.failed && (is.kind == acting || is.kind == beginning || is.kind == reading) && is.proves() {
				c.remember(doneStep{is.clause, n})
			}
			if n := is.step(); n > 0 && !is.failed && is.kind == pairing {
				c.remember(doneStep{is.clause - 1, n}, doneStep{is.clause, n})
			}
			return
		}
	}
}

// remember notes steps that were done, each once.
func (c *conversation) remember(steps ...doneStep) {
	for _, d := range steps {
		if !slices.Contains(c.done, d) {
			c.done = append(c.done, d)
		}
	}
}

// proves reports whether a call's step is evidence by itself: it has an effect,
// or an answer.
func (c *called) proves() bool {
	return c.name != "wait" && c.name != "scroll" && c.name != "hover" && !strings.Contains(c.result, alreadySo)
}

// alreadySo is how the engine says that an action found what it was to bring about.
const alreadySo = "it was so already"

func textOf(parts []llm.Part) string {
	var b strings.Builder
	for _, part := range parts {
		switch p := part.(type) {
		case llm.Text:
			b.WriteString(p.Text + "\n")
		case llm.Page:
			b.WriteString(p.Text + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

// readOutline reads an outline, also one with lines on the address before it.
func readOutline(text string) *accessibility.Outline {
	for text != "" && !strings.HasPrefix(text, "[") {
		_, rest, ok := strings.Cut(text, "\n")
		if !ok {
			return nil
		}
		text = rest
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	o, err := accessibility.ParseOutline(text)
	if err != nil || len(o.Items) == 0 {
		return nil
	}
	return o
}

// withChanges puts changes into an outline. What is new stands at its end, since
// changes do not say where it is; nil if the changes cannot be read.
func withChanges(o *accessibility.Outline, changes string) *accessibility.Outline {
	out := &accessibility.Outline{}
	if o != nil && !strings.Contains(changes, "another document\n") {
		out.Items = append(out.Items, o.Items...)
	}
	at := func(ref accessibility.Ref) int {
		for i := range out.Items {
			if out.Items[i].Ref == ref {
				return i
			}
		}
		return -1
	}
	base := 0
	if len(out.Items) > 0 {
		base = 1
	}
	for line := range strings.Lines(changes) {
		mark, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ok || len(mark) != 1 || !strings.Contains("+~-", mark) {
			continue
		}
		bare := strings.TrimLeft(rest, " ")
		read, err := accessibility.ParseOutline(bare + "\n")
		if err != nil || len(read.Items) != 1 {
			continue
		}
		it := read.Items[0]
		i := at(it.Ref)
		switch {
		case mark == "+":
			it.Depth = base + (len(rest)-len(bare))/2
			if n := len(out.Items); n > 0 {
				it.Depth = min(it.Depth, out.Items[n-1].Depth+1)
			}
			out.Items = append(out.Items, it)
		case i < 0:
		case mark == "~":
			it.Depth = out.Items[i].Depth
			out.Items[i] = it
		default:
			end := i + 1
			for end < len(out.Items) && out.Items[end].Depth > out.Items[i].Depth {
				end++
			}
			out.Items = append(out.Items[:i:i], out.Items[end:]...)
		}
	}
	again, err := accessibility.ParseOutline(out.String())
	if err != nil {
		return nil
	}
	return again
}

// stepOf is the number of the step that carried out a call; 0 if it is not known.
func (c *called) step() int {
	m := stepNumber.FindStringSubmatch(c.result)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// last is the newest call; nil before the first.
func (c *conversation) last() *called {
	if len(c.calls) == 0 {
		return nil
	}
	return &c.calls[len(c.calls)-1]
}

// failures counts the calls for a place that failed.
func (c *conversation) failures(clause, stage int) int {
	n := 0
	for i := range c.calls {
		if is := &c.calls[i]; is.failed && is.clause == clause && is.stage == stage {
			n++
		}
	}
	return n
}

// A next is the call that a turn makes.
type next struct {
	at        place
	name      string
	arguments map[string]any
}

// loginOf reads "log in as ada with the password %pw%".
func (c *conversation) loginOf(in *instruction) (login, bool) {
	m := loginClause.FindStringSubmatch(in.text)
	if m == nil {
		return login{}, false
	}
	l := login{in.say(strings.Trim(m[1], ",")), in.say(m[2])}
	for _, v := range c.variables {
		switch name := strings.ToLower(v); {
		case l.password == "" && (strings.Contains(name, "pass") || strings.Contains(name, "pw")):
			l.password = v
		case l.user == "" && (strings.Contains(name, "user") || strings.Contains(name, "mail") || strings.Contains(name, "login")):
			l.user = v
		}
	}
	return l, true
}

// mostPages is how often a step turns to the next page for what it names.
const mostPages = 5

// mostTries is how many calls for one step may fail before it is given up.
const mostTries = 2

// agent answers one turn of a task: the tool call that comes next.
func agent(req *llm.Request) (*llm.Response, error) {
	c, err := readConversation(req)
	if err != nil {
		return nil, err
	}
	last := len(c.tools) == 1 && c.tools["done"]
	if last { // what would come next, if there were steps left
		for _, name := range usedTools {
			c.tools[name] = true
		}
	}
	call := c.turn()
	if last && call.name != "done" {
		call = c.giveUp("there are no steps left")
	}
	if !c.tools[call.name] {
		return nil, failed(llm.KindUnsupported, "%s and needs the tool %q, which it is not given", honest, call.name)
	}
	if req.ToolChoice.Mode == llm.ToolNamed && req.ToolChoice.Name != call.name {
		return nil, failed(llm.KindUnsupported, "%s and cannot call %q here", honest, req.ToolChoice.Name)
	}
	arguments, err := json.Marshal(call.arguments)
	if err != nil {
		return nil, failed(llm.KindMalformed, "%v", err)
	}
	return &llm.Response{
		ToolCalls: []llm.ToolCall{{ID: call.at.id(len(c.calls)+1, c.done), Name: call.name, Arguments: arguments}},
		Stop:      llm.StopTools,
		Model:     name,
	}, nil
}

// usedTools are those that a turn may call.
var usedTools = []string{"act", "click", "fill", "type", "fillForm", "select", "press", "hover", "drag", "scroll", "upload", "navigate", "back", "forward", "reload", "wait", "outline", "extract"}

// turn decides what comes next, from what was called last and how it went.
func (c *conversation) turn() next {
	steps := clauses(c.task)
	if c.foreign {
		return c.giveUp("another model has begun this task, and " + honest)
	}
	if c.lost {
		return c.giveUp("what was done before is not in the conversation any more, and nothing is done twice")
	}
	if !c.tools["act"] && !c.tools["click"] {
		return c.giveUp("there is no tool to act with")
	}
	last := c.last()
	if last == nil {
		for _, step := range steps {
			if !imperative(step.text) && !c.names(step) {
				return c.giveUp(fmt.Sprintf("%s, and does not know what to do for %q; nothing was done", honest, step.say(step.text)))
			}
		}
		return c.step(steps, place{})
	}
	at := last.place
	switch {
	case last.kind == ending: // it could not be confirmed
		return c.doubted(steps, last.arguments)
	case last.failed && last.kind == looking:
		return c.step(steps, place{clause: at.clause, stage: at.stage, attempt: at.attempt})
	case last.failed && !untouched(last.result):
		return c.giveUp(fmt.Sprintf("step %d (%q) failed: %s", at.clause+1, said(steps, at.clause), brief(last.result)))
	case last.failed && c.failures(at.clause, at.stage) >= mostTries:
		return c.giveUp(fmt.Sprintf("step %d (%q) could not be carried out: %s", at.clause+1, said(steps, at.clause), brief(last.result)))
	case last.failed:
		return c.look(place{clause: at.clause, stage: at.stage, attempt: 1})
	case last.kind == looking || last.kind == paging:
		return c.step(steps, place{clause: at.clause, stage: at.stage, attempt: at.attempt})
	case last.kind == beginning:
		return c.step(steps, place{clause: at.clause, stage: at.stage + 1})
	case last.kind == pairing:
		return c.step(steps, place{clause: at.clause + 1})
	case last.kind == acting && at.clause < len(steps) && c.page != nil:
		// What a step opens may ask whether it is meant.
		q := c.question(steps[at.clause], 1)
		if a := q.confirming(steps[at.clause]); a != nil && at.stage < mostActions {
			return c.call(a, place{clause: at.clause, stage: at.stage + 1, kind: acting}, steps[at.clause])
		}
	}
	return c.step(steps, place{clause: at.clause + 1})
}

// names reports whether a step is a name that stands on the page.
func (c *conversation) names(step *instruction) bool {
	return c.page != nil && c.question(step, 0).single(step).Found
}

func said(steps []*instruction, i int) string {
	if i >= len(steps) {
		return "the end"
	}
	return steps[i].say(steps[i].text)
}

// doubted repeats what was claimed: the steps were carried out, and nothing more can
// be done to prove it. The run ends as unproven.
func (c *conversation) doubted(steps []*instruction, arguments json.RawMessage) next {
	var m map[string]any
	if json.Unmarshal(arguments, &m) != nil || m == nil {
		m = map[string]any{"message": "The task is over.", "criteria": []any{}}
	}
	if m["success"] == true {
		m["message"] = fmt.Sprint(m["message"], " What came of it could not be confirmed.")
	}
	return next{place{clause: len(steps), kind: ending}, "done", m}
}

// untouched reports a failure before which nothing was sent to the page, and
// that another look may mend.
func untouched(result string) bool {
	for _, final := range []string{"not known", "effect is unknown", "may have", "policy", "approv", "not allowed"} {
		if strings.Contains(result, final) {
			return false
		}
	}
	return true
}

const mostResultLetters = 300

func brief(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if len(s) > mostResultLetters {
		s = strings.ToValidUTF8(s[:mostResultLetters], "") + "…"
	}
	return s
}

func (c *conversation) question(step *instruction, done int) *question {
	return &question{instruction: c.task, page: c.page, done: done, added: c.added, most: 4 * mostActions, of: step}
}

// step is the call for a step of the task, or for the next way to find what it names.
func (c *conversation) step(steps []*instruction, at place) next {
	if at.clause >= len(steps) {
		return c.finish(steps)
	}
	step := steps[at.clause]
	if m := webAddress.FindStringSubmatch(step.say(step.text)); m != nil {
		at.kind = acting
		return next{at, "navigate", map[string]any{"url": m[1]}}
	}
	if tool := moves[strings.ToLower(step.text)]; tool != "" {
		at.kind = acting
		return next{at, tool, map[string]any{}}
	}
	if m := waitClause.FindStringSubmatch(step.text); m != nil {
		at.kind = acting
		return next{at, "wait", map[string]any{"for": "text", "value": step.say(m[1]), "seconds": 10}}
	}
	if asksFor.MatchString(step.text) && c.tools["extract"] && (c.page == nil || !c.names(step)) {
		at.kind = reading
		return next{at, "extract", map[string]any{"instruction": step.say(step.text)}}
	}
	if c.page == nil {
		if at.attempt > 0 {
			return c.giveUp("the page could not be read")
		}
		return c.look(place{clause: at.clause, stage: at.stage, attempt: 1})
	}
	if a := c.both(step, at); a != nil {
		at.clause, at.kind = at.clause+1, pairing
		return c.call(a, at, &instruction{text: step.joined, quotes: step.quotes})
	}
	a := c.decide(step, at)
	if a.Found {
		at.kind = acting
		if a.More {
			at.kind = beginning
		}
		return c.call(a, at, step)
	}
	// What is not there may come, or stand where the changes did not say.
	switch {
	case at.attempt == 0 && !c.fresh && c.tools["outline"]:
		return c.look(place{clause: at.clause, stage: at.stage, attempt: 1})
	case at.attempt <= 1 && c.tools["wait"]:
		return next{place{at.clause, at.stage, 2, looking}, "wait", map[string]any{"for": "quiet", "seconds": 5}}
	case at.attempt <= 2 && !c.fresh && c.tools["outline"]:
		return c.look(place{clause: at.clause, stage: at.stage, attempt: 3})
	case at.attempt <= 3+2*mostPages && at.stage == 0 && c.tools["click"]:
		if at.attempt > 3 && at.attempt%2 == 0 && !c.fresh && c.tools["outline"] { // a page was turned
			return c.look(place{clause: at.clause, stage: at.stage, attempt: at.attempt + 1})
		}
		if ref, ok := c.page.moreOf(); ok {
			n := max(at.attempt, 3) + 1
			return next{place{at.clause, at.stage, n + n%2, paging}, "click", map[string]any{"ref": string(ref)}}
		}
	}
	return c.giveUp(fmt.Sprintf("step %d (%q): %s", at.clause+1, step.say(step.text), a.Reason))
}

func (c *conversation) look(at place) next {
	at.kind = looking
	if !c.tools["outline"] {
		return c.giveUp("the page has changed, and there is no tool to look at it")
	}
	return next{at, "outline", map[string]any{}}
}

// form is one call for several fields that a step fills; nil where they are none.
func (c *conversation) form(a *answer) *answer {
	if !a.Found || len(a.then) == 0 || !c.tools["fillForm"] {
		return nil
	}
	form := &answer{Found: true, Method: "form", Arguments: []string{}, fit: a.fit}
	for _, b := range append([]*answer{a}, a.then...) {
		value := ""
		switch {
		case b.Found && (b.Method == "fill" || b.Method == "selectOption") && len(b.Arguments) == 1:
			value = b.Arguments[0]
		case b.Found && (b.Method == "check" || b.Method == "uncheck"):
			value = fmt.Sprint(b.Method == "check")
		default:
			return nil
		}
		form.fields = append(form.fields, formField{b.Ref, value})
	}
	return form
}

// both is the action for a name that was taken for two steps: "Review and order".
func (c *conversation) both(step *instruction, at place) *answer {
	if step.joined == "" || at.stage > 0 {
		return nil
	}
	joined := &instruction{text: step.joined, raw: step.joined, quotes: step.quotes}
	if a := c.question(joined, 0).single(joined); a.Found && a.Method == "click" && a.fit >= nearly {
		return a
	}
	return nil
}

// decide chooses the action for a step on the page as it is.
func (c *conversation) decide(step *instruction, at place) *answer {
	q := c.question(step, at.stage)
	if l, ok := c.loginOf(step); ok {
		before := c.filled(at.clause)
		if l != (login{}) {
			return q.login(l, before)
		}
		before = c.filled(-1) // by the steps before
		for i := range q.page.items {
			if it := &q.page.items[i]; editable(it) && passwordField.MatchString(text(it)) && !before[it.Ref] {
				return no("the task does not say with what to log in")
			}
		}
	}
	a := q.act()
	if form := c.form(a); form != nil && at.stage == 0 {
		return form
	}
	if a.Found || at.stage > 0 {
		return a
	}
	if b := q.entity(step); b.Found || !begins(step.text) {
		if !b.Found && a.Reason != "" && !strings.Contains(a.Reason, "found no verb") {
			return a
		}
		return b
	}
	return a
}

// filled are the fields that calls for a step have filled in; for all steps if clause is negative.
func (c *conversation) filled(clause int) map[accessibility.Ref]bool {
	out := map[accessibility.Ref]bool{}
	for i := range c.calls {
		is := &c.calls[i]
		if clause >= 0 && is.clause != clause || !is.answered || is.failed {
			continue
		}
		var form struct {
			Fields []formField       `json:"fields"`
			Ref    accessibility.Ref `json:"ref"`
		}
		if json.Unmarshal(is.arguments, &form) == nil {
			if is.name == "fill" || is.name == "type" {
				out[form.Ref] = true
			}
			for _, f := range form.Fields {
				out[accessibility.Ref(f.Ref)] = true
			}
		}
	}
	return out
}

// call turns an action into a tool call.
func (c *conversation) call(a *answer, at place, step *instruction) next {
	tool, to := toolFor(a)
	if root, ok := c.page.root(); ok && tool == "press" && a.Ref == string(root) {
		delete(to, "ref")
	}
	if tool == "" || !c.tools[tool] {
		if !c.tools["act"] || a.Method == "form" {
			return c.giveUp(fmt.Sprintf("step %d (%q) needs the method %s, and there is no tool for it", at.clause+1, step.say(step.text), a.Method))
		}
		tool, to = "act", map[string]any{"instruction": step.say(step.text)}
	}
	return next{at, tool, to}
}

// toolFor is the tool for an action with its arguments; empty where no tool does it alone.
func toolFor(a *answer) (tool string, arguments map[string]any) {
	with := func(members ...any) map[string]any {
		to := map[string]any{"ref": a.Ref}
		for i := 0; i < len(members); i += 2 {
			to[members[i].(string)] = members[i+1]
		}
		return to
	}
	said := strings.Join(a.Arguments, "")
	switch a.Method {
	case "click":
		return "click", with()
	case "doubleClick":
		return "click", with("count", 2)
	case "hover":
		return "hover", with()
	case "fill", "clear":
		return "fill", with("text", said)
	case "type":
		return "type", with("text", said)
	case "press":
		return "press", with("keys", said)
	case "selectOption":
		return "select", with("options", a.Arguments)
	case "check", "uncheck":
		return "fillForm", map[string]any{"fields": []formField{{a.Ref, fmt.Sprint(a.Method == "check")}}}
	case "form":
		return "fillForm", map[string]any{"fields": a.fields}
	case "dragAndDrop":
		return "drag", with("to", said)
	case "scrollTo":
		return "scroll", with("to", said)
	case "nextChunk":
		return "scroll", with("to", "next")
	case "prevChunk":
		return "scroll", with("to", "previous")
	case "scrollByPixelOffset":
		x, _ := strconv.ParseFloat(a.Arguments[0], 64) // digits alone
		y, _ := strconv.ParseFloat(a.Arguments[1], 64)
		return "scroll", with("dx", x, "dy", y)
	case "setInputFiles":
		return "upload", with("files", a.Arguments)
	}
	return "", nil
}
