package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

var asking = regexp.MustCompile(`(?i)^(?:(?:find|show|list|get|give me|tell me|what are|which are|where (?:is|are)|observe|look for|see)\b ?)?(?:me )?(?:all |every |each |any )*(?:of )?(?:the )?`)

var copula = regexp.MustCompile(`(?i)^(?:what|which) | (?:are|is|can be found)(?: there)?(?: |$)`)

// everything is what people call the whole of what can be done.
var everything = set("action", "element", "interactive", "thing", "everything", "control", "what", "can", "i", "do", "here", "be", "done", "possible", "available", "page", "clickable", "you", "there", "find", "show", "list", "all", "interaction")

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

func onlyOf(list []string, of map[string]bool) bool {
	return !slices.ContainsFunc(list, func(w string) bool { return !of[w] })
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

// part is the part of the page that findings name: a container itself, or the
// one around a heading.
func (p *page) part(f finding) int {
	for _, i := range f.items {
		if p.end[i] > i+1 {
			return i
		}
	}
	for _, i := range f.items {
		if headings[p.items[i].Role] && p.items[i].Parent >= 0 {
			return p.items[i].Parent
		}
	}
	return -1
}

// kindWords reads a phrase that ends with a kind; what stands before it narrows it.
func kindWords(phrase string) (of func(*accessibility.Item) bool, narrow string, ok bool) {
	list := words(phrase)
	if len(list) == 0 {
		return nil, "", false
	}
	last := stem(list[len(list)-1])
	narrow = strings.Join(distinctive(list[:len(list)-1]), " ")
	if narrow == "form" || narrow == "input" || narrow == "text" {
		narrow = ""
	}
	switch last {
	case "field", "input", "control":
		return field, narrow, true
	case "dropdown", "select":
		return choosable, narrow, true
	}
	k, ok := kinds[last]
	return func(it *accessibility.Item) bool { return k[it.Role] }, narrow, ok
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

// usual is what a person does with an element of its kind, without arguments.
func (p *page) usual(i int) *answer {
	it := &p.items[i]
	switch {
	case choosable(it):
		return p.do(i, "selectOption")
	case editable(it) && !it.States.ReadOnly:
		return p.do(i, "fill")
	case checkable(it) && it.Role != "radio" && it.States.Checked == accessibility.On:
		return p.do(i, "uncheck")
	case checkable(it):
		return p.do(i, "check")
	}
	return p.do(i, "click")
}

// An answer is the answer to an act.
type answer struct {
	Found       bool     `json:"found"`
	Ref         string   `json:"ref"`
	Method      string   `json:"method"`
	Arguments   []string `json:"arguments"`
	Description string   `json:"description"`
	Reason      string   `json:"reason"`
	More        bool     `json:"more"`

	fit    int         // how well the element's name fits
	final  bool        // of a refusal: another reading of the instruction would reach something else
	fields []formField // of a form that is filled in one call
	then   []*answer   // what follows, as far as the page shows it
}

// A field of a form, as the tool fillForm takes it.
type formField struct {
	Ref   string `json:"ref"`
	Value string `json:"value"`
}

// fits notes how well the element fits what was said.
func (a *answer) fits(n int) *answer {
	a.fit = n
	return a
}

func no(format string, args ...any) *answer {
	return &answer{Arguments: []string{}, Reason: fmt.Sprintf(format, args...)}
}

// do answers with an action on an item.
func (p *page) do(i int, method string, args ...string) *answer {
	it := &p.items[i]
	if args == nil {
		args = []string{}
	}
	return &answer{Found: true, Ref: string(it.Ref), Method: method, Arguments: args, Description: method + " " + describe(it)}
}

// natural is what a person does with an element that was only named.
func (p *page) natural(i int) *answer {
	it := &p.items[i]
	if checkable(it) && it.States.Checked != accessibility.On {
		return p.do(i, "check")
	}
	return p.do(i, "click")
}

// moves are the steps through the history of a page, which are no actions on an element.
var moves = map[string]string{
	"go back": "back", "back": "back", "go back to the previous page": "back", "go forward": "forward", "forward": "forward",
	"reload": "reload", "refresh": "reload", "reload the page": "reload", "refresh the page": "reload",
}

// history tells that going back is no action on an element.
func history(s string) *answer {
	if moves[strings.Join(words(s), " ")] == "" {
		return nil
	}
	return no("%q is no action on an element of the page, and nothing of that name is on it; use the page's own back, forward and reload", s)
}

// choice answers with a method on what a phrase was found to mean.
func (p *page) choice(phrase string, f finding, method string, args ...string) *answer {
	switch {
	case f.one():
		return p.do(f.items[0], method, args...).fits(f.fit)
	case len(f.items) > 1:
		return no("ambiguous, the candidates are %s. Say which, for example \"the second %s\", or what it is in", p.candidates(f.items), phrase)
	}
	return no("nothing on the page is named %q%s (%s)", phrase, p.near(phrase), honest)
}

// near names what shares a word with a phrase that fits nothing.
func (p *page) near(phrase string) string {
	wanted := distinctive(words(phrase))
	var found []int
	for i := range p.items {
		if !usable(&p.items[i]) || len(found) == 5 {
			continue
		}
		for _, w := range distinctive(words(text(&p.items[i]))) {
			if slices.ContainsFunc(wanted, func(v string) bool { return similar(v, w) }) {
				found = append(found, i)
				break
			}
		}
	}
	if len(found) == 0 {
		return ""
	}
	return "; what comes near is " + p.candidates(found)
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
