package program

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// ToolName is the name of the tool that [Tool] makes.
const ToolName = "run"

const description = `Runs a Starlark program (a small Python: if, for, while, def, lists, dicts, texts; no import, try, class, set or f-string) on the page, for steps that repeat or depend on what the page says. Every call acts at once, as the tool of that name; the first failure or surprise stops the program with its line and variables, and you go on from there.
find(role, name="", text="", within=None): list of elements, in page order; name is exact, text is contained
element: .ref .role .name .value .text .url .checked .disabled .expanded .selected .options .cells; row["Column"] is a cell
click(e) fill(e, value) select(e, "option") press("Enter", e) read(e) back() reload() navigate(url) address() wait(text=, gone=, address=, seconds=) tabs("switch", 2) dialog(True) extract(instruction, schema={})
e is an element, a ref, or "role: name" with within=; exactly one must fit. After the page changed, find again. fill takes True or False for a box, and var("name") for a variable's value.
number("CHF 1'234.50"), sum, round; log(...) is all that you get back.
Example: for row in find("row", text="Draft"): log(row["Subject"], number(row["Total"]))`

type runIn struct {
	Program string `json:"program" jsonschema:"minLength=1"`
}

// Tool returns the tool run: it carries out a program of the model. An agent has it if
// it is among its Tools:
//
//	agent.Config{Tools: []agent.Tool{program.Tool(program.Limits{})}}
//
// Each function that does something is a step of the run by the agent's own tool of that
// kind, with its approvals, bounds, evidence and history. Steps count against
// [agent.Task].MaxSteps; what only reads does not.
func Tool(limits Limits) agent.Tool {
	t, err := agent.NewTool(ToolName, description, func(ctx context.Context, c *agent.Call, in runIn) (string, error) {
		w := &stage{call: c}
		return w.answer(run(ctx, in.Program, w, limits))
	})
	if err != nil {
		panic("program: " + err.Error()) // a mistake in this package
	}
	t.Local = true
	return t
}

// A stage is the run of an agent as a program's world.
type stage struct {
	call    *agent.Call
	steps   []int // that were done
	dialogs int   // that were announced
}

func (w *stage) Read(ctx context.Context) (*view, error) {
	snap, err := w.call.Read(ctx)
	if err != nil {
		return nil, err
	}
	page := w.call.Page()
	return &view{Snapshot: snap, Address: page.URL(), Hide: page.Session().Hide, Variables: w.call.Variables()}, nil
}

func (w *stage) Do(ctx context.Context, tool string, arguments map[string]any) (*step, error) {
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	action, err := w.call.Do(ctx, tool, raw)
	if err != nil {
		return nil, err
	}
	if action.Evidence != nil {
		w.steps = append(w.steps, action.Step)
	}
	return &step{Number: action.Step, Text: cmp.Or(action.Output, action.Message), Surprise: w.surprise(action)}, nil
}

// surprise says what a step did beside what a program can expect of it: a loop
// that continues over a dialog, another site or a click that did nothing does to the
// next row what was meant for this one.
func (w *stage) surprise(a *agent.Action) string {
	e := a.Evidence
	if a.Type == "dialog" {
		w.dialogs++
	}
	if e == nil {
		return ""
	}
	if n := len(e.Dialogs); n > 0 {
		expected := min(n, w.dialogs)
		w.dialogs -= expected
		if n > expected {
			return fmt.Sprintf("a dialog came that dialog() had not announced: %q", e.Dialogs[n-1].Message)
		}
	}
	switch {
	case len(e.Refused) > 0:
		return "the policy refused " + e.Refused[0].URL
	case a.Type == "navigate", a.Type == "tabs", a.Type == "back", a.Type == "reload":
		return ""
	case len(e.NewPages) > 0:
		return "a new tab was opened, and is shown now"
	case e.Navigation != nil && !sameSite(e.Navigation.From, e.Navigation.To):
		return "the page is one of another site now: " + e.Navigation.To
	case e.Navigation != nil && e.Navigation.Failed != "":
		return e.Navigation.To + " could not be opened: " + e.Navigation.Failed
	case e.Navigation != nil && e.Navigation.Status >= 400:
		return fmt.Sprintf("the page that came was answered %d", e.Navigation.Status)
	case a.Type == "click" && e.Effect == engine.EffectNone:
		return "the click had no effect that could be noticed"
	}
	return ""
}

// sameSite compares schemes and hosts.
func sameSite(from, to string) bool {
	a, err := url.Parse(from)
	b, err2 := url.Parse(to)
	return err != nil || err2 != nil || a.Scheme == b.Scheme && a.Host == b.Host
}

// answer says what a program came to, for the model. A program that stopped is an error.
func (w *stage) answer(r *report) (string, error) {
	var b strings.Builder
	if r.Stop == nil {
		b.WriteString("the program ran to its end")
	} else {
		b.WriteString("the program stopped")
		if r.Stop.Line > 0 {
			fmt.Fprintf(&b, " at line %d: %s", r.Stop.Line, r.Stop.Source)
		}
		fmt.Fprintf(&b, "\n%v", r.Stop.Err)
	}
	switch n := len(w.steps); n {
	case 0:
		b.WriteString("\nnothing was done on the page")
	case 1:
		fmt.Fprintf(&b, "\nwhat it did on the page: step %d", w.steps[0])
	default:
		fmt.Fprintf(&b, "\nwhat it did on the page: %d steps, from %d to %d", n, w.steps[0], w.steps[n-1])
	}
	if r.Stop != nil && len(r.Stop.Variables) > 0 {
		b.WriteString("\nvariables:")
		for i, v := range r.Stop.Variables {
			if i == mostVariables {
				fmt.Fprintf(&b, "\n  … %d more", len(r.Stop.Variables)-i)
				break
			}
			fmt.Fprintf(&b, "\n  %s = %s", v.Name, v.Value)
		}
	}
	if len(r.Log) > 0 {
		b.WriteString("\nlog:\n")
		b.WriteString(strings.Join(r.Log, "\n"))
	}
	if r.Stop == nil {
		return b.String(), nil
	}
	return "", &stopped{text: b.String(), err: r.Stop.Err}
}

// mostVariables bounds those of a report.
const mostVariables = 24

// stopped is a stop as the model reads it. What it wraps says whether input may
// have been sent.
type stopped struct {
	text string
	err  error
}

func (e *stopped) Error() string { return e.text }

func (e *stopped) Unwrap() error { return e.err }
