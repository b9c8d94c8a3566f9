package offline

import (
	"regexp"
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
	if onlyOf(telling(words(phrase)), everything) {
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
	for _, w := range list {
		if !of[w] {
			return false
		}
	}
	return true
}

// ofKind lists what is of a kind, as "the buttons of the cart", "links".
func (q *question) ofKind(phrase string) []*answer {
	from, to := 0, len(q.page.items)
	for _, at := range append(containerWord.FindAllStringIndex(phrase, 1), []int{len(phrase), len(phrase)}) {
		k, narrow, ok := kindWords(phrase[:at[0]])
		if !ok {
			continue
		}
		if outer := strings.TrimSpace(phrase[at[1]:]); outer != "" && !onlyOf(telling(words(outer)), everything) {
			f := q.page.anchors(outer)
			i := q.page.part(f)
			if i < 0 {
				return nil
			}
			from, to = i, q.page.end[i]
		}
		return q.all(func(it *accessibility.Item) bool {
			return usable(it) && k(it) && (narrow == "" || fit(narrow, it.Name) >= allWords)
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
	narrow = strings.Join(telling(list[:len(list)-1]), " ")
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
