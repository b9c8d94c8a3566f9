package fake

import (
	"context"
	"reflect"
	"slices"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

// targeting holds input to the element that it is meant for.
type targeting struct{ locating }

// An inputTarget is the element that input is meant for.
type inputTarget struct {
	driver.Target
	d        *document
	n        *html.Node
	begun    bool          // the first event has come
	taken    bool          // some of the input has reached the page
	down     *driver.Point // where it was pressed, until the button is released
	stood    bool          // the press left the texts beside it
	moved    error         // the button was released on something else
	keys     int           // that should insert something
	inserted int           // how often text had been inserted before
}

// resolveTarget returns the element of a target, which has to be as expected.
func (p *targeting) resolveTarget(at driver.Target) (*inputTarget, error) {
	d, n, err := p.node(at.At)
	if err != nil {
		return nil, err
	}
	a := &inputTarget{Target: at, d: d, n: n}
	return a, p.unlike(a)
}

// resolveElement is resolveTarget for what must be an element.
func (p *targeting) resolveElement(at driver.Target) (d *document, n *html.Node, err error) {
	a, err := p.resolveTarget(at)
	if err == nil && a.n.Type != html.ElementNode {
		err = driver.ErrNotVisible
	}
	if err != nil {
		return nil, nil, err
	}
	return a.d, a.n, nil
}

// react runs what gives an element the focus, and records what the page makes of that.
func (p *targeting) react(a *inputTarget, f func()) {
	before := a.d.visibleLabel(a.n)
	f()
	p.runTasks()
	p.reacted(a, before)
}

// reacted records how input changed its element's label, whether the texts beside it are
// gone, and whether its selector still selects the element.
func (p *targeting) reacted(a *inputTarget, before string) {
	p.answered = answer{n: a.n, before: before, after: a.d.visibleLabel(a.n)}
	if !a.d.stands(a.n, a.Beside) {
		p.answered.parts = a.Beside
	}
	if a.Selected != nil {
		if is, err := p.selects(a); err == nil && !is {
			p.answered.unselects = *a.Selected
		}
	}
}

// unlike is the error for a target whose element is not what was expected.
func (p *targeting) unlike(a *inputTarget) error {
	if a.Label != nil && *a.Label != a.d.visibleLabel(a.n) && (p.answered.n != a.n || p.answered.before != *a.Label || p.answered.after != a.d.visibleLabel(a.n)) {
		return a.changed()
	}
	if !a.d.stands(a.n, a.Beside) && (p.answered.n != a.n || !reflect.DeepEqual(p.answered.parts, a.Beside)) {
		return a.changed()
	}
	if a.Selected == nil || p.answered.n == a.n && p.answered.unselects == *a.Selected {
		return nil
	}
	if is, err := p.selects(a); is || err != nil {
		return err
	}
	return a.changed()
}

// stands reports that some texts are still beside an element, if any are expected: in what
// is around it so far out in the flat tree, and in so many nodes before and behind that.
func (d *document) stands(n *html.Node, beside *driver.Beside) bool {
	if beside == nil {
		return true
	}
	slots := d.AssignSlots()
	up := func(n *html.Node) *html.Node {
		for slot, shown := range slots {
			if slices.Contains(shown, n) {
				return slot
			}
		}
		return d.Up(n)
	}
	around := n
	for range beside.Up {
		if around = up(around); around == nil || around.Type != html.ElementNode {
			return false
		}
	}
	inside := func(n *html.Node) []*html.Node {
		if shown := slots[n]; len(shown) > 0 {
			return shown
		}
		if s := d.Shadows[n]; s != nil {
			n = s.Root
		}
		return slices.DeleteFunc(slices.Collect(n.ChildNodes()), func(n *html.Node) bool { return n.Type != html.ElementNode && n.Type != html.TextNode })
	}
	said := map[string]bool{}
	var read func(nodes ...*html.Node)
	read = func(nodes ...*html.Node) {
		for _, n := range nodes {
			if n.Type == html.TextNode {
				said[n.Data] = true
			} else {
				read(inside(n)...)
			}
		}
	}
	read(around)
	if parent := up(around); parent != nil && (beside.From != 0 || beside.To != 0) {
		all := inside(parent)
		at := slices.Index(all, around)
		read(all[max(0, at+beside.From):min(len(all), at+beside.To+1)]...)
	}
	return !slices.ContainsFunc(beside.Texts, func(text string) bool { return !said[text] })
}

// changed is the error for an element that is not what was expected.
func (a *inputTarget) changed() error {
	return &driver.MissedError{By: a.d.ref(a.n), Taken: a.taken, Err: driver.ErrChanged}
}

// selects reports that the target's selector selects its element, and it alone.
func (p *targeting) selects(a *inputTarget) (bool, error) {
	found, err := p.find(p.ctx, a.Selected.Root, a.Selected.Selector)
	return len(found) == 1 && found[0] == a.d.ref(a.n), err
}

// missed is the error for an event that would go to another element.
func (p *targeting) missed(a *inputTarget, e driver.InputEvent) error {
	if a == nil {
		return nil
	}
	if !a.begun {
		if err := p.unlike(a); err != nil {
			return err
		}
	}
	a.begun = true
	switch e := e.(type) {
	case driver.MouseDown:
		if (!a.taken || a.stood) && !a.d.stands(a.n, a.Beside) {
			return a.changed()
		}
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

func (p *targeting) missedPress(a *inputTarget, at driver.Point) error {
	h, err := p.hitAt(at)
	if err != nil {
		return err
	}
	if a.n != a.d.Root && a.d.reaches(a.n, h) == 0 {
		return &driver.MissedError{By: h.ref(), Taken: a.taken, Err: driver.ErrObscured}
	}
	if a.d.Disabled(a.n) {
		return &driver.MissedError{By: h.ref(), Taken: a.taken, Err: driver.ErrDisabled}
	}
	a.taken = true
	return nil
}

// missedRelease notes a press that is let go at its own place, where the element
// is no more. The release is still sent.
func (p *targeting) missedRelease(a *inputTarget, at driver.Point) error {
	pressed := a.down
	a.down = nil
	if pressed == nil || *pressed != at || a.n == a.d.Root || a.d.frame.doc != a.d {
		return nil
	}
	h, err := p.hitAt(at)
	if err != nil {
		return err
	}
	a.moved = nil
	if a.d.reaches(a.n, h) == 0 {
		a.moved = &driver.MissedError{By: h.ref(), Taken: true, Err: driver.ErrTargetMoved}
	} else if a.d.Connected(a.n) && (p.down.n == nil || !p.down.d.Connected(p.down.n) || a.d.Disabled(a.n)) {
		a.moved = &driver.MissedError{By: hit{a.d, a.n}.ref(), Taken: true, Err: driver.ErrTargetMoved}
	}
	return nil
}

// missedKey looks at the first key alone, unless all are meant for the element:
// a page may well move the focus on while something is typed.
func (p *targeting) missedKey(a *inputTarget) error {
	if a.taken && a.d.gone() {
		return &driver.MissedError{Taken: true, Err: driver.ErrStale}
	}
	if a.taken && !a.Only {
		return nil
	}
	d := p.focusedDocument()
	if a.taken && d == a.d && forOneLetter(a.n) && forOneLetter(d.active) {
		return nil
	}
	before := a.taken
	a.taken = d == a.d && (a.n == d.Root || a.n == d.body() || a.n == d.First("html") ||
		d.active != nil && d.ComposedWithin(d.active, a.n))
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
	if n == nil || !dom.IsElement(n, "input") {
		return false
	}
	limit, ok := form.MaxLength(n)
	return ok && limit == 1
}

// notTyped is the error for a text of which a key inserted nothing.
func (p *targeting) notTyped(a *inputTarget) error {
	if a.Text && p.inserted-a.inserted < a.keys && !a.d.gone() {
		return &driver.MissedError{Taken: true, Err: driver.ErrNotTyped}
	}
	return nil
}

// Focus gives an element the keyboard focus.
func (p *targeting) Focus(ctx context.Context, at driver.Target) error {
	return p.do(ctx, "focus", "", func(context.Context) error {
		a, err := p.resolveTarget(at)
		if err != nil {
			return err
		}
		d, n := a.d, a.n
		if n == d.Root {
			d.blurActive()
			return nil
		}
		if n.Type != html.ElementNode || !d.focusable(n) {
			return driver.ErrNotFocusable
		}
		p.react(a, func() { d.focus(n, true) })
		return nil
	})
}

// SelectText selects the content of a text control or editable element.
func (p *targeting) SelectText(ctx context.Context, at driver.Target) error {
	return p.do(ctx, "selecttext", "", func(context.Context) error {
		a, err := p.resolveTarget(at)
		if err != nil {
			return err
		}
		d, n := a.d, a.n
		if n.Type != html.ElementNode {
			return driver.ErrNotVisible
		}
		if !form.Editable(n) && d.EditingHost(n) == nil || !d.focusable(n) && d.EditingHost(n) == nil {
			return driver.ErrNotFocusable
		}
		if !form.Editable(n) {
			n = d.EditingHost(n)
		}
		if !d.focusable(n) {
			return driver.ErrNotFocusable
		}
		p.react(a, func() { d.focus(n, false) })
		c := d.Control(n)
		c.Start, c.Stop = 0, len([]rune(d.editedText(n)))
		return nil
	})
}
