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
	form    func() (*Schema, error) // what schema says; nil: it is read now

	// check looks at an answer that satisfies the schema; its error's text is
	// shown to the model once.
	check func(answer []byte) error
}

// formOf reads a schema once, when it is asked for.
func formOf(s *llm.ResponseSchema) func() (*Schema, error) {
	return sync.OnceValues(func() (*Schema, error) { return schema.Parse(s.Schema) })
}

// ask puts a question and returns an answer that was checked. The model has one
// chance to repair an answer that does not do.
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
		if err != nil { // the model is shown it
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

// asked reports a question that has just come to its end.
func (s *Session) asked(ctx context.Context, a Ask) {
	a.Duration = time.Since(a.Begin)
	if a.Err != nil {
		a.Err = s.hideError(a.Err)
	}
	s.journal.asked(ctx, a)
}

// outlinePart is a snapshot as a model gets it. A look has masked its outline.
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
	Variables map[string]Variable // known from now on, as those of Act are
	Timeout   time.Duration       // 0 is as long as ctx lasts

	// Page is the page that the question is about, for the history; nil is the
	// active one.
	Page *Page

	// Delta, if not nil, gets the pieces of the answer as they come, without
	// the last one's Response, where the model is an [llm.Streamer]. It is
	// called on the goroutine of Generate and holds the answer up. What it got
	// before an error was no answer.
	Delta func(llm.Delta)
}

// Generate puts a request of the caller's own to the session's model, or to
// that of opts, the way the engine's questions are put: it is in the history,
// the metrics and the hooks, counts against the budgets of ctx where the model
// is behind a middleware.Meter, and the values of variables are hidden in all of its texts,
// tool calls and results. Pictures are sent as they are. The request is not
// changed, and the messages are not added to; see [llm.Response.Message].
//
// Values that the model found out by itself, from a picture, are hidden in the
// answer: placeholders stand for them. opts may be nil.
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

// generate asks in one piece, or bit by bit where somebody listens and the
// model can.
func (s *Session) generate(ctx context.Context, model LLM, req *llm.Request, tell func(llm.Delta)) (*llm.Response, error) {
	streamer, ok := model.(llm.Streamer)
	if !ok || tell == nil {
		return model.Generate(ctx, req)
	}
	var resp *llm.Response
	bits := deltaHider{secrets: &s.secrets, emit: tell}
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

// The forms of the engine's own questions, read once.
var actForm, observeForm, textForm = formOf(actSchema), formOf(observeSchema), formOf(textSchema)
