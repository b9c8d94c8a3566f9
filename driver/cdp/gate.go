package cdp

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// A guard is our script on duty in the frames of a page, see script/75-guard.js.
type guard struct {
	page   *page
	target *target
	others []world
	text   int // how many keys of a text were sent
}

// aimed sends events that are meant for one element. A guard goes on duty in
// the element's frame before the first of them is sent, and in the other
// frames, which would get what misses that one.
func (p *page) aimed(ctx context.Context, aim driver.Target, events []driver.InputEvent) error {
	g, err := p.post(ctx, aim)
	if err != nil {
		return &driver.MissedError{Err: err} // nothing was sent
	}
	defer g.target.release()
	dialog := p.dialogSignal()
	f := &following{page: p, at: g.target.ref, oneByOne: aim.Only}
	if aim.Text {
		g.text = writing(events)
	}
	err = p.input(ctx, events, f)
	select {
	case <-dialog: // it would withhold the guard's answer, too
		g.dismiss()
		if errors.Is(err, driver.ErrDialog) {
			return f.interrupted()
		}
		return err
	default:
	}
	if errors.Is(err, driver.ErrDialog) { // which is gone again
		g.dismiss()
		return f.interrupted()
	}
	if ctx.Err() != nil {
		// What is still on its way is withheld once the deadline is over.
		g.dismiss()
		return err
	}
	left, missed := g.relieve(ctx)
	if missed == nil && err == nil && left && f.tooLate() {
		return errLeft
	}
	return cmp.Or(missed, err)
}

// post has the guard go on duty.
func (p *page) post(ctx context.Context, aim driver.Target) (*guard, error) {
	t, err := p.targetOf(ctx, aim.At)
	if err != nil {
		return nil, err
	}
	g := &guard{page: p, target: t}
	left := conn.CommandLimit
	if deadline, ok := ctx.Deadline(); ok {
		left = time.Until(deadline)
	}
	// frames: the element shows some, and a press on one is a press on it.
	var frames bool
	tree, err := p.treeOf(ctx, t, aim)
	if err == nil {
		err = p.value(ctx, &t.world, t.on(call{name: "guard", nodes: tree, args: []any{left.Milliseconds(), terms(aim)}}), &frames)
		release(t.session, tree...)
	}
	if err == nil {
		err = g.findOthers(ctx, frames)
	}
	if err != nil {
		g.dismiss()
		t.release()
		return nil, err
	}
	if err := g.surround(ctx, call{name: "guard", args: []any{nil, left.Milliseconds()}}); err != nil {
		g.dismiss()
		t.release()
		return nil, err
	}
	return g, nil
}

// terms are what an aim asks of its element, as our script takes them.
func terms(aim driver.Target) map[string]any {
	m := map[string]any{"says": aim.Label, "only": aim.Only}
	if s := aim.Selected; s != nil {
		m["selector"], m["xpath"] = s.Text, s.Kind == driver.XPath
	}
	return m
}

// treeOf gets hold of what the selector of an aim looks in: an element of the
// same document, or nothing, which is the whole document.
func (p *page) treeOf(ctx context.Context, t *target, aim driver.Target) ([]string, error) {
	if aim.Selected == nil || aim.Selected.Root.Node == 0 || aim.Selected.Root.Doc != t.Doc || aim.Selected.Root.Frame != t.ID {
		return nil, nil
	}
	return p.resolve(ctx, &t.world, aim.Selected.Root.Node)
}

// actAt makes a call with the element of an aim, if it is as the aim says, and
// decodes what it returns.
func (p *page) actAt(ctx context.Context, aim driver.Target, c call, v any) error {
	t, err := p.targetOf(ctx, aim.At)
	if err != nil {
		return err
	}
	defer t.release()
	return p.held(ctx, t, aim, c, v)
}

// held is actAt for a target that is there.
func (p *page) held(ctx context.Context, t *target, aim driver.Target, c call, v any) error {
	tree, err := p.treeOf(ctx, t, aim)
	if err != nil {
		return err
	}
	defer release(t.session, tree...)
	c.nodes, c.args = tree, append([]any{terms(aim), c.name}, c.args...)
	c.name = "held"
	err = p.value(ctx, &t.world, t.on(c), v)
	if errors.Is(err, driver.ErrChanged) {
		return &driver.MissedError{By: t.ref, Err: driver.ErrChanged}
	}
	return err
}

// otherProcess is how long another process's frames are waited for: one that
// does not come to it would not take the input, either.
const otherProcess = 100 * time.Millisecond

// surround has the guard go on duty in the other frames, and waits for it:
// Chrome prefers input to what a script is called for.
func (g *guard) surround(ctx context.Context, c call) error {
	short, cancel := context.WithTimeout(ctx, otherProcess)
	defer cancel()
	var calls []*conn.Call
	for i := range g.others {
		w := &g.others[i]
		started, err := w.session.Start(ctx, append(g.page.equip(w), c.command(w))...)
		if err != nil {
			continue // its process has gone
		}
		calls = append(calls, started...)
	}
	for _, c := range calls {
		limit := ctx
		if c.Session() != g.target.session.Session {
			limit = short
		}
		// A frame that is gone, or too slow, gets no guard.
		_, _ = c.Wait(limit)
	}
	return ctx.Err()
}

