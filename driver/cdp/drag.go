package cdp

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/mafredri/cdp/protocol/input"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// A dragger drags what a page shows from one place to another.
type dragger struct {
	page    *page
	turn    sync.Mutex      // held while a drag is under way
	dragged *input.DragData // by a drag and drop that the page has begun; protected by browser.mu
}

func (dr *dragger) dragIntercepted(_ *session, e *input.DragInterceptedReply) { dr.dragged = &e.Data }

// A drag sends one move per pixelsAStep pixels, within these bounds. Pages that mark the cells
// under the pointer need it to enter each one.
const (
	pixelsAStep = 12
	fewestSteps = 5
	mostSteps   = 60 // a second
)

// firstPixels is how far the pointer goes for a page's own drag and drop to begin.
const firstPixels = 8

// A drag is under way. Its coordinates are those of the process that gets the events.
type drag struct {
	*dragger
	driver.Drag
	from, to   *session
	x, y       float64         // where it was pressed
	atX, atY   float64         // where the pointer is
	toX, toY   float64         // where it ends
	data       *input.DragData // of a drag and drop that the page has begun; else nil
	moves      int             // how often the pointer went to where it ends
	box        driver.Rect     // what it is dropped on had by then
	isReleased bool
}

// drag presses, moves and releases. If the page begins a drag and drop of its own on the
// way, Chrome passes us the dragged data and we drop it: mouse events alone do that only
// by chance.
func (dr *dragger) drag(ctx context.Context, to driver.Drag) (err error) {
	dr.turn.Lock()
	defer dr.turn.Unlock()
	d := &drag{dragger: dr, Drag: to}
	dr.page.browser.mu.Lock()
	dr.dragged = nil
	dr.page.browser.mu.Unlock()
	if d.Onto != nil {
		if err := dr.page.handles.callWith(ctx, d.Onto.At, call{name: "dragComes"}, nil); err != nil {
			return &driver.MissedError{Err: err} // nothing was sent
		}
	}
	if d.from, d.x, d.y, err = dr.page.toProcess(ctx, d.From); err != nil {
		return err
	}
	if d.to, d.toX, d.toY, err = dr.page.toProcess(ctx, d.To); err != nil {
		return err
	}
	d.atX, d.atY = d.x, d.y
	intercept := func(on bool) conn.Command {
		return protocol.InputSetInterceptDrags.With(input.SetInterceptDragsArgs{Enabled: on})
	}
	if err := d.from.Batch(ctx, intercept(true)); err != nil {
		return err
	}
	defer d.from.Post(intercept(false))
	defer func() {
		if !d.isReleased {
			dr.letGo(context.WithoutCancel(ctx), d.from, d.atX, d.atY)
		}
	}()
	if err := d.begin(ctx); err != nil {
		return err
	}
	for again := true; again; {
		if d.Onto == nil {
			again = false
		} else if again, err = d.find(ctx); err != nil {
			return err
		} else if !again {
			break
		}
		if err := d.pass(ctx); err != nil {
			return err
		}
		d.moves++
	}
	return d.end(ctx)
}

// begin presses, and moves the pointer so far that a drag begins. These pixels lead to its
// end: beside the way something else may take it.
func (d *drag) begin(ctx context.Context) error {
	start := []dispatch{d.move(d.from, d.x, d.y)} // no button is down yet
	press, err := d.page.dispatches(ctx, driver.MouseDown{At: d.From})
	if err != nil {
		return err
	}
	start = append(start, press...)
	dx, dy := d.toX-d.x, d.toY-d.y
	far := max(math.Hypot(dx, dy), firstPixels)
	for _, pixels := range []float64{firstPixels / 2, firstPixels} {
		d.atX, d.atY = d.x+dx*pixels/far, d.y+dy*pixels/far
		start = append(start, d.move(d.from, d.atX, d.atY))
	}
	if err := d.page.perform(ctx, start, nil); err != nil {
		return err
	}
	if d.data, err = d.draggedData(ctx); err != nil || d.data == nil {
		return err
	}
	return d.draw(ctx, 1) // what the page begins a task after its drag has begun by now
}

// find locates what it is dropped on. again is false where the pointer is right by now: that
// is there, or the page has put something else in its place because of the pointer.
func (d *drag) find(ctx context.Context) (again bool, err error) {
	l, err := d.page.locate(ctx, d.Onto.At, &driver.LocateOptions{Scroll: true, Offset: d.Onto.Offset})
	switch {
	case err == nil && !l.InView:
		err = driver.ErrNotVisible
		fallthrough
	case err != nil:
		if gone := errors.Is(err, driver.ErrStale) || errors.Is(err, driver.ErrDetached) || errors.Is(err, driver.ErrNotVisible); gone && d.moves > 0 {
			return false, nil // it disappeared under the pointer, so the drag has arrived
		}
		return false, err
	case d.moves > 0:
		if again, err = d.away(ctx, l.Box); err != nil || !again {
			return false, err
		}
	}
	if d.moves == mostMoves {
		d.atX, d.atY = d.x, d.y
		return false, &driver.MissedError{By: d.Onto.At, Taken: true, Err: driver.ErrChanged}
	}
	d.To, d.box = l.At, l.Box
	if d.Onto.Offset == nil {
		d.To.X, d.To.Y = d.To.X+past(l.At.X-d.From.X, l.Box.Width), d.To.Y+past(l.At.Y-d.From.Y, l.Box.Height)
	}
	d.to, d.toX, d.toY, err = d.page.toProcess(ctx, d.To)
	return true, err
}

