package dialect

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/agent/internal/computer"
)

// openAIWait is how long a wait is, which says nothing of it, in seconds.
const openAIWait = 1

// openAIActions are the actions of a call: {"actions": […]}. One that was split
// off before is itself.
func openAIActions(args json.RawMessage) ([]json.RawMessage, error) {
	var batch struct {
		Actions []json.RawMessage `json:"actions"`
		Type    string            `json:"type"`
	}
	if err := json.Unmarshal(args, &batch); err != nil {
		return nil, fmt.Errorf("the call's actions cannot be read: %w", err)
	}
	switch {
	case len(batch.Actions) > 0:
		return batch.Actions, nil
	case batch.Type != "":
		return []json.RawMessage{args}, nil
	}
	return nil, fmt.Errorf("the call has no actions")
}

// openAI are the actions of OpenAI's computer tool.
var openAI = map[string]meaning{
	"click": func(in *arguments) ([]computer.Action, error) {
		a := computer.Action{Kind: computer.Click, At: in.xy("x", "y"), Modifiers: in.held()}
		switch button := in.text("button", false); button {
		case "wheel":
			a.Button = "middle"
		case "back":
			return one(computer.Action{Kind: computer.Back})
		case "forward":
			return one(computer.Action{Kind: computer.Forward})
		default:
			a.Button = button
		}
		return one(a)
	},
	"double_click": func(in *arguments) ([]computer.Action, error) {
		return one(computer.Action{Kind: computer.Click, Count: 2, At: in.xy("x", "y"), Modifiers: in.held()})
	},
	"move": func(in *arguments) ([]computer.Action, error) {
		return one(computer.Action{Kind: computer.Move, At: in.xy("x", "y")})
	},
	"drag": func(in *arguments) ([]computer.Action, error) {
		var path []struct{ X, Y float64 }
		if in.read("path", &path, true) && len(path) < 2 {
			in.wrong("path takes two points at least")
		}
		if in.err != nil {
			return nil, in.err
		}
		a := computer.Action{Kind: computer.Drag, At: in.place(path[0].X, path[0].Y)}
		for _, p := range path[1:] {
			a.Path = append(a.Path, *in.place(p.X, p.Y))
		}
		return one(a)
	},
	"scroll": func(in *arguments) ([]computer.Action, error) {
		return one(computer.Action{Kind: computer.Scroll, At: in.xy("x", "y"), DX: in.number("scroll_x", 0), DY: in.number("scroll_y", 0), Modifiers: in.held()})
	},
	"keypress": func(in *arguments) ([]computer.Action, error) {
		keys := in.texts("keys")
		if in.err == nil && len(keys) == 0 {
			in.wrong("keys is empty")
		}
		return one(computer.Action{Kind: computer.Key, Keys: []string{strings.Join(keys, "+")}})
	},
	"type": typing,
	"wait": func(*arguments) ([]computer.Action, error) {
		return one(computer.Action{Kind: computer.Wait, Seconds: openAIWait})
	},
	"screenshot": simply(computer.Screenshot),
}
