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
	if chosen := q.attempt.choice(); chosen != "" {
		fmt.Fprintf(&b, "chose %s in %s", chosen, what)
	} else {
		fmt.Fprintf(&b, q.attempt.method.done, what)
	}
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
	if q.attempt.remade {
		effects = append(effects, ev.Value.remadeWords())
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

// A Change is a value before and after.
type Change struct {
	Before string `json:"before"`
	// Sent is what was sent, where the page took it and made something else of it: a
	// completion, a full path, an input that it emptied once it had read the files.
	Sent  string `json:"sent,omitempty"`
	After string `json:"after"`
}

// remadeWords says what a page made of what it took.
func (c *Change) remadeWords() string {
	if c.After == "" {
		return fmt.Sprintf("the page took %q, and has emptied the field since", c.Sent)
	}
	return fmt.Sprintf("the page made %q of %q", c.After, c.Sent)
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

	// request is that for the document while this is pending, empty before it is
	// sent. Once it is unanswered, the browser shows a page of its own about that.
	request    string
	unanswered bool
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

// A DialogSeen is a dialog that an action opened, and the answer to it.
type DialogSeen struct {
	Kind     string `json:"kind"`
	Message  string `json:"message"`
	Accepted bool   `json:"accepted"`
	Answer   string `json:"answer,omitempty"` // the text entered into a prompt
	Open     bool   `json:"open,omitempty"`   // still unanswered when the action ended
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

func (d *DownloadSeen) end(e driver.DownloadEnded) {
	d.Done, d.Canceled, d.Path, d.Size = true, e.Canceled, e.Path, e.Size
	if e.Err != nil {
		d.Reason = e.Err.Error()
	}
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
