package cdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mafredri/cdp/protocol/input"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// masks are the bits that tell a page what buttons are down.
var masks = map[driver.Button]int{driver.Left: 1, driver.Right: 2, driver.Middle: 4}

// A dispatch is a command of an input event, for the session that takes it.
type dispatch struct {
	session *session
	command conn.Command
}

// inputs is the keyboard and the pointer of a page.
type inputs struct {
	page *page
	held inputState
}

// Input implements driver.Actor.
//
// The events are sent in one write, as far as they are few and go to one
// process, and are then waited for: one by one, each would take a frame.
func (in *inputs) Input(ctx context.Context, events ...driver.InputEvent) error {
	in.page.use()
	in.page.prepared.after.Store(nil)
	in.page.browser.mu.Lock()
	in.page.leading = nil // nothing came of what is left
	in.page.browser.mu.Unlock()
	if len(events) > 0 {
		if target, ok := events[0].(driver.Target); ok {
			return opError("input", nodeName(target.At), in.inputAt(ctx, target, events[1:]))
		}
	}
	in.page.lifted(ctx)
	return opError("input", "", in.input(ctx, events, nil))
}

// inputAt sends events that are meant for one element. Before the first of them
// is sent a gate is set in the element's frame, and in the other frames, which
// would get what misses that one.
func (in *inputs) inputAt(ctx context.Context, target driver.Target, events []driver.InputEvent) error {
	g := in.armed(ctx, &target)
	if g == nil {
		var err error
		if g, err = in.setGate(ctx, target); err != nil {
			return &driver.MissedError{Err: err} // nothing was sent
		}
	}
	defer g.at.release()
	in.held.pressed.CompareAndSwap(g.at.session, nil) // it has answered: the gate is set
	g.moves = !slices.ContainsFunc(events, func(e driver.InputEvent) bool { _, ok := e.(driver.MouseMove); return !ok })
	dialog := in.page.dialogSignal()
	f := &tracker{page: in.page, at: g.at.ref, oneByOne: target.Only}
	if target.Text {
		g.letters = lettersIn(events)
	}
	err := in.input(ctx, events, f)
	select {
	case <-dialog: // it would withhold the gate's answer, too
		in.page.browser.delivered() // DialogOpened, before the call returns
		g.abandon()
		if errors.Is(err, driver.ErrDialog) {
			return f.interrupted()
		}
		return err
	default:
	}
	if errors.Is(err, driver.ErrDialog) { // which is gone again
		g.abandon()
		return f.interrupted()
	}
	if ctx.Err() != nil {
		// What is still on its way is withheld once the deadline is over.
		g.abandon()
		return err
	}
	lifting, stop := unless(ctx, dialog, driver.ErrDialog)
	defer stop()
	left, missed := g.lift(lifting)
	if missed != nil && context.Cause(lifting) == driver.ErrDialog && !errors.As(missed, new(*driver.MissedError)) {
		in.page.browser.delivered()
		g.abandon()
		return err
	}
	if missed == nil && err == nil && left && f.late.Load() {
		return errLeft
	}
	return cmp.Or(missed, err)
}

// armed returns the gate that a glance has set for a target, nil if none is to
// be used: the target is another, or there are more frames by now.
func (in *inputs) armed(ctx context.Context, target *driver.Target) *gate {
	g := in.page.prepared.takeGate(target)
	if g == nil {
		in.page.Disarm() // of another element
		return nil
	}
	t, err := in.page.handleOf(ctx, g.aim.At)
	if err != nil || t.key() != g.worlds[0].key() || t.number == 0 || t.object != "" || !g.covers(in.page.Frames()) {
		in.page.prepared.gate.Store(g)
		in.page.Disarm()
		return nil
	}
	return &gate{at: t, others: g.worlds[1:]}
}

// setGate sets the gate in all frames.
func (in *inputs) setGate(ctx context.Context, target driver.Target) (*gate, error) {
	t, err := in.page.handleOf(ctx, target.At)
	if err != nil {
		return nil, err
	}
	g, left := &gate{at: t}, timeLeft(ctx)
	// frames: the element shows some, and a press on one is a press on it.
	var frames bool
	tree, err := t.closedTrees(ctx, target)
	if err == nil {
		_, err = t.ask(ctx, call{name: "setGate", nodes: tree, args: []any{left.Milliseconds(), expectations(target)}}, &frames)
		release(t.session, tree...)
	}
	if err == nil {
		err = g.findOthers(ctx, frames)
	}
	if err == nil {
		err = g.surround(ctx, call{name: "setGate", args: []any{nil, left.Milliseconds(), expectations(driver.Target{Continued: target.Continued})}})
	}
	if err != nil {
		g.abandon()
		t.release()
		return nil, err
	}
	return g, nil
}

