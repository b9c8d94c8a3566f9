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

	page    *page
	fresh   bool // the page is as the newest outline says, and not put together from changes
	added   map[accessibility.Ref]bool
	changed string // the newest changes
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
						outline, c.fresh, c.changed = o, true, ""
						c.added = nil
					}
				case "changes":
					outline = withChanges(outline, p.Text)
					c.fresh, c.changed, c.added = false, p.Text, addedRefs(p.Text)
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
