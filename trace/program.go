package trace

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

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

//go:embed gotest.tmpl
var goTestText string

// goTest writes the program of [Trace.GoTest].
var goTest = template.Must(template.New("gotest").Funcs(template.FuncMap{"upper": strings.ToUpper, "quote": goString}).Parse(goTestText))

// goSteps are the statements that do again what a run did, in order, each below what came
// of it.
func goSteps(t *Trace) (all []string) {
	for _, s := range t.Steps {
		if s.Status != agent.Done {
			continue
		}
		add := func(format string, args ...any) {
			came := fmt.Sprintf("// %s: %s", strings.ReplaceAll(s.ID(), "-", " "), comment(s.Message))
			all = append(all, came, fmt.Sprintf(format, args...))
		}
		switch {
		case s.Tool == "navigate":
			var args struct{ URL string }
			_ = json.Unmarshal([]byte(s.Arguments), &args) // empty without arguments
			add("open(%s)", goString(opened(args.URL, s)))
		case s.Tool == "back", s.Tool == "forward", s.Tool == "reload":
			add("if _, err := session.Page().%s(ctx, nil); err != nil {\n\t\tt.Fatal(err)\n\t}", strings.ToUpper(s.Tool[:1])+s.Tool[1:])
		case len(s.Actions) > 0 && s.Tool != string(engine.OperationObserve):
			for i := range s.Actions {
				raw, err := json.Marshal(&s.Actions[i])
				if err != nil {
					continue // it came from JSON
				}
				effect := engine.Effect("")
				if i == len(s.Actions)-1 && s.changed() {
					effect = s.Evidence.Effect
				}
				add("do(%s, %q)", goString(plain(string(raw))), effect)
			}
		case s.changed(): // by what no program can do
			add("// %s is not repeated here.", comment(s.Tool))
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
