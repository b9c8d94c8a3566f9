package recording

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/internal/passthrough"
)

// describe writes down what a method was asked, by the types of its arguments.
// A recording and its replay compare these.
func describe(c passthrough.Call) []arg {
	var args []arg
	for _, v := range c.Args {
		switch v := v.(type) {
		case driver.ToolName:
			args = append(args, is("%s", v))
		case string: // an address, an expression, the arguments of a tool
			args = append(args, text(v))
		case *driver.NavigateOptions:
			args = append(args, navigateArgs(v)...)
		case driver.Selector:
			args = append(args, arg{Is: is("%d", v.Kind).Is, Text: v.Text})
		case *driver.LocateOptions:
			args = append(args, locateArgs(v)...)
		case driver.Point:
			args = append(args, is("%s", at(v)))
		case []driver.InputEvent:
			args = append(args, inputArgs(v)...)
		case []string:
			for _, s := range v {
				if c.Op == "setfiles" { // names without folders: a test has its files elsewhere
					args = append(args, arg{Is: "file", Text: filepath.Base(s)})
				} else {
					args = append(args, arg{Is: "text", Text: s})
				}
			}
		case driver.ScrollTarget:
			args = append(args, scrollArg(v))
		case *driver.EvaluateOptions:
			args = append(args, evaluateArgs(v)...)
		}
	}
	return args
}

// navigateArgs describe how a navigation is made; nil options are the defaults.
func navigateArgs(opts *driver.NavigateOptions) []arg {
	var args []arg
	if opts != nil && opts.WaitUntil != "" {
		args = append(args, is("until %s", opts.WaitUntil))
	}
	if opts != nil && opts.Referer != "" {
		args = append(args, arg{Is: "from", Text: opts.Referer})
	}
	return args
}

func locateArgs(opts *driver.LocateOptions) []arg {
	var args []arg
	if opts != nil && opts.Scroll {
		args = append(args, is("in view"))
	}
	if opts != nil && opts.Offset != nil {
		args = append(args, is("at %v,%v", opts.Offset.X, opts.Offset.Y))
	}
	return args
}

func scrollArg(to driver.ScrollTarget) arg {
	if to.Percent != nil {
		return is("%v %v%% %t", to.X, *to.Percent, to.By)
	}
	return is("%v %v %t", to.X, to.Y, to.By)
}

func evaluateArgs(opts *driver.EvaluateOptions) []arg {
	if opts == nil {
		return nil
	}
	args := []arg{is("%s %d %t", opts.Frame, opts.World, opts.UserGesture)}
	for _, v := range opts.Args {
		raw, err := json.Marshal(v)
		if err != nil {
			raw = fmt.Append(nil, v)
		}
		args = append(args, arg{Is: "with", Text: string(raw)})
	}
	return args
}

// inputArgs describe input. Keys that write are put together to the text that
// they write: single ones would be found by nobody who looks for a value.
func inputArgs(events []driver.InputEvent) []arg {
	var args []arg
	var keys strings.Builder
	flush := func() {
		if keys.Len() > 0 {
			args = append(args, arg{Is: "keys", Text: keys.String()})
			keys.Reset()
		}
	}
	for _, e := range events {
		key, down, writes := writingKey(e)
		if writes {
			if down {
				keys.WriteString(key)
			}
			continue
		}
		flush()
		args = append(args, inputArg(e))
	}
	flush()
	return args
}

// writingKey tells the character of a key that writes one.
func writingKey(e driver.InputEvent) (key string, down, writes bool) {
	var held driver.Modifiers
	switch e := e.(type) {
	case driver.KeyDown:
		key, held, down = e.Key, e.Modifiers, true
	case driver.KeyUp:
		key, held = e.Key, e.Modifiers
	}
	return key, down, utf8.RuneCountInString(key) == 1 && held&^driver.Shift == 0
}

func inputArg(e driver.InputEvent) arg {
	switch e := e.(type) {
	case driver.MouseMove:
		return is("move %s %d", at(e.At), e.Modifiers)
	case driver.MouseDown:
		return is("down %s %s %d %d", e.Button, at(e.At), e.Clicks, e.Modifiers)
	case driver.MouseUp:
		return is("up %s %s %d %d", e.Button, at(e.At), e.Clicks, e.Modifiers)
	case driver.Pause:
		return is("pause %v", e.For)
	case driver.Wheel:
		return is("wheel %s %v %v %d", at(e.At), e.DeltaX, e.DeltaY, e.Modifiers)
	case driver.KeyDown:
		return is("key %s down %d", e.Key, e.Modifiers)
	case driver.KeyUp:
		return is("key %s up %d", e.Key, e.Modifiers)
	case driver.InsertText:
		return arg{Is: "insert", Text: e.Text}
	case driver.Tap:
		return is("tap %s", at(e.At))
	case driver.Drag:
		if e.Onto != nil {
			return is("drag %s onto %d %s", at(e.From), e.Onto.At.Node, at(e.To))
		}
		return is("drag %s %s", at(e.From), at(e.To))
	}
	return is("%T", e)
}

func at(p driver.Point) string { return string(is("%s(%v,%v)", p.Frame, p.X, p.Y).Is) }
