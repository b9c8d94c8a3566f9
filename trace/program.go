package trace

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// placeholder is a variable in an argument.
var placeholder = regexp.MustCompile(`%([A-Za-z_][A-Za-z0-9_]*)%`)

// variablesOf are the names that the actions of a run use.
func variablesOf(t *Trace) []string {
	names := map[string]bool{}
	for _, s := range t.Steps {
		for _, a := range s.Actions {
			for _, arg := range a.Arguments {
				for _, m := range placeholder.FindAllStringSubmatch(arg, -1) {
					names[m[1]] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// A deed is what a program does again of a step.
type deed struct {
	step     *Step
	address  string // of a navigation
	travel   string // Back, Forward, Reload
	action   *engine.Action
	effect   engine.Effect
	leftOut  string // what no program can do, in words
	wholeArg string // the action as JSON
}

// deedsOf are what a run did, in order.
func deedsOf(t *Trace) []deed {
	var all []deed
	for _, s := range t.Steps {
		if s.Status != agent.Done {
			continue
		}
		switch s.Tool {
		case "navigate":
			var args struct{ URL string }
			_ = json.Unmarshal([]byte(s.Arguments), &args) // empty without arguments
			all = append(all, deed{step: s, address: opened(args.URL, s)})
			continue
		case "back", "forward", "reload":
			all = append(all, deed{step: s, travel: strings.ToUpper(s.Tool[:1]) + s.Tool[1:]})
			continue
		}
		if len(s.Actions) == 0 || s.Tool == string(engine.OperationObserve) {
			if s.changed() {
				all = append(all, deed{step: s, leftOut: s.Tool})
			}
			continue
		}
		for i := range s.Actions {
			d := deed{step: s, action: &s.Actions[i]}
			raw, err := json.Marshal(d.action)
			if err != nil {
				continue // it came from JSON
			}
			d.wholeArg = plain(string(raw))
			if i == len(s.Actions)-1 && s.changed() {
				d.effect = s.Evidence.Effect
			}
			all = append(all, d)
		}
	}
	return all
}

// opened is the address that a step opened, of its arguments or its instruction.
func opened(url string, s *Step) string {
	address := plain(cmp.Or(url, s.Instruction))
	if !strings.Contains(address, ":") {
		address = "https://" + address
	}
	return address
}

// comment is a text as the rest of a line.
func comment(text string) string { return strings.Join(strings.Fields(plain(text)), " ") }

// goString quotes a text, as it is where that can be read.
func goString(text string) string {
	if strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// confirmedTexts are what pages said that confirmed a criterion.
func confirmedTexts(t *Trace) []string {
	var texts []string
	if t.Result == nil {
		return nil
	}
	for _, c := range t.Result.Criteria {
		for _, p := range c.Evidence {
			if p.Kind == "text" && p.Verdict == agent.Confirmed && p.Text != "" && !slices.Contains(texts, plain(p.Text)) {
				texts = append(texts, plain(p.Text))
			}
		}
	}
	return texts
}

// scriptOrReason is the script of the run, or why none can be made.
func scriptOrReason(t *Trace) (script, reason string) {
	s, err := t.Compile(nil)
	if err != nil {
		return "", err.Error()
	}
	return s.String(), ""
}