// input sends events; f, if not nil, follows what becomes of keys.
func (in *inputs) input(ctx context.Context, events []driver.InputEvent, f *tracker) (err error) {
	var acts []dispatch
	var down, held *driver.MouseDown // pressed; and still so during a pause
	defer func() {
		if err != nil && held != nil {
			in.letUp(context.WithoutCancel(ctx), *held)
		}
	}()
	// alone takes a step that comes after the events so far.
	alone := func(step func() error) error {
		if err := in.perform(ctx, acts, f); err != nil {
			return err
		}
		acts = nil
		return step()
	}
	for _, e := range events {
		switch e := e.(type) {
		case driver.MouseDown:
			down = &e
		case driver.MouseUp:
			down = nil
		case driver.Drag:
			if err := alone(func() error { return in.page.drag(ctx, e) }); err != nil {
				return err
			}
			continue
		case driver.Pause:
			held = down
			if err := alone(func() error { return in.pause(ctx, e.For, f) }); err != nil {
				return err
			}
			continue
		case driver.KeyDown, driver.InsertText:
			if s := in.held.pressed.Swap(nil); s != nil {
				if err := alone(func() error { return in.awaitFocus(ctx, s, driver.FrameID(s.target), true) }); err != nil {
					return err
				}
			}
		}
		more, err := in.dispatches(ctx, e)
		if err != nil {
			return err
		}
		if at, ok := pressAt(e); ok {
			s := in.held.pressed.Load()
			if last := in.held.last.Swap(s); last != nil && last != s {
				if err := alone(func() error { return in.awaitFocus(ctx, s, at.Frame, false) }); err != nil {
					return err
				}
			}
		}
		if f != nil {
			f.observe(more, e)
		}
		acts = append(acts, more...)
	}
	return in.perform(ctx, acts, f)
}

// pauseStep is how often a pause looks whether there is still something to wait for.
const pauseStep = 100 * time.Millisecond

// pause waits until the time is over, a dialog opens, or the document is left.
func (in *inputs) pause(ctx context.Context, d time.Duration, f *tracker) error {
	ticker := time.NewTicker(pauseStep)
	defer ticker.Stop()
	timer := time.NewTimer(d)
	defer timer.Stop()
	for f == nil || !f.over() {
		select {
		case <-ticker.C:
			continue
		case <-timer.C:
		case <-in.page.dialogSignal():
		case <-ctx.Done():
			return fmt.Errorf("pause: %w", ctx.Err())
		}
		break
	}
	return nil
}

// letUp releases a button without waiting for the page. If the frame where it
// was pressed is gone, any other place serves.
func (in *inputs) letUp(ctx context.Context, down driver.MouseDown) {
	ctx, cancel := context.WithTimeout(ctx, lettingGo)
	defer cancel()
	up := driver.MouseUp(down)
	release, err := in.dispatches(ctx, up)
	if err != nil {
		up.At = driver.Point{}
		release, _ = in.dispatches(ctx, up) // else the page is gone
	}
	for _, r := range release {
		r.session.Post(r.command)
	}
}

// mostAtOnce is how many events are sent in one write; a key is two. Then the page's own tasks
// get a turn: Chrome prefers input to the messages that a page posts to itself, and React
// gives up after 50 updates that its scheduler could not finish. It also bounds what is on
// its way when a call is given up.
const mostAtOnce = 16

// perform sends acts and waits until the browser has taken them. A dialog ends
// the waiting: what it withholds is answered when it is gone. What would come
// behind it is not sent, which is driver.ErrDialog.
func (in *inputs) perform(ctx context.Context, acts []dispatch, f *tracker) error {
	most := mostAtOnce
	if f != nil && f.oneByOne {
		most = 2 // a key and its release
	}
	for since := 0; len(acts) > 0; {
		if f != nil && f.over() {
			return errLeft
		}
		if since >= mostAtOnce {
			since = 0
			if err := in.turn(ctx, driver.FrameID(acts[0].session.target)); err != nil {
				return err
			}
		}
		n := 1
		for n < min(len(acts), most) && acts[n].session == acts[0].session {
			n++
		}
		commands := make([]conn.Command, n)
		for i := range commands {
			commands[i] = acts[i].command
		}
		dialog, err := in.page.noDialog()
		if err != nil {
			return err
		}
		calls, err := acts[0].session.Start(ctx, commands...)
		if err != nil {
			return err
		}
		if f != nil {
			f.sent.Store(true)
		}
		opened, err := awaitAll(ctx, calls, dialog)
		if errors.Is(err, errFrameWent) {
			err = nil // with its frame: Chrome says that of a frame in the page's process, too
		}
		if opened {
			in.page.browser.delivered() // DialogOpened, before the call returns
		}
		if err == nil && opened && n < len(acts) {
			err = driver.ErrDialog
		}
		if err != nil || opened {
			return err
		}
		acts, since = acts[n:], since+n
	}
	return nil
}

