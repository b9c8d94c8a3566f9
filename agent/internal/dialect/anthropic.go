package dialect

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/agent/internal/computer"
)

// notch is how far one notch of the wheel scrolls, in pixels.
const notch = 100

// anthropicBrowser are the members of the browser toolset. Those that are off by
// default are left out: to run scripts, and to read the console and the network.
var anthropicBrowser = map[string]meaning{
	"navigate": does(computer.Navigate, func(in *arguments, a *computer.Action) {
		address(in, a)
		if move := map[string]computer.Kind{"back": computer.Back, "forward": computer.Forward, "reload": computer.Reload}[a.URL]; move != "" {
			a.Kind, a.URL = move, ""
		}
	}),
	"read_page": does(computer.ReadPage, func(in *arguments, a *computer.Action) {
		a.Depth, a.Interactive = int(optional(in, "depth", 0.0)), in.text("filter", false) == "interactive"
		if ref := in.text("ref", false); ref != "" {
			a.At = &computer.Place{Ref: ref}
		}
	}),
	"find":          does(computer.Find, func(in *arguments, a *computer.Action) { a.Query = in.text("query", true) }),
	"get_page_text": does(computer.PageText),
	"form_input":    does(computer.FormInput, target, func(in *arguments, a *computer.Action) { a.Value = in.value("value") }),
	"file_upload": does(computer.Upload, target, func(in *arguments, a *computer.Action) {
		for _, name := range []string{"paths", "document_ids"} {
			var names []string
			in.read(name, &names, false)
			a.Files = append(a.Files, names...)
		}
	}),
	"left_click":   does(computer.Click, clicks("", 1), target, modifiers("modifiers")),
	"right_click":  does(computer.Click, clicks("right", 1), target, modifiers("modifiers")),
	"middle_click": does(computer.Click, clicks("middle", 1), target, modifiers("modifiers")),
	"double_click": does(computer.Click, clicks("", 2), target, modifiers("modifiers")),
	"triple_click": does(computer.Click, clicks("", 3), target, modifiers("modifiers")),
	"hover":        does(computer.Move, target),
	"mouse_move":   does(computer.Move, target),
	"scroll_to":    does(computer.ScrollTo, target),

	"left_mouse_down": does(computer.Down, target),
	"left_mouse_up":   does(computer.Up, target),
	"left_click_drag": does(computer.Drag, func(in *arguments, a *computer.Action) {
		a.At = in.target("from")
		a.Path = path(in.target("target"))
	}),
	"scroll":     does(computer.Scroll, notches, target),
	"type":       does(computer.Type, text),
	"key":        does(computer.Key, keys),
	"hold_key":   does(computer.Hold, held),
	"wait":       does(computer.Wait, seconds("duration")),
	"screenshot": does(computer.Screenshot),
	"zoom":       does(computer.Zoom, region),
	"new_tab":    does(computer.NewTab),
	"list_tabs":  does(computer.ListTabs),
	"switch_tab": does(computer.SwitchTab, tab),
	"close_tab":  does(computer.CloseTab, tab),
}

// anthropicComputer are the members of the computer toolset, and the actions of
// the older single tools.
var anthropicComputer = map[string]meaning{
	"screenshot":      does(computer.Screenshot),
	"cursor_position": does(computer.Cursor),
	"left_click":      does(computer.Click, clicks("", 1), coordinate, modifiers("text")),
	"right_click":     does(computer.Click, clicks("right", 1), coordinate, modifiers("text")),
	"middle_click":    does(computer.Click, clicks("middle", 1), coordinate, modifiers("text")),
	"double_click":    does(computer.Click, clicks("", 2), coordinate, modifiers("text")),
	"triple_click":    does(computer.Click, clicks("", 3), coordinate, modifiers("text")),
	"mouse_move":      does(computer.Move, func(in *arguments, a *computer.Action) { a.At = in.pair("coordinate", true) }),
	"left_click_drag": does(computer.Drag, func(in *arguments, a *computer.Action) {
		a.At = in.pair("start_coordinate", true)
		a.Path = path(in.pair("coordinate", true))
	}, modifiers("text")),
	"left_mouse_down": does(computer.Down),
	"left_mouse_up":   does(computer.Up),
	"scroll":          does(computer.Scroll, notches, coordinate, modifiers("text")),
	"type":            does(computer.Type, text),
	"key":             does(computer.Key, keys),
	"hold_key":        does(computer.Hold, held),
	"wait":            does(computer.Wait, seconds("duration")),
	"zoom":            does(computer.Zoom, region),
}

func target(in *arguments, a *computer.Action) { a.At = in.target("target") }

func coordinate(in *arguments, a *computer.Action) { a.At = in.pair("coordinate", false) }

func modifiers(name string) part {
	return func(in *arguments, a *computer.Action) { a.Modifiers = in.text(name, false) }
}

func notches(in *arguments, a *computer.Action) {
	in.scroll(a, "scroll_direction", optional(in, "scroll_amount", 3.0)*notch)
}

// keys are a key, a chord, or several with spaces between.
func keys(in *arguments, a *computer.Action) {
	a.Keys = strings.Fields(in.text("text", true))
	if len(a.Keys) == 0 && in.err == nil {
		in.wrong("text names no key")
	}
	repeat := optional(in, "repeat", 1.0)
	if repeat < 1 || repeat > 100 {
		in.wrong("repeat is from 1 to 100")
	}
	a.Repeat = int(repeat)
}

func held(in *arguments, a *computer.Action) {
	a.Keys, a.Seconds = []string{in.text("text", true)}, optional(in, "duration", 1.0)
}

// region is a part of the picture, [left, top, right, bottom].
func region(in *arguments, a *computer.Action) {
	var p []float64
	if in.read("region", &p, true) && len(p) != 4 {
		in.wrong("region takes [left, top, right, bottom]")
	}
	copy(a.Region[:], p)
}

// tab is there where the action is about one; Decode reads it.
func tab(in *arguments, _ *computer.Action) { in.text("tab_id", true) }
