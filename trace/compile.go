package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/outgoing"
)

// ErrNoScript: the run was not verified, or has a step without a known outcome. The
// errors of [Trace.Compile] wrap it.
var ErrNoScript = errors.New("no script can be made of the run")

// CompileOptions refine Compile.
type CompileOptions struct {
	// Unverified allows a run of an agent whose success was not verified.
	Unverified bool
}

// A compiler makes a script of the steps of a trace.
type compiler struct {
	t   *Trace
	out *script.Script
}

func (c *compiler) step(i int, s *Step) error {
	if s.Status == agent.Unknown && (len(s.Actions) > 0 || s.changed()) {
		return fmt.Errorf("%w: of %s it is not known what came of it", ErrNoScript, strings.ReplaceAll(s.ID(), "-", " "))
	}
	if s.Status == agent.NotRun || s.Status == agent.Failed && !s.changed() {
		return nil
	}
	var args struct {
		URL, Action, For, Value string
		Tab                     int
	}
	if s.Arguments != "" {
		_ = json.Unmarshal([]byte(s.Arguments), &args) // of another tool
	}
	one := script.Step{Name: c.name(s), On: c.address(s.Address)}
	switch s.Tool {
	case "navigate":
		address := opened(args.URL, s)
		if c.out.Start == "" {
			c.out.Start = address
			return nil
		}
		one.Do, one.Address, one.On = script.Navigate, c.out.Path(address), ""
	case script.Back, script.Forward, script.Reload:
		one.Do = s.Tool
	case "tabs":
		one.Tab, one.Do = args.Tab, "tab "+args.Action
		if args.Action == "open" && args.URL != "" {
			one.Address = c.out.Path(plain(args.URL))
		}
		if args.Action == "list" {
			return nil
		}
	case "wait":
		if last := len(c.out.Steps) - 1; last >= 0 && args.For == "text" && !strings.Contains(args.Value, "%") {
			e := &c.out.Steps[last].Expect
			e.Texts = append(e.Texts, args.Value)
		}
		return nil
	case string(engine.OperationObserve):
		return nil
	case "pageTool":
		return fmt.Errorf("%w: %s calls a tool of the page, which a script cannot do", ErrNoScript, strings.ReplaceAll(s.ID(), "-", " "))
	default:
		return c.actions(i, s)
	}
	c.begin(s)
	c.expect(i, s, &one)
	c.out.Steps = append(c.out.Steps, one)
	return nil
}

// begin makes the address of the first step the script's start, where none was opened.
func (c *compiler) begin(s *Step) {
	if c.out.Start == "" {
		c.out.Start = plain(s.Address)
	}
}

func (c *compiler) name(s *Step) string {
	if s.Before {
		return "0." + itoa(s.Number)
	}
	return itoa(s.Number)
}

// address is one as a condition.
func (c *compiler) address(of string) string {
	if of == "" {
		return ""
	}
	return c.out.Address(plain(of))
}

// actions adds what a step did to elements.
func (c *compiler) actions(i int, s *Step) error {
	if len(s.Actions) == 0 {
		if s.changed() {
			return fmt.Errorf("%w: %s, %s, cannot be done again", ErrNoScript, strings.ReplaceAll(s.ID(), "-", " "), s.Tool)
		}
		return nil
	}
	c.begin(s)
	for n := range s.Actions {
		a := s.Actions[n]
		raw, err := json.Marshal(a)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNoScript, err)
		}
		if err := json.Unmarshal([]byte(plain(string(raw))), &a); err != nil {
			return fmt.Errorf("%w: %w", ErrNoScript, err)
		}
		one := script.Step{Name: c.name(s), Do: string(a.Method), Arguments: a.Arguments, Target: script.TargetOf(&a)}
		if one.Do == "" {
			one.Do = string(engine.Click)
		}
		if a.Onto != nil {
			one.Drop = script.TargetOf(a.Onto)
		}
		if one.Target.Role == "" {
			return fmt.Errorf("%w: of %s it is not known what its element is", ErrNoScript, strings.ReplaceAll(s.ID(), "-", " "))
		}
		if n == 0 {
			one.On = c.address(s.Address)
		} else {
			one.Name += string(rune('a' + min(n, 25)))
		}
		c.known(s, &one, &a, n == 0)
		if a.Method == engine.SetInputFiles {
			for _, name := range a.Arguments {
				if !slices.Contains(c.out.Files, name) {
					c.out.Files = append(c.out.Files, name)
				}
			}
		}
		if n == len(s.Actions)-1 {
			c.expect(i, s, &one)
		}
		c.out.Steps = append(c.out.Steps, one)
	}
	return nil
}

