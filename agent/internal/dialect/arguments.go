package dialect

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/wayfinder-engine/wayfinder/agent/internal/computer"
)

// arguments are a call's, read one by one. The first that is wrong is remembered.
type arguments struct {
	dialect       *Dialect
	raw           map[string]json.RawMessage
	width, height float64
	err           error
}

func (in *arguments) wrong(format string, args ...any) {
	if in.err == nil {
		in.err = fmt.Errorf(format, args...)
	}
}

// has reports an argument that is there and not null.
func (in *arguments) has(name string) bool {
	raw, ok := in.raw[name]
	return ok && string(raw) != "null"
}

// read decodes an argument. It reports whether it is there.
func (in *arguments) read(name string, into any, required bool) bool {
	if !in.has(name) {
		if required {
			in.wrong("%s is missing", name)
		}
		return false
	}
	if err := json.Unmarshal(in.raw[name], into); err != nil {
		in.wrong("%s: %s is not what belongs there", name, in.raw[name])
		return false
	}
	return true
}

func (in *arguments) text(name string, required bool) (s string) {
	in.read(name, &s, required)
	return s
}

// optional is an argument that may be left out.
func optional[T float64 | bool](in *arguments, name string, otherwise T) T {
	in.read(name, &otherwise, false)
	return otherwise
}

func (in *arguments) texts(name string) (s []string) {
	in.read(name, &s, true)
	return s
}

// place makes a point of coordinates in the vendor's units.
func (in *arguments) place(x, y float64) *computer.Place {
	if whole := in.dialect.whole; whole > 0 {
		x, y = x*in.width/whole, y*in.height/whole
	}
	return computer.At(x, y)
}

// xy is a point of two arguments.
func (in *arguments) xy(nameX, nameY string) *computer.Place {
	var x, y float64
	in.read(nameX, &x, true)
	in.read(nameY, &y, true)
	return in.place(x, y)
}

// pair is a point of one argument, [x, y]; nil if it may be left out and is.
func (in *arguments) pair(name string, required bool) *computer.Place {
	var p []float64
	if !in.read(name, &p, required) {
		return nil
	}
	if len(p) != 2 {
		in.wrong("%s takes [x, y]", name)
		return nil
	}
	return in.place(p[0], p[1])
}

// target is {type: ref, ref} or {type: coordinate, x, y}.
func (in *arguments) target(name string) *computer.Place {
	var t struct {
		Type string   `json:"type"`
		Ref  string   `json:"ref"`
		X    *float64 `json:"x"`
		Y    *float64 `json:"y"`
	}
	if !in.read(name, &t, true) {
		return nil
	}
	switch {
	case t.Ref != "" && t.Type != "coordinate":
		return &computer.Place{Ref: t.Ref}
	case t.X != nil && t.Y != nil && t.Type != "ref":
		return in.place(*t.X, *t.Y)
	}
	in.wrong(`%s takes {"type": "ref", "ref": …} or {"type": "coordinate", "x": …, "y": …}`, name)
	return nil
}

// value is a text, a number, or true or false, as a text.
func (in *arguments) value(name string) string {
	var v any
	in.read(name, &v, true)
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	in.wrong("%s takes a text, a number, or true or false", name)
	return ""
}

// scroll reads a direction.
func (in *arguments) scroll(a *computer.Action, name string, far float64) {
	switch direction := in.text(name, true); direction {
	case "up":
		a.DY = -far
	case "down":
		a.DY = far
	case "left":
		a.DX = -far
	case "right":
		a.DX = far
	default:
		in.wrong("%s takes up, down, left or right", name)
	}
}

// thenEnter adds Enter where it is asked for.
func (in *arguments) thenEnter(out []computer.Action, otherwise bool) []computer.Action {
	if optional(in, "press_enter", otherwise) {
		out = append(out, computer.Action{Kind: computer.Key, Keys: []string{"Enter"}})
	}
	return out
}

// A part reads arguments of a call into the action that it means.
type part func(in *arguments, a *computer.Action)

// does is the meaning that is one action, with what its parts read, in their order.
func does(k computer.Kind, parts ...part) meaning {
	return func(in *arguments) []computer.Action {
		a := computer.Action{Kind: k}
		for _, read := range parts {
			read(in, &a)
		}
		return []computer.Action{a}
	}
}

func xy(in *arguments, a *computer.Action) { a.At = in.xy("x", "y") }

func text(in *arguments, a *computer.Action) { a.Text = in.text("text", true) }

func address(in *arguments, a *computer.Action) { a.URL = in.text("url", true) }

func clicks(button string, count int) part {
	return func(_ *arguments, a *computer.Action) { a.Button, a.Count = button, count }
}

func seconds(name string) part {
	return func(in *arguments, a *computer.Action) { a.Seconds = optional(in, name, 1.0) }
}

func lasting(seconds float64) part {
	return func(_ *arguments, a *computer.Action) { a.Seconds = seconds }
}

// path is that of a drag to a place; none where that is wrong.
func path(to *computer.Place) []computer.Place {
	if to == nil {
		return nil
	}
	return []computer.Place{*to}
}
