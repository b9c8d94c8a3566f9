package offline

import (
	"context"
	"encoding/json"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// A Model matches words. Its zero value is ready, it holds nothing, and it may
// be used by several goroutines at once. The same request always gives the
// same answer.
type Model struct{}

var _ llm.Model = (*Model)(nil)

// New returns the model.
func New() *Model { return &Model{} }

// Name returns "offline/words".
func (*Model) Name() string { return name }

// MatchesWords says that the model understands no words: see [llm.MatchesWords].
func (*Model) MatchesWords() bool { return true }

// Generate answers a request of purpose act, observe or extract that holds an
// instruction and an outline, and a turn of an agent that has tools. Anything
// else, and a schema to be filled from a page, is an error of kind unsupported.
func (*Model) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, &llm.Error{Provider: provider, Kind: llm.KindUnavailable, Message: "the request was given up", Err: err}
	}
	if req.Purpose == llm.PurposeAgent && len(req.Tools) > 0 {
		return agent(req)
	}
	q, err := read(req)
	if err != nil {
		return nil, err
	}
	var answer any
	switch req.Purpose {
	case llm.PurposeAct:
		answer = q.act()
	case llm.PurposeObserve:
		answer = q.observe()
	case llm.PurposeExtract:
		answer, err = q.extract(req.Schema.Schema)
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, failed(llm.KindMalformed, "%v", err)
	}
	if err := fits(req.Schema, text); err != nil {
		return nil, err
	}
	return &llm.Response{Text: string(text), Stop: llm.StopEnd, Model: name}, nil
}