// turn lets the page run the tasks that it has put off. If the frame is gone, there are none.
func (in *inputs) turn(ctx context.Context, frame driver.FrameID) error {
	err := in.page.undisturbed(ctx, func(ctx context.Context) error {
		w, err := in.page.isolated(ctx, frame)
		if err == nil {
			_, err = w.ask(ctx, call{name: "turn", wait: true}, nil)
		}
		return err
	})
	if errors.Is(err, driver.ErrDialog) || ctx.Err() != nil {
		return err
	}
	return nil
}

// pressAt returns where an event presses.
func pressAt(e driver.InputEvent) (driver.Point, bool) {
	switch e := e.(type) {
	case driver.MouseDown:
		return e.At, true
	case driver.Tap:
		return e.At, true
	}
	return driver.Point{}, false
}

// awaitFocus waits until a frame of a process that is pressed knows whether it has the
// focus. Chrome tells each process that a press in another has moved the focus, and this
// may arrive after the answer to the press (TestKeysFollowThePress). Before its press a
// frame is to have lost what it had: else the press moves nothing, and what it had is lost
// afterwards. After it, it is to have got the focus: Chrome sends a key to the process that
// last reported it.
func (in *inputs) awaitFocus(ctx context.Context, pressed *session, frame driver.FrameID, has bool) error {
	if all := in.page.sessions(); len(all) == 1 || !slices.Contains(all, pressed) {
		return nil
	}
	err := in.page.undisturbed(ctx, func(ctx context.Context) error {
		w, err := in.page.isolated(ctx, frame)
		if err == nil {
			_, err = w.ask(ctx, call{name: "focusIs", args: []any{has}, wait: true}, nil)
		}
		return err
	})
	if err == driver.ErrDialog || ctx.Err() != nil || errors.Is(err, conn.ErrNoAnswer) {
		return err
	}
	return nil // a process that has ended holds no focus; if it is the page's, the keys fail
}

// awaitAll waits for all calls, or for a dialog, which it reports.
func awaitAll(ctx context.Context, calls []*conn.Call, dialog <-chan struct{}) (opened bool, err error) {
	limit := conn.Limit(ctx)
	for i, c := range calls {
		select {
		case <-c.Done():
			if _, err := c.Wait(ctx); err != nil {
				return false, err
			}
			continue
		case <-dialog:
			opened = true
		case <-ctx.Done():
			err = fmt.Errorf("%s: %w", c.Method(), ctx.Err())
		case <-limit:
			err = conn.ErrNoAnswer
		}
		for _, rest := range calls[i:] {
			rest.Forget()
		}
		return opened, err
	}
	return false, nil
}

// dispatches returns the commands of one event.
func (in *inputs) dispatches(ctx context.Context, e driver.InputEvent) ([]dispatch, error) {
	h := &in.held
	switch e := e.(type) {
	case driver.MouseMove:
		return in.mouse(ctx, e.At, h.mouse("mouseMoved", "", 0, e.Modifiers))
	case driver.MouseDown:
		return in.mouse(ctx, e.At, h.mouse("mousePressed", e.Button, e.Clicks, e.Modifiers))
	case driver.MouseUp:
		return in.mouse(ctx, e.At, h.mouse("mouseReleased", e.Button, e.Clicks, e.Modifiers))
	case driver.Wheel:
		args := h.mouse("mouseWheel", "", 0, e.Modifiers)
		args.DeltaX, args.DeltaY = &e.DeltaX, &e.DeltaY
		return in.mouse(ctx, e.At, args)
	case driver.KeyDown:
		return in.keyboard(protocol.InputDispatchKeyEvent.With(h.keyDown(e.Key, e.Modifiers))), nil
	case driver.KeyUp:
		return in.keyboard(protocol.InputDispatchKeyEvent.With(h.keyUp(e.Key, e.Modifiers))), nil
	case driver.InsertText:
		return in.keyboard(protocol.InputInsertText.With(input.InsertTextArgs{Text: e.Text})), nil
	case driver.Tap:
		s, x, y, err := in.toProcess(ctx, e.At)
		h.pressed.Store(s)
		return []dispatch{
			{s, protocol.InputDispatchTouchEvent.With(input.DispatchTouchEventArgs{Type: "touchStart", TouchPoints: []input.TouchPoint{{X: x, Y: y}}})},
			{s, protocol.InputDispatchTouchEvent.With(input.DispatchTouchEventArgs{Type: "touchEnd", TouchPoints: []input.TouchPoint{}})},
		}, err
	default:
		return nil, fmt.Errorf("unknown input event %T", e)
	}
}