// pass moves the pointer to the end, over what lies on the way. Of several moves Chrome tells
// the page in the next frame, and of the last one alone. A list that is sorted by what the
// pointer goes over needs all of them.
func (d *drag) pass(ctx context.Context) error {
	steps, beginX, beginY := 1, d.atX, d.atY
	if d.from == d.to {
		far := math.Hypot(d.toX-beginX, d.toY-beginY)
		steps, d.atX, d.atY = min(max(int(far/pixelsAStep), fewestSteps), mostSteps), d.toX, d.toY
	}
	for i := range steps {
		k := float64(i+1) / float64(steps)
		x, y := beginX+(d.toX-beginX)*k, beginY+(d.toY-beginY)*k
		step := []dispatch{d.move(d.to, x, y)}
		if d.data != nil { // of what the pointer enters, Chrome says that it is over that at the next move
			step = []dispatch{d.event("dragOver", x, y), d.event("dragOver", x, y)}
			if d.moves == 0 && i == 0 {
				step[0] = d.event("dragEnter", x, y)
			}
		}
		if err := d.page.perform(ctx, step, nil); err != nil {
			return err
		}
		if err := d.draw(ctx, 1); err != nil {
			return err
		}
	}
	return d.draw(ctx, framesOver-1)
}

// end drops and releases.
func (d *drag) end(ctx context.Context) error {
	release, err := d.page.dispatches(ctx, driver.MouseUp{At: d.To})
	if err != nil {
		return err
	}
	if d.data != nil {
		release = append([]dispatch{d.event("dragOver", d.toX, d.toY), d.event("drop", d.toX, d.toY)}, release...)
	}
	d.isReleased = true
	if err := d.page.perform(ctx, release, nil); err != nil || d.data == nil || d.Onto == nil {
		return err
	}
	return d.taken(ctx)
}

// taken returns an error if the page did not take the drop. If the page is navigating or
// shows a dialog by then, the drop caused it.
func (d *drag) taken(ctx context.Context) error {
	for again := true; ; again = false {
		taken := true
		if err := d.page.handles.callWith(ctx, d.Onto.At, call{name: "dropped"}, &taken); err != nil || taken {
			return ctx.Err()
		}
		if !again {
			return &driver.MissedError{Taken: true, Err: driver.ErrNotDropped}
		}
		if err := d.draw(ctx, 1); err != nil { // Chrome may tell the page late
			return ctx.Err()
		}
	}
}

func (d *drag) move(s *session, x, y float64) dispatch {
	return dispatch{s, d.page.held.pointer("mouseMoved", "", x, y)}
}

// event is one of a drag and drop that the page has begun.
func (d *drag) event(kind string, x, y float64) dispatch {
	return dispatch{d.to, protocol.InputDispatchDragEvent.With(input.DispatchDragEventArgs{Type: kind, X: x, Y: y, Data: *d.data})}
}

// mostMoves is how often a drag goes to what it ends on, which the page moves because of it.
const mostMoves = 5

// past is how far beyond the middle of an element a drag ends. A sorted list puts the dragged
// item before or after another, depending on which half of that is under the pointer. People
// never hit the exact middle.
func past(way, size float64) float64 {
	off := min(2, size/4)
	if way > 0 {
		return off
	}
	return -off
}

// away reports that what it is dropped on has moved from under the pointer, and another
// element lies there instead.
func (d *drag) away(ctx context.Context, is driver.Rect) (away bool, err error) {
	if d.box == is || d.To.X >= is.X && d.To.X <= is.X+is.Width && d.To.Y >= is.Y && d.To.Y <= is.Y+is.Height {
		return false, nil
	}
	err = d.page.handles.callWith(ctx, d.Onto.At, call{name: "displaced", args: []any{d.To.X - is.X, d.To.Y - is.Y}}, &away)
	return away, err
}

// framesOver is how often the page draws while a drag is over where it ends:
// once for where the pointer is, and once for what the page made of that.
const framesOver = 2

// lettingGo bounds the release of what a call that was given up has pressed.
const lettingGo = time.Second

// letGo ends an abandoned drag at the pointer's position. Otherwise the next move, by any
// caller, would continue it. Moves in flight may still begin a drag of the page's own, so
// letGo first sends one more move and waits for its reply.
func (dr *dragger) letGo(ctx context.Context, s *session, x, y float64) {
	ctx, cancel := context.WithTimeout(ctx, lettingGo)
	defer cancel()
	held := &dr.page.held
	_ = dr.page.perform(ctx, []dispatch{{s, held.pointer("mouseMoved", "", x, y)}}, nil) // the button is released all the same
	if data, err := dr.draggedData(ctx); err == nil && data != nil {
		s.Post(protocol.InputDispatchDragEvent.With(input.DispatchDragEventArgs{Type: "dragCancel", X: x, Y: y, Data: *data}))
	}
	s.Post(held.pointer("mouseReleased", driver.Left, x, y))
}

// draggedData returns what the page drags, nil if it has not begun to. Chrome
// tells of it a moment after it has taken the moves, and within two frames.
func (dr *dragger) draggedData(ctx context.Context) (*input.DragData, error) {
	for frames := 0; ; frames++ {
		dr.page.browser.mu.Lock()
		data := dr.dragged
		dr.page.browser.mu.Unlock()
		if data != nil || frames == 2 {
			return data, nil
		}
		if err := dr.draw(ctx, 1); err != nil {
			return nil, err
		}
	}
}

// draw waits until the page has drawn n times. A dialog keeps it from drawing:
// that is driver.ErrDialog.
func (dr *dragger) draw(ctx context.Context, n int) error {
	return dr.page.undisturbed(ctx, func(ctx context.Context) error {
		for range n {
			w, err := dr.page.isolated(ctx, "")
			if err == nil {
				_, err = w.ask(ctx, call{name: "frame", wait: true}, nil)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
