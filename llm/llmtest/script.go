package llmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// A Step is one request that is expected, and its answer. The zero value takes
// any request and answers with an empty text.
type Step struct {
	// Purpose, if not empty, is the request's.
	Purpose llm.Purpose
	// Instruction, if not empty, stands in an Instruction of the last message.
	Instruction string
	// Page, if not empty, stands in a Page of the last message.
	Page string
	// Check, if not nil, decides too; its error says what is wrong.
	Check func(*llm.Request) error

	// Answer, if not nil, makes the answer: an error, a *llm.Response, a
	// string for the text, or any other value for the text as JSON.
	Answer func(*llm.Request) any
	// Text is the answer's text.
	Text string
	// JSON, if not nil, is the answer's text as JSON.
	JSON any
	// Calls are the tools that the answer wants called.
	Calls []llm.ToolCall
	// Err, if not nil, is returned in place of an answer.
	Err error
	// Hang makes the request wait until its context ends.
	Hang bool

	// Usage is the answer's. Zero is 100 tokens in and 10 out.
	Usage llm.Usage

	// Times is how often the step serves; 0 is once. A negative number is any
	// number of times, also none.
	Times int
}

// A Script is a model that answers by its steps. It may be used from several
// goroutines at once.
type Script struct {
	t       testing.TB
	ordered bool

	mu       sync.Mutex // protects the fields below
	steps    []Step
	served   []int
	requests []*llm.Request
}

var _ llm.Streamer = (*Script)(nil)

// NewScript returns a model that takes its steps in order. The test fails at
// its end if a step is left, unless it has failed already or was skipped.
func NewScript(t testing.TB, steps ...Step) *Script {
	s := &Script{t: t, ordered: true, steps: slices.Clone(steps), served: make([]int, len(steps))}
	t.Cleanup(s.leftovers)
	return s
}

// NewTable returns a model that answers each request by the first step that
// fits it and is not used up. A step that is left fails the test as it does
// for NewScript.
func NewTable(t testing.TB, steps ...Step) *Script {
	s := NewScript(t, steps...)
	s.ordered = false
	return s
}

// Name is "script/test".
func (s *Script) Name() string { return "script/test" }

// Requests returns the requests so far, in order, each as it was when it came:
// a caller that continues its request changes nothing here. They are shared:
// do not change them.
func (s *Script) Requests() []*llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Generate answers by the next step that serves.
func (s *Script) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	step, err := s.take(req)
	if err != nil {
		s.t.Errorf("%v", err)
		return nil, &llm.Error{Provider: "script", Kind: llm.KindInvalid, Err: err}
	}
	if step.Hang {
		<-ctx.Done()
		return nil, fmt.Errorf("script: %w", ctx.Err())
	}
	resp, err := step.respond(req)
	if missing := noRef(""); errors.As(err, &missing) {
		s.t.Errorf("%v", missing)
		err = &llm.Error{Provider: "script", Kind: llm.KindInvalid, Err: missing}
	}
	return resp, err
}

// Stream answers as Generate does, word by word, and calls in two pieces.
func (s *Script) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		resp, err := s.Generate(ctx, req)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		for _, delta := range pieces(resp) {
			if !yield(delta, nil) {
				return
			}
		}
		yield(llm.Delta{Response: resp}, nil)
	}
}

// pieces takes an answer apart.
func pieces(resp *llm.Response) []llm.Delta {
	var all []llm.Delta
	words := func(text string, piece func(string) llm.Delta) {
		for _, word := range strings.SplitAfter(text, " ") {
			if word != "" {
				all = append(all, piece(word))
			}
		}
	}
	for _, r := range resp.Reasoning {
		words(r.Text, func(s string) llm.Delta { return llm.Delta{Reasoning: s} })
	}
	words(resp.Text, func(s string) llm.Delta { return llm.Delta{Text: s} })
	for i, call := range resp.ToolCalls {
		half := len(call.Arguments) / 2
		for half > 0 && !utf8.RuneStart(call.Arguments[half]) {
			half--
		}
		all = append(all, llm.Delta{Call: &llm.CallDelta{Index: i, ID: call.ID, Name: call.Name, Arguments: string(call.Arguments[:half])}})
		if rest := string(call.Arguments[half:]); rest != "" {
			all = append(all, llm.Delta{Call: &llm.CallDelta{Index: i, Arguments: rest}})
		}
	}
	return all
}

