package program

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
)

// A bound admits a call of a builtin of the interpreter, and charges what it may
// make. recv is the value whose method it is; nil is none.
type bound func(m *machine, recv starlark.Value, args []starlark.Value) error

// functions are those of the interpreter that a program has. What is not in it is
// not there: sets, bytes, dir, getattr, hash.
var functions = map[string]bound{
	"abs":       free,
	"all":       through,
	"any":       through,
	"bool":      free,
	"chr":       free,
	"dict":      through,
	"enumerate": through,
	"fail":      written,
	"float":     number,
	"hasattr":   free,
	"int":       number,
	"len":       free,
	"list":      through,
	"max":       sorting,
	"min":       sorting,
	"ord":       free,
	"range":     free,
	"repr":      written,
	"reversed":  through,
	"sorted":    sorting,
	"str":       written,
	"tuple":     through,
	"type":      free,
	"zip":       through,
}

// methods are those of values, by their type.
var methods = map[string]map[string]bound{
	"string": {
		"capitalize": rewritten, "count": free, "elems": pieces, "endswith": free, "find": free, "format": formatted, "index": free,
		"isalnum": free, "isalpha": free, "isdigit": free, "islower": free, "isspace": free, "istitle": free, "isupper": free,
		"join": joined, "lower": rewritten, "lstrip": free, "partition": free, "removeprefix": free, "removesuffix": free, "replace": replaced,
		"rfind": free, "rindex": free, "rpartition": free, "rsplit": pieces, "rstrip": free, "split": pieces, "splitlines": pieces,
		"startswith": free, "strip": free, "title": rewritten, "upper": rewritten,
	},
	"list": {
		"append": free, "clear": free, "extend": through, "index": compared, "insert": free, "pop": free, "remove": compared,
	},
	"dict": {
		"clear": free, "get": keyed, "items": listed, "keys": listed, "pop": keyed, "popitem": free, "setdefault": keyed, "update": through, "values": listed,
	},
}

// namesOf lists what a value has.
func namesOf(x starlark.Value) []string {
	if of, ok := methods[x.Type()]; ok {
		return slices.Sorted(maps.Keys(of))
	}
	if has, ok := x.(starlark.HasAttrs); ok {
		return has.AttrNames()
	}
	return nil
}

// wrapped is a builtin of the interpreter behind its bound.
func (m *machine) wrapped(b *starlark.Builtin, admit bound) *starlark.Builtin {
	return starlark.NewBuiltin(b.Name(), func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		all := slices.Clone([]starlark.Value(args))
		for _, kw := range kwargs {
			all = append(all, kw[1])
		}
		if err := admit(m, b.Receiver(), all); err != nil {
			return m.noted(thread, nil, err)
		}
		v, err := b.CallInternal(thread, args, kwargs)
		return m.noted(thread, v, err)
	})
}

// free is what makes nothing larger than what it gets, in about the time of
// reading it.
func free(m *machine, recv starlark.Value, args []starlark.Value) error {
	for _, v := range append(args, recv) {
		if text, ok := v.(starlark.String); ok {
			m.thread.Steps += uint64(len(text) / 256)
		}
	}
	return nil
}

// through is what goes through values, and makes as many. Keys may be among them.
func through(m *machine, _ starlark.Value, args []starlark.Value) error {
	for _, v := range args {
		switch v.(type) {
		case *starlark.Builtin, *starlark.Function, starlark.NoneType, starlark.Bool, starlark.Int:
			continue
		}
		if starlark.Len(v) < 0 {
			return nil // the builtin says it better
		}
		n, err := count(m.thread, v)
		if err != nil {
			return err
		}
		if err := m.meter.charge(8 * slot * n); err != nil {
			return err
		}
		if plain(v) {
			continue
		}
		if _, err := weigh(m.thread, v); err != nil {
			return err
		}
	}
	return nil
}

// sorting is what compares values, also with a function.
func sorting(m *machine, recv starlark.Value, args []starlark.Value) error {
	if err := through(m, recv, args); err != nil {
		return err
	}
	_, err := weigh(m.thread, args...)
	return err
}

