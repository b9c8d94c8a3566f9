package fake

import (
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// mouse is a person's mouse.
type mouse struct{ targeting }

// move moves the pointer.
func (p *mouse) move(x, y float64) {
	p.x, p.y = x, y
	h := p.hit(x, y)
	old := p.pointer
	if h != old {
		p.pointer = h
		old.d.pointed()
		h.d.pointed()
		if old.n != nil && old.d.frame.doc == old.d {
			old.d.fire("mouseout", old.n)
			for n := old.n; n != nil && !(h.d == old.d && h.d.ComposedWithin(h.n, n)); n = old.d.Up(n) {
				old.d.fire("mouseleave", n)
			}
		}
		if h.n != nil {
			h.d.fire("mouseover", h.n)
			for n := h.n; n != nil && !(h.d == old.d && h.d.ComposedWithin(old.n, n)); n = h.d.Up(n) {
				h.d.fire("mouseenter", n)
			}
		}
	}
	if h.n != nil {
		h.d.fire("mousemove", h.n)
	}
}

// press presses a button: the focus moves before anything else happens.
func (p *mouse) press(x, y float64, button driver.Button, clicks int, mods driver.Modifiers) {
	h := p.hit(x, y)
	p.down, p.pressed = h, true
	if h.n == nil {
		return
	}
	d := h.d
	d.pointed()
	d.lightDismiss(h.n)
	if d.DisabledAbove(h.n) {
		return
	}
	if d.fire("pointerdown", h.n) || d.fire("mousedown", h.n) || !d.Connected(h.n) {
		return
	}
	if button != driver.Left && button != "" && button != driver.Middle {
		return
	}
	if dom.IsElement(h.n, "option") {
		d.pressOption(h.n, mods)
	}
	target := h.n
	for ; target != nil && !d.mouseFocusable(target); target = d.Up(target) {
		if dom.IsElement(target, "label") {
			if c := d.Labeled(target); c != nil && d.focusable(c) {
				return // the click will focus it
			}
		}
	}
	if target == nil { // nothing takes the focus
		p.focusedDocument().blurActive()
		p.setFocused(d.frame)
		return
	}
	d.focus(target, false)
	d.placeCaret(target, clicks)
}

// letGo ends a press without a click: the document has the release.
func (p *mouse) letGo() {
	d := p.down.d
	p.down, p.pressed = hit{}, false
	if d == nil {
		return // it is gone
	}
	d.pointed()
	d.fireDocument("pointerup")
	d.fireDocument("mouseup")
}

// lift releases the button. A click happens at the nearest element that holds
// both the place of the press and that of the release.
func (p *mouse) lift(x, y float64, button driver.Button, clicks int, mods driver.Modifiers) {
	h := p.hit(x, y)
	down := p.down
	p.down, p.pressed = hit{}, false
	down.d.pointed()
	if h.n == nil {
		return
	}
	d := h.d
	if d.DisabledAbove(h.n) {
		return
	}
	d.fire("pointerup", h.n)
	d.fire("mouseup", h.n)
	if down.d != d || !d.Connected(h.n) || !d.Connected(down.n) {
		return
	}
	target := h.n
	for target != nil && !d.ComposedWithin(down.n, target) {
		target = d.Up(target)
	}
	if target == nil || target.Type != html.ElementNode || d.DisabledAbove(down.n) {
		return
	}
	opts := clickOptions{person: true, mods: mods, middle: button == driver.Middle}
	switch button {
	case driver.Right:
		d.fire("contextmenu", target)
		return
	case driver.Middle:
		if d.fire("auxclick", target) {
			return
		}
		if a := dom.Closest(target, isLink); a != nil {
			d.follow(a, opts)
		}
		return
	}
	d.click(target, opts)
	if clicks == 2 && d.Connected(target) {
		d.fire("dblclick", target)
	}
}

// beginDrag starts a drag and drop of the page, if the element pressed is draggable.
func (p *mouse) beginDrag() {
	h := p.down
	if h.n == nil {
		return
	}
	drag := dom.Closest(h.n, func(n *html.Node) bool { return dom.Lower(dom.Attr(n, "draggable")) == "true" })
	if drag == nil || h.d.fire("dragstart", drag) {
		return
	}
	p.dragging = hit{h.d, drag}
}

// drop ends a drag and drop. taken is false if the page began one and no handler of dragover
// prevented the default where it ended.
func (p *mouse) drop(x, y float64) (taken bool) {
	if p.dragging.n == nil {
		return true
	}
	source := p.dragging
	p.dragging = hit{}
	if h := p.hit(x, y); h.n != nil {
		h.d.fire("dragenter", h.n)
		if taken = h.d.fire("dragover", h.n); taken {
			h.d.fire("drop", h.n)
		} else {
			h.d.fire("dragleave", h.n)
		}
	}
	source.d.fire("dragend", source.n)
	p.down = hit{} // no click follows
	return taken
}

// wheel scrolls the innermost container that still can.
func (p *mouse) wheel(x, y, dx, dy float64) {
	h := p.hit(x, y)
	if h.n == nil || h.d.fire("wheel", h.n) {
		return
	}
	for d, n := h.d, h.n; ; {
		v := d.render()
		for i := v.Index(n); i > 0; i = v.Boxes[i].Parent {
			b := &v.Boxes[i]
			hidden := b.Style != nil && b.Style.OverflowX == "hidden" && b.Style.OverflowY == "hidden"
			if !b.Scrolls() || hidden {
				continue
			}
			at := d.Scrolls[b.Node]
			if d.scrollTo(b.Node, at.X+dx, at.Y+dy) {
				return
			}
		}
		if d.scrollTo(d.Root, d.Scroll.X+dx, d.Scroll.Y+dy) || d.frame.parent == nil {
			return
		}
		d, n = d.frame.parent.doc, d.frame.owner
	}
}
