package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent/internal/journal"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// A Saved is a run as its log has it.
type Saved struct {
	ID string
	// Task is the run's, without what no log holds: Variables and Files.
	Task      Task
	Mode      Mode
	Variables []string // names of those that the run needs
	Files     []string // so, too
	// Over reports that the run has ended by itself. To recover it returns its
	// result, and does nothing.
	Over bool

	store   runs.Store
	entries []journal.Entry
	files   map[string]string // SHA-256, by name
	browser journal.Browser
}

// Load reads the log of a run.
func Load(ctx context.Context, store runs.Store, id string) (*Saved, error) {
	if store == nil {
		return nil, fmt.Errorf("agent: %w: no store; pass the one that the run's agent had", ErrInvalid)
	}
	records, err := store.Load(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	s := &Saved{ID: id, store: store}
	if s.entries, err = journal.Read(records); err == nil {
		err = s.read()
	}
	if err != nil {
		return nil, fmt.Errorf("agent: run %s: %w", id, err)
	}
	return s, nil
}

// read takes what a caller needs out of the entries.
func (s *Saved) read() error {
	b, ok := s.entries[0].Of.(*journal.Began)
	if !ok {
		return fmt.Errorf("%w: it is that of a script's run; package agent/script continues it", runs.ErrFormat)
	}
	s.Mode, s.Variables, s.files, s.Files = Mode(b.Mode), b.Variables, b.Files, slices.Sorted(maps.Keys(b.Files))
	t := b.Bounds
	s.Task = Task{
		Instruction: b.Instruction, Context: b.Context, Messages: b.Earlier, MaxSteps: t.MaxSteps, MaxFailures: t.MaxFailures, MaxTokens: t.MaxTokens,
		MaxCost: t.MaxCost, RunTime: t.RunTime, ToolTimeout: t.ToolTimeout, WaitBetweenActions: t.Wait, NoScreenshots: t.NoPictures, Exclude: t.Exclude,
	}
	if err := journal.Get(b.Checks, &s.Task.Checks); err != nil {
		return fmt.Errorf("%w: its checks: %w", runs.ErrDamaged, err)
	}
	if err := journal.Get(b.Flows, &s.Task.Flows); err != nil {
		return fmt.Errorf("%w: its flows: %w", runs.ErrDamaged, err)
	}
	if len(b.Output) > 0 {
		form, err := schema.Parse(b.Output)
		if err != nil {
			return fmt.Errorf("%w: the schema of its output: %w", runs.ErrDamaged, err)
		}
		s.Task.Output = form
	}
	for _, e := range s.entries {
		s.browser.Take(e.Of)
		if ended, ok := e.Of.(*journal.Ended); ok {
			s.Over = s.Over || ended.Claim != nil
		}
	}
	return nil
}

// missing says what a task lacks that the run needs.
func (s *Saved) missing(t *Task) error {
	var lack []string
	for _, name := range s.Variables {
		if _, ok := t.Variables[name]; !ok {
			lack = append(lack, "the variable %"+name+"%")
		}
	}
	for _, name := range s.Files {
		switch content, ok := t.Files[name]; {
		case !ok:
			lack = append(lack, "the file "+name)
		case journal.Digest(content) != s.files[name]:
			lack = append(lack, "the file "+name+" as it was: this one has another content")
		}
	}
	if len(lack) == 0 {
		return nil
	}
	return fmt.Errorf("%w: to continue run %s give it again what no log holds: %s", ErrInvalid, s.ID, strings.Join(lack, ", "))
}

// Prepare has a session begin with the cookies and the storage of the run's browser:
// local storage, and of IndexedDB 128 KiB of an origin, small databases first. The variables are those of the run, with their values.
func (s *Saved) Prepare(opts *engine.Options, vars map[string]engine.Variable) error {
	if err := s.browser.Restore(opts, s.ID, s.Variables, vars, ErrInvalid); err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	return nil
}

// A recovery continues a run from its past.
type recovery struct{ past }

// wasInterrupted is why a call was not run.
const wasInterrupted = "the run was interrupted before it"

// goOn takes the run up where the other process left it.
func (p *recovery) goOn(ctx context.Context, out *output, b *journal.Browser) error {
	r, t := p.run, p.turn
	notice := []string{"The run was interrupted here, and goes on now."}
	fresh, failed := p.reopen(ctx, b)
	if fresh {
		notice[0] = "The run was interrupted here, and goes on in another browser. It has the cookies and the storage of the one before, and the page was loaded again at its address. What had been typed or opened there and not sent is gone, unless the outline shows it."
		notice = append(notice, failed...)
		notice = append(notice, p.refill(ctx)...)
	}
	r.notice = strings.Join(notice, "\n")
	if _, err := r.look(ctx); err != nil { // the rest of a turn is judged by it
		return err
	}
	r.view.stale = true // the model has not seen it
	if v := r.vendor; v != nil {
		v.shown, v.anew = false, true
		v.hand.Fallback = r.view.snapshot
	}
	if t == nil {
		return p.tell(ctx, nil, nil)
	}
	if r.vendor != nil {
		t.calls = r.split(t.calls)
	}
	if len(t.calls) == 0 && t.ended > 0 { // an answer without a call
		return p.tell(ctx, []llm.Part{llm.Text{Text: "Answer with a tool call: the next action, or done."}}, t.done)
	}
	why := t.surprise
	if len(t.intended) > 0 && t.ended < len(t.calls) {
		var err error
		if why, err = p.settle(ctx, out, t.calls[t.ended]); err != nil {
			return err
		}
	}
	left := t.calls[min(t.ended, len(t.calls)):]
	if why == "" && len(left) > 0 && r.vendor == nil {
		if calls, ok := p.remap(left); ok {
			r.carried = t.done
			return r.calls(ctx, out, calls, Step{Turn: r.turn}, t.parts)
		}
	}
	for _, call := range left {
		step := Step{Number: len(r.actions) + 1, Turn: r.turn}
		step.Action = Action{Step: step.Number, Type: r.callName(call), Arguments: arguments(call), Begin: time.Now(), PageURL: r.address()}
		result := r.skip(&step, call, cmp.Or(why, wasInterrupted))
		if err := p.record(ctx, out, step, result, why); err != nil {
			return err
		}
	}
	if r.vendor != nil {
		p.forget()
		if err := r.log.Write(ctx, &journal.Compacted{Open: true}); err != nil {
			return err
		}
	}
	return p.tell(ctx, t.parts, t.done)
}

// tell gives the model the results, with the page as it is.
func (p *recovery) tell(ctx context.Context, parts []llm.Part, done []string) error {
	r := p.run
	view, err := r.look(ctx)
	if err != nil {
		return err
	}
	parts = append(slices.Clone(parts), llm.Text{Text: r.notice})
	r.notice = ""
	if err := r.tell(ctx, append(parts, view...), done); err != nil {
		return err
	}
	return r.makeRoom(ctx)
}

// record keeps a step that this process has not done.
func (p *recovery) record(ctx context.Context, out *output, step Step, result llm.ToolResult, why string) error {
	r, t := p.run, p.turn
	inner := r.stepBegan(ctx, &step)
	r.record(step.Action)
	if step.Action.Parent == 0 {
		t.ended++
		t.parts = addResult(t.parts, result)
		t.done = append(t.done, line(&step.Action))
	}
	if err := r.logEnded(ctx, &step.Action, &result, why); err != nil {
		return err
	}
	r.endStep(inner, &step)
	if !out.step(step, nil) {
		return errLeft
	}
	return nil
}

// reopen opens the tabs of the run's browser, where this one shows nothing.
func (p *recovery) reopen(ctx context.Context, b *journal.Browser) (fresh bool, failed []string) {
	r := p.run
	active, fresh, lost := b.Reopen(ctx, r.own, r.page, r.task.Variables)
	r.enterPage(active)
	for _, l := range lost {
		failed = append(failed, fmt.Sprintf("Tab %d (%s) cannot be opened again: %s", l.Tab, r.addresses.shorten(l.Address), firstLine(r.session.Hide(l.Err.Error()))))
	}
	return fresh, failed
}

// refill fills the fields again that had been filled on the document that was
// lost, unless that has sent anything, or the page has them already. The one that
// had the focus gets it again: a model may be about to type.
func (p *recovery) refill(ctx context.Context) (said []string) {
	r := p.run
	if r.page == nil {
		return nil
	}
	var again []engine.Action
	var focus *Action          // the step that moved the focus last
	now := sendings(r.earlier) // when the next step began
	for i := len(r.actions) - 1; i >= 0; i-- {
		a := &r.actions[i]
		if leaves(a) || a.PageURL != "" && a.PageURL != r.address() && len(a.Actions) > 0 {
			break
		}
		sent, known := p.sent[a.Step]
		if focus == nil && known && sent[0] == now && a.Evidence != nil && a.Evidence.States["focused"].After != "" {
			focus = a
		}
		for k := len(a.Actions) - 1; k >= 0 && a.Status == Done; k-- {
			if do := asState(a, k); known && sent[0] == now && slices.Contains(journal.Settled, do.Method) {
				again = append(again, do)
			}
		}
		if known {
			now = sent[0]
		}
	}
	slices.Reverse(again)
	snap, err := r.page.Snapshot(ctx, nil)
	if err != nil {
		return nil
	}
	opts := r.actOptions()
	opts.Approve = nil // it was approved, and the page has lost it; a focus sends nothing
	for _, a := range again {
		if a.Fingerprint == nil {
			break
		}
		nodes := r.like(snap, a)
		if len(nodes) == 0 || len(nodes) == 1 && holds(nodes[0], &a, r.session.Hide) {
			continue
		}
		if _, failed := r.page.Do(ctx, a, opts); failed != nil {
			said = append(said, fmt.Sprintf("%s cannot be filled again.", a.Fingerprint))
			continue
		}
		said = append(said, fmt.Sprintf("%s was filled again as before.", a.Fingerprint))
	}
	if a := asFocus(focus); a != nil && len(r.like(snap, *a)) > 0 {
		if _, failed := r.page.Do(ctx, *a, opts); failed == nil {
			said = append(said, fmt.Sprintf("%s has the focus, as before.", a.Fingerprint))
		}
	}
	return said
}

// asFocus is a step as the focus that it gave to a field; nil if it gave none.
func asFocus(a *Action) *engine.Action {
	if a == nil || a.Status != Done || len(a.Actions) != 1 || a.Evidence.States["focused"].After != "true" {
		return nil
	}
	do := a.Actions[0]
	if f := do.Fingerprint; f == nil || !slices.Contains([]string{"textbox", "searchbox", "combobox", "spinbutton"}, f.Role) {
		return nil
	}
	do.Method, do.Arguments = engine.Focus, nil
	return &do
}

// asState is an action of a step, as the state that it brought its control to: a
// press that turned a box on or off, keys that changed what a field holds.
func asState(a *Action, k int) engine.Action {
	do := a.Actions[k]
	e := a.Evidence
	if e == nil || len(a.Actions) != 1 {
		return do
	}
	switch do.Method {
	case engine.Click:
		switch e.States["checked"].After {
		case "true":
			do.Method, do.Arguments = engine.Check, nil
		case "false":
			do.Method, do.Arguments = engine.Uncheck, nil
		}
	case engine.Type, engine.Press:
		switch v := e.Value; {
		case v == nil:
		case !strings.Contains(v.After, bullet):
			do.Method, do.Arguments = engine.Fill, []string{v.After}
		case do.Method == engine.Type && v.Before == "": // what it shows is not what it holds
			do.Method = engine.Fill
		}
	}
	return do
}

// bullet is what evidence has for each character of a value that is not shown.
const bullet = "•"

// leaves reports that a step went to another document.
func leaves(a *Action) bool {
	if e := a.Evidence; e != nil && (e.Navigation != nil && !e.Navigation.SameDocument || len(e.NewPages) > 0) {
		return true
	}
	return slices.Contains([]string{"navigate", "back", "forward", "reload", toolTabs}, a.Type)
}

// like are the elements of a reading that look as an action's, whose texts have
// placeholders for values.
func (r *scene) like(snap *engine.Snapshot, a engine.Action) []*accessibility.Node {
	if a.Fingerprint == nil {
		return nil
	}
	return alike(snap, a.Fingerprint.Role, a.Fingerprint.Name, r.session.Hide)
}

// holds reports whether a control is in the state that an action brings it to.
func holds(n *accessibility.Node, a *engine.Action, hide func(string) string) bool {
	wanted := ""
	if len(a.Arguments) > 0 {
		wanted = a.Arguments[0]
	}
	switch a.Method {
	case engine.Check:
		return n.States.Checked == accessibility.On
	case engine.Uncheck:
		return n.States.Checked == accessibility.Off
	case engine.Clear:
		return n.Value == ""
	case engine.Fill, engine.SelectOption:
		return len(a.Arguments) == 1 && (sameText(n.Value, wanted) || sameText(hide(n.Value), wanted))
	}
	return false
}

// settle judges the call that was under way. It returns why those after it are
// not to be run, empty if they may be.
func (p *recovery) settle(ctx context.Context, out *output, call llm.ToolCall) (why string, _ error) {
	r, t := p.run, p.turn
	last := t.intended[len(t.intended)-1]
	text, proof := p.judge(last)
	if last.Parent != 0 { // a step of the call: it has a place of its own
		step := Step{Number: last.Step, Turn: r.turn, Action: p.under(last, text, proof)}
		step.Action.Parent = last.Parent
		p.place(last.Parent)
		if err := p.record(ctx, out, step, llm.ToolResult{}, ""); err != nil {
			return "", err
		}
		text, proof = fmt.Sprintf("the call was interrupted in its step %d; %s", last.Step, p.stepsOf(last.Parent)), nil
	}
	first := t.intended[0]
	if first.Parent != 0 {
		first = &journal.Intended{Step: first.Parent, Tool: call.Name, Arguments: call.Arguments, Address: first.Address}
	}
	if len(t.intended) > 1 { // the others of the call are not proven
		proof = nil
	}
	step := Step{Number: first.Step, Turn: r.turn, Action: p.under(first, text, proof)}
	result := resultOf(call, fmt.Sprintf("step %d: %s", step.Number, step.Action.Message), false)
	if proof == nil {
		why = fmt.Sprintf("of step %d it is not known what came of it", step.Number)
		result = resultOf(call, fmt.Sprintf("step %d: not known what came of it: %s", step.Number, text), true)
	}
	r.bounds.steps++
	t.intended = nil
	return why, p.record(ctx, out, step, result, why)
}

// under is the step of an intent.
func (p *recovery) under(i *journal.Intended, text string, proof *engine.Evidence) Action {
	a := Action{
		Step: i.Step, Type: i.Tool, Arguments: i.Arguments, Status: Unknown, Message: firstLine(text), PageURL: i.Address, Evidence: proof, Begin: time.Now(),
	}
	if proof != nil {
		a.Status = Done
	}
	if i.Action != nil {
		a.Actions, a.Selector = []engine.Action{*i.Action}, i.Action.Selector
		if f := i.Action.Fingerprint; f != nil {
			a.Target = f.String()
		}
	}
	return a
}

// stepsOf says what the steps of a call have come to.
func (p *recovery) stepsOf(parent int) string {
	var done []string
	for _, a := range p.run.actions {
		if a.Parent == parent {
			done = append(done, line(&a))
		}
	}
	return "its steps:\n" + strings.Join(done, "\n")
}

// mostDifferent bounds how many lines of a difference are shown.
const mostDifferent = 20

// judge says what the page shows of an action that was about to be done when the
// run was interrupted, and returns the evidence if it proves that it was.
func (p *recovery) judge(i *journal.Intended) (string, *engine.Evidence) {
	r := p.run
	what := i.Tool
	if i.Action != nil {
		what = string(i.Action.Method)
		if i.Action.Fingerprint != nil {
			what += " " + i.Action.Fingerprint.String()
		}
		if nodes := r.like(r.view.snapshot, *i.Action); len(nodes) == 1 && slices.Contains(journal.Settled, i.Action.Method) {
			after := r.session.Hide(valueOf(nodes[0]))
			if holds(nodes[0], i.Action, r.session.Hide) && i.Value != after {
				e := &engine.Evidence{Effect: engine.EffectValue, Value: &engine.Change{Before: i.Value, After: after}}
				return fmt.Sprintf("%s: the run was interrupted then; the page has the value now", what), e
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: the run was interrupted when its input was about to be sent, or had been. ", what)
	at := r.address()
	if at != i.Address {
		fmt.Fprintf(&b, "The page was %s then, and is %s now. ", r.addresses.shorten(i.Address), r.addresses.shorten(at))
	}
	before := map[string]int{}
	for _, d := range i.Lines {
		before[d]++
	}
	var more []string
	if r.view.snapshot != nil {
		for text := range strings.Lines(r.view.snapshot.Outline()) {
			if d := digestOfLine(text); before[d] > 0 {
				before[d]--
			} else {
				more = append(more, strings.TrimSpace(text))
			}
		}
	}
	gone := 0
	for _, n := range before {
		gone += n
	}
	if len(more) == 0 && gone == 0 {
		b.WriteString("The page shows nothing else than it did before the step. Look where it would be seen whether it was done, before you do it again.")
	} else {
		fmt.Fprintf(&b, "Of what the page showed before the step, %d lines are gone, and these are new; tell by them whether it was done, before you do it again:", gone)
		for _, text := range more[:min(len(more), mostDifferent)] {
			b.WriteString("\n" + text)
		}
		if n := len(more) - mostDifferent; n > 0 {
			fmt.Fprintf(&b, "\n(%d more)", n)
		}
	}
	return b.String(), nil
}

// wholeRef is a string that is a ref and nothing else.
var wholeRef = regexp.MustCompile(`^\[?([0-9]+-[0-9]+)\]?$`)

// remap has calls that were not begun name the same elements on the page that was
// loaded again. ok is false if one of them is not surely what the model meant.
func (p *recovery) remap(calls []llm.ToolCall) (out []llm.ToolCall, ok bool) {
	r, t := p.run, p.turn
	for _, call := range t.calls[:t.ended] {
		if call.Name == toolDialog { // the answer is gone with the browser
			return nil, false
		}
	}
	for _, call := range calls {
		tool, err := r.tools.find(call)
		switch {
		case err != nil: // the call fails by itself
		case tool.modes != nil, call.Name == "back", call.Name == "forward", call.Name == "press" && !strings.Contains(string(call.Arguments), `"ref"`):
			return nil, false // a point, the history and the focus were that browser's
		case tool.kind == own && refPattern.Match(call.Arguments):
			return nil, false
		}
		ok := true
		call.Arguments = jsonString.ReplaceAllFunc(call.Arguments, func(quoted []byte) []byte {
			var text string
			if json.Unmarshal(quoted, &text) != nil || !wholeRef.MatchString(text) {
				return quoted
			}
			e, known := t.elements[wholeRef.FindStringSubmatch(text)[1]]
			nodes := alike(r.view.snapshot, e.Role, e.Name, nil)
			if !known || len(nodes) != 1 {
				ok = false
				return quoted
			}
			return []byte(`"` + string(nodes[0].Ref) + `"`)
		})
		if !ok {
			return nil, false
		}
		out = append(out, call)
	}
	return out, true
}
