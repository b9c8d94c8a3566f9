package dialect

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/agent/internal/computer"
)

// google are the functions since gemini-3.5-flash. Each has an intent, which says
// in words what it is for.
var google = map[string]meaning{
	"click":           does(computer.Click, clicks("", 1), xy),
	"double_click":    does(computer.Click, clicks("", 2), xy),
	"triple_click":    does(computer.Click, clicks("", 3), xy),
	"middle_click":    does(computer.Click, clicks("middle", 1), xy),
	"right_click":     does(computer.Click, clicks("right", 1), xy),
	"mouse_down":      does(computer.Down, xy),
	"mouse_up":        does(computer.Up, xy),
	"move":            does(computer.Move, xy),
	"type":            func(in *arguments) []computer.Action { return in.thenEnter(does(computer.Type, text)(in), false) },
	"drag_and_drop":   googleDrag,
	"wait":            does(computer.Wait, seconds("seconds")),
	"press_key":       does(computer.Key, key),
	"key_down":        does(computer.KeyDown, key),
	"key_up":          does(computer.KeyUp, key),
	"hotkey":          googleKeys,
	"key_combination": googleKeys,
	"take_screenshot": does(computer.Screenshot),
	"scroll":          googleScroll,
	"go_back":         does(computer.Back),
	"go_forward":      does(computer.Forward),
	"navigate":        does(computer.Navigate, address),
}

// google2025 are the functions before.
var google2025 = map[string]meaning{
	"open_web_browser": does(computer.Home),
	"click_at":         does(computer.Click, clicks("", 1), xy),
	"hover_at":         does(computer.Move, xy),
	"type_text_at": func(in *arguments) []computer.Action {
		out := does(computer.Fill, xy, text)(in)
		if !optional(in, "clear_before_typing", true) {
			out = []computer.Action{{Kind: computer.Click, At: out[0].At}, {Kind: computer.Type, Text: out[0].Text}}
		}
		return in.thenEnter(out, true)
	},
	"scroll_document": does(computer.Scroll, func(in *arguments, a *computer.Action) {
		in.scroll(a, "direction", 0.8*in.height)
		a.At = computer.At(in.width/2, in.height/2)
	}),
	"scroll_at":      googleScroll,
	"wait_5_seconds": does(computer.Wait, lasting(5)),
	"go_back":        does(computer.Back),
	"go_forward":     does(computer.Forward),
	"search": func(in *arguments) []computer.Action {
		in.wrong("no search engine is set up here; navigate to the one that the task wants")
		return nil
	},
	"navigate":        does(computer.Navigate, address),
	"key_combination": googleKeys,
	"drag_and_drop":   googleDrag,
}

var googleDrag = does(computer.Drag, xy, func(in *arguments, a *computer.Action) { a.Path = path(in.xy("destination_x", "destination_y")) })

// googleScroll scrolls by a magnitude in the units of coordinates.
var googleScroll = does(computer.Scroll, func(in *arguments, a *computer.Action) {
	in.scroll(a, "direction", optional(in, "magnitude", 800.0))
	a.DX, a.DY = a.DX*in.width/in.dialect.whole, a.DY*in.height/in.dialect.whole
}, xy)

// googleKeys presses a chord, given as a list or as a text.
var googleKeys = does(computer.Key, func(in *arguments, a *computer.Action) {
	if raw := in.raw["keys"]; len(raw) > 0 && raw[0] == '[' {
		a.Keys = []string{strings.Join(in.texts("keys"), "+")}
	} else {
		a.Keys = []string{in.text("keys", true)}
	}
})

func key(in *arguments, a *computer.Action) { a.Keys = []string{in.text("key", true)} }
