package fake

import (
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// An aim is the element that input is meant for.
type aim struct {
	d     *document
	n     *html.Node
	taken bool          // some of the input has reached the page
	says  *string       // what it must say at the first event; nil from then on
	down  *driver.Point // where it was pressed, until that is let go
	slip  error         // the press was let go on something else
	only  bool          // every key is meant for it, not the first alone
	text  bool          // the keys are a text
	keys  int           // that should write
	wrote int           // text that was written before
}

// missed tells whether an event would go elsewhere than it is meant to.
func (p *page) missed(a *aim, e driver.InputEvent) error {
	if a == nil {
		return nil
	}
	if a.says != nil && *a.says != said(a.n) {
		return &driver.MissedError{By: a.d.ref(a.n), Err: driver.ErrChanged}
	}
	a.says = nil
	switch e := e.(type) {
	case driver.MouseDown:
		a.down = &e.At
		return p.missedPress(a, e.At)
	case driver.MouseUp:
		return p.missedRelease(a, e.At)
	case driver.Tap:
		return p.missedPress(a, e.At)
	case driver.Drag:
		return p.missedPress(a, e.From)
	case driver.KeyDown, driver.InsertText:
		return p.missedKey(a)
	}
	return nil
}

func (p *page) missedPress(a *aim, at driver.Point) error {
	x, y, err := p.toMain(at)
	if err != nil {
		return err
	}
	h := p.hit(x, y)
	if a.n != a.d.root && a.d.reaches(a.n, h) == 0 {
		return &driver.MissedError{By: h.ref(), Taken: a.taken, Err: driver.ErrObscured}
	}
	if a.d.disabled(a.n) {
		return &driver.MissedError{By: h.ref(), Taken: a.taken, Err: driver.ErrDisabled}
	}
	a.taken = true
	return nil
}

// missedRelease notes a press that is let go at its own place, where the element
// is no more. The release goes on its way.
func (p *page) missedRelease(a *aim, at driver.Point) error {
	pressed := a.down
	a.down = nil
	if pressed == nil || *pressed != at || a.n == a.d.root || a.d.frame.doc != a.d {
		return nil
	}
	x, y, err := p.toMain(at)
	if err != nil {
		return err
	}
	a.slip = nil
	if h := p.hit(x, y); a.d.reaches(a.n, h) == 0 {
		a.slip = &driver.MissedError{By: h.ref(), Taken: true, Err: driver.ErrSlipped}
	}
	return nil
}

// missedKey looks at the first key alone, unless all are meant for the element:
// a page may well move the focus on while something is typed.
func (p *page) missedKey(a *aim) error {
	if a.taken && (a.d.frame.detached || a.d.frame.doc != a.d) {
		return &driver.MissedError{Taken: true, Err: driver.ErrStale}
	}
	if a.taken && !a.only {
		return nil
	}
	d := p.focusedDocument()
	if a.taken && d == a.d && forOneLetter(a.n) && forOneLetter(d.active) {
		return nil
	}
	before := a.taken
	a.taken = d == a.d && (a.n == d.root || a.n == d.body() || a.n == d.first("html") ||
		d.active != nil && d.composedWithin(d.active, a.n))
	if a.taken {
		return nil
	}
	miss := &driver.MissedError{Taken: before, Err: driver.ErrNotFocusable}
	if d.active != nil {
		miss.By = d.ref(d.active)
	}
	return miss
}

// forOneLetter reports a field as codes are typed into, which pass the focus on.
func forOneLetter(n *html.Node) bool {
	if n == nil || !isElement(n, "input") {
		return false
	}
	limit, ok := maxLength(n)
	return ok && limit == 1
}

// unwritten tells whether a key of a text wrote nothing.
func (p *page) unwritten(a *aim) error {
	if a.text && p.wrote-a.wrote < a.keys && a.d.frame.doc == a.d && !a.d.frame.detached {
		return &driver.MissedError{Taken: true, Err: driver.ErrUnwritten}
	}
	return nil
}
