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

func onlyOf(list []string, of map[string]bool) bool {
	return !slices.ContainsFunc(list, func(w string) bool { return !of[w] })
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