// known adds what the page's program knows of a step's element: the key of a
// field, and what pressing it would send.
func (c *compiler) known(s *Step, one *script.Step, a *engine.Action, first bool) {
	if s.aimed == nil {
		return
	}
	capture, snap := s.aimed.capture(), s.aimed.built
	if snap == nil {
		snap = accessibility.Build(capture, nil)
	}
	for i := range snap.Nodes {
		n := &snap.Nodes[i]
		if int64(n.Source.Node) != a.BackendNodeID || string(n.Role) != one.Target.Role || plain(n.Name) != one.Target.Name {
			continue
		}
		one.Target.Key = script.KeyOf(snap, n)
		enter := a.Method == engine.Press && len(a.Arguments) > 0 && a.Arguments[0] == "Enter" && one.Target.Role != "button" && one.Target.Role != "link"
		if first && (a.Method.Presses() || enter) {
			if sends := outgoing.FromForm(capture, n.Source, enter); sends != nil {
				one.Sends = c.out.Sends(sends.Map(plain), !s.stale)
			}
		}
		break
	}
}

// expect adds what a step has changed.
func (c *compiler) expect(i int, s *Step, one *script.Step) {
	e := &one.Expect
	for _, r := range s.Requests {
		if script.Changing(r.Method) && (r.Kind == driver.RequestDocument || r.Kind == driver.RequestFetch) {
			e.Requests = append(e.Requests, c.out.Request(r.Method, plain(r.URL), r.Status))
		}
	}
	if i+1 < len(c.t.Steps) {
		e.Address = c.address(c.t.Steps[i+1].Address)
	} else if s.Evidence != nil && s.Evidence.Navigation != nil && !s.Evidence.Navigation.Pending {
		e.Address = c.address(s.Evidence.Navigation.To)
	}
	e.Texts = appeared(s)
	seen := s.Evidence
	if seen == nil || one.Target == nil {
		return
	}
	for _, d := range seen.Dialogs {
		e.Dialogs = append(e.Dialogs, script.Dialog{Kind: d.Kind, Message: starred(d.Message), Accept: d.Accepted, Text: plain(d.Answer)})
	}
	if len(seen.Downloads) > 0 {
		e.Download = starred(seen.Downloads[0].Name)
	}
	if len(s.Actions) > 1 {
		return // the evidence is of one of them
	}
	e.Effect = seen.Effect
	if e.Effect == engine.EffectScroll || e.Effect == engine.EffectFocus || e.Effect == engine.EffectNone {
		e.Effect = ""
	}
	if seen.Value != nil && !variable(seen.Value.After) && !strings.Contains(seen.Value.After, "•") && !slices.ContainsFunc(one.Arguments, variable) {
		after := seen.Value.After
		e.Value = &after
	}
	for name, change := range seen.States {
		if name == "focused" {
			continue
		}
		if e.States == nil {
			e.States = map[string]string{}
		}
		e.States[name] = change.After
	}
}

// variable reports whether a text holds a variable, or its place in a recording.
func variable(text string) bool { return placeholder.MatchString(plain(text)) }

// starred is a text with stars in the place of variables.
func starred(text string) string { return placeholder.ReplaceAllString(plain(text), "*") }

// mostTexts bounds how many words a step is held to.
const mostTexts = 2

// appeared are words that a page says after a step and did not say before: those
// that announce something. Numbers change from run to run.
func appeared(s *Step) []string {
	if s.after == nil || s.after.built == nil || !s.changed() {
		return nil
	}
	before := ""
	if s.before != nil && s.before.built != nil {
		before = s.before.built.Text()
	}
	var texts []string
	for i := range s.after.built.Nodes {
		n := &s.after.built.Nodes[i]
		if n.Role != "heading" && n.Role != "alert" && n.Role != "status" || n.Name == "" || len(n.Name) > 80 {
			continue
		}
		if strings.ContainsAny(n.Name, "0123456789•") || variable(n.Name) || strings.Contains(before, n.Name) || slices.Contains(texts, n.Name) {
			continue
		}
		if texts = append(texts, n.Name); len(texts) == mostTexts {
			break
		}
	}
	return texts
}
