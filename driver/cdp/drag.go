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
	if d.Onto != nil {
		l, err := dr.page.locate(ctx, d.Onto.At, &driver.LocateOptions{Scroll: true, Offset: d.Onto.Offset})
		if err == nil && !l.InView {
			err = driver.ErrNotVisible
		}
		if err != nil {
			return err
		}
		d.To = l.At
		if to, toX, toY, err = dr.page.toProcess(ctx, d.To); err != nil {
			return err
		}
	}
	var way, end []dispatch
	if data != nil {
		over := func(kind string) dispatch {
			return dispatch{to, protocol.InputDispatchDragEvent.With(input.DispatchDragEventArgs{Type: kind, X: toX, Y: toY, Data: *data})}
		}
		// What the page begins a task after its drag has begun by now.
		if err := dr.draw(ctx, 1); err != nil {
			return err
		}
		way = []dispatch{over("dragEnter"), over("dragOver")}
		end = []dispatch{over("dragOver"), over("drop")}
	} else if from == to {
		for i := 1; i <= dragSteps; i++ {
			k := float64(i) / dragSteps
			way = append(way, move(to, x+(toX-x)*k, y+(toY-y)*k))
		}
		atX, atY = toX, toY
	} else {
		way = []dispatch{move(to, toX, toY)}
	}
	if err := dr.page.perform(ctx, way, nil); err != nil {
		return err
	}
	if err := dr.draw(ctx, framesOver); err != nil {
		return err
	}
	release, err := dr.page.dispatches(ctx, driver.MouseUp{At: d.To})
	if err != nil {
		return err
	}
	released = true
	return dr.page.perform(ctx, append(end, release...), nil)
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
