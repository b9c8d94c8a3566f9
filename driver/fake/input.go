package fake

import (
	"cmp"
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// hands are what input comes from: mouse and keyboard.
type hands struct{ keyboard }

// Input sends events in order.
func (p *hands) Input(ctx context.Context, events ...driver.InputEvent) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	err := p.acting(ctx, func() (err error) {
		var target *inputTarget
		var down, held *driver.MouseDown // pressed; and still so during a pause
		defer func() {
			if err != nil && held != nil && p.lost() == nil {
				p.letUp(*held)
			}
		}()
		for _, e := range events {
			p.touched = time.Now()
			switch e := e.(type) {
			case driver.MouseDown:
				down = &e
			case driver.MouseUp:
				down = nil
			case driver.Pause:
				held = down
				if err := p.pause(ctx, e.For, target); err != nil {
					return err
				}
				continue
			}
			if a, ok := e.(driver.Target); ok {
				d, n, err := p.node(a.At)
				if err != nil {
					return &driver.MissedError{Err: err}
				}
				target = &inputTarget{Target: a, d: d, n: n, inserted: p.inserted}
				continue
			}
			if err := p.missed(target, e); err != nil {
				return err
			}
			if _, up := e.(driver.MouseUp); up && target != nil && target.stood && !target.d.stands(target.n, target.Beside) {
				p.letGo()
				return target.changed()
			}
			if target != nil && writes(e) {
				target.keys++
			}
			if err := p.input(e); err != nil {
				return err
			}
			if p.lost() != nil { // the page closed itself
				return nil
			}
			if target != nil {
				target.stood = target.taken && target.d.stands(target.n, target.Beside)
			}
		}
		if target == nil {
			return nil
		}
		if target.taken && target.d.frame.doc == target.d {
			before := ""
			if target.Label != nil {
				before = *target.Label
			}
			p.reacted(target, before)
		}
		return cmp.Or(target.moved, p.notTyped(target))
	})
	if err != nil {
		return opError("input", "", err)
	}
	if p.dialog.Load() == nil { // else the page stands still
		p.awaitNavigations(ctx)
	}
	return nil
}

// pauseStep is how often a pause looks whether its document was left.
const pauseStep = 100 * time.Millisecond

// letUp releases a button where it was pressed, or if that frame is gone, in
// the corner of the page.
func (p *hands) letUp(down driver.MouseDown) {
	up := driver.MouseUp(down)
	if p.input(up) != nil {
		up.At = driver.Point{}
		_ = p.input(up) // there is no page to release it on
	}
}

func (p *hands) input(e driver.InputEvent) error {
	switch e := e.(type) {
	case driver.MouseMove:
		return p.at(e.At, p.move)
	case driver.MouseDown:
		return p.at(e.At, func(x, y float64) { p.press(x, y, e.Button, e.Clicks, e.Modifiers|p.modifiers) })
	case driver.MouseUp:
		return p.at(e.At, func(x, y float64) { p.lift(x, y, e.Button, e.Clicks, e.Modifiers|p.modifiers) })
	case driver.Wheel:
		return p.at(e.At, func(x, y float64) { p.wheel(x, y, e.DeltaX, e.DeltaY) })
	case driver.Tap:
		return p.at(e.At, func(x, y float64) {
			h := p.hit(x, y)
			if h.n != nil {
				h.d.fire("touchstart", h.n)
				h.d.fire("touchend", h.n)
			}
			p.move(x, y)
			p.press(x, y, driver.Left, 1, 0)
			p.lift(x, y, driver.Left, 1, 0)
		})
	case driver.Drag:
		if err := p.at(e.From, func(x, y float64) {
			p.move(x, y)
			p.press(x, y, driver.Left, 1, 0)
			p.beginDrag()
		}); err != nil {
			return err
		}
		if e.Onto != nil {
			if err := p.follow(&e); err != nil {
				return err
			}
		} else if err := p.at(e.To, p.move); err != nil {
			return err
		}
		taken := true
		err := p.at(e.To, func(x, y float64) {
			taken = p.drop(x, y)
			p.lift(x, y, driver.Left, 1, 0)
		})
		if err == nil && !taken && e.Onto != nil {
			return &driver.MissedError{Taken: true, Err: driver.ErrNotDropped}
		}
		return err
	case driver.KeyDown:
		p.keyDown(e.Key, e.Modifiers|p.modifiers)
	case driver.KeyUp:
		p.keyUp(e.Key)
	case driver.InsertText:
		d := p.focusedDocument()
		d.insertText(e.Text)
	default:
		return fmt.Errorf("unknown event %T", e)
	}
	p.runTasks()
	return nil
}

