package cdp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A snapshot says nothing of scrolling within elements. But what scrolls has
// content that reaches beyond its box, and those are few; they are asked.

const (
	// overhang is how far, in pixels, content has to reach out to count.
	overhang = 4

	// maxScrollers is how many elements of a document are asked, the largest first.
	maxScrollers = 128
)

// scrollStates fills in Rare.Scroll. It returns the answer as it came.
func scrollStates(ctx context.Context, w *world, d *driver.Document) ([]byte, error) {
	candidates := overflowing(d.Nodes)
	if len(candidates) == 0 {
		return nil, nil
	}
	ids := make([]driver.NodeID, len(candidates))
	for i, c := range candidates {
		ids[i] = d.Nodes[c].ID
	}
	objects, err := w.resolveSome(ctx, ids)
	if err != nil && !errors.As(err, new(*CommandError)) {
		return nil, err
	}
	var have []string
	var at []int32
	for i, o := range objects {
		if o != "" {
			have, at = append(have, o), append(at, candidates[i])
		}
	}
	if len(have) == 0 {
		return nil, nil
	}
	defer release(w.session, have...)
	var raw json.RawMessage
	if _, err := w.ask(ctx, call{name: "scrolls", nodes: have}, &raw); err != nil {
		return nil, err
	}
	var states []*driver.ScrollState
	if err := json.Unmarshal(raw, &states); err != nil || len(states) != len(at) {
		return nil, errFacts
	}
	for i, s := range states {
		if s != nil {
			rareOf(&d.Nodes[at[i]]).Scroll = s
		}
	}
	return raw, nil
}

// overflowing returns the elements whose content reaches beyond their boxes, at
// the end or, where it is scrolled, at the start, and text areas, whose content
// has no boxes.
func overflowing(nodes []driver.Node) []int32 {
	type corner struct{ x, y float64 }
	far := make([]corner, len(nodes))  // the far end of each subtree
	near := make([]corner, len(nodes)) // how far it goes beyond the origin, negated
	for i := range near {
		near[i] = corner{math.Inf(-1), math.Inf(-1)}
	}
	var found []int32
	for i := len(nodes) - 1; i > 0; i-- {
		n := &nodes[i]
		reach, start := far[i], near[i]
		if n.Rendered {
			end := corner{n.Box.X + n.Box.Width, n.Box.Y + n.Box.Height}
			if n.Kind == driver.ElementNode && mayScroll(n) &&
				(reach.x > end.x+overhang || reach.y > end.y+overhang ||
					start.x > overhang-n.Box.X || start.y > overhang-n.Box.Y || n.Name == "textarea") {
				found = append(found, int32(i))
			}
			reach = corner{max(reach.x, end.x), max(reach.y, end.y)}
			if !n.Box.IsZero() {
				start = corner{max(start.x, -n.Box.X), max(start.y, -n.Box.Y)}
			}
		}
		if n.Style != nil && n.Style.Position == "fixed" {
			continue
		}
		up := &far[n.Parent]
		*up = corner{max(up.x, reach.x), max(up.y, reach.y)}
		up = &near[n.Parent]
		*up = corner{max(up.x, start.x), max(up.y, start.y)}
	}
	if len(found) > maxScrollers {
		size := func(i int32) float64 { return nodes[i].Box.Width * nodes[i].Box.Height }
		slices.SortFunc(found, func(a, b int32) int { return cmp.Compare(size(b), size(a)) })
		found = found[:maxScrollers]
	}
	return found
}

func mayScroll(n *driver.Node) bool {
	if n.Name == "html" || n.Name == "body" || n.Namespace != driver.HTML || n.Style == nil {
		return false
	}
	display := n.Style.Display
	return display != "inline" && display != "contents" && (!strings.HasPrefix(display, "table") || display == "table-cell")
}
