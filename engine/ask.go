package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// A question is what the engine wants to know from a model.
type question struct {
	purpose llm.Purpose
	model   LLM // nil: the session's
	prompt  string
	parts   []llm.Part
	schema  *llm.ResponseSchema
	form    func() (*Schema, error) // the parsed schema; nil: it is parsed now

	// check validates an answer that satisfies the schema. The model sees its
	// error's text once, to repair the answer.
	check func(answer []byte) error
}

// formOf parses a schema once, on first use.
func formOf(s *llm.ResponseSchema) func() (*Schema, error) {
	return sync.OnceValues(func() (*Schema, error) { return schema.Parse(s.Schema) })
}

// ask puts a question and returns a validated answer. The model has one chance
// to repair an invalid one.
func (s *Session) ask(ctx context.Context, q question) ([]byte, Usage, error) {
	model := cmp.Or(q.model, s.opts.Model)
	if model == nil {
		return nil, Usage{}, fmt.Errorf("%w: set Options.Model, for example to offline.New() which needs no network", ErrNoModel)
	}
	read := q.form
	if read == nil {
		read = formOf(q.schema)
	}
	form, err := read()
	if err != nil {
		return nil, Usage{}, err
	}
	system := q.prompt
	if extra := strings.TrimSpace(s.opts.SystemPrompt); extra != "" {
		system += "\n" + extra + "\n"
	}
	req := &llm.Request{
		Purpose:  q.purpose,
		System:   system,
		Messages: []llm.Message{{Role: llm.User, Parts: q.parts}},
		Schema:   q.schema,
	}
	begin := time.Now()
	resp, err := llm.Ask(ctx, model, req, func(answer []byte) error {
		err := form.Validate(answer)
		if err == nil && q.check != nil {
			err = q.check(answer)
		}
		if err != nil { // the model sees it
			err = s.hideError(err)
		}
		return err
	})
	var usage Usage
	var text []byte
	if resp != nil {
		usage, text = resp.Usage, []byte(resp.Text)
	}
	s.asked(ctx, Ask{Purpose: string(q.purpose), Model: model.Name(), Begin: begin, Usage: usage, Err: err})
	if err != nil {
		return nil, usage, fmt.Errorf("ask %s: %w", model.Name(), err)
	}
	return text, usage, nil
}

// asked reports a question that has just ended.
func (s *Session) asked(ctx context.Context, a Ask) {
	a.Duration = time.Since(a.Begin)
	if a.Err != nil {
		a.Err = s.hideError(a.Err)
	}
	s.journal.asked(ctx, a)
}

// outlinePart is a snapshot as a model gets it. The look has masked its
// outline.
func (s *Session) outlinePart(snap *Snapshot) llm.Page {
	return llm.Page{Kind: "outline", Text: snap.Outline()}
}

func decode[T any](answer []byte) (T, error) {
	var v T
	err := json.Unmarshal(answer, &v)
	return v, err
}

// GenerateOptions refine Generate.
type GenerateOptions struct {
	Model     LLM                 // in place of the session's
	Variables map[string]Variable // remembered, as those of Act are
	Timeout   time.Duration       // 0 is no limit

	// Page is the page that the question is about, for the history; nil is the
	// active one.
	Page *Page

	// Delta, if not nil, gets the pieces of the answer as they arrive, without
	// the last one's Response, if the model is an [llm.Streamer]. It is called
	// on the goroutine of Generate, which waits for it. If an error follows,
	// discard what it got.
	Delta func(llm.Delta)
}

// Generate puts a request of the caller's own to the session's model, or that
// of opts, the way the engine puts its questions: history, metrics and hooks
// record it, the budgets of ctx count it if the model is behind a
// middleware.Meter, and values of variables are hidden in all of its texts,
// tool calls and results. Images are sent unchanged. The request itself is not
// modified; see [llm.Response.Message].
//
// If the model read a value from an image, the answer holds its placeholder.
// opts may be nil.
func (s *Session) Generate(ctx context.Context, req *llm.Request, opts *GenerateOptions) (*llm.Response, error) {
	if opts == nil {
		opts = &GenerateOptions{}
	}
	model := cmp.Or(opts.Model, s.opts.Model)
	if model == nil {
		return nil, fmt.Errorf("generate: %w: set Options.Model", ErrNoModel)
	}
	if s.isClosed() {
		return nil, fmt.Errorf("generate: session %w", ErrClosed)
	}
	if err := checkVariables(opts.Variables); err != nil {
		return nil, fmt.Errorf("generate: %w", err)
	}
	s.secrets.add(opts.Variables)
	if opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opts.Timeout)
		defer cancel()
	}
	ctx, entry := s.enter(ctx, OperationGenerate, cmp.Or(opts.Page, s.Page()))
	begin := time.Now()
	asked := s.secrets.hideRequest(req)
	asked.Purpose = cmp.Or(req.Purpose, llm.PurposeAgent)
	resp, err := s.generate(ctx, model, asked, opts.Delta)
	var usage Usage
	if resp != nil {
		usage = resp.Usage
	}
	s.asked(ctx, Ask{Purpose: string(asked.Purpose), Model: model.Name(), Begin: begin, Usage: usage, Err: err})
	if err != nil {
		err = s.hideError(fmt.Errorf("generate: ask %s: %w", model.Name(), err))
	}
	s.journal.ended(ctx, entry, err, func(e *Entry) { e.Usage, e.Model = usage, model.Name() })
	if err != nil {
		return nil, err
	}
	return s.secrets.hideResponse(resp), nil
}

// generate asks in one piece, or streams if somebody listens and the model can.
func (s *Session) generate(ctx context.Context, model LLM, req *llm.Request, emit func(llm.Delta)) (*llm.Response, error) {
	streamer, ok := model.(llm.Streamer)
	if !ok || emit == nil {
		return model.Generate(ctx, req)
	}
	var resp *llm.Response
	bits := deltaHider{secrets: &s.secrets, emit: emit}
	for delta, err := range streamer.Stream(ctx, req) {
		if err != nil {
			return nil, err
		}
		if delta.Response != nil {
			resp = delta.Response
			continue
		}
		bits.add(delta)
	}
	if resp == nil {
		return nil, errors.New("the stream ended without an answer")
	}
	bits.flush()
	return resp, nil
}

// The stable part of each prompt comes first and never changes, so that a
// provider's prompt cache can serve it.

const promptOutline = `You operate a web page for a person. The page is given as an outline of its accessibility tree: a line for each element, indented below its container, as
[ref] role: name (states) value="…"
Name an element by its ref, exactly as written. Never make up a ref. The cells of a row stand between bars on its line; the second one of [0-21] row is named 0-21:2.
`
