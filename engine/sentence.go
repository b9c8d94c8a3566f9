package engine

import (
	"fmt"
	"strings"
)

// doneWords say what a method did, with the element in the place of %s.
var doneWords = map[Method]string{
	Click: "clicked %s", DoubleClick: "double-clicked %s", TripleClick: "triple-clicked %s", Hover: "moved the pointer over %s", Tap: "tapped %s",
	Fill: "filled %s", Type: "typed into %s", Press: "pressed a key in %s", SelectOption: "chose in %s",
	Check: "checked %s", Uncheck: "unchecked %s", ScrollTo: "scrolled %s", ScrollIntoView: "brought %s into view",
	NextChunk: "scrolled %s on", PrevChunk: "scrolled %s back", ScrollByPixelOffset: "scrolled %s",
	Wheel: "turned the wheel over %s", DragAndDrop: "dragged %s", DragByPixelOffset: "dragged %s", SetInputFiles: "gave files to %s", Clear: "cleared %s", Focus: "focused %s", Blur: "left %s",
}

// sentence says in words what an action did and what came of it.
func sentence(action Action, what string, q *inquest) string {
	if what == "" {
		what = "the element"
	}
	ev := &q.evidence
	var b strings.Builder
	fmt.Fprintf(&b, doneWords[action.Method], what)
	var effects []string
	if n := ev.Navigation; n != nil {
		effects = append(effects, n.words())
	}
	for _, p := range ev.NewPages {
		effects = append(effects, "a new page opened: "+p.URL)
	}
	for _, d := range ev.Dialogs {
		effects = append(effects, d.words())
	}
	for _, d := range ev.Downloads {
		effects = append(effects, d.words())
	}
	if ev.FileChooser && action.Method != SetInputFiles {
		effects = append(effects, "the page asks for files; give them with setInputFiles")
	}
	for _, r := range ev.Refused {
		effects = append(effects, "a request was not let out: "+r.Reason)
	}
	for _, name := range []string{"checked", "selected", "expanded", "pressed"} {
		if c, ok := ev.States[name]; ok {
			effects = append(effects, fmt.Sprintf("%s is now %s", name, c.After))
		}
	}
	if q.deed.formatted {
		effects = append(effects, "the field has set the text in its own form")
	}
	if q.deed.consumed != "" {
		effects = append(effects, q.deed.consumed)
	}
	if len(effects) == 0 {
		effects = append(effects, q.weakEffect()...)
	}
	if len(effects) > 0 {
		b.WriteString(": " + strings.Join(effects, "; "))
	}
	return b.String()
}

// weakEffect says what came of a deed of which nothing can be told by name.
func (q *inquest) weakEffect() []string {
	d, ev := q.deed, &q.evidence
	switch {
	case ev.Effect == EffectPage:
		return []string{"the page changed"}
	case ev.Effect == EffectRequest:
		return []string{"the page asked its server for something"}
	case ev.Effect == EffectFocus && d.method == Press:
		return []string{"the focus moved on"}
	case ev.Effect != EffectNone:
		return nil
	case ev.Scroll != nil || d.method == ScrollIntoView:
		return []string{"it was already there, nothing moved"}
	case d.unsure:
		return []string{"no change was noticed"}
	}
	return []string{"it was so already"}
}

func (n *NavigationSeen) words() string {
	switch {
	case n.Pending:
		return "a navigation to " + n.To + " is under way"
	case n.SameDocument:
		return "the address is now " + n.To
	case n.Status != 0:
		return fmt.Sprintf("went to %s (%d)", n.To, n.Status)
	}
	return "went to " + n.To
}

func (d *DialogSeen) words() string {
	outcome := "dismissed"
	switch {
	case d.Open:
		outcome = "still open"
	case d.Accepted && d.Answer != "":
		outcome = fmt.Sprintf("answered with %q", d.Answer)
	case d.Accepted:
		outcome = "accepted"
	}
	return fmt.Sprintf("the page showed %s %q, %s", d.Kind, d.Message, outcome)
}

func (d *DownloadSeen) words() string {
	switch {
	case d.Canceled && d.Reason != "":
		return fmt.Sprintf("a download came to nothing: %s (%s)", d.Name, d.Reason)
	case d.Canceled:
		return "a download came to nothing: " + d.Name
	case d.Done:
		return fmt.Sprintf("downloaded %s (%d bytes)", d.Name, d.Size)
	}
	return "a download began: " + d.Name
}
