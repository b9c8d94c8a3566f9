package axtree_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
)

// leastStates is the share of objects in which each state must be Chromium's.
const leastStates = 0.99

// A tally counts, for each state, how often it is Chromium's.
type tally map[string]*tallied

type tallied struct {
	agreed, total int
	examples      []string
}

func (t tally) add(id, state string, got, want any) {
	c := t[state]
	if c == nil {
		c = &tallied{}
		t[state] = c
	}
	c.total++
	if got == want {
		c.agreed++
		return
	}
	c.examples = append(c.examples, fmt.Sprintf("%s: %s = %v, want %v", id, state, got, want))
}

// check fails the test for each state that agrees too seldom, and logs the rest.
func (t tally) check(tb testing.TB) {
	tb.Helper()
	var names []string
	for name := range t {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		c := t[name]
		tb.Logf("%-16s %5d of %5d", name, c.agreed, c.total)
		for _, e := range c.examples[:min(len(c.examples), 5)] {
			tb.Log("  ", e)
		}
		if float64(c.agreed) < leastStates*float64(c.total) {
			tb.Errorf("%s agrees in %d of %d", name, c.agreed, c.total)
		}
	}
}

// compare counts an object's description, value and states.
func (t tally) compare(o *axtree.Object, v *vector) {
	if o.Ignored || v.Ignored {
		return
	}
	t.add(v.ID, "description", o.Description, v.Description)
	t.add(v.ID, "value", o.Value, text(v.Value))
	t.states(v.ID, o, v.Props)
}

// states counts the states of an object against the properties that Chromium
// lists. Some are listed for some roles only.
func (t tally) states(id string, o *axtree.Object, props map[string]any) {
	s := o.States
	flag := func(name string) bool { v, _ := props[name].(bool); return v }
	word := func(name string) string {
		if v := text(props[name]); v != "false" {
			return v
		}
		return ""
	}
	for name, got := range map[string]bool{
		"disabled": s.Disabled, "focusable": s.Focusable, "multiselectable": s.Multiselectable, "modal": s.Modal,
	} {
		t.add(id, name, got, flag(name))
	}
	for name, got := range map[string]bool{"required": s.Required, "readonly": s.ReadOnly, "multiline": s.Multiline} {
		if _, listed := props[name]; listed {
			t.add(id, name, got, flag(name))
		}
	}
	t.add(id, "busy", s.Busy, props["busy"] != nil)
	t.add(id, "editable", s.Editable, props["editable"] != nil)
	for name, got := range map[string]axtree.Tristate{
		"checked": s.Checked, "pressed": s.Pressed, "expanded": s.Expanded, "selected": s.Selected,
	} {
		t.add(id, name, tristate(got), text(props[name]))
	}
	level := ""
	if s.Level > 0 {
		level = fmt.Sprint(s.Level)
	}
	t.add(id, "level", level, text(props["level"]))
	t.add(id, "invalid", s.Invalid, word("invalid"))
	t.add(id, "haspopup", s.HasPopup, word("hasPopup"))
}

func tristate(t axtree.Tristate) string {
	return [...]string{"", "false", "true", "mixed"}[t]
}

func text(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}
