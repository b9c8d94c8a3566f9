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
	"go.starlark.net/syntax"
)

// A language is what a program has before it reaches a page: the interpreter's
// operators, methods and functions, each behind a bound.
type language struct {
	scope
	meter  meter
	hashes map[uint32]hashed // of the keys so far
}

// guards are the builtins that [parse] puts where operators, attributes, keys and
// slices stand.
func (l *language) guards() {
	for _, op := range operators {
		l.builtin(guardOf(op), func(args starlark.Tuple) (starlark.Value, error) { return l.operate(op, args[0], args[1]) })
		l.builtin(addsTo(op), func(args starlark.Tuple) (starlark.Value, error) { return l.addTo(op, args[0], args[1]) })
		l.builtin(addsToAt(op), func(args starlark.Tuple) (starlark.Value, error) { return l.addToAt(op, args[0], args[1], args[2]) })
	}
	l.builtin(guardAttr, func(args starlark.Tuple) (starlark.Value, error) {
		return l.attribute(args[0], string(args[1].(starlark.String)))
	})
	l.builtin(guardKey, func(args starlark.Tuple) (starlark.Value, error) { return args[0], l.key(args[0]) })
	l.builtin(guardSlice, func(args starlark.Tuple) (starlark.Value, error) {
		return args[0], l.meter.charge(slot * max(starlark.Len(args[0]), 0))
	})
}

// builtin adds a guard. Its arguments are as [parse] wrote them.
func (l *language) builtin(name string, f func(args starlark.Tuple) (starlark.Value, error)) {
	l.names[name] = starlark.NewBuiltin(name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		v, err := f(args)
		return l.noted(thread, v, err)
	})
}

// key admits a value as a key: a text is hashed each time, and a tuple within a
// tuple, many times over, as often as it is reached.
func (l *language) key(v starlark.Value) error {
	switch v := v.(type) {
	case starlark.String:
		if err := l.meter.touch(len(v)); err != nil {
			return err
		}
	case starlark.Tuple:
		if _, err := l.meter.weigh(v); err != nil {
			return err
		}
	case starlark.Int, starlark.Float:
	default:
		return nil
	}
	hash, err := v.Hash()
	if err != nil {
		return nil // the operation says it better
	}
	first, known := l.hashes[hash]
	if !known {
		l.hashes[hash] = hashed{key: v}
		return nil
	}
	if same, err := starlark.Equal(first.key, v); err != nil || same {
		return err
	}
	first.others++
	l.hashes[hash] = first
	return l.meter.spend(first.others)
}

// A hashed is the first key that had a hash, and how often another one had it: so
// many does a dict compare that one with, at most. Anybody can find numbers whose
// hashes are the same.
type hashed struct {
	key    starlark.Value
	others int
}

