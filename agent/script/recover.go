package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent/internal/journal"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// A Saved is a replay as its log has it.
type Saved struct {
	ID        string
	Variables []string // names of those that it needs
	Files     []string // so, too
	// Over reports that nothing is left to be done: to recover it returns its result.
	Over bool

	store    runs.Store
	revision int
	began    *journal.Scripted
	arrived  bool
	browser  journal.Browser
	script   json.RawMessage // as it was mended; nil: as it was given
	did      []*journal.Did
	doing    *journal.Doing // has no outcome; nil if there is none
	usage    llm.Usage
}

// Load reads the log of a replay that had [Options.Store].
func Load(ctx context.Context, store runs.Store, run string) (*Saved, error) {
	records, err := store.Load(ctx, run)
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	entries, err := journal.Read(records)
	if err != nil {
		return nil, fmt.Errorf("script: run %s: %w", run, err)
	}
	s := &Saved{ID: run, store: store, revision: entries[len(entries)-1].Revision}
	var ok bool
	if s.began, ok = entries[0].Of.(*journal.Scripted); !ok {
		return nil, fmt.Errorf("script: run %s: %w: it is that of an agent's run; agent.Load reads it", run, runs.ErrFormat)
	}
	s.Variables = s.began.Variables
	s.Files = slices.Sorted(maps.Keys(s.began.Files))
	for _, e := range entries {
		s.take(e.Of)
	}
	return s, nil
}

// take brings what is known to what it was after an entry.
func (s *Saved) take(entry any) {
	s.browser.Take(entry)
	switch e := entry.(type) {
	case *journal.Arrived:
		s.arrived = true
	case *journal.Doing:
		s.doing, s.usage = e, e.Usage
		if e.Script != nil {
			s.script = e.Script
		}
	case *journal.Did:
		s.doing, s.usage = nil, e.Usage
		s.did = append(s.did, e)
		s.Over = s.Over || e.Refused != nil
		if e.Script != nil {
			s.script = e.Script
		}
	case *journal.Over:
		s.Over = true
	}
}

// Prepare has a session begin with the cookies and the local storage of the
// replay's browser. The variables are those of the replay, with their values.
func (s *Saved) Prepare(opts *engine.Options, vars map[string]engine.Variable) error {
	if err := s.browser.Restore(opts, s.ID, s.Variables, vars, engine.ErrInvalid); err != nil {
		return fmt.Errorf("script: %w", err)
	}
	return nil
}

// Recover continues a replay whose process has died, on a page of a session that
// [Saved.Prepare] has prepared. The script and the options are those that it began
// with. Nothing that may have changed something beyond the page is done twice: of a
// step whose outcome is not in the log the page is asked, and where it does not tell
// the error wraps [ErrUnknown]. What the page has lost, as what was typed into
// fields, is done again.
func Recover(ctx context.Context, page *engine.Page, s *Script, opts *Options, saved *Saved) (*Result, error) {
	if saved == nil {
		return nil, fmt.Errorf("script: %w: no run; Load it from its store", engine.ErrInvalid)
	}
	of, err := begin(page, s, opts)
	if err != nil {
		return nil, err
	}
	r := &recovery{of, saved}
	if err := saved.fits(of); err != nil {
		return nil, err
	}
	r.log = &journal.Log{Store: saved.store, Run: saved.ID, Revision: saved.revision, Hide: r.session.Hide}
	next, err := r.take()
	if err != nil || saved.Over {
		return r.result, err
	}
	if err := r.write(ctx, &journal.Resumed{}); err != nil {
		return r.result, fmt.Errorf("script: %w", err)
	}
	if !saved.arrived {
		return r.result, r.open(ctx)
	}
	if err := r.reopen(ctx); err != nil {
		return r.result, err
	}
	if saved.doing != nil {
		if next, err = r.settle(ctx, saved.doing); err != nil {
			return r.result, err
		}
	}
	return r.result, r.run(ctx, next)
}

// A recovery continues a replay from its log.
type recovery struct {
	*replay
	saved *Saved
}

// fits says what is not as it was when the replay began.
func (s *Saved) fits(r *replay) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("script: %w: to continue run %s give it what it began with: %s", engine.ErrInvalid, s.ID, fmt.Sprintf(format, args...))
	}
	switch {
	case journal.Digest([]byte(r.original.String())) != s.began.Script:
		return wrong("this is another script")
	case r.session.Hide(r.start) != s.began.Start:
		return wrong("it began at %s", s.began.Start)
	}
	for _, name := range s.Files {
		if content, ok := r.opts.Files[name]; !ok || journal.Digest(content) != s.began.Files[name] {
			return wrong("the file %s as it was", name)
		}
	}
	return nil
}