// take finds the step for a request and marks it as served.
func (s *Script) take(req *llm.Request) (Step, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, copyOf(req))
	var reasons []string
	for i, step := range s.steps {
		if s.served[i] >= max(step.Times, 1) && step.Times >= 0 {
			continue
		}
		err := step.matches(req)
		if err == nil {
			s.served[i]++
			return step, nil
		}
		reasons = append(reasons, fmt.Sprintf("  step %d: %v", i+1, err))
		if s.ordered && step.Times >= 0 {
			break
		}
	}
	if len(reasons) == 0 {
		reasons = []string{"  no step is left"}
	}
	return Step{}, fmt.Errorf("script: request %d was not expected:\n%s\n%s",
		len(s.requests), strings.Join(reasons, "\n"), Show(req))
}

func (s *Script) leftovers() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.t.Failed() || s.t.Skipped() {
		return // what is left is mostly a consequence
	}
	for i, step := range s.steps {
		if want := max(step.Times, 1); step.Times >= 0 && s.served[i] < want {
			s.t.Errorf("script: step %d served %d requests, want %d (purpose %q, instruction %q)",
				i+1, s.served[i], want, step.Purpose, step.Instruction)
		}
	}
}

// matches says why a step does not fit a request.
func (step *Step) matches(req *llm.Request) error {
	if step.Purpose != "" && step.Purpose != req.Purpose {
		return fmt.Errorf("purpose is %q, want %q", req.Purpose, step.Purpose)
	}
	var instructions, pages []string
	if n := len(req.Messages); n > 0 {
		for _, part := range req.Messages[n-1].Parts {
			switch part := part.(type) {
			case llm.Instruction:
				instructions = append(instructions, part.Text)
			case llm.Page:
				pages = append(pages, part.Text)
			}
		}
	}
	if !anyContains(instructions, step.Instruction) {
		return fmt.Errorf("no instruction contains %q", step.Instruction)
	}
	if !anyContains(pages, step.Page) {
		return fmt.Errorf("no page text contains %q", step.Page)
	}
	if step.Check != nil {
		return step.Check(req)
	}
	return nil
}

func anyContains(texts []string, want string) bool {
	return want == "" || slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, want) })
}

// copyOf returns a copy of a request that shares nothing with it that may
// change: a dialogue is one request that grows.
func copyOf(req *llm.Request) *llm.Request {
	out := *req
	out.Tools = slices.Clone(req.Tools)
	out.Messages = slices.Clone(req.Messages)
	for i, m := range out.Messages {
		out.Messages[i].Parts = copyParts(m.Parts)
	}
	if req.Schema != nil {
		form := *req.Schema
		out.Schema = &form
	}
	return &out
}

func copyParts(parts []llm.Part) []llm.Part {
	out := slices.Clone(parts)
	for i, part := range out {
		switch part := part.(type) {
		case llm.Image:
			part.Data = bytes.Clone(part.Data)
			out[i] = part
		case llm.ToolCall:
			part.Arguments = bytes.Clone(part.Arguments)
			out[i] = part
		case llm.ToolResult:
			part.Parts = copyParts(part.Parts)
			out[i] = part
		}
	}
	return out
}

// respond makes the answer of a step.
func (step *Step) respond(req *llm.Request) (_ *llm.Response, err error) {
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case noRef:
			err = cause
		default:
			panic(cause)
		}
	}()
	if step.Err != nil {
		return nil, step.Err
	}
	resp := &llm.Response{Text: step.Text, ToolCalls: slices.Clone(step.Calls), Usage: step.Usage, Model: "test"}
	value := step.JSON
	if step.Answer != nil {
		switch answer := step.Answer(req).(type) {
		case error:
			return nil, answer
		case *llm.Response:
			return answer, nil
		case string:
			resp.Text = answer
		default:
			value = answer
		}
	}
	if value != nil {
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("script: the answer is no JSON: %w", err)
		}
		resp.Text = string(raw)
	}
	resp.Stop = llm.StopEnd
	if len(resp.ToolCalls) > 0 {
		resp.Stop = llm.StopTools
	}
	if resp.Usage == (llm.Usage{}) {
		resp.Usage = llm.Usage{Input: 100, Output: 10}
	}
	return resp, nil
}
