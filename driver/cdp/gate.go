package cdp

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// A gate is our script between input and the frames of a page, see
// script/75-gate.js.
type gate struct {
	at      *nodeHandle
	others  []world
	letters int  // how many keys of a text were sent
	moves   bool // the pointer, and nothing else: no frame takes that
}

// otherProcess is how long another process's frames are waited for: one that
// does not come to it would not take the input, either.
const otherProcess = 100 * time.Millisecond

// surround sets the gate in the other frames, and waits for it:
// Chrome prefers input to what a script is called for.
func (g *gate) surround(ctx context.Context, c call) error {
	var calls []*conn.Call
	for i := range g.others {
		w := &g.others[i]
		started, err := w.session.Start(ctx, append(w.install(), c.request(w))...)
		if err != nil {
			continue // its process has gone
		}
		calls = append(calls, started...)
	}
	awaitGate(ctx, g.at.session, calls)
	return ctx.Err()
}

// awaitGate waits until frames have set their gates, or have lifted them, those of other
// processes than own's for a moment. A frame that is gone, or too slow, has no gate.
func awaitGate(ctx context.Context, own *session, calls []*conn.Call) {
	short, cancel := context.WithTimeout(ctx, otherProcess)
	defer cancel()
	for _, c := range calls {
		limit := ctx
		if c.Session() != own.Session {
			limit = short
		}
		_, _ = c.Wait(limit)
	}
}

// findOthers finds the frames that nothing is meant for: all but the
// element's and, with inner, those below it.
func (g *gate) findOthers(ctx context.Context, inner bool) error {
	looks, err := g.at.page.allWorlds(ctx)
	if err != nil {
		return err
	}
	own := map[driver.FrameID]bool{g.at.ID: true}
	for _, f := range g.at.page.Frames() { // parents come first
		own[f.ID] = own[f.ID] || inner && own[f.Parent]
	}
	for _, w := range worldsOf(looks) {
		if !own[w.ID] {
			g.others = append(g.others, w)
		}
	}
	return nil
}

// each makes a call in the other frames and does not wait for it.
func (g *gate) each(c call) {
	for i := range g.others {
		w := &g.others[i]
		w.session.Post(append(w.install(), c.request(w))...)
	}
}

// abandon lifts the gate as soon as the page comes to it.
func (g *gate) abandon() {
	g.each(call{name: "liftGate"})
	w := &g.at.world
	w.session.Post(call{name: "liftGate"}.request(w))
}

// lift takes the gate away and returns what it has withheld. A document that
// has gone meanwhile took its gate with it, which left reports.
func (g *gate) lift(ctx context.Context) (left bool, _ error) {
	own, err := g.ask(ctx, &g.at.world)
	if own.Taken && own.Fault == "" && own.Typed < g.letters {
		own.Fault = "untyped"
	}
	if err != nil || own.Taken || own.Fault != "" || g.moves {
		g.each(call{name: "conclude"})
		return own.left, cmp.Or(own.missed(), err)
	}
	// Nothing came: it went to another frame, or to nobody.
	for i := range g.others {
		other, err := g.ask(ctx, &g.others[i])
		if missed := other.missed(); missed != nil || err != nil {
			g.others = g.others[i+1:]
			g.each(call{name: "conclude"})
			return own.left, cmp.Or(missed, err)
		}
	}
	return own.left, nil
}

// A report is what the gate in one frame saw.
type report struct {
	Fault string // why something was withheld, or that the target moved under a press
	Taken bool
	Typed int  // letters
	Hit   bool // something was, which is to be asked for

	left bool // the document, and its gate with it
	hit  driver.NodeRef
}

// ask lifts the gate of a frame and reads its report.
func (g *gate) ask(ctx context.Context, w *world) (report, error) {
	var rep report
	var at *nodeHandle
	if w == &g.at.world {
		at = g.at
	}
	err := w.page.callThen(ctx, w, call{name: "conclude"}, at, &rep)
	// A document that is gone may have left its number to another, without a gate.
	if isGone(err) || errors.As(err, new(*thrown)) {
		return report{left: true}, nil
	}
	if err != nil {
		return report{}, err
	}
	if rep.Hit {
		rep.hit, err = hitInstead(ctx, w)
	}
	return rep, err
}

// hitInstead returns what was hit instead of the element, as the gate's last report says.
func hitInstead(ctx context.Context, w *world) (driver.NodeRef, error) {
	var hit int
	nodes, err := w.ask(ctx, call{name: "hitInstead", document: true, deep: true}, &hit)
	if isGone(err) || errors.As(err, new(*thrown)) {
		return driver.NodeRef{}, nil // with its document
	}
	return w.refOf(nodes.at(hit)), err
}

// missed returns the error that a report means.
func (r report) missed() error {
	kind, ok := map[string]error{
		"press": driver.ErrObscured, "key": driver.ErrNotFocusable, "late": context.DeadlineExceeded, "changed": driver.ErrChanged, "disabled": driver.ErrDisabled,
		"moved": driver.ErrTargetMoved, "untyped": driver.ErrNotTyped,
	}[r.Fault]
	if !ok {
		return nil
	}
	return &driver.MissedError{By: r.hit, Taken: r.Taken, Err: kind}
}
