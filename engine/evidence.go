package engine

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// An Effect is the strongest thing that an action was seen to do.
type Effect string

// The effects, weakest first.
const (
	EffectNone       Effect = "none"       // none noticed
	EffectScroll     Effect = "scroll"     // content moved
	EffectFocus      Effect = "focus"      // the focus moved, and the action asked for that
	EffectRequest    Effect = "request"    // the page asked a server for something
	EffectPage       Effect = "page"       // the page changed
	EffectValue      Effect = "value"      // a control took a value or a state
	EffectDownload   Effect = "download"   // a download began
	EffectDialog     Effect = "dialog"     // a dialog opened
	EffectNewPage    Effect = "newPage"    // a page opened
	EffectNavigation Effect = "navigation" // a new document, or a new address
)

// Evidence is what was seen to change through an action.
type Evidence struct {
	Effect     Effect            `json:"effect"`
	Navigation *NavigationSeen   `json:"navigation,omitempty"`
	NewPages   []NewPageSeen     `json:"newPages,omitempty"`
	Dialogs    []DialogSeen      `json:"dialogs,omitempty"`
	Downloads  []DownloadSeen    `json:"downloads,omitempty"`
	Value      *Change           `json:"value,omitempty"`
	States     map[string]Change `json:"states,omitempty"` // checked, expanded, focused, pressed, selected
	Requests   int               `json:"requests,omitempty"`
	Scroll     *ScrollSeen       `json:"scroll,omitempty"`
	Refused    []Refusal         `json:"refused,omitempty"` // by policy; at most ten

	// FileChooser reports that the page asked for files. No dialog is shown;
	// SetInputFiles on the same element answers it.
	FileChooser bool `json:"fileChooser,omitempty"`

	// Revision is the page's revision before the action and when the evidence
	// was complete; nil if the document is gone. A difference means that
	// something changed, if only the focus.
	Revision *RevisionSeen `json:"revision,omitempty"`

	// Changes are the outline lines that the action added (+), removed (-) and
	// changed (~), if [ActOptions].Changes asks for them.
	Changes string `json:"changes,omitempty"`
}

// A Change is a value before and after.
type Change struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

// A NavigationSeen is a navigation that an action caused.
type NavigationSeen struct {
	From         string `json:"from"`
	To           string `json:"to"`
	Status       int    `json:"status,omitempty"`
	SameDocument bool   `json:"sameDocument,omitempty"`
	Pending      bool   `json:"pending,omitempty"` // not answered yet when the action ended
	Failed       string `json:"failed,omitempty"`  // why To could not be opened, as "net::ERR_CONNECTION_REFUSED"

	failed *driver.NavigationError
}

// A NewPageSeen is a page that an action opened.
type NewPageSeen struct {
	ID  string `json:"id" hide:"-"`
	URL string `json:"url"`
}

// A DialogSeen is a dialog that an action opened, and the answer to it.
type DialogSeen struct {
	Kind     string `json:"kind"`
	Message  string `json:"message"`
	Accepted bool   `json:"accepted"`
	Answer   string `json:"answer,omitempty"` // the text entered into a prompt
	Open     bool   `json:"open,omitempty"`   // still unanswered when the action ended
}

// A DownloadSeen is a download that an action began.
type DownloadSeen struct {
	URL      string `json:"url"`
	Name     string `json:"name"` // as the site suggests it
	Path     string `json:"path,omitempty" hide:"-"`
	Size     int64  `json:"size,omitempty"`
	Canceled bool   `json:"canceled,omitempty"`
	Reason   string `json:"reason,omitempty"` // why it was canceled, where that is known
	Done     bool   `json:"done"`
}

// A ScrollSeen is the scroll position before and after an action, in pixels.
type ScrollSeen struct {
	BeforeX float64 `json:"beforeX,omitempty"`
	AfterX  float64 `json:"afterX,omitempty"`
	MaxX    float64 `json:"maxX,omitempty"`
	BeforeY float64 `json:"beforeY"`
	AfterY  float64 `json:"afterY"`
	MaxY    float64 `json:"maxY"`
}

func scrollSeen(before, after driver.ScrollState) *ScrollSeen {
	return &ScrollSeen{
		BeforeX: before.X, AfterX: after.X, MaxX: after.MaxX,
		BeforeY: before.Y, AfterY: after.Y, MaxY: after.MaxY,
	}
}

func (s *ScrollSeen) moved() bool { return s.BeforeX != s.AfterX || s.BeforeY != s.AfterY }

// A RevisionSeen is a page's revision before and after an action. Revisions can
// only be compared for equality.
type RevisionSeen struct {
	Before driver.Revision `json:"before"`
	After  driver.Revision `json:"after"`
}

// merge adds the evidence of a further step.
func merge(a, b Evidence) Evidence {
	if strength[b.Effect] >= strength[a.Effect] {
		a.Effect = b.Effect
	}
	if b.Navigation != nil {
		if a.Navigation != nil {
			b.Navigation.From = a.Navigation.From
		}
		a.Navigation = b.Navigation
	}
	a.NewPages = append(a.NewPages, b.NewPages...)
	a.Dialogs = append(a.Dialogs, b.Dialogs...)
	a.Downloads = append(a.Downloads, b.Downloads...)
	a.Refused = append(a.Refused, b.Refused...)
	a.Refused = a.Refused[:min(len(a.Refused), maxRefusedSeen)]
	if b.Value != nil {
		a.Value = b.Value
	}
	if b.States != nil {
		a.States = b.States
	}
	if b.Scroll != nil {
		a.Scroll = b.Scroll
	}
	if b.Revision != nil {
		if a.Revision != nil {
			b.Revision.Before = a.Revision.Before
		}
		a.Revision = b.Revision
	}
	a.FileChooser = a.FileChooser || b.FileChooser
	a.Changes += b.Changes
	a.Requests += b.Requests
	return a
}

// strength orders the effects.
var strength = map[Effect]int{
	EffectNone: 0, EffectScroll: 1, EffectFocus: 2, EffectRequest: 3, EffectPage: 4, EffectValue: 5,
	EffectDownload: 6, EffectDialog: 7, EffectNewPage: 8, EffectNavigation: 9,
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
