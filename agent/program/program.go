package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// A report says what a program came to.
type report struct {
	Log   []string // what it logged, in order
	Stop  *stop    // why it ended before its end; nil if it did not
	Calls int      // of functions that reach the page
	Steps uint64   // of the interpreter
	Bytes int      // charged
}

// A stop is where and why a program ended before its end, and what it knew then.
type stop struct {
	Line      int    // from 1; 0 where no line is to blame
	Source    string // the line
	Variables []variable
	Err       error
}

func (s *stop) Error() string {
	if s.Line == 0 {
		return s.Err.Error()
	}
	return fmt.Sprintf("line %d: %v", s.Line, s.Err)
}

// Unwrap returns what went wrong.
func (s *stop) Unwrap() error { return s.Err }

// run runs a program on a world. It returns soon after ctx ends, whatever the
// program does, as long as the world's own functions do. It never panics.
//
// A program that cannot run has a [report] with a Stop, as one that was stopped:
// what was done by then is done.
func run(ctx context.Context, source string, world world, limits Limits) (report *report) {
	m := newMachine(ctx, world, Limits{Steps: cmp.Or(limits.Steps, 1_000_000), Memory: cmp.Or(limits.Memory, 64<<20), Calls: cmp.Or(limits.Calls, 500)})
	defer func() {
		if p := recover(); p != nil { // a mistake of the interpreter, or of this package
			report = m.report(source, nil, fmt.Errorf("the interpreter failed: %v", p))
		}
	}()
	compiled, err := m.compile(source)
	if err != nil {
		return m.report(source, nil, err)
	}
	stop := context.AfterFunc(ctx, func() { m.meter.thread.Cancel("the program was ended") })
	defer stop()
	globals, err := compiled.Init(m.meter.thread, m.names)
	return m.report(source, globals, err)
}

// Limits bound one program. They hold whatever the program is: none of them
// depends on time.
type Limits struct {
	Steps  uint64 // of the interpreter; 0 is 1,000,000
	Memory int    // bytes of all results of operations together; 0 is 64 MiB
	Calls  int    // of functions that reach the page; 0 is 500
}

// A machine is one program under way. One goroutine uses it.
type machine struct {
	primitives
	tooLong bool
}

func newMachine(ctx context.Context, world world, limits Limits) *machine {
	m := &machine{}
	m.ctx, m.world, m.most = ctx, world, limits.Calls
	m.names, m.hashes = starlark.StringDict{}, map[uint32]hashed{}
	thread := &starlark.Thread{Name: fileName, Print: func(_ *starlark.Thread, msg string) { m.log.add(msg) }}
	thread.SetMaxExecutionSteps(limits.Steps)
	thread.OnMaxSteps = func(thread *starlark.Thread) {
		m.tooLong = true
		thread.Cancel("too many steps")
	}
	m.meter = meter{thread: thread, steps: limits.Steps, most: limits.Memory}
	m.guards()
	for name, value := range starlark.Universe {
		b, ok := value.(*starlark.Builtin)
		if !ok {
			continue // None, True, False
		}
		if admit, ok := functions[name]; ok {
			m.names[name] = m.wrapped(b, admit)
			continue
		}
		m.function(name, func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return nil, fmt.Errorf("%w: %s is not there", ErrInvalid, name)
		})
	}
	m.helpers()
	m.reach()
	return m
}

func (m *machine) compile(source string) (*starlark.Program, error) {
	file, err := parse(source)
	if err != nil {
		return nil, err
	}
	compiled, err := starlark.FileProgram(file, m.names.Has)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return compiled, nil
}

// report says what a program came to.
func (m *machine) report(source string, globals starlark.StringDict, err error) *report {
	r := &report{Log: m.log.lines(), Calls: m.calls, Steps: m.meter.thread.Steps, Bytes: m.meter.used}
	if err == nil {
		return r
	}
	r.Stop = &stop{Err: m.cause(err)}
	at := m.at
	var eval *starlark.EvalError
	var syntaxError syntax.Error
	var names resolve.ErrorList
	switch {
	case errors.As(err, &eval):
		for i := len(eval.CallStack) - 1; i >= 0; i-- {
			if pos := eval.CallStack[i].Pos; pos.Line > 0 && pos.Filename() == fileName {
				at = pos
				break
			}
		}
	case errors.As(err, &syntaxError):
		at = syntaxError.Pos
	case errors.As(err, &names) && len(names) > 0:
		at = names[0].Pos
	}
	r.Stop.Line = int(at.Line)
	if lines := strings.Split(source, "\n"); r.Stop.Line >= 1 && r.Stop.Line <= len(lines) {
		r.Stop.Source = cut(strings.TrimSpace(lines[r.Stop.Line-1]), mostShown)
	}
	r.Stop.Variables = m.locals
	for _, name := range globals.Keys() {
		if _, isFunction := globals[name].(*starlark.Function); isFunction || slices.ContainsFunc(m.locals, func(v variable) bool { return v.Name == name }) {
			continue
		}
		r.Stop.Variables = append(r.Stop.Variables, variable{name, short(globals[name])})
	}
	return r
}

// cause is what an error of the interpreter comes from.
func (m *machine) cause(err error) error {
	var eval *starlark.EvalError
	switch {
	case m.ctx != nil && m.ctx.Err() != nil && (m.failed == nil || errors.Is(m.failed, m.ctx.Err())):
		if m.failed != nil {
			return m.failed
		}
		return context.Cause(m.ctx)
	case m.tooLong:
		return fmt.Errorf("%w: it took %d steps", ErrSteps, m.meter.steps)
	case m.failed != nil:
		return m.failed
	case errors.As(err, &eval):
		return errors.New(cut(eval.Msg, 4*mostShown))
	}
	return err
}
