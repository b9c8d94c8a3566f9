package computeruse

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/sites"
)

var picture = regexp.MustCompile(`"(data:image/png;base64,)?iVBOR[A-Za-z0-9+/=]*"`)

// An oracle is a model that knows how a task of [sites] is done, and does it by a
// vendor's tool. Points it takes from where elements are; refs from what the
// requests show.
type oracle struct {
	t      testing.TB
	vendor *Vendor
	task   sites.Task
	origin string
	page   func() *engine.Page

	turn    int
	pending []sites.Call
	read    bool   // the page of this turn was read
	outline string // as a request showed it
	steps   int    // moves so far
	done    []int  // the step with which each call of the task was over
	scrolls int
	points  int
}

// next are the moves of the next answer.
func (o *oracle) next(h *Heard) []Move {
	if len(o.pending) == 0 {
		if o.turn == len(o.task.Turns) {
			return o.count(o.claim())
		}
		o.pending = slices.Clone(o.task.Turns[o.turn])
		o.turn++
		o.read = false
	}
	if o.browser() && !o.read { // it shows nothing by itself
		o.read = true
		return o.count(o.look())
	}
	o.hear(h)
	var out []Move
	for len(o.pending) > 0 {
		moves, ready := o.moves(o.pending[0])
		if !ready {
			if len(out) > 0 {
				return out
			}
			o.scrolls++
			o.read = false
			if o.scrolls > 40 {
				o.t.Errorf("%v does not come into view", o.pending[0])
			}
			return o.count(moves)
		}
		if !o.vendor.Batch && len(out)+len(moves) > 1 {
			if len(out) > 0 {
				return out
			}
			// One move an answer: the rest of the call is kept as calls of its own.
			o.pending[0] = sites.Call{Tool: "moves", Args: map[string]any{"moves": moves[1:]}}
			return o.count(moves[:1])
		}
		out = append(out, o.count(moves)...)
		o.done = append(o.done, o.steps)
		o.pending = o.pending[1:]
		if !o.vendor.Batch && len(out) > 0 {
			return out
		}
	}
	if len(out) == 0 { // nothing of it was to be done
		return o.next(h)
	}
	return out
}

// look is how the model sees the page.
func (o *oracle) look() []Move {
	if o.vendor.Refs {
		return []Move{{Do: "read"}}
	}
	return []Move{{Do: "screenshot"}}
}

// hear keeps the outline that a request shows.
func (o *oracle) hear(h *Heard) {
	if strings.Contains(h.Words, "[ref_") {
		o.outline = h.Words
	}
}

// count counts the moves.
func (o *oracle) count(moves []Move) []Move {
	o.steps += len(moves)
	return moves
}

// moves are how a call is done. If its element is not in view, they bring it there.
func (o *oracle) moves(c sites.Call) (_ []Move, ready bool) {
	switch c.Tool {
	case "moves":
		return c.Args["moves"].([]Move), true
	case "click":
		return o.on(c.Args["ref"], func(m Move, _ *accessibility.Node) []Move { m.Do = "click"; return []Move{m} })
	case "fill":
		return o.fill(c.Args["ref"], c.Args["text"].(string))
	case "select":
		return o.fill(c.Args["ref"], c.Args["options"].([]any)[0].(string))
	case "type":
		return o.on(c.Args["ref"], func(m Move, _ *accessibility.Node) []Move {
			m.Do = "click"
			return []Move{m, {Do: "type", Text: c.Args["text"].(string)}}
		})
	case "fillForm":
		var all []Move
		for _, f := range c.Args["fields"].([]any) {
			field := f.(map[string]any)
			moves, ready := o.fill(field["ref"], field["value"].(string))
			if !ready {
				return moves, false
			}
			all = append(all, moves...)
		}
		return all, true
	case "press":
		return []Move{{Do: "key", Text: c.Args["keys"].(string)}}, true
	case "drag":
		return o.on(c.Args["ref"], func(m Move, _ *accessibility.Node) []Move {
			to, _ := o.on(c.Args["to"], func(m Move, _ *accessibility.Node) []Move { return []Move{m} })
			m.Do, m.ToX, m.ToY = "drag", to[0].X, to[0].Y
			return []Move{m}
		})
	case "back", "reload":
		switch {
		case o.browser():
			return []Move{{Do: "navigate", Text: c.Tool}}, true
		case c.Tool == "back" && o.google():
			return []Move{{Do: "back"}}, true
		}
	case "navigate":
		address := o.origin + c.Args["url"].(string)
		if o.browser() || o.google() {
			return []Move{{Do: "navigate", Text: address}}, true
		}
		return []Move{{Do: "tool", Tool: "navigate", Args: map[string]any{"url": address}}}, true
	case "tabs":
		if o.browser() {
			return o.tabs(c.Args), true
		}
		args := maps.Clone(c.Args)
		if path, ok := args["url"].(string); ok {
			args["url"] = o.origin + path
		}
		return []Move{{Do: "tool", Tool: "tabs", Args: args}}, true
	case "wait":
		return []Move{{Do: "wait"}}, true
	case "find", "extract":
		return []Move{{Do: "screenshot"}}, true
	}
	args := c.Args
	if args == nil {
		args = map[string]any{}
	}
	return []Move{{Do: "tool", Tool: c.Tool, Args: args}}, true
}

