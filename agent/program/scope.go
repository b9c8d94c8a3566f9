package program

import (
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// A variable is a name and what it stood for, shortened.
type variable struct{ Name, Value string }

// A scope is what a program can name, and what was known where it failed.
type scope struct {
	names  starlark.StringDict
	at     syntax.Position // where the last error was
	locals []variable      // what was known there
	failed error           // that error
}

type builtin = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

// function adds a function of ours.
func (s *scope) function(name string, f builtin) {
	s.names[name] = starlark.NewBuiltin(name, func(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		v, err := f(thread, b, args, kwargs)
		return s.noted(thread, v, err)
	})
}

// noted passes a builtin's result on. Of an error it notes where it was, and the
// variables there: afterwards the frames are gone.
func (s *scope) noted(thread *starlark.Thread, v starlark.Value, err error) (starlark.Value, error) {
	if err == nil || s.failed != nil {
		return v, err
	}
	s.failed = err
	for depth := range thread.CallStackDepth() {
		frame := thread.DebugFrame(depth)
		if _, ok := frame.Callable().(*starlark.Function); !ok {
			continue
		}
		s.at = frame.Position()
		for i := range frame.NumLocals() {
			name, value := frame.Local(i)
			if value != nil {
				s.locals = append(s.locals, variable{name.Name, short(value)})
			}
		}
		break
	}
	return v, err
}