// findOthers finds the frames that nothing is meant for: all but the
// element's and, with inner, those below it.
func (g *guard) findOthers(ctx context.Context, inner bool) error {
	looks, err := g.page.allWorlds(ctx)
	if err != nil {
		return err
	}
	own := map[driver.FrameID]bool{g.target.ID: true}
	for _, f := range g.page.Frames() { // parents come first
		own[f.ID] = own[f.ID] || inner && own[f.Parent]
	}
	for _, l := range looks {
		for _, w := range l.worlds {
			if !own[w.ID] {
				g.others = append(g.others, w)
			}
		}
	}
	return nil
}

// each makes a call in the other frames and does not wait for it.
func (g *guard) each(c call) {
	for i := range g.others {
		w := &g.others[i]
		w.session.Post(append(g.page.equip(w), c.command(w))...)
	}
}

// dismiss ends the duty as soon as the page comes to it.
func (g *guard) dismiss() {
	g.each(call{name: "relieve"})
	w := &g.target.world
	w.session.Post(call{name: "relieve"}.command(w))
}

// relieve ends the duty and returns what the guard has to say. A document that
// has gone meanwhile took its guard with it, which left tells.
func (g *guard) relieve(ctx context.Context) (left bool, _ error) {
	own, err := g.ask(ctx, &g.target.world)
	if own.taken && own.fault == "" && own.wrote < g.text {
		own.fault = "unwritten"
	}
	if err != nil || own.taken || own.fault != "" {
		g.each(call{name: "relieve"})
		return own.left, cmp.Or(own.missed(), err)
	}
	// Nothing came: it went to another frame, or to nobody.
	for i := range g.others {
		other, err := g.ask(ctx, &g.others[i])
		if missed := other.missed(); missed != nil || err != nil {
			g.others = g.others[i+1:]
			g.each(call{name: "relieve"})
			return own.left, cmp.Or(missed, err)
		}
	}
	return own.left, nil
}

// A report is what the guard in one frame saw.
type report struct {
	fault string // why something was withheld, or that a press slipped
	taken bool
	left  bool // the document, and its guard with it
	wrote int  // letters
	hit   driver.NodeRef
}

// ask ends the duty in a frame.
func (g *guard) ask(ctx context.Context, w *world) (report, error) {
	r, err := g.page.reading(ctx, &target{world: *w}, call{name: "relieve"})
	// A document that is gone may have left its number to another, without a guard.
	if isGone(err) || errors.As(err, new(*thrown)) {
		return report{left: true}, nil
	}
	if err != nil {
		return report{}, err
	}
	m, err := r.object()
	if err != nil {
		return report{}, err
	}
	var told report
	err = errors.Join(m["fault"].decode("string", &told.fault), m["taken"].decode("boolean", &told.taken), m["wrote"].decode("number", &told.wrote))
	if err != nil {
		return report{}, err
	}
	hit, err := m["hit"].node()
	told.hit = w.refOf(hit)
	return told, err
}

// missed returns the error that a report means.
func (r report) missed() error {
	kind, ok := map[string]error{
		"press": driver.ErrObscured, "key": driver.ErrNotFocusable, "late": context.DeadlineExceeded, "changed": driver.ErrChanged, "disabled": driver.ErrDisabled,
		"slipped": driver.ErrTargetMoved, "unwritten": driver.ErrNotTyped,
	}[r.fault]
	if !ok {
		return nil
	}
	return &driver.MissedError{By: r.hit, Taken: r.taken, Err: kind}
}

// A following notices when the document that keys are meant for is left while
// they are on their way. Chrome takes what comes too late, and says nothing: so a
// key counts as taken for sure where nothing led away by the reply to the key
// before it.
type following struct {
	page     *page
	at       driver.NodeRef
	oneByOne bool // the next key waits until the last was taken, and for no other document

	mu      sync.Mutex // protects what follows
	leaving bool       // the document was left, or about to be, by the last reply
	late    bool       // a key came after that
	sent    bool       // some of the input was
}

func (f *following) begun() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent = true
}

// interrupted is input that a dialog has cut off.
func (f *following) interrupted() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &driver.MissedError{Taken: f.sent, Err: driver.ErrDialog}
}

// errLeft is input that may have gone to the next document.
var errLeft = &driver.MissedError{Taken: true, Err: driver.ErrStale}

// watch has the reply to an event's command be looked at.
func (f *following) watch(acts []act, e driver.InputEvent) {
	switch e.(type) {
	case driver.KeyDown, driver.InsertText:
	default:
		return
	}
	for i := range acts {
		acts[i].command.Then = func([]byte, error) { f.replied() }
	}
}

// replied runs on the reader goroutine.
func (f *following) replied() {
	gone, leaving := f.look()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.late = f.late || f.leaving
	f.leaving = f.leaving || gone || leaving
}

// look tells whether the document is gone, and whether a navigation would have it go.
func (f *following) look() (gone, leaving bool) {
	f.page.browser.mu.Lock()
	defer f.page.browser.mu.Unlock()
	frame := f.page.frames[f.at.Frame]
	if frame == nil || frame.doc != f.at.Doc {
		return true, false
	}
	return false, frame.pending != nil
}

// tooLate reports that a key may have come when the document was gone.
func (f *following) tooLate() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.late
}

// over reports that nothing more is to be sent.
func (f *following) over() bool {
	gone, leaving := f.look()
	return gone || leaving && f.oneByOne
}

// writing counts the keys that write a letter.
func writing(events []driver.InputEvent) int {
	n := 0
	for _, e := range events {
		if k, ok := e.(driver.KeyDown); ok && utf8.RuneCountInString(k.Key) == 1 && k.Modifiers&^driver.Shift == 0 {
			n++
		}
	}
	return n
}
