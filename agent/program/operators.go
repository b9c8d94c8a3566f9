package program

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// guards are the builtins that [parse] puts where operators, attributes, keys and
// slices stand.
func (m *machine) guards() {
	for _, op := range operators {
		m.builtin(guardOf(op), func(args starlark.Tuple) (starlark.Value, error) { return m.operate(op, args[0], args[1]) })
		m.builtin(addsTo(op), func(args starlark.Tuple) (starlark.Value, error) { return m.addTo(op, args[0], args[1]) })
		m.builtin(addsToAt(op), func(args starlark.Tuple) (starlark.Value, error) { return m.addToAt(op, args[0], args[1], args[2]) })
	}
	m.builtin(guardAttr, func(args starlark.Tuple) (starlark.Value, error) {
		return m.attribute(args[0], string(args[1].(starlark.String)))
	})
	m.builtin(guardKey, func(args starlark.Tuple) (starlark.Value, error) { return args[0], m.key(args[0]) })
	m.builtin(guardSlice, func(args starlark.Tuple) (starlark.Value, error) {
		return args[0], m.meter.charge(slot * max(starlark.Len(args[0]), 0))
	})
}

// builtin adds a guard. Its arguments are as [parse] wrote them.
func (m *machine) builtin(name string, f func(args starlark.Tuple) (starlark.Value, error)) {
	m.names[name] = starlark.NewBuiltin(name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		v, err := f(args)
		return m.noted(thread, v, err)
	})
}

// key admits a value as a key: a text is hashed each time, and a tuple within a
// tuple, many times over, as often as it is reached.
func (m *machine) key(v starlark.Value) error {
	switch v := v.(type) {
	case starlark.String:
		if err := m.touch(len(v)); err != nil {
			return err
		}
	case starlark.Tuple:
		if _, err := m.weigh(v); err != nil {
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
	first, known := m.hashes[hash]
	if !known {
		m.hashes[hash] = hashed{key: v}
		return nil
	}
	if same, err := starlark.Equal(first.key, v); err != nil || same {
		return err
	}
	first.others++
	m.hashes[hash] = first
	return m.spend(first.others)
}

// A hashed is the first key that had a hash, and how often another one had it: so
// many does a dict compare that one with, at most. Anybody can find numbers whose
// hashes are the same.
type hashed struct {
	key    starlark.Value
	others int
}

// keys admits those of dicts that are made anew.
func (m *machine) keys(of ...starlark.Value) error {
	for _, v := range of {
		if d, ok := v.(*starlark.Dict); ok {
			for k := range d.Entries() {
				if err := m.key(k); err != nil {
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
func (m *machine) operate(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	switch op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE:
		if a, b, texts := bothTexts(x, y); texts {
			if err := m.touch(min(len(a), len(b))); err != nil {
				return nil, err
			}
		}
		if !plain(x) && !plain(y) {
			if _, err := m.weigh(x, y); err != nil {
				return nil, err
			}
		}
		yes, err := starlark.Compare(op, x, y)
		return starlark.Bool(yes), err
	case syntax.IN, syntax.NOT_IN:
		if err := m.membership(x, y); err != nil {
			return nil, err
		}
	default:
		if err := m.result(op, x, y); err != nil {
			return nil, err
		}
	}
	if op == syntax.NOT_IN {
		in, err := starlark.Binary(syntax.IN, x, y)
		if err != nil {
			return nil, err
		}
		return !in.Truth(), nil
	}
	return starlark.Binary(op, x, y)
}

// membership admits x in y.
func (m *machine) membership(x, y starlark.Value) error {
	if _, ok := y.(*starlark.Dict); ok {
		return m.key(x)
	}
	if a, b, texts := bothTexts(x, y); texts {
		return m.touch(len(a) + len(b))
	}
	if plain(y) {
		return nil
	}
	_, err := m.weigh(x, y)
	return err
}

// result charges what an operator makes.
func (m *machine) result(op syntax.Token, x, y starlark.Value) error {
	switch a := x.(type) {
	case starlark.Int:
		switch b := y.(type) {
		case starlark.Int:
			return m.number(op, a, b)
		case starlark.String, *starlark.List, starlark.Tuple:
			return m.repeated(op, y, a)
		}
	case starlark.String:
		switch b := y.(type) {
		case starlark.Int:
			if op == syntax.STAR {
				return m.repeated(op, x, b)
			}
		case starlark.String:
			if op == syntax.PLUS {
				return m.meter.text(len(a) + len(b))
			}
		}
		if op == syntax.PERCENT {
			w, err := m.weigh(y)
			if err != nil {
				return err
			}
			return m.meter.text(len(a) + strings.Count(string(a), "%")*quoted(w.bytes))
		}
	case *starlark.List, starlark.Tuple, *starlark.Dict:
		if times, ok := y.(starlark.Int); ok {
			return m.repeated(op, x, times)
		}
		if err := m.keys(x, y); err != nil {
			return err
		}
		return m.meter.charge(2 * slot * (max(starlark.Len(x), 0) + max(starlark.Len(y), 0)))
	}
	return nil
}

// quoted is the most that so many bytes of values take when they are written out.
func quoted(bytes int) int { return 6 * bytes }

// number bounds what comes of two whole numbers.
func (m *machine) number(op syntax.Token, x, y starlark.Int) error {
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

// repeated bounds what stands there so many times.
func (m *machine) repeated(op syntax.Token, v starlark.Value, times starlark.Int) error {
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
		return m.meter.text(length * int(n))
	}
	return m.meter.charge(slot * length * int(n))
}

// addTo is x op= y for a variable. A list is extended where it is.
func (m *machine) addTo(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	if list, ok := x.(*starlark.List); ok && op == syntax.PLUS {
		return list, m.extend(list, y)
	}
	return m.operate(op, x, y)
}

// addToAt is x[i] op= y.
func (m *machine) addToAt(op syntax.Token, x, i, y starlark.Value) (starlark.Value, error) {
	if err := m.key(i); err != nil {
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
		now, err := m.addTo(op, was, y)
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
		now, err := m.addTo(op, x.Index(at), y)
		if err != nil {
			return nil, err
		}
		return starlark.None, x.SetIndex(at, now)
	}
	return nil, fmt.Errorf("an element of a %s cannot be added to", x.Type())
}

// extend appends what y holds.
func (m *machine) extend(list *starlark.List, y starlark.Value) error {
	n, err := m.count(y)
	if err != nil {
		return err
	}
	if err := m.meter.charge(2 * slot * n); err != nil {
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
func (m *machine) attribute(x starlark.Value, name string) (starlark.Value, error) {
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
		return m.clear(d), nil
	}
	return m.wrapped(method, methods[x.Type()][name]), nil
}
