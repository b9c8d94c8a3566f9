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
	"navigate": func(in *arguments) ([]computer.Action, error) {
		switch address := in.text("url", true); address {
		case "back":
			return one(computer.Action{Kind: computer.Back})
		case "forward":
			return one(computer.Action{Kind: computer.Forward})
		case "reload":
			return one(computer.Action{Kind: computer.Reload})
		default:
			return one(computer.Action{Kind: computer.Navigate, URL: address})
		}
	},
	"read_page": func(in *arguments) ([]computer.Action, error) {
		a := computer.Action{Kind: computer.ReadPage, Depth: int(in.number("depth", 0)), Interactive: in.text("filter", false) == "interactive"}
		if ref := in.text("ref", false); ref != "" {
			a.At = &computer.Place{Ref: ref}
		}
		return one(a)
	},
	"find": func(in *arguments) ([]computer.Action, error) {
		return one(computer.Action{Kind: computer.Find, Query: in.text("query", true)})
	},
	"get_page_text": simply(computer.PageText),
	"form_input": func(in *arguments) ([]computer.Action, error) {
		return one(computer.Action{Kind: computer.FormInput, At: in.target("target"), Value: in.value("value")})
	},
	"file_upload": func(in *arguments) ([]computer.Action, error) {
		a := computer.Action{Kind: computer.Upload, At: in.target("target")}
		for _, name := range []string{"paths", "document_ids"} {
			var names []string
			in.read(name, &names, false)
			a.Files = append(a.Files, names...)
		}
		return one(a)
	},
	"left_click":   browserClick("", 1),
	"right_click":  browserClick("right", 1),
	"middle_click": browserClick("middle", 1),
	"double_click": browserClick("", 2),
	"triple_click": browserClick("", 3),
	"hover":        browserAt(computer.Move),
	"mouse_move":   browserAt(computer.Move),
	"scroll_to":    browserAt(computer.ScrollTo),

	"left_mouse_down": browserAt(computer.Down),
	"left_mouse_up":   browserAt(computer.Up),
	"left_click_drag": func(in *arguments) ([]computer.Action, error) {
		from, to := in.target("from"), in.target("target")
		if in.err != nil {
			return nil, in.err
		}
		return one(computer.Action{Kind: computer.Drag, At: from, Path: []computer.Place{*to}})
	},
	"scroll": func(in *arguments) ([]computer.Action, error) {
		a := in.scroll("scroll_direction", in.number("scroll_amount", 3)*notch)
		a.At = in.target("target")
		return one(a)
	},
	"type":       typing,
	"key":        pressing,
	"hold_key":   holding,
	"wait":       waiting,
	"screenshot": simply(computer.Screenshot),
	"zoom":       zooming,
	"new_tab":    simply(computer.NewTab),
	"list_tabs":  simply(computer.ListTabs),
	"switch_tab": tab(computer.SwitchTab),
	"close_tab":  tab(computer.CloseTab),
}

// anthropicComputer are the members of the computer toolset, and the actions of
// the older single tools.
var anthropicComputer = map[string]meaning{
	"screenshot":      simply(computer.Screenshot),
	"cursor_position": simply(computer.Cursor),
	"left_click":      computerClick("", 1),
	"right_click":     computerClick("right", 1),
	"middle_click":    computerClick("middle", 1),
	"double_click":    computerClick("", 2),
	"triple_click":    computerClick("", 3),
	"mouse_move": func(in *arguments) ([]computer.Action, error) {
		return one(computer.Action{Kind: computer.Move, At: in.pair("coordinate", true)})
	},
	"left_click_drag": func(in *arguments) ([]computer.Action, error) {
		from, to := in.pair("start_coordinate", true), in.pair("coordinate", true)
		if in.err != nil {
			return nil, in.err
		}
		return one(computer.Action{Kind: computer.Drag, At: from, Path: []computer.Place{*to}, Modifiers: in.text("text", false)})
	},
	"left_mouse_down": simply(computer.Down),
	"left_mouse_up":   simply(computer.Up),
	"scroll": func(in *arguments) ([]computer.Action, error) {
		a := in.scroll("scroll_direction", in.number("scroll_amount", 3)*notch)
		a.At, a.Modifiers = in.pair("coordinate", false), in.text("text", false)
		return one(a)
	},
	"type":     typing,
	"key":      pressing,
	"hold_key": holding,
	"wait":     waiting,
	"zoom":     zooming,
}

func browserClick(button string, count int) meaning {
	return func(in *arguments) ([]computer.Action, error) {
		return one(computer.Action{Kind: computer.Click, Button: button, Count: count, At: in.target("target"), Modifiers: in.text("modifiers", false)})
	}
}

func browserAt(k computer.Kind) meaning {
	return func(in *arguments) ([]computer.Action, error) {
		return one(computer.Action{Kind: k, At: in.target("target")})
	}
}

func computerClick(button string, count int) meaning {
	return func(in *arguments) ([]computer.Action, error) {
		return one(computer.Action{Kind: computer.Click, Button: button, Count: count, At: in.pair("coordinate", false), Modifiers: in.text("text", false)})
	}
}

func typing(in *arguments) ([]computer.Action, error) {
	return one(computer.Action{Kind: computer.Type, Text: in.text("text", true)})
}

// pressing presses a key, a chord, or several with spaces between.
func pressing(in *arguments) ([]computer.Action, error) {
	keys := strings.Fields(in.text("text", true))
	if len(keys) == 0 && in.err == nil {
		in.wrong("text names no key")
	}
	repeat := in.number("repeat", 1)
	if repeat < 1 || repeat > 100 {
		in.wrong("repeat is from 1 to 100")
	}
	return one(computer.Action{Kind: computer.Key, Keys: keys, Repeat: int(repeat)})
}

func holding(in *arguments) ([]computer.Action, error) {
	return one(computer.Action{Kind: computer.Hold, Keys: []string{in.text("text", true)}, Seconds: in.number("duration", 1)})
}

func waiting(in *arguments) ([]computer.Action, error) {
	return one(computer.Action{Kind: computer.Wait, Seconds: in.number("duration", 1)})
}

func zooming(in *arguments) ([]computer.Action, error) {
	return one(computer.Action{Kind: computer.Zoom, Region: in.region()})
}

// tab is a meaning that names a tab.
func tab(k computer.Kind) meaning {
	return func(in *arguments) ([]computer.Action, error) {
		in.text("tab_id", true)
		return one(computer.Action{Kind: k})
	}
}