// mostMoves is how often a drag goes to what it ends on, which the page moves because of it.
const mostMoves = 5

// follow moves the pointer to what a drag ends on, until the page moves that no more.
func (p *hands) follow(e *driver.Drag) error {
	var box driver.Rect
	for moves := 0; ; moves++ {
		d, n, err := p.element(e.Onto.At)
		if err != nil && moves > 0 {
			return nil // it disappeared under the pointer, so the drag has arrived
		}
		if err != nil {
			return err
		}
		p.scrollIntoView(d, n, e.Onto.Offset)
		loc := p.locate(d, n, d.standIn(n))
		if e.Onto.Offset != nil {
			p.lookAt(d, n, *e.Onto.Offset, loc)
		}
		switch {
		case !loc.InView && moves == 0:
			return driver.ErrNotVisible
		case !loc.InView, moves > 0 && !p.away(e, n, box, loc.Box):
			return nil
		case moves == mostMoves:
			err := p.at(e.From, func(x, y float64) { p.lift(x, y, driver.Left, 1, 0) })
			return cmp.Or(err, error(&driver.MissedError{By: e.Onto.At, Taken: true, Err: driver.ErrChanged}))
		}
		e.To, box = loc.At, loc.Box
		if err := p.at(e.To, p.move); err != nil {
			return err
		}
	}
}

// away reports that what a drag ends on has moved from where the pointer was sent to, and
// another element lies there instead. What is dragged is looked through.
func (p *hands) away(e *driver.Drag, n *html.Node, was, is driver.Rect) bool {
	if was == is || e.To.X >= is.X && e.To.X <= is.X+is.Width && e.To.Y >= is.Y && e.To.Y <= is.Y+is.Height {
		return false
	}
	h, err := p.hitAt(e.To)
	return err == nil && h.n != nil && !(p.down.d == h.d && h.d.ComposedWithin(h.n, p.down.n)) && !h.d.ComposedWithin(h.n, n) && !h.d.ComposedWithin(n, h.n)
}

// writes reports an event that should insert something.
func writes(e driver.InputEvent) bool {
	switch e := e.(type) {
	case driver.KeyDown:
		return utf8.RuneCountInString(e.Key) == 1 && e.Modifiers&^driver.Shift == 0
	case driver.InsertText:
		return e.Text != ""
	}
	return false
}

// at turns the point of an event and runs f there.
func (p *hands) at(pt driver.Point, f func(x, y float64)) error {
	x, y, err := p.toMain(pt)
	if err != nil {
		return err
	}
	f(x, y)
	p.runTasks()
	return nil
}

// inputState is what is pressed, pointed at and focused.
type inputState struct {
	pointer   hit // the element under the pointer
	x, y      float64
	down      hit // where the button was pressed
	pressed   bool
	modifiers driver.Modifiers
	spaceDown hit    // the element that Space was pressed on
	focused   *frame // the frame that has the focus; nil is the main frame
	answered  answer // by the element that was focused last
	dragging  hit
	inserted  int // how often text was inserted
}

// resetInput is for a new main document.
func (p *inputState) resetInput() {
	p.pointer, p.down, p.spaceDown, p.dragging, p.pressed = hit{}, hit{}, hit{}, hit{}, false
	p.focused = nil
}

// hovers reports that the pointer is on n or within it.
func (p *inputState) hovers(d *document, n *html.Node) bool {
	return p.pointer.d == d && d.ComposedWithin(p.pointer.n, n)
}
