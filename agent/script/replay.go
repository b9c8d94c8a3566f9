package script

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent/internal/journal"
	"github.com/wayfinder-engine/wayfinder/agent/internal/owned"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// ErrRefused: a step of the script does not fit the page, or did not prove
// itself. See [RefusedError].
var ErrRefused = errors.New("refused")

// ErrUnknown: a replay was interrupted when a step's input was about to be sent, or
// had been, and the page does not say which. The step is not done again. The error is
// a [RefusedError], too.
var ErrUnknown = errors.New("not known whether the step was done")

// A RefusedError is a step that could not be done as the script has it, or that
// came out otherwise. Nothing after it was done. It wraps ErrRefused, and what
// the engine said.
type RefusedError struct {
	Step     string // its name
	Expected string
	Found    string
	// Sent says whether the step sent input.
	Sent  engine.Sent
	cause error
}

func (e *RefusedError) Error() string {
	if errors.Is(e.cause, ErrUnknown) {
		return fmt.Sprintf("step %s: it is not known whether it was done, and it is not done again: %s", e.Step, e.Found)
	}
	text := fmt.Sprintf("step %s: expected %s; found %s", e.Step, e.Expected, e.Found)
	if e.Sent != engine.SentNone {
		text += " (the step was done)"
	}
	return text
}

// Unwrap returns ErrRefused and the cause.
func (e *RefusedError) Unwrap() []error {
	if e.cause == nil {
		return []error{ErrRefused}
	}
	return []error{ErrRefused, e.cause}
}

// Options refine Replay.
type Options struct {
	Variables map[string]engine.Variable
	// Files are contents to upload, by the names that the script has. A name that
	// is not here is a path.
	Files map[string][]byte

	// Start stands in the place of the script's, as to replay it at a test system.
	Start string

	// Model heals steps that no longer fit; nil refuses them.
	Model llm.Model
	// Allow is asked about a healed step that pays, sends or deletes, right before
	// it is done: nil error allows it. With a nil Allow such steps are refused.
	Allow func(ctx context.Context, was, now *Step) error

	// Approve, if not nil, is asked about each action as [engine.ActOptions].Approve is.
	Approve func(ctx context.Context, p *engine.Proposal) error

	// Stepped is called after each step, also the one that is refused.
	Stepped func(StepResult)

	// Patience is how long words may take to appear after a step; 0 is 5 s.
	Patience time.Duration

	// Store keeps a log under the name Run, from which [Recover] continues in another
	// process; nil keeps none. What is about to be done stands in it before the input
	// is sent. It has no value of a variable, and the cookies and the storage of the
	// browser: keep it as a secret.
	Store runs.Store
	Run   string
}

// An Outcome says what a replay made of a step.
type Outcome string

// The outcomes.
const (
	Unchanged Outcome = "unchanged" // done as the script has it, and proved
	Healed    Outcome = "healed"    // the script was mended for it, and it was proved
	Skipped   Outcome = "skipped"   // an optional step whose target was not there
	Refused   Outcome = "refused"   // not done, or not proved
	Unknown   Outcome = "unknown"   // interrupted, and it cannot be told whether it was done
)

// A StepResult is what came of a step.
type StepResult struct {
	Name     string           `json:"step"`
	Do       string           `json:"do"`
	Target   string           `json:"target,omitempty"`
	Outcome  Outcome          `json:"outcome"`
	Message  string           `json:"message"`        // what came of it, or what was expected and found
	Heal     string           `json:"heal,omitempty"` // what was changed in the script, in words
	Evidence *engine.Evidence `json:"evidence,omitempty"`
}

// A Result is what a replay did.
type Result struct {
	Steps []StepResult `json:"steps"`
	// Script is what fits the page: the one that was replayed, with what was healed.
	Script *Script `json:"-"`
	Healed int     `json:"healed"` // steps
	// Usage is what the model took that healed.
	Usage llm.Usage `json:"usage,omitzero"`
}

// Replay does a script's steps on a page, in their order, and proves each. opts
// may be nil. The result is there with an error, too; it is nil only where the
// script or the options are invalid. A step that is refused is a RefusedError;
// nothing after it is done.
func Replay(ctx context.Context, page *engine.Page, s *Script, opts *Options) (*Result, error) {
	r, err := begin(page, s, opts)
	if err != nil {
		return nil, err
	}
	err = r.write(ctx, &journal.Scripted{
		Format: journal.Format, Script: journal.Digest([]byte(s.String())), Start: r.session.Hide(r.start), Variables: s.Variables, Files: journal.Digests(r.opts.Files),
	})
	if err != nil {
		return r.result, err
	}
	return r.result, r.open(ctx)
}

