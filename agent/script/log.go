package script

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent/internal/journal"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A keeper writes the log of a replay.
type keeper struct {
	*underway
	log    *journal.Log // nil: nobody keeps one
	logged string       // the script that the log has, where it is not the caller's any more
	lost   error        // why a record could not be written: nothing more is done
}

// write adds an entry to the log. What is written is written to its end, whatever
// becomes of the caller.
func (k *keeper) write(ctx context.Context, entry any) error {
	if k.log == nil {
		return nil
	}
	if k.lost == nil {
		k.lost = k.log.Write(context.WithoutCancel(ctx), entry)
	}
	return k.lost
}

// logArrived writes that the page is open.
func (k *keeper) logArrived(ctx context.Context) error {
	return k.write(ctx, &journal.Arrived{Browser: k.log.Browser(ctx, k.own, k.page)})
}

// mended is the script as the log does not have it yet; nil if it has it.
func (k *keeper) mended() json.RawMessage {
	now := k.result.Script.String()
	if now == k.logged || k.logged == "" && now == k.original.String() {
		return nil
	}
	k.logged = now
	return json.RawMessage(now)
}

// intend writes what is about to be done. Without that nothing is done. p is nil for
// a move.
func (k *keeper) intend(ctx context.Context, p *engine.Proposal) error {
	if k.log == nil {
		return nil
	}
	e := &journal.Doing{Index: k.index, Script: k.mended(), Heal: strings.Join(k.heals, "; "), Changes: changes(k.step), Usage: k.result.Usage}
	if p != nil && !e.Changes {
		now, err := p.Outgoing(ctx)
		e.Changes = err != nil || now != nil && changing(now.Method)
	}
	for _, text := range k.step.Expect.Texts {
		if e.Changes && k.says(k.before, text) {
			e.Said = append(e.Said, text)
		}
	}
	return k.write(ctx, e)
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
func (k *keeper) logDid(ctx context.Context, out *StepResult, failed error) error {
	if k.lost != nil {
		return k.lost
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return err
	}
	e := &journal.Did{Index: k.index, Script: k.mended(), Result: raw, Usage: k.result.Usage}
	var refused *RefusedError
	switch {
	case errors.As(failed, &refused):
		e.Refused = &journal.Refusal{Expected: refused.Expected, Found: refused.Found, Sent: refused.Sent, Unknown: errors.Is(failed, ErrUnknown)}
	case failed != nil:
		e.Refused = &journal.Refusal{Expected: k.step.Do, Found: failed.Error(), Sent: k.sent}
	default:
		e.Browser = k.log.Browser(ctx, k.own, k.page)
		e.Left, e.Kept = k.left(ctx, out.Evidence), e.Browser.Stored()
		e.Blind = k.blind(ctx)
		e.Said = k.endSaid(ctx)
	}
	return k.write(ctx, e)
}

// blind reports that the page has a way to send what no event shows.
func (k *keeper) blind(ctx context.Context) bool {
	now, err := k.page.Driver().Activity(ctx)
	return err != nil || now.Channels
}

// endSaid are the words of the script's end that the page says after its last step:
// a page that is loaded again may not say once more that all is done.
func (k *keeper) endSaid(ctx context.Context) (said []string) {
	s := k.result.Script
	if s.End == nil || k.index != len(s.Steps)-1 {
		return nil
	}
	now, err := k.page.Snapshot(ctx, nil)
	if err != nil {
		return nil
	}
	for _, text := range s.End.Texts {
		if k.says(now, text) {
			said = append(said, text)
		}
	}
	return said
}

// left reports whether the step under way went to another document or address.
func (k *keeper) left(ctx context.Context, e *engine.Evidence) bool {
	switch {
	case k.step.Do != "" && k.step.Target == nil, e != nil && (e.Navigation != nil || len(e.NewPages) > 0):
		return true
	case k.before == nil:
		return false
	}
	now, err := k.page.Snapshot(ctx, nil)
	return err != nil || documentOf(now) != documentOf(k.before)
}

// A document is what tells a page's document from others.
type document struct {
	id      driver.DocID
	address string
}

func documentOf(s *accessibility.Snapshot) document {
	if s.Capture == nil || len(s.Capture.Documents) == 0 {
		return document{}
	}
	top := &s.Capture.Documents[0]
	return document{top.Doc, top.URL}
}
