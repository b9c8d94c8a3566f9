package engine

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// sentence describes what an action did and what came of it.
func sentence(action Action, what string, q *collector) string {
	if what == "" {
		what = "the element"
	}
	ev := &q.evidence
	var b strings.Builder
	fmt.Fprintf(&b, q.attempt.method.done, what)
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
	if q.attempt.formatted {
		effects = append(effects, "the field has set the text in its own form")
	}
	if q.attempt.consumed != "" {
		effects = append(effects, q.attempt.consumed)
	}
	if len(effects) == 0 {
		effects = append(effects, q.weakEffect()...)
	}
	if len(effects) > 0 {
		b.WriteString(": " + strings.Join(effects, "; "))
	}
	return b.String()
}

// weakEffect describes an effect that has no event or value to name.
func (c *collector) weakEffect() []string {
	d, ev := c.attempt, &c.evidence
	switch {
	case ev.Effect == EffectPage:
		return []string{"the page changed"}
	case ev.Effect == EffectRequest:
		return []string{"the page asked its server for something"}
	case ev.Effect == EffectFocus && d.hadFocus:
		return []string{"the focus moved on"}
	case ev.Effect != EffectNone:
		return nil
	case ev.Scroll != nil || d.method.name == ScrollIntoView:
		return []string{"it was already there, nothing moved"}
	case d.watchPage:
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

// shownValue is a control's value as a person sees it; a password is bullets.
func shownValue(s *driver.State) string {
	switch {
	case s.Type == "password":
		return strings.Repeat("•", utf8.RuneCountInString(s.Value))
	case s.Type == "file":
		return strings.Join(s.Files, ", ")
	case s.Multiple:
		return strings.Join(s.Values, ", ")
	}
	return s.Value
}

func checkedWord(s *driver.State) string {
	switch {
	case s.Mixed:
		return "mixed"
	case s.AriaChecked != nil:
		return strconv.FormatBool(*s.AriaChecked)
	}
	return strconv.FormatBool(s.Checked)
}

func boolWord(b *bool) string {
	if b == nil {
		return ""
	}
	return strconv.FormatBool(*b)
}
