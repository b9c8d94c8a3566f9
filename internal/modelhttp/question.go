package modelhttp

import (
	"iter"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// A Question is one request to a server that may refuse the form of it. K is what is
// known of the forms that the server takes. The same request is sent again, at once,
// as long as Learn finds another form in the refusal.
type Question[K any] struct {
	// Known returns the form that is tried first.
	Known func() K
	// Send asks once. It gives each bit of the answer to say, and ends where say
	// returns false; a nil say asks for the answer in one piece.
	Send func(_ K, say func(llm.Delta) bool) (*llm.Response, error)
	// Failure is an error as the caller gets it.
	Failure func(error) error
	// Learn returns the form to try next, and whether there is one.
	Learn func(_ error, sent K) (next K, again bool)
	// Answered, if not nil, hears what form was answered.
	Answered func(*llm.Response, K)
}

// Ask returns the answer in one piece.
func (q Question[K]) Ask() (*llm.Response, error) {
	start := time.Now()
	for known, again := q.Known(), true; ; {
		resp, err := q.Send(known, nil)
		if err == nil {
			return q.finish(resp, known, start), nil
		}
		err = q.Failure(err)
		if known, again = q.Learn(err, known); !again {
			return nil, err
		}
	}
}

// Stream yields the answer bit by bit. Once a bit was yielded, nothing is sent again.
func (q Question[K]) Stream() iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		start := time.Now()
		for known, again := q.Known(), true; ; {
			begun, stopped := false, false
			resp, err := q.Send(known, func(delta llm.Delta) bool {
				begun = true
				stopped = !yield(delta, nil)
				return !stopped
			})
			if stopped {
				return
			}
			if err == nil {
				yield(llm.Delta{Response: q.finish(resp, known, start)}, nil)
				return
			}
			err = q.Failure(err)
			if known, again = q.Learn(err, known); begun || !again {
				yield(llm.Delta{}, err)
				return
			}
		}
	}
}

func (q Question[K]) finish(resp *llm.Response, known K, start time.Time) *llm.Response {
	resp.Usage.Duration = time.Since(start)
	if q.Answered != nil {
		q.Answered(resp, known)
	}
	return resp
}
