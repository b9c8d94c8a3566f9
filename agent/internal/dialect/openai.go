package dialect

import (
	"encoding/json"
	"strings"

	"github.com/wayfinder-engine/wayfinder/agent/internal/computer"
)

// openAIWait is how long a wait is, which says nothing of it, in seconds.
const openAIWait = 1

// openAIActions are the actions of a call: {"actions": […]}. One that was split
// off before has none.
func openAIActions(args json.RawMessage) []json.RawMessage {
	var batch struct {
		Actions []json.RawMessage `json:"actions"`
	}
	if json.Unmarshal(args, &batch) != nil {
		return nil
	}
	return batch.Actions
}

// openAI are the actions of OpenAI's computer tool.
var openAI = map[string]meaning{
	"click": does(computer.Click, xy, holding, func(in *arguments, a *computer.Action) {
		switch button := in.text("button", false); button {
		case "wheel":
			a.Button = "middle"
		case "back":
			*a = computer.Action{Kind: computer.Back}
		case "forward":
			*a = computer.Action{Kind: computer.Forward}
		default:
			a.Button = button
		}
	}),
	"double_click": does(computer.Click, clicks("", 2), xy, holding),
	"move":         does(computer.Move, xy),
	"drag": does(computer.Drag, func(in *arguments, a *computer.Action) {
		var points []struct{ X, Y float64 }
		if in.read("path", &points, true) && len(points) < 2 {
			in.wrong("path takes two points at least")
		}
		for i, p := range points {
			if at := in.place(p.X, p.Y); i == 0 {
				a.At = at
			} else {
				a.Path = append(a.Path, *at)
			}
		}
	}),
	"scroll": does(computer.Scroll, xy, func(in *arguments, a *computer.Action) {
		a.DX, a.DY = optional(in, "scroll_x", 0.0), optional(in, "scroll_y", 0.0)
	}, holding),
	"keypress": does(computer.Key, func(in *arguments, a *computer.Action) {
		keys := in.texts("keys")
		if in.err == nil && len(keys) == 0 {
			in.wrong("keys is empty")
		}
		a.Keys = []string{strings.Join(keys, "+")}
	}),
	"type":       does(computer.Type, text),
	"wait":       does(computer.Wait, lasting(openAIWait)),
	"screenshot": does(computer.Screenshot),
}

// holding are the keys that are held meanwhile.
func holding(in *arguments, a *computer.Action) {
	var keys []string
	in.read("keys", &keys, false)
	a.Modifiers = strings.Join(keys, "+")
}
