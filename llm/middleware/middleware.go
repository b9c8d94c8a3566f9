package middleware

import (
	"context"
	"iter"
	"slices"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// A Middleware makes a model of a model: one with the same name that treats
// each request in a way of its own. The result is an [llm.Streamer] if the model
// is one.
type Middleware func(llm.Model) llm.Model

// Wrap puts middleware around a model. The first is outermost: it gets a
// request first, and an answer last. nil ones are left out.
func Wrap(m llm.Model, around ...Middleware) llm.Model {
	for _, middleware := range slices.Backward(around) {
		if middleware != nil {
			m = middleware(m)
		}
	}
	return m
}

// An interceptor answers a request by attempts. It serves streams as well: what
// it returns is then only whether the stream ended well.
type interceptor func(ctx context.Context, req *llm.Request, ask attempt) (*llm.Response, error)

// An attempt puts the request to a model once. begun reports that a part of the
// answer has reached the caller, so that nothing may be asked again. A caller
// who leaves a stream ends the attempt without an error, and without a response
// unless it was there already.
type attempt func(llm.Model) (resp *llm.Response, begun bool, err error)

// intercept returns a model that answers as the interceptor does. models are
// those that it may ask; the first gives the name.
func intercept(answer interceptor, models ...llm.Model) llm.Model {
	w := wrapped{models, answer}
	if _, ok := models[0].(llm.Streamer); ok {
		return &wrappedStreamer{w}
	}
	return &w
}

// modelsOf returns what a model made by [intercept] may ask; nil for others.
func modelsOf(m llm.Model) []llm.Model {
	switch m := m.(type) {
	case *wrapped:
		return m.models
	case *wrappedStreamer:
		return m.models
	}
	return nil
}

type wrapped struct {
	models []llm.Model
	answer interceptor
}

// Name is the first model's own.
func (w *wrapped) Name() string { return w.models[0].Name() }

// Unwrap returns the model, nil if there are several.
func (w *wrapped) Unwrap() llm.Model {
	if len(w.models) != 1 {
		return nil
	}
	return w.models[0]
}

// Generate answers in one piece.
func (w *wrapped) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	return w.answer(ctx, req, func(m llm.Model) (*llm.Response, bool, error) {
		resp, err := m.Generate(ctx, req)
		return resp, false, err
	})
}

type wrappedStreamer struct{ wrapped }

// Stream answers bit by bit.
func (w *wrappedStreamer) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		left := false
		_, err := w.answer(ctx, req, func(m llm.Model) (resp *llm.Response, begun bool, _ error) {
			for delta, err := range streamOf(ctx, m, req) {
				if err != nil {
					return nil, begun, err
				}
				begun, resp = true, delta.Response
				if !yield(delta, nil) {
					left = true
					return resp, begun, nil
				}
			}
			return resp, begun, nil
		})
		if err != nil && !left {
			yield(llm.Delta{}, err)
		}
	}
}

// streamOf streams a model's answer, in one piece if it can't do otherwise.
func streamOf(ctx context.Context, m llm.Model, req *llm.Request) iter.Seq2[llm.Delta, error] {
	if s, ok := m.(llm.Streamer); ok {
		return s.Stream(ctx, req)
	}
	return func(yield func(llm.Delta, error) bool) {
		resp, err := m.Generate(ctx, req)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		for _, delta := range inPieces(resp) {
			if !yield(delta, nil) {
				return
			}
		}
		yield(llm.Delta{Response: resp}, nil)
	}
}

// inPieces are the deltas of an answer that came in one piece.
func inPieces(resp *llm.Response) []llm.Delta {
	var all []llm.Delta
	for _, r := range resp.Reasoning {
		if r.Text != "" {
			all = append(all, llm.Delta{Reasoning: r.Text})
		}
	}
	if resp.Text != "" {
		all = append(all, llm.Delta{Text: resp.Text})
	}
	for i, call := range resp.ToolCalls {
		all = append(all, llm.Delta{Call: &llm.CallDelta{Index: i, ID: call.ID, Name: call.Name, Arguments: string(call.Arguments)}})
	}
	return all
}
