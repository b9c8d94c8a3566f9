package agent

import (
	"context"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// longestEdge is that of a picture, in pixels: models shrink larger ones, and
// points in them would be off.
const longestEdge = 1568

type (
	clickAtIn struct {
		X         float64  `json:"x" jsonschema:"minimum=0"`
		Y         float64  `json:"y" jsonschema:"minimum=0"`
		Button    string   `json:"button,omitempty" jsonschema:"enum=left,enum=right,enum=middle"`
		Count     int      `json:"count,omitempty" jsonschema:"minimum=1,maximum=3"`
		Modifiers []string `json:"modifiers,omitempty"`
	}
	typeAtIn struct {
		X    float64 `json:"x" jsonschema:"minimum=0"`
		Y    float64 `json:"y" jsonschema:"minimum=0"`
		Text string  `json:"text"`
	}
	pointIn struct {
		X float64 `json:"x" jsonschema:"minimum=0"`
		Y float64 `json:"y" jsonschema:"minimum=0"`
	}
	dragAtIn struct {
		X   float64 `json:"x" jsonschema:"minimum=0"`
		Y   float64 `json:"y" jsonschema:"minimum=0"`
		ToX float64 `json:"toX" jsonschema:"minimum=0"`
		ToY float64 `json:"toY" jsonschema:"minimum=0"`
	}
	scrollAtIn struct {
		X  float64 `json:"x" jsonschema:"minimum=0"`
		Y  float64 `json:"y" jsonschema:"minimum=0"`
		DX float64 `json:"dx,omitempty"`
		DY float64 `json:"dy,omitempty"`
	}
)

// pointTools act at points of the newest picture.
func pointTools() []Tool {
	tools := []Tool{
		built("clickAt", acts, "Clicks a point of the newest picture.", func(ctx context.Context, r *run, in clickAtIn) (*Answer, error) {
			return r.onPoint(ctx, in.X, in.Y, engine.Command{Method: clicks[max(in.Count, 1)], Arguments: gesture(in.Button, in.Modifiers)}, "")
		}),
		built("typeAt", acts, "Clicks a point of the newest picture and types there.", func(ctx context.Context, r *run, in typeAtIn) (*Answer, error) {
			return r.onPoint(ctx, in.X, in.Y, engine.Command{Method: engine.Type, Arguments: []string{in.Text}}, in.Text)
		}),
		built("hoverAt", acts, "Moves the pointer to a point of the newest picture.", func(ctx context.Context, r *run, in pointIn) (*Answer, error) {
			return r.onPoint(ctx, in.X, in.Y, engine.Command{Method: engine.Hover}, "")
		}),
		built("dragAt", acts, "Drags from one point of the newest picture to another.", func(ctx context.Context, r *run, in dragAtIn) (*Answer, error) {
			drop := r.point(in.ToX, in.ToY)
			return r.onPoint(ctx, in.X, in.Y, engine.Command{Method: engine.DragAndDrop, Drop: &drop}, "")
		}),
		built("scrollAt", acts, "Turns the wheel at a point of the newest picture, by pixels.", func(ctx context.Context, r *run, in scrollAtIn) (*Answer, error) {
			return r.onPoint(ctx, in.X, in.Y, engine.Command{Method: engine.Wheel, Arguments: pixels(in.DX, in.DY)}, "")
		}),
	}
	for i := range tools {
		tools[i] = tools[i].only(Hybrid)
	}
	return tools
}

// point is a place of the newest picture on the page. What lies there must be
// what lay there when the picture was taken.
func (r *run) point(x, y float64) engine.Target {
	scale := r.scale
	if scale == 0 {
		scale = 1
	}
	return engine.Target{Snapshot: r.view.snapshot, At: &engine.Offset{X: x / scale, Y: y / scale}}
}

func (r *run) onPoint(ctx context.Context, x, y float64, cmd engine.Command, text string) (*Answer, error) {
	return r.on(ctx, r.point(x, y), cmd, text)
}
