package gemini

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// Stream answers bit by bit. Where the request has a schema, the bits are the
// answer in the form that was sent to the server; the Response at the end is in
// the schema's own.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		start := time.Now()
		for how, again := m.known.manner(req, m.options.Model), true; ; {
			begun, stopped := false, false
			resp, err := m.stream(ctx, req, how, func(delta llm.Delta) bool {
				begun = true
				stopped = !yield(delta, nil)
				return !stopped
			})
			if stopped {
				return
			}
			if err == nil {
				resp.Usage.Duration = time.Since(start)
				yield(llm.Delta{Response: resp}, nil)
				return
			}
			err = m.failure(ctx, err)
			if how, again = m.known.learn(err, req, how); begun || !again {
				yield(llm.Delta{}, err)
				return
			}
		}
	}
}

var errLeft = errors.New("the caller has heard enough")

// stream gives each bit to say, which says whether to go on.
func (m *Model) stream(ctx context.Context, req *llm.Request, how manner, say func(llm.Delta) bool) (*llm.Response, error) {
	q, err := m.question(req, how)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, m.options.Timeout)
	defer cancel() // leaving ends the request
	x := &exchange{}
	whole := answer{torn: true, before: q.calls}
	err = x.guard(func() error {
		for piece, err := range m.models.GenerateContentStream(x.with(ctx), m.options.Model, q.contents, q.config) {
			if err != nil {
				return err
			}
			deltas, err := whole.add(piece)
			if err != nil {
				return err
			}
			x.outside = true
			left := slices.ContainsFunc(deltas, func(d llm.Delta) bool { return !say(d) })
			x.outside = false
			if left {
				return errLeft
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if whole.reason == "" && whole.blocked == nil {
		return nil, modelhttp.Malformed("the stream ended before the answer did")
	}
	if rest := whole.text.Flush(); rest != "" && !say(llm.Delta{Text: rest}) {
		return nil, errLeft
	}
	return whole.response(q)
}