// keyboard returns a command for the element with the focus, in any process.
func (in *inputs) keyboard(c conn.Command) []dispatch {
	return []dispatch{{in.page.session, c}}
}

func (in *inputs) mouse(ctx context.Context, at driver.Point, args input.DispatchMouseEventArgs) ([]dispatch, error) {
	s, x, y, err := in.toProcess(ctx, at)
	if err != nil {
		return nil, err
	}
	args.X, args.Y = x, y
	if args.Type == "mousePressed" {
		in.held.pressed.Store(s)
	}
	return []dispatch{{s, protocol.InputDispatchMouseEvent.With(args)}}, nil
}

// An inputState is what is held down on a page, from one call of Input to the next.
type inputState struct {
	mu      sync.Mutex // protects the following
	buttons int        // of the mouse, as a mask
	button  driver.Button
	keys    driver.Modifiers

	pressed atomic.Pointer[session] // that took a press and has not answered anything since
	last    atomic.Pointer[session] // that took a press
}

// mouse returns what all mouse events tell, and notes what is held.
func (h *inputState) mouse(kind string, b driver.Button, clicks int, m driver.Modifiers) input.DispatchMouseEventArgs {
	h.mu.Lock()
	defer h.mu.Unlock()
	button := b
	if button == "" {
		button = driver.Left
	}
	args := input.DispatchMouseEventArgs{Type: kind, PointerType: new("mouse")}
	switch kind {
	case "mousePressed":
		h.buttons |= masks[button]
		h.button = button
		args.ClickCount = new(max(1, clicks))
	case "mouseReleased":
		h.buttons &^= masks[button]
		h.button = ""
		args.ClickCount = new(max(1, clicks))
	default:
		if button = h.button; button == "" {
			button = "none"
		}
	}
	args.Button, args.Buttons, args.Modifiers = input.MouseButton(button), new(h.buttons), new(int(m|h.keys))
	return args
}

// pointer is the command of an event of the mouse at a place in its process.
func (h *inputState) pointer(kind string, b driver.Button, x, y float64) conn.Command {
	args := h.mouse(kind, b, 1, 0)
	args.X, args.Y = x, y
	return protocol.InputDispatchMouseEvent.With(args)
}

func (h *inputState) keyDown(name string, m driver.Modifiers) input.DispatchKeyEventArgs {
	h.mu.Lock()
	defer h.mu.Unlock()
	m |= h.keys
	k := keyOf(name, m&driver.Shift != 0)
	h.keys |= modifierKeys[k.name]
	m |= h.keys
	args := k.args(m)
	args.Type = "rawKeyDown"
	if k.text != "" && m&(driver.Alt|driver.Control|driver.Meta) == 0 {
		args.Type, args.Text, args.UnmodifiedText = "keyDown", &k.text, &k.text
	}
	return args
}

func (h *inputState) keyUp(name string, m driver.Modifiers) input.DispatchKeyEventArgs {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := keyOf(name, (m|h.keys)&driver.Shift != 0)
	h.keys &^= modifierKeys[k.name]
	args := k.args((m | h.keys) &^ modifierKeys[k.name])
	args.Type = "keyUp"
	return args
}

// toProcess returns the session that takes input at a point, and the point in
// its coordinates: those of the outermost frame of the same process.
func (in *inputs) toProcess(ctx context.Context, at driver.Point) (*session, float64, float64, error) {
	f, err := in.page.frame(at.Frame)
	if err != nil {
		return nil, 0, 0, err
	}
	if f.Parent == "" || f.OwnProcess {
		return f.session, at.X, at.Y, nil
	}
	w, err := in.page.isolated(ctx, f.ID)
	if err != nil {
		return nil, 0, 0, err
	}
	for w.Parent != "" && !w.OwnProcess {
		parent, err := in.page.isolated(ctx, w.Parent)
		if err != nil {
			return nil, 0, 0, err
		}
		o, err := ownerAt(ctx, &w, &parent, at, false)
		if err != nil {
			return nil, 0, 0, err
		}
		at, w = o.At, parent
	}
	return w.session, at.X, at.Y, nil
}
