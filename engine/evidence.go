package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A collector gathers the evidence of an attempt. It starts recording before
// the attempt.
type collector struct {
	attempt  *attempt
	from     string // address before the attempt
	refused  int    // number of requests refused before
	recorder *recorder
	revision driver.Revision // before
	before   *Snapshot       // nil unless changes are asked for
	evidence Evidence
	idle     bool // the page cannot change by itself
	yielded  bool // what the page put off had its turn, and nothing came of it
	timers   driver.Timers

	transition bool // runs

	// failures holds why documents could not be opened, nil for those that
	// could. Each is asked for once: how often the events are folded depends on
	// timing, and a recording keeps every query.
	failures map[driver.DocID]*driver.NavigationError

	// arrived is the last navigation that came to an end, nil if none did. One
	// that begins later and comes to nothing leaves it.
	arrived *NavigationSeen
}

// fold makes evidence of the events so far.
func (c *collector) fold(events []driver.Event) {
	c.evidence, c.arrived = Evidence{Effect: EffectNone, Scroll: c.attempt.scroll}, nil
	if s := c.attempt.scroll; s != nil && s.moved() || c.attempt.displaced {
		c.raise(EffectScroll)
	}
	c.foldRefused()
	for i, e := range events {
		if main := driver.FrameID(c.attempt.page.id); !c.foldNavigation(e, main) {
			c.foldOther(e, events[:i])
		}
	}
	if c.evidence.Navigation != nil {
		c.raise(EffectNavigation)
	}
}

// raise makes an effect the strongest if it is.
func (c *collector) raise(e Effect) {
	if strength[e] > strength[c.evidence.Effect] {
		c.evidence.Effect = e
	}
}

// foldNavigation takes the events of the main frame's navigations.
func (c *collector) foldNavigation(e driver.Event, main driver.FrameID) bool {
	ev := &c.evidence
	switch e := e.(type) {
	case driver.NavigationRequested:
		if e.Frame != main {
			c.raise(EffectPage)
			break
		}
		ev.Navigation = &NavigationSeen{From: c.from, To: e.URL, Pending: true}
	case driver.NavigationEnded:
		if e.Frame == main {
			ev.Navigation = c.arrived
		}
	case driver.Navigated:
		if e.Frame == main {
			ev.Navigation = &NavigationSeen{From: c.from, To: e.URL, Status: e.Status, SameDocument: e.SameDocument}
			c.foldFailure(e)
			c.arrived = ev.Navigation
		} else {
			c.raise(EffectPage)
		}
	default:
		return false
	}
	return true
}

// foldFailure names what could not be opened, where the browser shows a page of
// its own about that.
func (c *collector) foldFailure(e driver.Navigated) {
	if n, why := c.evidence.Navigation, c.failure(e); why != nil {
		n.To, n.failed = cmp.Or(why.URL, n.To), why
		n.Failed = cmp.Or(why.Detail, string(why.Reason))
	}
}

// failure returns why a document could not be opened, nil if it could.
func (c *collector) failure(e driver.Navigated) *driver.NavigationError {
	if why, known := c.failures[e.Doc]; known || e.SameDocument {
		return why
	}
	var why *driver.NavigationError
	for _, f := range c.attempt.page.driver.Frames() {
		if f.ID == e.Frame && f.Doc == e.Doc {
			why = f.Failed
		}
	}
	if c.failures == nil {
		c.failures = map[driver.DocID]*driver.NavigationError{}
	}
	c.failures[e.Doc] = why
	return why
}

