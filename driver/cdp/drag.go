package cdp

import (
	"context"
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

// dragSteps is how many moves lead from one end of a drag to the other.
const dragSteps = 5

// firstPixels is how far the pointer goes for a page's own drag and drop to begin.
const firstPixels = 8

// drag presses, moves and releases. If the page begins a drag and drop of its own on the
// way, Chrome passes us the dragged data and we drop it: mouse events alone do that only
// by chance.
func (dr *dragger) drag(ctx context.Context, d driver.Drag) (err error) {
	dr.turn.Lock()
	defer dr.turn.Unlock()
	intercept := func(on bool) conn.Command {
		return protocol.InputSetInterceptDrags.With(input.SetInterceptDragsArgs{Enabled: on})
	}
	dr.page.browser.mu.Lock()
	dr.dragged = nil
	dr.page.browser.mu.Unlock()
	if d.Onto != nil {
		if err := dr.page.handles.callWith(ctx, d.Onto.At, call{name: "dragComes"}, nil); err != nil {
			return err
		}
	}
	from, x, y, err := dr.page.toProcess(ctx, d.From)
	if err != nil {
		return err
	}
	if err := from.Batch(ctx, intercept(true)); err != nil {
		return err
	}
	defer from.Post(intercept(false))
	to, toX, toY, err := dr.page.toProcess(ctx, d.To)
	if err != nil {
		return err
	}
	move := func(s *session, x, y float64) dispatch {
		return dispatch{s, dr.page.held.pointer("mouseMoved", "", x, y)}
	}
	start := []dispatch{move(from, x, y)}
	atX, atY, released := x, y, false
	defer func() {
		if !released {
			dr.letGo(context.WithoutCancel(ctx), from, atX, atY)
		}
	}()
	press, err := dr.page.dispatches(ctx, driver.MouseDown{At: d.From})
	if err != nil {
		return err
	}
	start = append(start, press...)
	// A drag begins once the pointer has gone a few pixels. They lead to its end:
	// beside the way something else may take it.
	dx, dy := toX-x, toY-y
	far := max(math.Hypot(dx, dy), firstPixels)
	for _, pixels := range []float64{firstPixels / 2, firstPixels} {
		atX, atY = x+dx*pixels/far, y+dy*pixels/far
		start = append(start, move(from, atX, atY))
	}
	if err := dr.page.perform(ctx, start, nil); err != nil {
		return err
	}
	data, err := dr.draggedData(ctx)
	if err != nil {
		return err
	}
	if data != nil { // what the page begins a task after its drag has begun by now
		if err := dr.draw(ctx, 1); err != nil {
			return err
		}
	}
	over := func(kind string, x, y float64) dispatch {
		return dispatch{to, protocol.InputDispatchDragEvent.With(input.DispatchDragEventArgs{Type: kind, X: x, Y: y, Data: *data})}
	}
	var box driver.Rect // of what it is dropped on, where the pointer was sent to
	for moves := 0; ; moves++ {
		if d.Onto != nil {
			l, err := dr.page.locate(ctx, d.Onto.At, &driver.LocateOptions{Scroll: true, Offset: d.Onto.Offset})
			if err == nil && !l.InView {
				err = driver.ErrNotVisible
			}
			if err != nil {
				return err
			}
			if moves > 0 {
				away, err := dr.away(ctx, d, box, l.Box)
				if err != nil {
					return err
				}
				if !away {
					break
				}
			}
			if moves == mostMoves {
				atX, atY = x, y
				return &driver.MissedError{By: d.Onto.At, Taken: true, Err: driver.ErrChanged}
			}
			d.To, box = l.At, l.Box
			if d.Onto.Offset == nil {
				d.To.X, d.To.Y = d.To.X+past(l.At.X-d.From.X, box.Width), d.To.Y+past(l.At.Y-d.From.Y, box.Height)
			}
			if to, toX, toY, err = dr.page.toProcess(ctx, d.To); err != nil {
				return err
			}
		}
		steps := []float64{1}
		if from == to {
			steps = steps[:0]
			for i := range dragSteps {
				steps = append(steps, float64(i+1)/dragSteps)
			}
		}
		beginX, beginY := atX, atY
		if from == to {
			atX, atY = toX, toY
		}
		for i, k := range steps {
			x, y := beginX+(toX-beginX)*k, beginY+(toY-beginY)*k
			step := []dispatch{move(to, x, y)}
			if data != nil { // over what the pointer has entered, Chrome tells of the next move alone
				step = []dispatch{over("dragOver", x, y), over("dragOver", x, y)}
				if moves == 0 && i == 0 {
					step[0] = over("dragEnter", x, y)
				}
			}
			// Of several moves Chrome tells in the next frame, and of the last one alone. A list
			// that is sorted by what the pointer goes over needs all of them.
			if err := dr.page.perform(ctx, step, nil); err != nil {
				return err
			}
			if err := dr.draw(ctx, 1); err != nil {
				return err
			}
		}
		if err := dr.draw(ctx, framesOver-1); err != nil {
			return err
		}
		if d.Onto == nil {
			break
		}
	}
	release, err := dr.page.dispatches(ctx, driver.MouseUp{At: d.To})
	if err != nil {
		return err
	}
	if data != nil {
		release = append([]dispatch{over("dragOver", toX, toY), over("drop", toX, toY)}, release...)
	}
	released = true
	return dr.page.perform(ctx, release, nil)
}

// mostMoves is how often a drag goes to what it ends on, which the page moves because of it.
const mostMoves = 5

// past is how far from the middle of what it ends on a drag goes that comes from one side.
// Lists that are sorted put what is dragged before an item or behind it by the half that the
// pointer is on, and no person meets the middle of it.
func past(way, size float64) float64 {
	off := min(2, size/4)
	if way > 0 {
		return off
	}
	return -off
}

// away reports that what a drag ends on has moved from where the pointer was sent to, and
// another element lies there instead.
func (dr *dragger) away(ctx context.Context, d driver.Drag, was, is driver.Rect) (away bool, err error) {
	if was == is || d.To.X >= is.X && d.To.X <= is.X+is.Width && d.To.Y >= is.Y && d.To.Y <= is.Y+is.Height {
		return false, nil
	}
	err = dr.page.handles.callWith(ctx, d.Onto.At, call{name: "displaced", args: []any{d.To.X - is.X, d.To.Y - is.Y}}, &away)
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
