package engine

import (
	"cmp"
	"context"
	"encoding/json"
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
	s.metrics.asked(q.purpose, usage, err)
	s.traceAsk(ctx, Ask{Purpose: string(q.purpose), Model: model.Name(), Begin: begin, Duration: time.Since(begin), Usage: usage, Err: err})
	if err != nil {
		return nil, usage, fmt.Errorf("ask %s: %w", model.Name(), err)
	}
	return text, usage, nil
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
