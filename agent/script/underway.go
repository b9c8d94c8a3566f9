package script

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent/internal/owned"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// underway is a replay's page, and the step of it that is under way.
type underway struct {
	page    *engine.Page
	session *engine.Session
	own     *owned.Pages
	opts    *Options
	start   string // address
	at      place
	result  *Result

	original *Script // as it was given

	index  int       // of the step under way, in result.Script
	step   *Step     // under way, in result.Script
	began  time.Time // of it
	before *accessibility.Snapshot
	heals  []string // of it, in words
	sent   engine.Sent
}

// refuse is the error of the step under way.
func (u *underway) refuse(expected, found string, cause error) error {
	return &RefusedError{Step: u.step.Name, Expected: u.session.Hide(expected), Found: u.session.Hide(found), Sent: u.sent, cause: cause}
}

// follow goes to another page of the replay's own where the one that it was at is gone.
func (u *underway) follow() {
	if p := u.own.Follow(u.page); p != nil {
		u.page = p
	}
}

// address is the page's, without values.
func (u *underway) address() string { return u.session.Hide(u.page.URL()) }

// variables are those that the script names.
func (u *underway) variables() map[string]engine.Variable {
	vars := map[string]engine.Variable{}
	for _, name := range u.result.Script.Variables {
		vars[name] = u.opts.Variables[name]
	}
	return vars
}

// words say what the step is about.
func (u *underway) words() string {
	s := u.step
	text := s.Do + " " + s.Target.String()
	if s.Target.Row != "" && s.Target.Alike > 1 {
		text += fmt.Sprintf(" beside %q", s.Target.Row)
	}
	return text
}

// nearest says what the page has in the place of a target, for people.
func (u *underway) nearest(t *Target) string {
	var names []string
	for i := range u.before.Nodes {
		if n := &u.before.Nodes[i]; string(n.Role) == t.Role && n.Name != "" {
			names = append(names, fmt.Sprintf("%q", u.session.Hide(n.Name)))
		}
	}
	names = slices.Compact(names)
	const most = 8
	switch {
	case len(names) == 0:
		return "no " + t.Role + " on the page" + u.over()
	case len(names) > most:
		names = append(names[:most], "…")
	}
	return fmt.Sprintf("among the elements of role %s only %s", t.Role, strings.Join(names, ", ")) + u.over()
}

// over names a dialog that lies over the page.
func (u *underway) over() string {
	for i := range u.before.Nodes {
		if n := &u.before.Nodes[i]; n.Role == "dialog" || n.Role == "alertdialog" {
			return fmt.Sprintf(", and the %s %q", n.Role, u.session.Hide(n.Name))
		}
	}
	return ""
}

// says reports whether a page says a text.
func (u *underway) says(page *accessibility.Snapshot, text string) bool {
	words := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	return strings.Contains(words(u.session.Hide(page.Text())), words(text))
}

// isExtra reports whether a step was put before another one to reach that.
func (u *underway) isExtra(i int) bool {
	steps := u.result.Script.Steps
	return i+1 < len(steps) && steps[i].Optional && steps[i].Name == strings.TrimRight(steps[i].Name, "+")+"+" && strings.HasPrefix(steps[i].Name, strings.TrimRight(steps[i+1].Name, "+"))
}

// hasKey reports whether some field of the page has a key.
func (u *underway) hasKey(key string) bool {
	for i := range u.before.Nodes {
		if KeyOf(u.before, &u.before.Nodes[i]) == key {
			return true
		}
	}
	return false
}

// inDialog reports whether an element stands in a dialog, or in what lies over
// the page.
func (u *underway) inDialog(a *engine.Action) bool {
	for i := range u.before.Nodes {
		n := &u.before.Nodes[i]
		if u.before.XPath(n) != a.Selector {
			continue
		}
		for up := n.Parent; up >= 0; up = u.before.Nodes[up].Parent {
			switch u.before.Nodes[up].Role {
			case "dialog", "alertdialog", "alert", "banner", "region", "complementary":
				return true
			}
		}
	}
	return false
}
