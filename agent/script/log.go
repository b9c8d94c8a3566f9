package script

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent/internal/journal"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// logged is what the log of a replay has by now, of what is not written again.
type logged struct {
	browser journal.Known
	script  string // where it is not the caller's any more
	failed  error  // why a record could not be written: nothing more is done
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// write adds an entry to the log. What is written is written to its end, whatever
// becomes of the caller.
func (r *replay) write(ctx context.Context, entry any) error {
	if r.log == nil {
		return nil
	}
	if r.logged.failed == nil {
		r.logged.failed = r.log.Write(context.WithoutCancel(ctx), entry)
	}
	return r.logged.failed
}

// logScript writes what is going to be done.
func (r *replay) logScript(ctx context.Context) error {
	if r.log == nil {
		return nil
	}
	e := &journal.Scripted{Format: journal.Format, Script: digestOf([]byte(r.original.String())), Start: r.session.Hide(r.start), Variables: r.original.Variables}
	for name, content := range r.opts.Files {
		if e.Files == nil {
			e.Files = map[string]string{}
		}
		e.Files[name] = digestOf(content)
	}
	return r.write(ctx, e)
}

// logArrived writes that the page is open.
func (r *replay) logArrived(ctx context.Context) error {
	if r.log == nil {
		return nil
	}
	return r.write(ctx, &journal.Arrived{Browser: r.logged.browser.Now(ctx, r.own, r.page)})
}

// mended is the script as the log does not have it yet; nil if it has it.
func (r *replay) mended() json.RawMessage {
	now := r.result.Script.String()
	if now == r.logged.script || r.logged.script == "" && now == r.original.String() {
		return nil
	}
	r.logged.script = now
	return json.RawMessage(now)
}

// intend writes what is about to be done. Without that nothing is done. p is nil for
// a move.
func (r *replay) intend(ctx context.Context, p *engine.Proposal) error {
	if r.log == nil {
		return nil
	}
	e := &journal.Doing{Index: r.index, Script: r.mended(), Heal: strings.Join(r.heals, "; "), Changes: changes(r.step), Usage: r.result.Usage}
	if p != nil && !e.Changes {
		now, err := p.Outgoing(ctx)
		e.Changes = err != nil || now != nil && changing(now.Method)
	}
	for _, text := range r.step.Expect.Texts {
		if e.Changes && r.says(r.before, text) {
			e.Said = append(e.Said, text)
		}
	}
	return r.write(ctx, e)
}

// says reports whether a page says a text.
func (r *replay) says(page *accessibility.Snapshot, text string) bool {
	words := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	return strings.Contains(words(r.session.Hide(page.Text())), words(text))
}

// changes reports whether a step, by what the script says of it, may change
// something beyond the page.
func changes(s *Step) bool {
	switch {
	case len(s.Expect.Requests) > 0, s.Sends != nil && changing(s.Sends.Method):
		return true
	case slices.ContainsFunc(s.Expect.Dialogs, func(d Dialog) bool { return d.Accept }):
		return true
	}
	return s.Target != nil && sensitive(s)
}

// changing is Changing for what a form or link says: a form that closes its dialog
// sends nothing.
func changing(method string) bool { return Changing(method) && !strings.EqualFold(method, "dialog") }

// logDid writes what came of the step under way.
func (r *replay) logDid(ctx context.Context, out *StepResult, failed error) error {
	if r.logged.failed != nil {
		return r.logged.failed
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return err
	}
	e := &journal.Did{Index: r.index, Script: r.mended(), Result: raw, Usage: r.result.Usage}
	var refused *RefusedError
	switch {
	case errors.As(failed, &refused):
		e.Refused = &journal.Refusal{Expected: refused.Expected, Found: refused.Found, Sent: refused.Sent, Unknown: errors.Is(failed, ErrUnknown)}
	case failed != nil:
		e.Refused = &journal.Refusal{Expected: r.step.Do, Found: failed.Error(), Sent: r.sent}
	default:
		e.Browser = r.logged.browser.Now(ctx, r.own, r.page)
		e.Left, e.Kept = r.left(ctx, out.Evidence), e.Browser.Stored()
		e.Blind = r.blind(ctx)
		e.Said = r.endSaid(ctx)
	}
	return r.write(ctx, e)
}

// blind reports that the page has a way to send what no event shows.
func (r *replay) blind(ctx context.Context) bool {
	now, err := r.page.Driver().Activity(ctx)
	return err != nil || now.Channels
}

// endSaid are the words of the script's end that the page says after its last step:
// a page that is loaded again may not say once more that all is done.
func (r *replay) endSaid(ctx context.Context) (said []string) {
	s := r.result.Script
	if s.End == nil || r.index != len(s.Steps)-1 {
		return nil
	}
	now, err := r.page.Snapshot(ctx, nil)
	if err != nil {
		return nil
	}
	for _, text := range s.End.Texts {
		if r.says(now, text) {
			said = append(said, text)
		}
	}
	return said
}

// left reports whether the step under way went to another document or address.
func (r *replay) left(ctx context.Context, e *engine.Evidence) bool {
	switch {
	case r.step.Do != "" && r.step.Target == nil, e != nil && (e.Navigation != nil || len(e.NewPages) > 0):
		return true
	case r.before == nil:
		return false
	}
	now, err := r.page.Snapshot(ctx, nil)
	return err != nil || docOf(now) != docOf(r.before) || addressOf(now) != addressOf(r.before)
}

func docOf(s *accessibility.Snapshot) driver.DocID {
	if s.Capture == nil || len(s.Capture.Documents) == 0 {
		return ""
	}
	return s.Capture.Documents[0].Doc
}

func addressOf(s *accessibility.Snapshot) string {
	if s.Capture == nil || len(s.Capture.Documents) == 0 {
		return ""
	}
	return s.Capture.Documents[0].URL
}
