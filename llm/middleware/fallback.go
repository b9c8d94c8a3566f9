package middleware

import (
	"context"
	"errors"
	"strings"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// Fallback asks the model, and the next of others where one can't answer: it
// can't be reached, is overloaded, limited or used up, does not take the key,
// does not exist, answers what nobody can read, or cannot do what the request
// asks. It does not move on from what another model would say as well, or what
// is nobody's fault but the request's: an answer that was refused, filtered or
// cut off, a request that is invalid, a budget that is used up, a context that
// ended. An answer that has begun to stream is the answer.
//
// If none answers, the error joins those of all that were asked. The name is
// the first model's; [llm.Response].Model says who answered. In a stream, a
// model of others that can't stream answers in one piece.
func Fallback(others ...llm.Model) Middleware {
	return func(first llm.Model) llm.Model {
		models := append([]llm.Model{first}, others...)
		return intercept(func(ctx context.Context, _ *llm.Request, ask attempt) (*llm.Response, error) {
			var failed failures
			for _, m := range models {
				resp, begun, err := ask(m)
				if err == nil {
					return resp, nil
				}
				failed = append(failed, err)
				if begun || ctx.Err() != nil || !movesOn(err) {
					return nil, failed.verdict()
				}
			}
			return nil, failed.all()
		}, models...)
	}
}

// movesOn reports whether another model may do better.
func movesOn(err error) bool {
	var e *llm.Error
	if !errors.As(err, &e) {
		return true // nothing is known of it
	}
	switch e.Kind {
	case llm.KindInvalid, llm.KindLength, llm.KindRefusal, llm.KindContentFilter, llm.KindSchema, llm.KindBudget:
		return false
	default:
		return true
	}
}

// failures are the errors of the models that were asked, in order.
type failures []error

// all is the error when nobody is left to ask.
func (f failures) all() error {
	if len(f) == 1 {
		return f[0]
	}
	return &fallbackError{f, f}
}

// verdict is the error when the last one settles it. It comes first for those
// who look into the error.
func (f failures) verdict() error {
	if len(f) == 1 {
		return f[0]
	}
	return &fallbackError{f, append([]error{f[len(f)-1]}, f[:len(f)-1]...)}
}

type fallbackError struct{ asked, wrapped []error }

func (e *fallbackError) Error() string {
	words := make([]string, len(e.asked))
	for i, err := range e.asked {
		words[i] = err.Error()
	}
	return strings.Join(words, "; then ")
}

func (e *fallbackError) Unwrap() []error { return e.wrapped }
