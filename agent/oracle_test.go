package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/sites"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

// An oracle is a model that knows how a task of [sites] is done. It sees only
// what a request shows, and finds its elements there.
type oracle struct {
	task   sites.Task
	origin string
	page   func() *engine.Page // in mode hybrid: where elements are
	points int                 // calls that were made by point
	helper llm.Model           // answers the questions of tools
	whole  func() string       // the page's whole outline, for what it would cost; nil is none

	mu       sync.Mutex // protects the fields below
	turn     int
	steps    int // calls so far
	requests []*llm.Request
	outlines []string // the whole outline at each of them, as far as asked for
	called   []int    // calls of each answer
	lost     []string // elements that were not found
}

func newOracle(task sites.Task, origin string) *oracle {
	return &oracle{task: task, origin: origin, helper: offline.New()}
}

func (o *oracle) Name() string { return "oracle/test" }

// Generate answers with the task's next turn.
func (o *oracle) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if req.Purpose != llm.PurposeAgent {
		return o.helper.Generate(ctx, req)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	kept := *req
	o.requests = append(o.requests, &kept)
	if o.whole != nil {
		o.outlines = append(o.outlines, o.whole())
	}
	calls := []sites.Call{o.done()}
	if o.turn < len(o.task.Turns) {
		calls = o.task.Turns[o.turn]
	}
	resp := &llm.Response{Stop: llm.StopTools}
	for i, c := range calls {
		name, args := c.Tool, o.resolve(req, c.Args).(map[string]any)
		if o.page != nil {
			name, args = o.byPoint(ctx, name, args)
		}
		raw, err := json.Marshal(args)
		if err != nil {
			return nil, err
		}
		resp.ToolCalls = append(resp.ToolCalls, llm.ToolCall{ID: fmt.Sprintf("t%d-%d", o.turn, i), Name: name, Arguments: raw})
		resp.Usage.Output += len(raw) / 4
	}
	resp.Usage.Input = llm.Estimate(req)
	o.steps += len(calls)
	o.called = append(o.called, len(calls))
	o.turn++
	return resp, nil
}

// done is the claim as a call.
func (o *oracle) done() sites.Call {
	var criteria []any
	for _, c := range o.task.Done.Criteria {
		var evidence []any
		for _, e := range c.Evidence {
			proof := map[string]any{}
			for k, v := range e {
				if n, ok := v.(int); ok && k == "step" && n < 0 {
					v = o.steps + 1 + n
				}
				proof[k] = v
			}
			evidence = append(evidence, proof)
		}
		criteria = append(criteria, map[string]any{"criterion": c.Text, "evidence": evidence})
	}
	return sites.Call{Tool: "done", Args: map[string]any{"success": true, "message": o.task.Done.Message, "criteria": criteria}}
}

// resolve puts refs in the place of elements, and addresses in that of paths.
func (o *oracle) resolve(req *llm.Request, value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, v := range value {
			if path, ok := v.(string); ok && k == "url" && strings.HasPrefix(path, "/") {
				v = o.origin + path
			}
			out[k] = o.resolve(req, v)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i := range value {
			out[i] = o.resolve(req, value[i])
		}
		return out
	case string:
		if element, ok := strings.CutPrefix(value, "@"); ok {
			if ref := showing(req, element); ref != "" {
				return ref
			}
			o.lost = append(o.lost, element)
			return "0-0"
		}
	}
	return value
}

// byPoint makes a call at the point where its element is, if it can be seen.
func (o *oracle) byPoint(ctx context.Context, name string, args map[string]any) (string, map[string]any) {
	if name != "click" || len(args) != 1 {
		return name, args
	}
	page := o.page()
	if page == nil {
		return name, args
	}
	snap, err := page.Snapshot(ctx, nil)
	if err != nil {
		return name, args
	}
	node, ok := snap.Lookup(accessibility.Ref(args["ref"].(string)))
	if !ok {
		return name, args
	}
	doc, view := &snap.Capture.Documents[0], snap.Capture.Viewport
	i := slices.IndexFunc(doc.Nodes, func(n driver.Node) bool { return n.ID == node.Target.Node })
	if i < 0 || node.Target.Doc != doc.Doc {
		return name, args // in a frame
	}
	box := doc.Nodes[i].Box
	// Near the upper left corner: the middle of a link in two lines may be beside it.
	x, y := box.X-doc.ScrollX+min(box.Width/2, 8), box.Y-doc.ScrollY+min(box.Height/2, 8)
	if x < 1 || y < 1 || x > view.Width-1 || y > view.Height-1 {
		return name, args // not in the picture
	}
	o.points++
	return "clickAt", map[string]any{"x": x, "y": y}
}

// showing returns the ref of an element in what a request shows of the page, newest
// first: "row: Ada / button: Edit" is the button in the row.
func showing(req *llm.Request, element string) string {
	for i := len(req.Messages) - 1; i >= 0; i-- {
		parts := req.Messages[i].Parts
		for k := len(parts) - 1; k >= 0; k-- {
			page, ok := parts[k].(llm.Page)
			if !ok {
				continue
			}
			if ref := sites.Showing(page.Text, element); ref != "" {
				return ref
			}
			if page.Kind == "outline" {
				return "" // what is older is of another page
			}
		}
	}
	return ""
}