// begin sets a replay up. It touches no page.
func begin(page *engine.Page, s *Script, opts *Options) (*replay, error) {
	if opts == nil {
		opts = &Options{}
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	u := &underway{page: page, session: page.Session(), own: owned.In(page.Session()), opts: opts, start: cmp.Or(opts.Start, s.Start), original: s, result: &Result{Script: s.clone()}}
	r := &replay{underway: u, keeper: keeper{underway: u}, healer: healer{prover{asker{u}}}}
	r.own.Add(page)
	r.at = placeOf(r.start)
	for _, name := range s.Variables {
		if _, ok := opts.Variables[name]; !ok {
			return nil, fmt.Errorf("script: %w: it needs the variable %q", engine.ErrInvalid, name)
		}
	}
	if err := r.session.Remember(r.variables()); err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	if opts.Store != nil {
		if err := runs.CheckName(opts.Run); err != nil {
			return nil, fmt.Errorf("script: %w: Run: %w", engine.ErrInvalid, err)
		}
		r.log = &journal.Log{Store: opts.Store, Run: opts.Run, Hide: r.session.Hide}
	}
	return r, nil
}

// open goes to where the script begins, and does it all.
func (r *replay) open(ctx context.Context) error {
	if _, err := r.page.Navigate(ctx, r.start, nil); err != nil {
		return fmt.Errorf("script: %w", err)
	}
	if err := r.logArrived(ctx); err != nil {
		return err
	}
	return r.run(ctx, 0)
}

// A replay is one replay of a script.
type replay struct {
	*underway
	keeper
	healer
	fresh   bool     // the browser has the tabs of another one, and nothing of their past
	carried string   // what was changed in the script for the next step, by another process
	said    []string // of the words of the script's end, those that another process has seen
}

// run does the steps from one on.
func (r *replay) run(ctx context.Context, from int) error {
	for i := from; i < len(r.result.Script.Steps); i++ {
		if err := context.Cause(ctx); err != nil {
			return fmt.Errorf("script: %w", err)
		}
		added, err := r.one(ctx, i)
		i += added
		if err != nil {
			return err
		}
	}
	if end := r.result.Script.End; end != nil && from <= len(r.result.Script.Steps) {
		if err := r.end(ctx, end, from); err != nil {
			return err
		}
	}
	return r.write(ctx, &journal.Over{End: "done"})
}

// end holds the page against what it has to say when all is done. from is the step
// that was next when this process began.
func (r *replay) end(ctx context.Context, end *Expect, from int) error {
	r.index = len(r.result.Script.Steps)
	r.step, r.sent, r.heals = &Step{Name: "end", Expect: *end}, engine.SentNone, nil
	if from == r.index { // nothing was done since
		r.step.Expect.Texts = slices.DeleteFunc(slices.Clone(end.Texts), func(text string) bool { return slices.Contains(r.said, text) })
	}
	err := r.proveWords(ctx)
	out := StepResult{Name: "end", Do: "check", Outcome: Unchanged, Message: "the page says what it has to say"}
	if len(r.heals) > 0 {
		said := len(end.Texts) - len(r.step.Expect.Texts)
		*end = r.step.Expect
		end.Texts = append(slices.Clone(r.said[:said]), end.Texts...)
		r.result.Healed++
	}
	return r.conclude(ctx, &out, err)
}

// one does the ith step. It returns how many steps were put before it.
func (r *replay) one(ctx context.Context, i int) (added int, err error) {
	s := r.result.Script
	r.index, r.step, r.heals, r.sent, r.before = i, &s.Steps[i], nil, engine.SentNone, nil
	if r.carried != "" && !r.isExtra(i) {
		r.heals, r.carried = []string{r.carried}, ""
	}
	var evidence *engine.Evidence
	skipped := false
	for {
		r.began = time.Now()
		evidence, err = r.do(ctx)
		var extra *extraStep
		if errors.As(err, &extra) && added < mostExtra {
			s.Steps = slices.Insert(s.Steps, i+added, extra.Step)
			added++
			r.index, r.step = i+added, &s.Steps[i+added]
			r.heals = append(r.heals, extra.words)
			continue
		}
		if errors.As(err, &extra) {
			err = r.refuse("to reach "+r.step.Target.String(), fmt.Sprintf("something else in the way after %d steps", added), nil)
		}
		skipped = r.step.Optional && r.sent == engine.SentNone && errors.Is(err, engine.ErrNotFound)
		break
	}
	out := StepResult{Name: r.step.Name, Do: r.step.Do, Outcome: Unchanged, Evidence: evidence}
	if r.step.Target != nil {
		out.Target = r.step.Target.String()
	}
	switch {
	case skipped:
		out.Outcome, out.Message, err = Skipped, "its target is not there", nil
	case err == nil:
		if err = r.prove(ctx, evidence); err == nil {
			out.Message = "done and proved"
		}
	}
	if len(r.heals) > 0 && err == nil {
		r.result.Healed++
	}
	return added, r.conclude(ctx, &out, err)
}

// mostExtra bounds the steps that are put before one that does not fit.
const mostExtra = 2

// conclude records what came of a step, and returns its error, or that of the log.
func (r *replay) conclude(ctx context.Context, out *StepResult, err error) error {
	out.Heal = strings.Join(r.heals, "; ")
	switch {
	case errors.Is(err, ErrUnknown):
		out.Outcome, out.Message = Unknown, r.session.Hide(err.Error())
	case err != nil:
		out.Outcome, out.Message = Refused, r.session.Hide(err.Error())
	case len(r.heals) > 0:
		out.Outcome = Healed
	}
	if r.log != nil {
		if r.lost == nil && err != nil && (context.Cause(ctx) != nil || CutShort(err)) {
			return err // the one that continues judges what came of it
		}
		if lost := r.logDid(ctx, out, err); lost != nil {
			return lost
		}
	}
	r.result.Steps = append(r.result.Steps, *out)
	if r.opts.Stepped != nil {
		r.opts.Stepped(*out)
	}
	return err
}

// CutShort reports whether an error of Replay or Recover is that of a browser, or
// page, that has ended: with [Options.Store] another one can continue.
func CutShort(err error) bool {
	return errors.Is(err, driver.ErrClosed) || errors.Is(err, driver.ErrCrashed)
}

// do does the step under way, and returns what the engine saw of it.
func (r *replay) do(ctx context.Context) (*engine.Evidence, error) {
	r.follow()
	if on := r.step.On; on != "" && !r.at.reached(on, r.address()) {
		return nil, r.refuse("the page "+on, "the page "+r.at.path(r.address()), nil)
	}
	var err error
	if r.before, err = r.page.Snapshot(ctx, nil); err != nil {
		return nil, fmt.Errorf("script: step %s: %w", r.step.Name, err)
	}
	if answers := r.step.answers(); len(answers) > 0 {
		r.page.AnswerDialogs(answers...)
		defer r.page.AnswerDialogs() // a step that is left out leaves no yes for the next one
	}
	if r.step.Target == nil {
		return r.move(ctx)
	}
	return r.act(ctx)
}

// move goes somewhere else.
func (r *replay) move(ctx context.Context) (*engine.Evidence, error) {
	from, s := r.address(), r.step
	err := r.intend(ctx, nil)
	if err != nil {
		return nil, err
	}
	switch pages := r.own.Open(); s.Do {
	case Navigate:
		_, err = r.page.Navigate(ctx, r.at.at(s.Address), nil)
	case Back:
		_, err = r.page.Back(ctx, nil)
		if to := s.Expect.Address; err == nil && r.fresh && r.page.URL() == "about:blank" && to != "" && !strings.Contains(to, "*") {
			_, err = r.page.Navigate(ctx, r.at.at(to), nil) // the past is gone with the other browser
		}
	case Forward:
		_, err = r.page.Forward(ctx, nil)
	case Reload:
		_, err = r.page.Reload(ctx, nil)
	case TabOpen:
		var page *engine.Page
		if page, err = r.session.NewPage(ctx); err == nil {
			r.page = page
			r.own.Add(page)
			if s.Address != "" {
				_, err = page.Navigate(ctx, r.at.at(s.Address), nil)
			}
		}
	case TabSwitch, TabClose:
		if s.Tab > len(pages) {
			return nil, r.refuse(fmt.Sprintf("tab %d", s.Tab), fmt.Sprintf("%d tabs", len(pages)), nil)
		}
		if s.Do == TabSwitch {
			r.page = pages[s.Tab-1]
			err = r.page.Activate(ctx)
		} else {
			err = pages[s.Tab-1].Close(ctx)
		}
	}
	r.sent = engine.SentAll
	if err != nil {
		return nil, r.refuse(s.Do+" "+s.Address, "an error: "+err.Error(), err)
	}
	return &engine.Evidence{Effect: s.Expect.Effect, Navigation: &engine.NavigationSeen{From: from, To: r.address()}}, nil
}

// act does an action of package engine. What does not fit and sent nothing is
// healed, if that can be.
func (r *replay) act(ctx context.Context) (*engine.Evidence, error) {
	healed := 0
	for {
		action, misfit, err := r.find(ctx)
		if err != nil {
			return nil, err
		}
		var result *engine.ActResult
		if misfit == nil {
			result, err = r.page.Do(ctx, *action, &engine.ActOptions{Variables: r.variables(), Files: r.opts.Files, Approve: r.guard})
			if result != nil {
				r.sent = result.Sent
			}
			if err == nil {
				return &result.Evidence, nil
			}
			var refused *RefusedError
			switch {
			case r.lost != nil:
				return nil, r.lost
			case errors.As(err, &refused):
				return nil, refused
			case r.sent != engine.SentNone || !r.canHeal(err):
				return nil, r.refuse(r.words(), "an error: "+err.Error(), err)
			}
			misfit = &notFitting{found: err.Error(), cause: err}
		}
		if r.step.Optional && errors.Is(misfit.cause, engine.ErrNotFound) || r.opts.Model == nil || misfit.final || healed == mostHeals {
			return nil, r.refuse(r.words(), misfit.found, misfit.cause)
		}
		healed++
		if err := r.heal(ctx, misfit); err != nil {
			return nil, err
		}
	}
}

// mostHeals bounds the questions about one step.
const mostHeals = 2

// canHeal reports whether an error is one of a page that has changed.
func (r *replay) canHeal(err error) bool {
	for _, of := range []error{engine.ErrNotFound, engine.ErrMismatch, engine.ErrNoEffect, engine.ErrDisabled, engine.ErrInvalid} {
		if errors.Is(err, of) {
			return true
		}
	}
	var covered *engine.CoveredError
	return errors.As(err, &covered)
}

// guard is asked right before input.
func (r *replay) guard(ctx context.Context, p *engine.Proposal) error {
	if s := r.step.Sends; s != nil {
		now, err := p.Outgoing(ctx)
		if err != nil {
			return err
		}
		if words := s.differs(r.at, r.session.HideOutgoing(now)); words != "" {
			return r.refuse(fmt.Sprintf("%s to send %s %s", r.words(), s.Method, s.Address), words, nil)
		}
	}
	if r.opts.Approve != nil {
		if err := r.opts.Approve(ctx, p); err != nil {
			return err
		}
	}
	return r.intend(ctx, p)
}

// A notFitting says why a step cannot be done as the script has it.
type notFitting struct {
	found string // what was found instead, in words
	final bool   // no model may decide it
	cause error
}

// find returns the step's action for the page as it is, or why there is none.
func (r *replay) find(ctx context.Context) (*engine.Action, *notFitting, error) {
	action, misfit, err := r.locate(ctx, r.step.Target)
	if err != nil || misfit != nil {
		return nil, misfit, err
	}
	method, err := engine.ParseMethod(r.step.Do)
	if err != nil {
		return nil, nil, err
	}
	action.Method, action.Arguments = method, slices.Clone(r.step.Arguments)
	if drop := r.step.Drop; drop != nil && len(action.Arguments) > 0 {
		to, misfit, err := r.locate(ctx, drop)
		if misfit != nil {
			misfit.final = true
		}
		if err != nil || misfit != nil {
			return nil, misfit, err
		}
		action.Arguments[0], action.Onto = to.Selector, to
	}
	return action, nil, nil
}

// locate finds a target on the page, as the engine finds a stored action's element.
func (r *replay) locate(ctx context.Context, t *Target) (*engine.Action, *notFitting, error) {
	found, err := r.page.Find(ctx, engine.Action{
		Selector:     t.Selector,
		Fingerprint:  &engine.Fingerprint{Role: t.Role, Name: t.Name, Tag: t.Tag},
		Surroundings: &engine.Surroundings{Row: t.Row, Alike: max(t.Alike, 1), Head: t.Head},
	})
	switch {
	case errors.Is(err, engine.ErrNotFound):
		return nil, &notFitting{found: r.nearest(t), cause: engine.ErrNotFound}, nil
	case errors.Is(err, engine.ErrMismatch), errors.Is(err, engine.ErrAmbiguous):
		return nil, &notFitting{found: err.Error(), final: true, cause: err}, nil
	case err != nil:
		return nil, nil, fmt.Errorf("script: step %s: %w", r.step.Name, err)
	}
	found.Description = r.step.Do + " " + t.String()
	return &found, nil, nil
}

// KeyOf is the key of a target: the name or the id of a field, if it has one.
func KeyOf(snap *accessibility.Snapshot, n *accessibility.Node) string {
	captured := snap.Captured(n)
	if captured == nil {
		return ""
	}
	switch captured.Name {
	case "input", "select", "textarea":
		for _, attribute := range []string{"name", "id"} {
			if v, ok := captured.Attr(attribute); ok && v != "" {
				return attribute + "=" + v
			}
		}
	}
	return ""
}
