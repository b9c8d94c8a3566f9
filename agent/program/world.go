package program

import (
	"context"
	"errors"
)

// What ends a program before its end.
var (
	// ErrInvalid: the program, or an argument, is wrong; the text says how to mend it.
	ErrInvalid = errors.New("invalid")
	// ErrSteps: the program took more steps than it may.
	ErrSteps = errors.New("the program takes too long")
	// ErrMemory: the program made more than it may.
	ErrMemory = errors.New("the program takes too much memory")
	// ErrCalls: the program called the page more often than it may.
	ErrCalls = errors.New("the program calls the page too often")
	// ErrSurprise: what a step did was not all that the program could expect.
	ErrSurprise = errors.New("a surprise")
)

// A world is all that a program reaches. [Tool] makes one of an agent's run;
// tests have their own. A program calls it from one goroutine. Its functions must
// return soon after ctx ends.
type world interface {
	// Do does one step by a tool of package agent, with its arguments, exactly as
	// a call of the model would. What it answers comes from the page.
	//
	// An error ends the program.
	Do(ctx context.Context, tool string, arguments map[string]any) (*step, error)

	// Read returns the page as it is now. Elements that a program names in the
	// steps that follow are looked up in it.
	Read(ctx context.Context) (*view, error)
}

// A step is what came of one step.
type step struct {
	Number int
	Text   string // the tool's answer
	// Surprise, if not empty, is why a program must not continue: what happened
	// besides what it asked for.
	Surprise string
}
