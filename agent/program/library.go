package program

import (
	"errors"
	"fmt"
	"maps"
	"math"
	mathbits "math/bits"
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
	"dict":      pairs,
	"enumerate": through,
	"fail":      written,
	"float":     number,
	"hasattr":   free,
	"int":       number,
	"len":       free,
	"list":      through,
	"max":       comparing,
	"min":       comparing,
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
		"capitalize": rewritten, "count": free, "elems": pieces, "endswith": affixed, "find": free, "format": formatted, "index": free,
		"isalnum": free, "isalpha": free, "isdigit": free, "islower": free, "isspace": free, "istitle": free, "isupper": free,
		"join": joined, "lower": rewritten, "lstrip": stripped, "partition": free, "removeprefix": free, "removesuffix": free, "replace": replaced,
		"rfind": free, "rindex": free, "rpartition": free, "rsplit": pieces, "rstrip": stripped, "split": pieces, "splitlines": pieces,
		"startswith": affixed, "strip": stripped, "title": rewritten, "upper": rewritten,
	},
	"list": {
		"append": free, "clear": free, "extend": through, "index": compared, "insert": moved, "pop": moved, "remove": compared,
	},
	"dict": {
		"clear": free, "get": keyed, "items": listed, "keys": listed, "pop": keyed, "popitem": free, "setdefault": keyed, "update": pairs, "values": listed,
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
		args, kwargs = m.byKey(b.Name(), args, kwargs)
		v, err := b.CallInternal(thread, args, kwargs)
		return m.noted(thread, v, err)
	})
}

// free is what makes nothing larger than what it gets, in about the time of
// reading it.
func free(m *machine, recv starlark.Value, args []starlark.Value) error {
	for _, v := range append(args, recv) {
		if text, ok := v.(starlark.String); ok {
			if err := m.touch(len(text)); err != nil {
				return err
			}
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
		n, err := m.count(v)
		if err != nil {
			return err
		}
		if err := m.meter.charge(8 * slot * n); err != nil {
			return err
		}
		if plain(v) {
			continue
		}
		if _, err := m.weigh(v); err != nil {
			return err
		}
	}
	return nil
}

// pairs is what makes keys of a dict, or of the first of each pair.
func pairs(m *machine, recv starlark.Value, args []starlark.Value) error {
	if err := through(m, recv, args); err != nil {
		return err
	}
	if err := m.keys(args...); err != nil || len(args) == 0 {
		return err
	}
	list, ok := args[0].(starlark.Iterable)
	if _, isDict := list.(*starlark.Dict); !ok || isDict {
		return nil
	}
	for pair := range starlark.Elements(list) {
		if of, ok := pair.(starlark.Iterable); ok {
			for key := range starlark.Elements(of) {
				if err := m.key(key); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// affixed is what holds a text against another, or against each of a tuple.
func affixed(m *machine, recv starlark.Value, args []starlark.Value) error {
	_, err := m.weigh(append(args, recv)...)
	return err
}

// stripped is what looks each letter of a text up among others.
func stripped(m *machine, recv starlark.Value, args []starlark.Value) error {
	bytes := starlark.Len(recv)
	for _, v := range args {
		bytes *= max(starlark.Len(v), 1)
	}
	return m.touch(bytes)
}

// moved is what moves the elements behind a place of a list; without a place that
// is the end.
func moved(m *machine, recv starlark.Value, args []starlark.Value) error {
	if len(args) == 0 {
		return nil
	}
	n := starlark.Len(recv)
	at, err := starlark.AsInt32(args[0])
	if err != nil {
		return nil // the builtin says it better
	}
	if at < 0 {
		at += n
	}
	return m.spend((n - min(max(at, 0), n)) / moveStep)
}

// comparing is what compares each value once, also by a function of it.
func comparing(m *machine, recv starlark.Value, args []starlark.Value) error {
	if err := through(m, recv, args); err != nil {
		return err
	}
	_, err := m.weigh(args...)
	return err
}

// sorting is what compares each value with several.
func sorting(m *machine, recv starlark.Value, args []starlark.Value) error {
	if err := comparing(m, recv, args); err != nil || len(args) == 0 {
		return err
	}
	w, err := m.weigh(args[0])
	if err != nil {
		return err
	}
	return m.spend(comparisons(args[0]) * w.steps())
}

// comparisons is how often a sort compares each of some values: a merge sort halves
// them, and compares each with one or two others in each half. The blocks of 20 that
// it begins with, five comparisons each, are no more than the halvings which they spare.
func comparisons(v starlark.Value) int { return 2 * mathbits.Len(uint(max(starlark.Len(v), 0))) }

// byKey weighs what the function gives by which values are compared: it may make
// more of a value than the value is.
func (m *machine) byKey(name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Tuple, []starlark.Tuple) {
	if name != "sorted" && name != "min" && name != "max" || len(args) == 0 {
		return args, kwargs
	}
	times := 0
	if name == "sorted" {
		times = comparisons(args[0])
	}
	weighed := func(v starlark.Value) starlark.Value {
		key, ok := v.(starlark.Callable)
		if !ok {
			return v
		}
		return starlark.NewBuiltin(key.Name(), func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			v, err := starlark.Call(thread, key, args, kwargs)
			if err != nil {
				return nil, err
			}
			w, err := m.weigh(v)
			if err == nil {
				err = m.spend(times * w.steps())
			}
			return m.noted(thread, v, err)
		})
	}
	if name == "sorted" && len(args) > 1 { // min and max take it by its name alone
		args = slices.Clone(args)
		args[1] = weighed(args[1])
	}
	kwargs = slices.Clone(kwargs)
	for i, kw := range kwargs {
		if kw[0] == starlark.String("key") {
			kwargs[i] = starlark.Tuple{kw[0], weighed(kw[1])}
		}
	}
	return args, kwargs
}

// clear empties a dict key by key: the interpreter's own goes over all the room that
// the dict ever had.
func (m *machine) clear(d *starlark.Dict) *starlark.Builtin {
	return starlark.NewBuiltin("clear", func(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		err := starlark.UnpackArgs(b.Name(), args, kwargs)
		if err == nil {
			err = m.spend(d.Len() / 8)
		}
		if err == nil {
			err = m.meter.charge(slot * d.Len())
		}
		if err == nil {
			err = m.keys(d)
		}
		if err != nil {
			return m.noted(thread, nil, err)
		}
		for _, k := range d.Keys() {
			if _, _, err := d.Delete(k); err != nil {
				return m.noted(thread, nil, err)
			}
		}
		return starlark.None, nil
	})
}

// written is what writes values out.
func written(m *machine, _ starlark.Value, args []starlark.Value) error {
	w, err := m.weigh(args...)
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
	w, err := m.weigh(args...)
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
	n, err := m.count(args[0])
	if err != nil {
		return err
	}
	w, err := m.weigh(args...)
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
	_, err := m.weigh(append(args, recv)...)
	return err
}

func keyed(m *machine, _ starlark.Value, args []starlark.Value) error {
	if len(args) == 0 {
		return nil
	}
	return m.key(args[0])
}

func listed(m *machine, recv starlark.Value, _ []starlark.Value) error {
	n, err := m.count(recv)
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
		if _, err := m.count(of); err != nil {
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
		if err := m.spend(len(text)); err != nil { // an expression over letters: a tenth of a microsecond each
			return nil, err
		}
		return readNumber(text)
	})
}