// take takes over what another process has done, and returns the step that is next.
// The error is that of a replay that was refused.
func (r *recovery) take() (next int, _ error) {
	s := r.saved
	if s.script != nil {
		now, err := Parse(s.script)
		if err != nil {
			return 0, fmt.Errorf("script: run %s: %w: %w", s.ID, runs.ErrDamaged, err)
		}
		r.result.Script, r.logged = now, now.String()
	}
	r.result.Usage = s.usage
	for _, d := range s.did {
		var one StepResult
		if err := json.Unmarshal(d.Result, &one); err != nil {
			return 0, fmt.Errorf("script: run %s: %w: %w", s.ID, runs.ErrDamaged, err)
		}
		if !r.follows(next, d.Index) {
			return 0, misplaced(s.ID, d.Index, next)
		}
		r.result.Steps = append(r.result.Steps, one)
		if one.Outcome == Healed {
			r.result.Healed++
		}
		if f := d.Refused; f != nil {
			refused := &RefusedError{Step: one.Name, Expected: f.Expected, Found: f.Found, Sent: f.Sent}
			if f.Unknown {
				refused.cause = ErrUnknown
			}
			return 0, refused
		}
		next, r.said = d.Index+1, d.Said
	}
	switch last := len(r.result.Script.Steps); {
	case s.doing != nil && (s.doing.Index == last || !r.follows(next, s.doing.Index)):
		return 0, misplaced(s.ID, s.doing.Index, next)
	case s.Over && next < last:
		return 0, misplaced(s.ID, last, next)
	case (len(s.did) > 0 || s.doing != nil) && !s.arrived:
		return 0, fmt.Errorf("script: run %s: %w: it has steps, and its start was not opened", s.ID, runs.ErrDamaged)
	}
	return next, nil
}

// follows reports whether a step may come where next is the one that is next: it is that
// one, one before it that is done again, or one that steps were put before. What the log
// lacks was not proved.
func (r *recovery) follows(next, step int) bool {
	if step < 0 || step > len(r.result.Script.Steps) {
		return false
	}
	for ; next < step; next++ {
		if !r.isExtra(next) {
			return false
		}
	}
	return true
}

// misplaced is a log that names a step which cannot come there. A checksum says that an
// entry is as it was written, and not that no other is missing.
func misplaced(run string, step, next int) error {
	return fmt.Errorf("script: run %s: %w: it names step %d where %d is the next", run, runs.ErrDamaged, step+1, next+1)
}

// reopen brings the page to what it was, as far as that can be.
func (r *recovery) reopen(ctx context.Context) error {
	s := r.saved
	page, fresh, lost := s.browser.Reopen(ctx, r.own, r.page, r.variables())
	r.page, r.fresh = page, fresh
	for _, l := range lost {
		return fmt.Errorf("script: to continue run %s its tabs are opened again, and %s cannot be: %w", s.ID, l.Address, l.Err)
	}
	if err := r.logArrived(ctx); err != nil {
		return err
	}
	if !fresh {
		return nil
	}
	from := 0
	for i, d := range s.did {
		if d.Left {
			from = i + 1
		}
	}
	if from > 0 {
		r.await(ctx, s.did[from-1])
	}
	for i, d := range s.did[from:] {
		if d.Index < len(r.result.Script.Steps) && r.result.Steps[from+i].Outcome != Skipped {
			if err := r.again(ctx, d); err != nil {
				return err
			}
			r.await(ctx, d)
		}
	}
	return nil
}

// await gives the page the time to say what it said after a step. Where it does not
// say it any more, the steps that follow tell.
func (r *recovery) await(ctx context.Context, d *journal.Did) {
	if d.Index >= len(r.result.Script.Steps) {
		return
	}
	for _, text := range r.result.Script.Steps[d.Index].Expect.Texts {
		if !r.comesToSay(ctx, text) {
			return
		}
	}
}

// errChanges is why a step is not done again.
var errChanges = errors.New("it would change something beyond the page")

