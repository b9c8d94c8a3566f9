package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A drag is what is needed to judge whether something was dragged. Most pages show a drag
// that is under way by classes and styles, and take these back if it ends in nothing. So
// only lasting changes count.
type drag struct {
	was     *driver.Capture // before it
	onto    bool            // it ends on an element, not at an offset in pixels
	native  bool            // the browser performs it, unless the page prevents that
	refused bool            // driver.ErrNotDropped: the page took no drop
}

func (a *pointing) drag(ctx context.Context, from *driver.Location, way driver.Drag) error {
	if _, err := a.page.capture(ctx); err != nil {
		return err
	}
	a.watchPage = true
	d := &drag{was: a.page.last.capture, onto: way.Onto != nil}
	d.native = d.onto && d.draggable(a.node)
	a.dragged = d
	err := a.send(ctx, from, way)
	if d.refused = errors.Is(err, driver.ErrNotDropped); d.refused {
		return nil // not final: the page may have sorted a list while the pointer moved
	}
	return err
}

// draggable reports whether the browser drags an element or one around it: because of its
// attribute, or by default, as links and pictures.
func (d *drag) draggable(ref driver.NodeRef) bool {
	for at, ok := placeOf(d.was, ref); ok && d.was.Documents[at.doc].Doc == ref.Doc; at, ok = at.up() {
		n := at.node()
		_, href := n.Attr("href")
		switch is, _ := n.Attr("draggable"); {
		case strings.EqualFold(is, "true"), is == "" && (n.Name == "img" || n.Name == "a" && href):
			return true
		}
	}
	return false
}

// painted are elements whose content no reading shows.
var painted = map[string]bool{"canvas": true, "iframe": true, "object": true, "embed": true, "video": true}

// paints reports whether an element is such, or contains one.
func (d *drag) paints(ref driver.NodeRef) bool {
	at, ok := placeOf(d.was, ref)
	return ok && slices.ContainsFunc(at.subtree(), func(n driver.Node) bool { return painted[n.Name] })
}

// lookAtDrag waits until the page is quiet and judges the drag by what has changed.
func (c *collector) lookAtDrag(ctx context.Context) error {
	a, p := c.attempt, c.attempt.page
	if a.dragged.native && !a.dragged.refused && c.evidence.Effect != EffectNone {
		return nil // the page took the drop
	}
	if _, err := p.settle(ctx, p.session.settleTimeout()); err != nil {
		return nil // optional: what was seen stands
	}
	if _, err := p.capture(ctx); err != nil {
		return nil
	}
	if a.dragged.lasts(p.last.capture) {
		c.raise(EffectPage)
		return nil
	}
	switch c.evidence.Effect = EffectNone; {
	case a.dragged.refused:
		return fmt.Errorf("%w: it was dragged, nothing takes it there, and no change was noticed", ErrNoEffect)
	case c.evidence.Requests > 0:
		c.raise(EffectRequest)
	case !a.dragged.paints(a.node):
		return fmt.Errorf("%w: it was dragged, and no change was noticed that lasts", ErrNoEffect)
	}
	return nil
}

// lasts reports whether anything differs from before the drag. The focus does not count, nor
// do scroll positions if the drop target was brought into view.
func (d *drag) lasts(now *driver.Capture) bool {
	return !slices.EqualFunc(d.was.Documents, now.Documents, func(was, is driver.Document) bool {
		if was.Doc != is.Doc || was.URL != is.URL || was.Title != is.Title || !d.onto && (was.ScrollX != is.ScrollX || was.ScrollY != is.ScrollY) {
			return false
		}
		known := make(map[driver.NodeID]bool, len(was.Nodes))
		for i := range was.Nodes {
			known[was.Nodes[i].ID] = true
		}
		return slices.EqualFunc(d.counting(was.Nodes, known), d.counting(is.Nodes, known), func(i, k int32) bool {
			return d.same(was.Nodes, is.Nodes, i, k)
		})
	})
}

// counting returns the indices of the nodes to compare. It leaves out hidden live regions,
// which announce failed drags, too. If the browser refused the drop, new elements count only
// by their text, since scripts leave helpers behind.
func (d *drag) counting(nodes []driver.Node, known map[driver.NodeID]bool) (all []int32) {
	for i := int32(0); int(i) < len(nodes); i++ {
		n := &nodes[i]
		if announced(n) {
			for top := i; int(i)+1 < len(nodes) && nodes[i+1].Parent >= top; {
				i++
			}
			continue
		}
		if !d.refused || known[n.ID] && n.Kind == driver.ElementNode || n.Rendered && strings.TrimSpace(n.Text) != "" {
			all = append(all, i)
		}
	}
	return all
}

// announced reports whether an element is a live region that nobody sees.
func announced(n *driver.Node) bool {
	live, _ := n.Attr("aria-live")
	role, _ := n.Attr("role")
	return (live != "" || role == "status" || role == "alert" || role == "log") && (n.Box.Width <= 1 || n.Box.Height <= 1)
}

// halfPixel is how far a box may be from where it was.
const halfPixel = 0.5

// same reports whether a node is as it was.
func (d *drag) same(before, after []driver.Node, i, k int32) bool {
	was, is := &before[i], &after[k]
	if was.Kind != is.Kind || was.Name != is.Name || was.Text != is.Text || was.Value != is.Value ||
		was.Checked != is.Checked || was.Selected != is.Selected || was.Rendered != is.Rendered || was.Shown != is.Shown {
		return false
	}
	if was.Parent >= 0 && is.Parent >= 0 && before[was.Parent].ID != after[is.Parent].ID {
		return false
	}
	a, b := was.Box, is.Box
	for _, by := range [...]float64{a.X - b.X, a.Y - b.Y, a.Width - b.Width, a.Height - b.Height} {
		if math.Abs(by) > halfPixel {
			return false
		}
	}
	if was.Kind != driver.ElementNode {
		return true // text may have been rewritten, in a new node
	}
	return was.ID == is.ID && (d.refused || slices.Equal(was.Attrs, is.Attrs) || maps.Equal(settled(was.Attrs), settled(is.Attrs))) &&
		(d.onto || was.Rare == nil || is.Rare == nil || was.Rare.Scroll == nil || is.Rare.Scroll == nil || *was.Rare.Scroll == *is.Rare.Scroll)
}

// settled returns the attributes to compare: without empty ones, with classes in order, and
// without the properties of a style whose effect the element's box shows.
func settled(attrs []driver.Attr) map[string]string {
	all := map[string]string{}
	for _, a := range attrs {
		switch a.Name {
		case "class":
			a.Value = strings.Join(slices.Sorted(strings.FieldsSeq(a.Value)), " ")
		case "style":
			a.Value = unmoving(a.Value)
		}
		if a.Value != "" {
			all[a.Name] = a.Value
		}
	}
	return all
}

// unmoving removes from a style the properties that only move an element.
func unmoving(style string) string {
	var rest []string
	for property := range strings.SplitSeq(style, ";") {
		switch name, _, _ := strings.Cut(property, ":"); strings.ToLower(strings.TrimSpace(name)) {
		case "", "position", "inset", "left", "top", "right", "bottom", "width", "height", "margin", "transform", "translate",
			"transition", "transition-duration", "will-change", "z-index", "cursor", "pointer-events", "touch-action", "user-select":
		default:
			rest = append(rest, strings.TrimSpace(property))
		}
	}
	return strings.Join(rest, ";")
}
