package llm

import (
	"context"
	"errors"
	"iter"
	"strings"
)

// Fallback returns a model that asks the first of a list, and the next one
// where a model can't answer: it can't be reached, is overloaded, limited or
// used up, does not take the key, does not exist, answers what nobody can
// read, or cannot do what the request asks. It does not move on from what
// another model would say as well, or what is nobody's fault but the
// request's: an answer that was refused, filtered or cut off, a request that is
// invalid, a budget that is used up, a context that ended. An answer that has
// begun to stream is the answer.
//
// If none answers, the error joins those of all that were asked. Its name is
// the first one's; [Response].Model says who answered. The result is a
// [Streamer] if the first is one; the others then answer in one piece where
// they are none.
func Fallback(first Model, others ...Model) Model {
	f := fallback{models: append([]Model{first}, others...)}
	if _, ok := first.(Streamer); ok {
		return &fallbackStream{f}
	}
	return &f
}

type fallback struct{ models []Model }

// each puts something around every model of the list.
func (f *fallback) each(around func(Model) Model) Model {
	var models []Model
	for _, m := range f.models {
		models = append(models, around(m))
	}
	return Fallback(models[0], models[1:]...)
}

// Name is that of the first model.
func (f *fallback) Name() string { return f.models[0].Name() }

// Generate asks until one answers.
func (f *fallback) Generate(ctx context.Context, req *Request) (*Response, error) {
	var failed failures
	for _, m := range f.models {
		resp, err := m.Generate(ctx, req)
		if err == nil {
			return resp, nil
		}
		failed = append(failed, err)
		if ctx.Err() != nil || !movesOn(err) {
			return nil, failed.verdict()
		}
	}
	return nil, failed.all()
}

type fallbackStream struct{ fallback }

// Stream asks until an answer begins.
func (f *fallbackStream) Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		var failed failures
		for _, m := range f.models {
			begun := false
			var err error
			for delta, e := range streamOf(ctx, m, req) {
				if e != nil {
					err = e
					break
				}
				begun = true
				if !yield(delta, nil) {
					return
				}
			}
			if err == nil {
				return
			}
			failed = append(failed, err)
			if begun || ctx.Err() != nil || !movesOn(err) {
				yield(Delta{}, failed.verdict())
				return
			}
		}
		yield(Delta{}, failed.all())
	}
}

// streamOf streams a model's answer, in one piece if it can't do otherwise.
func streamOf(ctx context.Context, m Model, req *Request) iter.Seq2[Delta, error] {
	if s, ok := m.(Streamer); ok {
		return s.Stream(ctx, req)
	}
	return func(yield func(Delta, error) bool) {
		resp, err := m.Generate(ctx, req)
		if err != nil {
			yield(Delta{}, err)
			return
		}
		for _, delta := range inPieces(resp) {
			if !yield(delta, nil) {
				return
			}
		}
		yield(Delta{Response: resp}, nil)
	}
}

// inPieces are the deltas of an answer that came in one piece.
func inPieces(resp *Response) []Delta {
	var all []Delta
	for _, r := range resp.Reasoning {
		if r.Text != "" {
			all = append(all, Delta{Reasoning: r.Text})
		}
	}
	if resp.Text != "" {
		all = append(all, Delta{Text: resp.Text})
	}
	for i, call := range resp.ToolCalls {
		all = append(all, Delta{Call: &CallDelta{Index: i, ID: call.ID, Name: call.Name, Arguments: string(call.Arguments)}})
	}
	return all
}

// movesOn reports whether another model may do better.
func movesOn(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return true // nothing is known of it
	}
	switch e.Kind {
	case KindInvalid, KindLength, KindRefusal, KindContentFilter, KindSchema, KindBudget:
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
