package agent

import "errors"

// What ended a run that did not end by itself. Execute and Run wrap them; the
// [Result] that comes with the error says what was done.
var (
	// ErrInvalid: the agent or the task is configured wrongly; the text says how to fix it.
	ErrInvalid = errors.New("invalid")

	// ErrSteps: the steps ran out before the model was done.
	ErrSteps = errors.New("the steps ran out")

	// ErrRunTime: the run exceeded its time.
	ErrRunTime = errors.New("the time ran out")

	// ErrTokens: the next question to a model would exceed the run's tokens.
	ErrTokens = errors.New("the tokens ran out")

	// ErrCost: the next question to a model would exceed the run's money.
	ErrCost = errors.New("the money ran out")

	// ErrFailures: too many steps failed in a row.
	ErrFailures = errors.New("too many failures in a row")

	// ErrRepeated: the same action was wanted on the same page again and again.
	ErrRepeated = errors.New("the run goes in circles")

	// ErrStagnant: one action after the other changed nothing.
	ErrStagnant = errors.New("the run stands still")

	// ErrWindow: the conversation does not fit the model's context window.
	ErrWindow = errors.New("the model's window is too small")

	// ErrUnsupported: the model or the agent lacks the mode or a tool.
	ErrUnsupported = errors.New("not supported")

	// ErrLater: a person answers later. [Config].Approve and [Config].Ask return it;
	// the run ends with [Result].Pending, and continues by [Agent.Resume].
	ErrLater = errors.New("answered later")

	// ErrDenied: an action of a class that needs approval was not approved.
	ErrDenied = errors.New("not approved")

	// ErrFlow: a value was read at one site, would have gone to another, and the task
	// does not say so.
	ErrFlow = errors.New("data would go where the task does not say")

	// ErrToolTimeout: a tool exceeded its time, and its context was canceled.
	ErrToolTimeout = errors.New("the tool took too long")
)

// A boundError ends the run from within a tool: a bound that it met before it asked
// a model, or a record that could not be written before input was sent.
type boundError struct{ err error }

func (e *boundError) Error() string { return e.err.Error() }