// again does a step again whose effect was on the page alone, which was loaded anew.
// What does not fit any more is left out, and so is a press on a page that may send what
// nobody sees: the steps after it are proved all the same.
func (r *recovery) again(ctx context.Context, d *journal.Did) error {
	step := r.result.Script.Steps[d.Index]
	if step.Target == nil || changes(&step) || len(step.Expect.Dialogs) > 0 || (d.Kept || d.Blind) && !slices.Contains(journal.Settled, engine.Method(step.Do)) {
		return nil
	}
	r.index, r.step, r.began, r.sent = d.Index, &step, time.Now(), engine.SentNone
	if step.On != "" && !r.at.reached(step.On, r.address()) {
		return nil
	}
	var err error
	if r.before, err = r.page.Snapshot(ctx, nil); err != nil {
		return fmt.Errorf("script: step %s: %w", step.Name, err)
	}
	action, misfit, err := r.find(ctx)
	if err != nil || misfit != nil {
		return err
	}
	result, err := r.page.Do(ctx, *action, &engine.ActOptions{Variables: r.variables(), Files: r.opts.Files, Approve: r.harmless})
	if result != nil {
		r.sent = result.Sent
	}
	switch {
	case err != nil && context.Cause(ctx) != nil:
		return fmt.Errorf("script: %w", context.Cause(ctx))
	case err != nil && r.sent == engine.SentNone, errors.Is(err, engine.ErrNoEffect):
		return nil
	case err != nil:
		return r.refuse("to do it again on the page that was loaded again", "an error: "+err.Error(), err)
	}
	if _, err := r.page.Snapshot(ctx, nil); err != nil {
		return r.refuse("a page that can be read", err.Error(), err)
	}
	return r.proveRequests(nil)
}

// harmless lets through what changes nothing beyond the page.
func (r *recovery) harmless(ctx context.Context, p *engine.Proposal) error {
	now, err := p.Outgoing(ctx)
	if err == nil && now != nil && changing(now.Method) {
		err = errChanges
	}
	if err == nil && r.opts.Approve != nil {
		err = r.opts.Approve(ctx, p)
	}
	return err
}

// settle judges a step that was about to be done, and returns the one that is next.
func (r *recovery) settle(ctx context.Context, d *journal.Doing) (next int, _ error) {
	if !d.Changes { // of what it did nothing is left but in the browser that is gone
		r.carried = d.Heal
		for next = d.Index; next > 0 && r.isExtra(next-1); next-- {
		}
		return next, nil
	}
	r.index, r.step, r.heals, r.sent = d.Index, &r.result.Script.Steps[d.Index], nil, engine.SentPossible
	if d.Heal != "" {
		r.heals = []string{d.Heal}
	}
	var err error
	if r.before, err = r.page.Snapshot(ctx, nil); err != nil {
		return 0, fmt.Errorf("script: step %s: %w", r.step.Name, err)
	}
	out := StepResult{Name: r.step.Name, Do: r.step.Do, Outcome: Unchanged}
	if r.step.Target != nil {
		out.Target = r.step.Target.String()
	}
	text, proved := r.judge(d)
	out.Message = text
	if !proved {
		err = &RefusedError{Step: r.step.Name, Expected: "to know whether it was done", Found: r.session.Hide(text), Sent: engine.SentPossible, cause: ErrUnknown}
	}
	if len(r.heals) > 0 && err == nil {
		r.result.Healed++
	}
	return d.Index + 1, r.conclude(ctx, &out, err)
}

// judge says what the page tells of a step whose input was about to be sent when the
// run was interrupted, or had been: that it was done, if it says by now all the words that
// the step has to bring, and did not before. Words that are missing prove nothing: they may
// have stood there once.
func (r *recovery) judge(d *journal.Doing) (text string, done bool) {
	what := r.step.Do
	if r.step.Target != nil {
		what += " " + r.step.Target.String()
	}
	text = fmt.Sprintf("the run was interrupted when the input of %s was about to be sent, or had been", what)
	brought := slices.DeleteFunc(slices.Clone(r.step.Expect.Texts), func(text string) bool { return slices.Contains(d.Said, text) })
	if len(brought) == 0 {
		return text + ", and the script names no words by which it would show", false
	}
	for _, word := range brought {
		if !r.says(r.before, word) {
			return fmt.Sprintf("%s, and the page at %s does not say %q", text, r.at.path(r.address()), word), false
		}
	}
	return fmt.Sprintf("%s; the page says %q now, which it did not before: it was done", text, brought[0]), true
}
