package program

import (
	"cmp"
	"context"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Limits bound one program. They hold whatever the program is: none of them
// depends on time.
type Limits struct {
	Steps  uint64 // of the interpreter; 0 is 1,000,000
	Memory int    // bytes of all results of operations together; 0 is 64 MiB
	Calls  int    // of functions that reach the page; 0 is 500
}

func (l Limits) withDefaults() Limits {
	l.Steps = cmp.Or(l.Steps, 1_000_000)
	l.Memory = cmp.Or(l.Memory, 64<<20)
	l.Calls = cmp.Or(l.Calls, 500)
	return l
}

// A variable is a name and what it stood for, shortened.
type variable struct{ Name, Value string }

// A machine is one program under way. One goroutine uses it.
type machine struct {
	ctx    context.Context // of Run: a builtin gets none
	world  world
	limits Limits
	meter  meter
	thread *starlark.Thread
	names  starlark.StringDict
	hashes map[uint32]hashed // of the keys so far

	calls   int
	log     log
	at      syntax.Position // where the last error was
	locals  []variable      // what was known there
	failed  error           // that error
	tooLong bool
	view    *view // the last that a step was aimed in
}

type builtin = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

// function adds a function of ours.
func (m *machine) function(name string, f builtin) {
	m.names[name] = starlark.NewBuiltin(name, func(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		v, err := f(thread, b, args, kwargs)
		return m.noted(thread, v, err)
	})
}

// noted passes a builtin's result on. Of an error it notes where it was, and the
// variables there: afterwards the frames are gone.
func (m *machine) noted(thread *starlark.Thread, v starlark.Value, err error) (starlark.Value, error) {
	if err == nil || m.failed != nil {
		return v, err
	}
	m.failed = err
	for depth := range thread.CallStackDepth() {
		frame := thread.DebugFrame(depth)
		if _, ok := frame.Callable().(*starlark.Function); !ok {
			continue
		}
		m.at = frame.Position()
		for i := range frame.NumLocals() {
			name, value := frame.Local(i)
			if value != nil {
				m.locals = append(m.locals, variable{name.Name, short(value)})
			}
		}
		break
	}
	return v, err
}