// keys admits those of dicts that are made anew.
func (l *language) keys(of ...starlark.Value) error {
	for _, v := range of {
		if d, ok := v.(*starlark.Dict); ok {
			for k := range d.Entries() {
				if err := l.key(k); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// plain reports a value that nothing is in.
func plain(v starlark.Value) bool {
	switch v.(type) {
	case *starlark.List, starlark.Tuple, *starlark.Dict:
		return false
	}
	return true
}

func bothTexts(x, y starlark.Value) (a, b starlark.String, yes bool) {
	a, one := x.(starlark.String)
	b, other := y.(starlark.String)
	return a, b, one && other
}

// operate is a binary operator.
func (l *language) operate(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	switch op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE:
		if a, b, texts := bothTexts(x, y); texts {
			if err := l.meter.touch(min(len(a), len(b))); err != nil {
				return nil, err
			}
		}
		if !plain(x) && !plain(y) {
			if _, err := l.meter.weigh(x, y); err != nil {
				return nil, err
			}
		}
		yes, err := starlark.Compare(op, x, y)
		return starlark.Bool(yes), err
	case syntax.IN, syntax.NOT_IN:
		if err := l.membership(x, y); err != nil {
			return nil, err
		}
	default:
		if err := l.result(op, x, y); err != nil {
			return nil, err
		}
	}
	return starlark.Binary(op, x, y)
}

// membership admits x in y.
func (l *language) membership(x, y starlark.Value) error {
	if _, ok := y.(*starlark.Dict); ok {
		return l.key(x)
	}
	if a, b, texts := bothTexts(x, y); texts {
		return l.meter.touch(len(a) + len(b))
	}
	if plain(y) {
		return nil
	}
	_, err := l.meter.weigh(x, y)
	return err
}

// result charges what an operator makes.
func (l *language) result(op syntax.Token, x, y starlark.Value) error {
	switch a := x.(type) {
	case starlark.Int:
		switch b := y.(type) {
		case starlark.Int:
			return l.number(op, a, b)
		case starlark.String, *starlark.List, starlark.Tuple:
			return l.repeated(op, y, a)
		}
	case starlark.String:
		switch b := y.(type) {
		case starlark.Int:
			if op == syntax.STAR {
				return l.repeated(op, x, b)
			}
		case starlark.String:
			if op == syntax.PLUS {
				return l.meter.text(len(a) + len(b))
			}
		}
		if op == syntax.PERCENT {
			w, err := l.meter.weigh(y)
			if err != nil {
				return err
			}
			return l.meter.text(len(a) + strings.Count(string(a), "%")*quoted(w.bytes))
		}
	case *starlark.List, starlark.Tuple, *starlark.Dict:
		if times, ok := y.(starlark.Int); ok {
			return l.repeated(op, x, times)
		}
		if err := l.keys(x, y); err != nil {
			return err
		}
		return l.meter.charge(2 * slot * (max(starlark.Len(x), 0) + max(starlark.Len(y), 0)))
	}
	return nil
}

// quoted is the most that so many bytes of values take when they are written out.
func quoted(bytes int) int { return 6 * bytes }

// number bounds the result of an operation on two whole numbers.
func (l *language) number(op syntax.Token, x, y starlark.Int) error {
	size := max(bits(x), bits(y)) + 1
	switch op {
	case syntax.STAR:
		size = bits(x) + bits(y)
	case syntax.LTLT:
		n, ok := y.Int64()
		if !ok || n > mostBits {
			return fmt.Errorf("%w: a number of more than %d bits", ErrMemory, mostBits)
		}
		size = bits(x) + int(max(n, 0))
	}
	if size > mostBits {
		return fmt.Errorf("%w: a number of %d bits; at most %d", ErrMemory, size, mostBits)
	}
	return nil
}

// repeated bounds the size of a value that is repeated.
func (l *language) repeated(op syntax.Token, v starlark.Value, times starlark.Int) error {
	if op != syntax.STAR || times.Sign() <= 0 {
		return nil
	}
	length := starlark.Len(v)
	if length <= 0 {
		return nil
	}
	n, ok := times.Int64()
	if !ok || n > mostString {
		return fmt.Errorf("%w: something %v times over", ErrMemory, short(times))
	}
	if _, ok := v.(starlark.String); ok {
		return l.meter.text(length * int(n))
	}
	return l.meter.charge(slot * length * int(n))
}

// addTo is x op= y for a variable. A list is extended where it is.
func (l *language) addTo(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	if list, ok := x.(*starlark.List); ok && op == syntax.PLUS {
		return list, l.extend(list, y)
	}
	return l.operate(op, x, y)
}

// addToAt is x[i] op= y.
func (l *language) addToAt(op syntax.Token, x, i, y starlark.Value) (starlark.Value, error) {
	if err := l.key(i); err != nil {
		return nil, err
	}
	switch x := x.(type) {
	case *starlark.Dict:
		was, found, err := x.Get(i)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, fmt.Errorf("key %s is not in the dict", short(i))
		}
		now, err := l.addTo(op, was, y)
		if err != nil {
			return nil, err
		}
		return starlark.None, x.SetKey(i, now)
	case *starlark.List:
		at, err := starlark.AsInt32(i)
		if err != nil {
			return nil, err
		}
		if at < 0 {
			at += x.Len()
		}
		if at < 0 || at >= x.Len() {
			return nil, fmt.Errorf("list index %s out of range: it has %d elements", short(i), x.Len())
		}
		now, err := l.addTo(op, x.Index(at), y)
		if err != nil {
			return nil, err
		}
		return starlark.None, x.SetIndex(at, now)
	}
	return nil, fmt.Errorf("an element of a %s cannot be added to", x.Type())
}

// extend appends what y holds.
func (l *language) extend(list *starlark.List, y starlark.Value) error {
	n, err := l.meter.count(y)
	if err != nil {
		return err
	}
	if err := l.meter.charge(2 * slot * n); err != nil {
		return err
	}
	iterable, ok := y.(starlark.Iterable)
	if !ok {
		return fmt.Errorf("a %s cannot be gone through", y.Type())
	}
	added := make([]starlark.Value, 0, n) // y may be the list itself
	for v := range starlark.Elements(iterable) {
		added = append(added, v)
	}
	for _, v := range added {
		if err := list.Append(v); err != nil {
			return err
		}
	}
	return nil
}

// attribute is x.name.
func (l *language) attribute(x starlark.Value, name string) (starlark.Value, error) {
	has, ok := x.(starlark.HasAttrs)
	if !ok {
		return nil, fmt.Errorf("a %s has no .%s", x.Type(), name)
	}
	v, err := has.Attr(name)
	if err != nil {
		return nil, err
	}
	method, ok := v.(*starlark.Builtin)
	if v == nil || ok && methods[x.Type()][name] == nil {
		return nil, fmt.Errorf("a %s has no .%s; it has %s", x.Type(), name, strings.Join(namesOf(x), ", "))
	}
	if !ok {
		return v, nil
	}
	if d, ok := x.(*starlark.Dict); ok && name == "clear" {
		return l.clear(d), nil
	}
	return l.wrapped(method, methods[x.Type()][name]), nil
}

// A bound admits a call of a builtin of the interpreter, and charges what it may
// make. recv is the value whose method it is; nil is none.
type bound func(l *language, recv starlark.Value, args []starlark.Value) error

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
		"capitalize": rewritten, "count": free, "elems": pieces, "endswith": compared, "find": free, "format": formatted, "index": free,
		"isalnum": free, "isalpha": free, "isdigit": free, "islower": free, "isspace": free, "istitle": free, "isupper": free,
		"join": joined, "lower": rewritten, "lstrip": stripped, "partition": free, "removeprefix": free, "removesuffix": free, "replace": replaced,
		"rfind": free, "rindex": free, "rpartition": free, "rsplit": pieces, "rstrip": stripped, "split": pieces, "splitlines": pieces,
		"startswith": compared, "strip": stripped, "title": rewritten, "upper": rewritten,
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
func (l *language) wrapped(b *starlark.Builtin, admit bound) *starlark.Builtin {
	return starlark.NewBuiltin(b.Name(), func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		all := slices.Clone([]starlark.Value(args))
		for _, kw := range kwargs {
			all = append(all, kw[1])
		}
		if err := admit(l, b.Receiver(), all); err != nil {
			return l.noted(thread, nil, err)
		}
		args, kwargs = l.byKey(b.Name(), args, kwargs)
		v, err := b.CallInternal(thread, args, kwargs)
		return l.noted(thread, v, err)
	})
}

// free is what makes nothing larger than what it gets, in about the time of
// reading it.
func free(l *language, recv starlark.Value, args []starlark.Value) error {
	for _, v := range append(args, recv) {
		if text, ok := v.(starlark.String); ok {
			if err := l.meter.touch(len(text)); err != nil {
				return err
			}
		}
	}
	return nil
}

// through is what goes through values, and makes as many. Keys may be among them.
func through(l *language, _ starlark.Value, args []starlark.Value) error {
	for _, v := range args {
		switch v.(type) {
		case *starlark.Builtin, *starlark.Function, starlark.NoneType, starlark.Bool, starlark.Int:
			continue
		}
		if starlark.Len(v) < 0 {
			return nil // the builtin says it better
		}
		n, err := l.meter.count(v)
		if err != nil {
			return err
		}
		if err := l.meter.charge(8 * slot * n); err != nil {
			return err
		}
		if plain(v) {
			continue
		}
		if _, err := l.meter.weigh(v); err != nil {
			return err
		}
	}
	return nil
}

// pairs is what makes keys of a dict, or of the first of each pair.
func pairs(l *language, recv starlark.Value, args []starlark.Value) error {
	if err := through(l, recv, args); err != nil {
		return err
	}
	if err := l.keys(args...); err != nil || len(args) == 0 {
		return err
	}
	list, ok := args[0].(starlark.Iterable)
	if _, isDict := list.(*starlark.Dict); !ok || isDict {
		return nil
	}
	for pair := range starlark.Elements(list) {
		if of, ok := pair.(starlark.Iterable); ok {
			for key := range starlark.Elements(of) {
				if err := l.key(key); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// stripped is what looks each letter of a text up among others.
func stripped(l *language, recv starlark.Value, args []starlark.Value) error {
	bytes := starlark.Len(recv)
	for _, v := range args {
		bytes *= max(starlark.Len(v), 1)
	}
	return l.meter.touch(bytes)
}

// moved is what moves the elements behind a place of a list; without a place that
// is the end.
func moved(l *language, recv starlark.Value, args []starlark.Value) error {
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
	return l.meter.spend((n - min(max(at, 0), n)) / moveStep)
}

// comparing is what compares each value once, also by a function of it.
func comparing(l *language, recv starlark.Value, args []starlark.Value) error {
	if err := through(l, recv, args); err != nil {
		return err
	}
	_, err := l.meter.weigh(args...)
	return err
}

// sorting is what compares each value with several.
func sorting(l *language, recv starlark.Value, args []starlark.Value) error {
	if err := comparing(l, recv, args); err != nil || len(args) == 0 {
		return err
	}
	w, err := l.meter.weigh(args[0])
	if err != nil {
		return err
	}
	return l.meter.spend(comparisons(args[0]) * w.steps())
}

// comparisons is how often a sort compares each of some values: a merge sort halves
// them, and compares each with one or two others in each half. The blocks of 20 that
// it begins with, five comparisons each, are no more than the halvings which they spare.
func comparisons(v starlark.Value) int { return 2 * mathbits.Len(uint(max(starlark.Len(v), 0))) }

// byKey weighs what the function gives by which values are compared: it may make
// more of a value than the value is.
func (l *language) byKey(name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Tuple, []starlark.Tuple) {
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
			w, err := l.meter.weigh(v)
			if err == nil {
				err = l.meter.spend(times * w.steps())
			}
			return l.noted(thread, v, err)
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
func (l *language) clear(d *starlark.Dict) *starlark.Builtin {
	return starlark.NewBuiltin("clear", func(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		err := starlark.UnpackArgs(b.Name(), args, kwargs)
		if err == nil {
			err = l.meter.spend(d.Len() / 8)
		}
		if err == nil {
			err = l.meter.charge(slot * d.Len())
		}
		if err == nil {
			err = l.keys(d)
		}
		if err != nil {
			return l.noted(thread, nil, err)
		}
		for _, k := range d.Keys() {
			if _, _, err := d.Delete(k); err != nil {
				return l.noted(thread, nil, err)
			}
		}
		return starlark.None, nil
	})
}

// written is what writes values out.
func written(l *language, _ starlark.Value, args []starlark.Value) error {
	w, err := l.meter.weigh(args...)
	if err != nil {
		return err
	}
	return l.meter.text(quoted(w.bytes))
}

// number is what reads a text as a number, in the square of its length.
func number(_ *language, _ starlark.Value, args []starlark.Value) error {
	for _, v := range args {
		if text, ok := v.(starlark.String); ok && len(text) > mostBits/4 {
			return fmt.Errorf("%w: a number of %d letters; at most %d", ErrMemory, len(text), mostBits/4)
		}
	}
	return nil
}

func rewritten(l *language, recv starlark.Value, _ []starlark.Value) error {
	return l.meter.text(3 * starlark.Len(recv)) // a letter of one byte may have a capital of three
}

// pieces is what cuts a text, at worst into its letters.
func pieces(l *language, recv starlark.Value, _ []starlark.Value) error {
	return l.meter.charge(2 * slot * starlark.Len(recv))
}

func formatted(l *language, recv starlark.Value, args []starlark.Value) error {
	w, err := l.meter.weigh(args...)
	if err != nil {
		return err
	}
	form, _ := starlark.AsString(recv)
	return l.meter.text(len(form) + strings.Count(form, "{")*quoted(w.bytes))
}

func joined(l *language, recv starlark.Value, args []starlark.Value) error {
	if len(args) != 1 || starlark.Len(args[0]) < 0 {
		return nil // the builtin says it better
	}
	n, err := l.meter.count(args[0])
	if err != nil {
		return err
	}
	w, err := l.meter.weigh(args...)
	if err != nil {
		return err
	}
	return l.meter.text(n*starlark.Len(recv) + w.bytes)
}

func replaced(l *language, recv starlark.Value, args []starlark.Value) error {
	if len(args) < 2 {
		return nil
	}
	text, _ := starlark.AsString(recv)
	old, _ := starlark.AsString(args[0])
	put, _ := starlark.AsString(args[1])
	return l.meter.text(len(text) + strings.Count(text, old)*len(put))
}

// compared is what holds a value against another, or against each of a sequence.
func compared(l *language, recv starlark.Value, args []starlark.Value) error {
	_, err := l.meter.weigh(append(args, recv)...)
	return err
}

func keyed(l *language, _ starlark.Value, args []starlark.Value) error {
	if len(args) == 0 {
		return nil
	}
	return l.key(args[0])
}

func listed(l *language, recv starlark.Value, _ []starlark.Value) error {
	n, err := l.meter.count(recv)
	if err != nil {
		return err
	}
	return l.meter.charge(4 * slot * n)
}

// helpers are functions that Starlark lacks and work on pages wants.
func (l *language) helpers() {
	l.function("sum", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var of starlark.Iterable
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "values", &of); err != nil {
			return nil, err
		}
		if _, err := l.meter.count(of); err != nil {
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
			if total, err = l.operate(syntax.PLUS, total, v); err != nil {
				return nil, err
			}
		}
		return total, nil
	})
	l.function("round", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
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
	l.function("number", func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var text string
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "text", &text); err != nil {
			return nil, err
		}
		if err := l.meter.spend(len(text)); err != nil { // an expression over letters: a tenth of a microsecond each
			return nil, err
		}
		return readNumber(text)
	})
}