func (c *collector) foldOther(e driver.Event, earlier []driver.Event) {
	ev := &c.evidence
	switch e := e.(type) {
	case driver.PageOpened:
		ev.NewPages = append(ev.NewPages, NewPageSeen{ID: string(e.Page), URL: e.URL})
		c.raise(EffectNewPage)
	case driver.DialogOpened:
		ev.Dialogs = append(ev.Dialogs, DialogSeen{Kind: string(e.Dialog.Kind), Message: e.Dialog.Message, Open: true})
		c.raise(EffectDialog)
	case driver.DialogClosed:
		if n := len(ev.Dialogs); n > 0 {
			ev.Dialogs[n-1].Open = false
			ev.Dialogs[n-1].Accepted = e.Answer.Accept
			ev.Dialogs[n-1].Answer = e.Answer.Text
		}
	case driver.DownloadStarted:
		ev.Downloads = append(ev.Downloads, DownloadSeen{URL: e.URL, Name: e.Name})
		c.raise(EffectDownload)
	case driver.DownloadEnded:
		endDownload(ev.Downloads, earlier, e)
	case driver.RequestStarted:
		ev.Requests++
		c.raise(EffectRequest)
	case driver.FileChooserOpened:
		ev.FileChooser = true
		c.raise(EffectPage)
	case driver.PageClosed:
		c.raise(EffectPage)
	}
}

// endDownload marks the download that ended; seen is in the order of the
// events that started them.
func endDownload(seen []DownloadSeen, events []driver.Event, end driver.DownloadEnded) {
	i := 0
	for _, e := range events {
		started, ok := e.(driver.DownloadStarted)
		if !ok {
			continue
		}
		if started.ID == end.ID && i < len(seen) {
			seen[i].Done, seen[i].Canceled = true, end.Canceled
			seen[i].Path, seen[i].Size = end.Path, end.Size
			if end.Err != nil {
				seen[i].Reason = end.Err.Error()
			}
			return
		}
		i++
	}
}

// foldRefused adds the requests that were refused since the attempt began.
func (c *collector) foldRefused() {
	page := c.attempt.page
	c.evidence.Refused = page.session.guard.since(c.refused, page)
}

// leftDocument reports that the element can no longer be queried: its document
// is gone or going, or blocked by a dialog.
func (c *collector) leftDocument() bool {
	n := c.evidence.Navigation
	return n != nil && !n.SameDocument || c.dialogOpen()
}

func (c *collector) dialogOpen() bool {
	return slices.ContainsFunc(c.evidence.Dialogs, func(d DialogSeen) bool { return d.Open })
}

// compare records what changed at the element.
func (c *collector) compare(before, after *driver.State) {
	ev := &c.evidence
	if before.Value != after.Value || !slices.Equal(before.Values, after.Values) || !slices.Equal(before.Files, after.Files) {
		ev.Value = &Change{Before: shownValue(before), After: c.attempt.shownAfter(after)}
	}
	states := map[string]Change{}
	note := func(name, a, b string) {
		if a != b {
			states[name] = Change{Before: a, After: b}
		}
	}
	note("checked", checkedWord(before), checkedWord(after))
	note("selected", strconv.FormatBool(before.Selected), strconv.FormatBool(after.Selected))
	note("expanded", boolWord(before.Expanded), boolWord(after.Expanded))
	note("pressed", boolWord(before.Pressed), boolWord(after.Pressed))
	if ev.Value != nil || len(states) > 0 {
		c.raise(EffectValue)
	}
	// A click moves the focus by the way; a key may be pressed for that.
	asked := c.attempt.method.confirms == byFocus
	left := c.attempt.hadFocus && !after.Focused
	if asked && before.Focused != after.Focused || left {
		c.raise(EffectFocus)
	}
	note("focused", strconv.FormatBool(before.Focused || left), strconv.FormatBool(after.Focused))
	if len(states) > 0 {
		ev.States = states
	}
}

// shownAfter is a control's value after the attempt. What a field makes of a
// variable's value (a part of it, groups) is as secret as the value.
func (a *attempt) shownAfter(after *driver.State) string {
	shown := shownValue(after)
	if after.Type == "password" || after.Value == a.before.Value || slices.Equal(a.args, a.template) {
		return shown
	}
	written := strings.Join(a.template, ", ")
	if shown == strings.Join(a.args, ", ") {
		return written
	}
	secrets := &a.page.session.secrets
	if hidden := secrets.hide(shown); hidden != shown {
		return hidden
	}
	if m := placeholder.FindStringSubmatch(written); m != nil && after.Editable {
		secrets.add(map[string]Variable{m[1]: {Value: after.Value}})
	}
	if hidden := secrets.hide(shown); hidden != shown {
		return hidden
	}
	return strings.Repeat("•", utf8.RuneCountInString(shown))
}

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
