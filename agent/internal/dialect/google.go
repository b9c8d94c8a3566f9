package dialect

import (
	"errors"
	"strings"

	"github.com/wayfinder-engine/wayfinder/agent/internal/computer"
)

// google are the functions since gemini-3.5-flash. Each has an intent, which says
// in words what it is for.
var google = map[string]meaning{
	"click":        googleClick("", 1),
	"double_click": googleClick("", 2),
	"triple_click": googleClick("", 3),
	"middle_click": googleClick("middle", 1),
	"right_click":  googleClick("right", 1),
	"mouse_down":   googleAt(computer.Down),
	"mouse_up":     googleAt(computer.Up),
	"move":         googleAt(computer.Move),
	"type": func(in *arguments) ([]computer.Action, error) {
		out := []computer.Action{{Kind: computer.Type, Text: in.text("text", true)}}
		return in.thenEnter(out, false), nil
	},
	"drag_and_drop": googleDrag,
	"wait": func(in *arguments) ([]computer.Action, error) {
		return one(computer.Action{Kind: computer.Wait, Seconds: in.number("seconds", 1)})
	},
	"press_key":       googleKey(computer.Key),
	"key_down":        googleKey(computer.KeyDown),
	"key_up":          googleKey(computer.KeyUp),
	"hotkey":          googleKeys,
	"key_combination": googleKeys,
	"take_screenshot": simply(computer.Screenshot),
	"scroll":          googleScroll,
	"go_back":         simply(computer.Back),
	"go_forward":      simply(computer.Forward),
	"navigate":        googleNavigate,
}

// google2025 are the functions before.
var google2025 = map[string]meaning{
	"open_web_browser": simply(computer.Home),
	"click_at":         googleClick("", 1),
	"hover_at":         googleAt(computer.Move),
	"type_text_at": func(in *arguments) ([]computer.Action, error) {
		at, text := in.xy("x", "y"), in.text("text", true)
		out := []computer.Action{{Kind: computer.Fill, At: at, Text: text}}
		if !in.flag("clear_before_typing", true) {
			out = []computer.Action{{Kind: computer.Click, At: at}, {Kind: computer.Type, Text: text}}
		}
		return in.thenEnter(out, true), nil
	},
	"scroll_document": func(in *arguments) ([]computer.Action, error) {
		a := in.scroll("direction", 0.8*in.height)
		a.At = computer.At(in.width/2, in.height/2)
		return one(a)
	},
	"scroll_at": googleScroll,
	"wait_5_seconds": func(*arguments) ([]computer.Action, error) {
		return one(computer.Action{Kind: computer.Wait, Seconds: 5})
	},
	"go_back":    simply(computer.Back),
	"go_forward": simply(computer.Forward),
	"search": func(*arguments) ([]computer.Action, error) {
		return nil, errors.New("no search engine is set up here; navigate to the one that the task wants")
	},
	"navigate":        googleNavigate,
	"key_combination": googleKeys,
	"drag_and_drop":   googleDrag,
}

func googleClick(button string, count int) meaning {
	return func(in *arguments) ([]computer.Action, error) {
		return one(computer.Action{Kind: computer.Click, Button: button, Count: count, At: in.xy("x", "y")})
	}
}

func googleAt(k computer.Kind) meaning {
	return func(in *arguments) ([]computer.Action, error) {
		return one(computer.Action{Kind: k, At: in.xy("x", "y")})
	}
}

func googleDrag(in *arguments) ([]computer.Action, error) {
	return one(computer.Action{Kind: computer.Drag, At: in.xy("x", "y"), Path: []computer.Place{*in.xy("destination_x", "destination_y")}})
}

// googleScroll scrolls by a magnitude in the units of coordinates.
func googleScroll(in *arguments) ([]computer.Action, error) {
	magnitude := in.number("magnitude", 800)
	a := in.scroll("direction", magnitude)
	a.DX, a.DY = a.DX*in.width/in.dialect.whole, a.DY*in.height/in.dialect.whole
	a.At = in.xy("x", "y")
	return one(a)
}

func googleNavigate(in *arguments) ([]computer.Action, error) {
	return one(computer.Action{Kind: computer.Navigate, URL: in.text("url", true)})
}

func googleKey(k computer.Kind) meaning {
	return func(in *arguments) ([]computer.Action, error) {
		return one(computer.Action{Kind: k, Keys: []string{in.text("key", true)}})
	}
}

// googleKeys presses a chord, given as a list or as a text.
func googleKeys(in *arguments) ([]computer.Action, error) {
	var chord string
	if raw := in.raw["keys"]; len(raw) > 0 && raw[0] == '[' {
		chord = strings.Join(in.texts("keys"), "+")
	} else {
		chord = in.text("keys", true)
	}
	return one(computer.Action{Kind: computer.Key, Keys: []string{chord}})
}
