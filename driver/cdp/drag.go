package cdp

import (
	"context"
	"math"
	"time"

	"github.com/mafredri/cdp/protocol/input"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// A dragState tells of a drag and drop that the page has begun. browser.mu
// protects it.
type dragState struct {
	data *input.DragData
}

type dragIntercepted struct{ Data input.DragData }

func (p *page) dragIntercepted(_ *session, e *dragIntercepted) { p.kept.dragged.data = &e.Data }

// dragSteps is how many moves lead from one end of a drag to the other.
const dragSteps = 5

// firstPixels is how far the pointer goes for a page's own drag and drop to begin.
const firstPixels = 8

// drag presses, moves and releases. Where the page begins a drag and drop of
// its own on the way, Chrome hands us what is dragged, and we let it be dropped:
// with the mouse alone, that works only by chance.
func (p *page) drag(ctx context.Context, d driver.Drag) (err error) {
	h := &p.kept.input
	h.drags.Lock()
	defer h.drags.Unlock()
	intercept := func(on bool) conn.Command {
		return protocol.InputSetInterceptDrags.With(input.SetInterceptDragsArgs{Enabled: on})
	}
	p.browser.mu.Lock()
	p.kept.dragged.data = nil
	p.browser.mu.Unlock()
	from, x, y, err := p.toProcess(ctx, d.From)
	if err != nil {
		return err
	}
	if err := from.Batch(ctx, intercept(true)); err != nil {
		return err
	}
	defer from.Post(intercept(false))
	to, toX, toY, err := p.toProcess(ctx, d.To)
	if err != nil {
		return err
	}
	move := func(s *session, x, y float64) dispatch {
		args := h.mouse("mouseMoved", "", 0, 0)
		args.X, args.Y = x, y
		return dispatch{s, protocol.InputDispatchMouseEvent.With(args)}
	}
	start := []dispatch{move(from, x, y)}
	atX, atY, released := x, y, false
	defer func() {
		if !released {
			p.letGo(context.WithoutCancel(ctx), from, atX, atY)
		}
	}()
	press, err := p.dispatches(ctx, driver.MouseDown{At: d.From})
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
	if err := p.perform(ctx, start, nil); err != nil {
		return err
	}
	data, err := p.draggedData(ctx)
	if err != nil {
		return err
	}
	if d.Onto != nil {
		l, err := p.locate(ctx, d.Onto.At, &driver.LocateOptions{Scroll: true, Offset: d.Onto.Offset})
		if err == nil && !l.InView {
			err = driver.ErrNotVisible
		}
		if err != nil {
			return err
		}
		d.To = l.At
		if to, toX, toY, err = p.toProcess(ctx, d.To); err != nil {
			return err
		}
	}
	var end []dispatch
	if data != nil {
		for _, kind := range []string{"dragEnter", "dragOver", "drop"} {
			end = append(end, dispatch{to, protocol.InputDispatchDragEvent.With(input.DispatchDragEventArgs{Type: kind, X: toX, Y: toY, Data: *data})})
		}
	} else if from == to {
		for i := 1; i <= dragSteps; i++ {
			k := float64(i) / dragSteps
			end = append(end, move(to, x+(toX-x)*k, y+(toY-y)*k))
		}
	} else {
		end = append(end, move(to, toX, toY))
	}
	release, err := p.dispatches(ctx, driver.MouseUp{At: d.To})
	if err != nil {
		return err
	}
	released = true
	return p.perform(ctx, append(end, release...), nil)
}

// lettingGo is how long a drag that was given up may take to tell what it drags.
const lettingGo = 100 * time.Millisecond

// letGo ends a drag that nobody waits for any more where the pointer is:
// otherwise the next move, whoever makes it, would go on with it.
func (p *page) letGo(ctx context.Context, s *session, x, y float64) {
	ctx, cancel := context.WithTimeout(ctx, lettingGo)
	defer cancel()
	if data, err := p.draggedData(ctx); err == nil && data != nil {
		s.Post(protocol.InputDispatchDragEvent.With(input.DispatchDragEventArgs{Type: "dragCancel", X: x, Y: y, Data: *data}))
	}
	args := p.kept.input.mouse("mouseReleased", driver.Left, 1, 0)
	args.X, args.Y = x, y
	s.Post(protocol.InputDispatchMouseEvent.With(args))
}

// draggedData returns what the page drags, nil if it has not begun to. Chrome
// tells of it a moment after it has taken the moves, and within two frames.
func (p *page) draggedData(ctx context.Context) (*input.DragData, error) {
	for range 2 {
		p.browser.mu.Lock()
		data := p.kept.dragged.data
		p.browser.mu.Unlock()
		if data != nil {
			return data, nil
		}
		w, err := p.isolated(ctx, "")
		if err != nil {
			return nil, err
		}
		if err := p.value(ctx, &w, call{name: "frame", wait: true}, nil); err != nil {
			return nil, err
		}
	}
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	return p.kept.dragged.data, nil
}