// written is what writes values out.
func written(m *machine, _ starlark.Value, args []starlark.Value) error {
	w, err := weigh(m.thread, args...)
	if err != nil {
		return err
	}
	return m.meter.text(quoted(w.bytes))
}

// number is what reads a text as a number, in the square of its length.
func number(_ *machine, _ starlark.Value, args []starlark.Value) error {
	for _, v := range args {
		if text, ok := v.(starlark.String); ok && len(text) > mostBits/4 {
			return fmt.Errorf("%w: a number of %d letters; at most %d", ErrMemory, len(text), mostBits/4)
		}
	}
	return nil
}

func rewritten(m *machine, recv starlark.Value, _ []starlark.Value) error {
	return m.meter.text(3 * starlark.Len(recv)) // a letter of one byte may have a capital of three
}

// pieces is what cuts a text, at worst into its letters.
func pieces(m *machine, recv starlark.Value, _ []starlark.Value) error {
	return m.meter.charge(2 * slot * starlark.Len(recv))
}

func formatted(m *machine, recv starlark.Value, args []starlark.Value) error {
	w, err := weigh(m.thread, args...)
	if err != nil {
		return err
	}
	form, _ := starlark.AsString(recv)
	return m.meter.text(len(form) + strings.Count(form, "{")*quoted(w.bytes))
}

func joined(m *machine, recv starlark.Value, args []starlark.Value) error {
	if len(args) != 1 || starlark.Len(args[0]) < 0 {
		return nil // the builtin says it better
	}
	n, err := count(m.thread, args[0])
	if err != nil {
		return err
	}
	w, err := weigh(m.thread, args...)
	if err != nil {
		return err
	}
	return m.meter.text(n*starlark.Len(recv) + w.bytes)
}

func replaced(m *machine, recv starlark.Value, args []starlark.Value) error {
	if len(args) < 2 {
		return nil
	}
	text, _ := starlark.AsString(recv)
	old, _ := starlark.AsString(args[0])
	put, _ := starlark.AsString(args[1])
	return m.meter.text(len(text) + strings.Count(text, old)*len(put))
}

func compared(m *machine, recv starlark.Value, args []starlark.Value) error {
	_, err := weigh(m.thread, append(args, recv)...)
	return err
}

func keyed(m *machine, _ starlark.Value, args []starlark.Value) error {
	if len(args) == 0 {
		return nil
	}
	return m.key(args[0])
}

func listed(m *machine, recv starlark.Value, _ []starlark.Value) error {
	n, err := count(m.thread, recv)
	if err != nil {
		return err
	}
	return m.meter.charge(4 * slot * n)
}

// helpers are functions that Starlark lacks and work on pages wants.
func (m *machine) helpers() {
	m.function("sum", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var of starlark.Iterable
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "values", &of); err != nil {
			return nil, err
		}
		if _, err := count(m.thread, of); err != nil {
			return nil, err
		}
		var total starlark.Value = starlark.MakeInt(0)
		for v := range starlark.Elements(of) {
			switch v.(type) {
			case starlark.Int, starlark.Float:
			default:
				return nil, fmt.Errorf("sum adds numbers, and this is a %s: %s", v.Type(), short(v))
			}
			var err error
			if total, err = m.operate(plus, total, v); err != nil {
				return nil, err
			}
		}
		return total, nil
	})
	m.function("round", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var v starlark.Value
		digits := 0
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "number", &v, "digits?", &digits); err != nil {
			return nil, err
		}
		if i, ok := v.(starlark.Int); ok {
			return i, nil
		}
		f, ok := v.(starlark.Float)
		if !ok || digits < 0 || digits > 15 {
			return nil, errors.New("round takes a number, and 0 to 15 digits")
		}
		text := strconv.FormatFloat(float64(f), 'f', digits, 64)
		r, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, err
		}
		if digits == 0 && math.Abs(r) < 1<<53 {
			return starlark.MakeInt64(int64(r)), nil
		}
		return starlark.Float(r), nil
	})
	m.function("number", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var text string
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "text", &text); err != nil {
			return nil, err
		}
		return readNumber(text)
	})
}
