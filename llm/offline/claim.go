package offline

import (
	"encoding/json"
	"fmt"
	"strings"
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