func (o *oracle) browser() bool { return strings.HasPrefix(o.vendor.Name, "browser_") }
func (o *oracle) google() bool {
	return strings.HasPrefix(o.vendor.Name, "computer_use") && o.vendor.Name != "computer_use_preview"
}

func (o *oracle) tabs(args map[string]any) []Move {
	tab := fmt.Sprintf("tab_%v", args["tab"])
	switch args["action"] {
	case "open":
		if path, ok := args["url"].(string); ok {
			o.pending = slices.Insert(o.pending, 1, sites.Call{Tool: "navigate", Args: map[string]any{"url": path}})
		}
		return []Move{{Do: "newTab"}}
	case "close":
		return []Move{{Do: "closeTab", Text: tab}}
	case "switch":
		return []Move{{Do: "switchTab", Text: tab}}
	}
	return []Move{{Do: "list_tabs"}}
}

// fill is how a field gets a value.
func (o *oracle) fill(element any, value string) ([]Move, bool) {
	return o.on(element, func(m Move, n *accessibility.Node) []Move {
		if o.vendor.Refs {
			m.Do, m.Args = "form", map[string]any{"value": value}
			if value == "true" || value == "false" {
				m.Args["value"] = value == "true"
			}
			return []Move{m}
		}
		switch {
		case n.Value == value:
			return nil
		case value == "true" && n.Role != "textbox":
			m.Do = "click"
			return []Move{m}
		case o.vendor.Name == "computer_use_2025":
			m.Do, m.Text = "fill", value
			return []Move{m}
		}
		m.Do = "click"
		out := []Move{m}
		if n.Value != "" {
			out = append(out, Move{Do: "key", Text: "ctrl+a"})
		}
		return append(out, Move{Do: "type", Text: value})
	})
}

// on finds an element, and gives it to f as a move at it; f gets no node where
// elements are named by ref.
func (o *oracle) on(element any, f func(Move, *accessibility.Node) []Move) ([]Move, bool) {
	name := strings.TrimPrefix(element.(string), "@")
	if o.vendor.Refs {
		ref := sites.Showing(o.outline, name)
		if ref == "" {
			o.t.Errorf("no request shows %q:\n%s", name, o.outline)
		}
		return f(Move{Ref: ref}, nil), true
	}
	snap, err := o.page().Snapshot(context.Background(), nil)
	if err != nil {
		o.t.Errorf("the page for %q: %v", name, err)
		return nil, true
	}
	n, ok := snap.Lookup(accessibility.Ref(sites.Showing(snap.Outline(), name)))
	if !ok {
		o.t.Errorf("the page has no %q:\n%s", name, snap.Outline())
		return nil, true
	}
	doc, view := &snap.Capture.Documents[0], snap.Capture.Viewport
	i := slices.IndexFunc(doc.Nodes, func(d driver.Node) bool { return d.ID == n.Target.Node })
	if i < 0 {
		o.t.Errorf("%q is in a frame", name)
		return nil, true
	}
	box := doc.Nodes[i].Box
	// Near the upper left corner: the middle of a link in two lines may be beside it.
	m := Move{X: box.X - doc.ScrollX + min(box.Width/2, 8), Y: box.Y - doc.ScrollY + min(box.Height/2, 8)}
	if m.Y < 10 || m.Y > view.Height-10 {
		return []Move{{Do: "scroll", X: view.Width / 2, Y: view.Height / 2, ToY: round100(m.Y - view.Height/2)}}, false
	}
	o.points++
	return f(m, n), true
}

// round100 is a distance in whole notches of a wheel, at least one.
func round100(d float64) float64 {
	n := float64(int(d / 100))
	switch {
	case n == 0 && d < 0:
		n = -1
	case n == 0:
		n = 1
	}
	return n * 100
}

// claim ends the task.
func (o *oracle) claim() []Move {
	var criteria []any
	for _, c := range o.task.Done.Criteria {
		var evidence []any
		for _, e := range c.Evidence {
			proof := maps.Clone(e)
			if n, ok := e["step"].(int); ok {
				if n < 0 {
					n += len(o.done) + 1
				}
				proof["step"] = o.done[n-1]
			}
			evidence = append(evidence, proof)
		}
		criteria = append(criteria, map[string]any{"criterion": c.Text, "evidence": evidence})
	}
	return []Move{done(true, o.task.Done.Message, criteria...)}
}

// at is a move at an element.
func (o *oracle) at(element, do string) Move {
	moves, _ := o.on("@"+element, func(m Move, _ *accessibility.Node) []Move { m.Do = do; return []Move{m} })
	if len(moves) == 0 {
		return Move{Do: "screenshot"} // the test has failed by now
	}
	return moves[0]
}

// most is how many moves an answer may hold.
func (o *oracle) most(n int) int {
	if o.vendor.Batch {
		return n
	}
	return 1
}
