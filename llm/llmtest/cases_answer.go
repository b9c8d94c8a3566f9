package llmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

func answerCases() []conformanceCase {
	return []conformanceCase{
		{name: "answer: text", said: []*Said{{Text: "Grüße, 世界 🌍\n\"quoted\"", Usage: llm.Usage{Input: 12, Output: 3}}}, check: func(t *testing.T, c *conversation) {
			noError(t, c)
			if c.resp.Text != "Grüße, 世界 🌍\n\"quoted\"" || c.resp.Stop != llm.StopEnd || len(c.resp.ToolCalls) != 0 {
				t.Errorf("answer = %+v", c.resp)
			}
		}},
		{name: "answer: usage", said: []*Said{{Text: "x", Usage: llm.Usage{Input: 120, Output: 30}}}, check: func(t *testing.T, c *conversation) {
			noError(t, c)
			if u := c.resp.Usage; u.Input != 120 || u.Output != 30 || u.Duration <= 0 {
				t.Errorf("usage = %+v, want 120 in, 30 out, and the time", u)
			}
		}},
		{name: "answer: cached and reasoning tokens are parts of the whole", needs: FeatureReasoning,
			said: []*Said{{Text: "x", Usage: llm.Usage{Input: 120, Output: 30, Cached: 100, Reasoning: 20}}}, check: func(t *testing.T, c *conversation) {
				noError(t, c)
				if u := c.resp.Usage; u.Input != 120 || u.Output != 30 || u.Cached != 100 || u.Reasoning != 20 {
					t.Errorf("usage = %+v", u)
				}
			}},
		{name: "answer: the model's own name", said: []*Said{{Text: "x"}}, check: func(t *testing.T, c *conversation) {
			noError(t, c)
			if !strings.HasPrefix(c.resp.Model, "test-model") {
				t.Errorf("Model = %q", c.resp.Model)
			}
		}},
		{name: "answer: a tool call", req: withTools, said: []*Said{{Calls: []llm.ToolCall{{ID: "call_9", Name: "look", Arguments: json.RawMessage(`{"zoom":2}`)}}}}, check: func(t *testing.T, c *conversation) {
			noError(t, c)
			if calls := c.resp.ToolCalls; c.resp.Stop != llm.StopTools || len(calls) != 1 || calls[0].ID == "" || calls[0].Name != "look" || !sameJSON(calls[0].Arguments, `{"zoom":2}`) {
				t.Errorf("answer = %+v", c.resp)
			}
		}},
		{name: "answer: calls at once, with words", req: withTools, said: []*Said{{Text: "Both.", Calls: []llm.ToolCall{
			{ID: "call_1", Name: "look", Arguments: json.RawMessage(`{"zoom":1,"area":"}"}`)},
			{ID: "call_2", Name: "wait-1", Arguments: json.RawMessage(`{}`)}}}}, check: func(t *testing.T, c *conversation) {
			noError(t, c)
			calls := c.resp.ToolCalls
			if c.resp.Text != "Both." || len(calls) != 2 || calls[0].ID == calls[1].ID || calls[1].Name != "wait-1" || !sameJSON(calls[1].Arguments, `{}`) || !sameJSON(calls[0].Arguments, `{"zoom":1,"area":"}"}`) {
				t.Errorf("answer = %+v", c.resp)
			}
		}},
		{name: "answer: a call goes back as it came", req: withTools, said: []*Said{{Calls: []llm.ToolCall{{ID: "call_9", Name: "look", Arguments: json.RawMessage(`{"zoom":2}`)}}}, {Text: "done"}},
			ask: func(t *testing.T, c *conversation) {
				resp, err := c.model.Generate(t.Context(), c.req)
				if err != nil {
					t.Fatal(err)
				}
				call := resp.ToolCalls[0]
				c.req.Messages = append(c.req.Messages,
					llm.Message{Role: llm.Assistant, Parts: []llm.Part{call}},
					llm.Message{Role: llm.User, Parts: []llm.Part{llm.ToolResult{ID: call.ID, Name: call.Name, Parts: []llm.Part{llm.Text{Text: "seen"}}}}})
				if c.resp, err = c.model.Generate(t.Context(), c.req); err != nil || c.resp.Text != "done" {
					t.Errorf("second answer = %+v, %v", c.resp, err)
				}
			}},
		{name: "answer: structured, whole", req: withSchema, said: []*Said{{Text: `{"name":"a","price":1.5,"link":"https://x.test/"}`}}, check: checkProduct(`{"name":"a","price":1.5,"link":"https://x.test/"}`)},
		{name: "answer: structured, without what is optional", req: withSchema, said: []*Said{{Text: `{"name":"a","price":1,"link":null}`}}, check: checkProduct(`{"name":"a","price":1}`)},
		{name: "answer: structured, and wrong, is left to the validator", req: withSchema, said: []*Said{{Text: `{"name":""}`}}, check: func(t *testing.T, c *conversation) {
			noError(t, c)
			if !sameJSON([]byte(c.resp.Text), `{"name":""}`) {
				t.Errorf("text = %s", c.resp.Text)
			}
		}},
		{name: "answer: cut off", said: []*Said{{Text: "It was a", Stop: llm.KindLength}}, check: fails(llm.KindLength)},
		{name: "answer: refused", needs: FeatureRefusal, said: []*Said{{Refusal: "I can't do that.", Stop: llm.KindRefusal}}, check: fails(llm.KindRefusal)},
		{name: "answer: filtered", said: []*Said{{Text: "", Stop: llm.KindContentFilter}}, check: fails(llm.KindContentFilter)},
		{name: "answer: to many at once", ask: func(t *testing.T, c *conversation) {
			var group sync.WaitGroup
			for range 16 {
				group.Go(func() {
					if resp, err := c.model.Generate(t.Context(), c.req); err != nil || resp.Text != "ok" {
						t.Errorf("Generate = %+v, %v", resp, err)
					}
				})
			}
			group.Wait()
		}},
		{name: "answer: a context that ends is obeyed", said: []*Said{{Hang: true}}, ask: func(t *testing.T, c *conversation) {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() {
				_, err := c.model.Generate(ctx, c.req)
				done <- err
			}()
			<-c.arrived
			cancel()
			if err := <-done; !isCanceled(err) {
				t.Errorf("Generate = %v, want %v", err, context.Canceled)
			}
		}},
	}
}

func checkProduct(want string) func(*testing.T, *conversation) {
	return func(t *testing.T, c *conversation) {
		noError(t, c)
		s, err := schema.Parse(c.req.Schema.Schema)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate([]byte(c.resp.Text)); err != nil || !sameJSON([]byte(c.resp.Text), want) {
			t.Errorf("text = %s, %v, want %s", c.resp.Text, err, want)
		}
	}
}

func noError(t *testing.T, c *conversation) {
	t.Helper()
	if c.err != nil {
		t.Fatalf("Generate = %v", c.err)
	}
}

// fails checks that the call failed, and how.
func fails(want llm.ErrorKind) func(*testing.T, *conversation) {
	return func(t *testing.T, c *conversation) { wantKind(t, c.err, want) }
}

// wantKind checks an error's kind, and that no key is in it.
func wantKind(t *testing.T, err error, want llm.ErrorKind) *llm.Error {
	t.Helper()
	var e *llm.Error
	if !errors.As(err, &e) {
		t.Fatalf("error = %v (%T), want an *llm.Error of kind %s", err, err, want)
	}
	if e.Kind != want {
		t.Errorf("error = %v, want kind %s", err, want)
	}
	if e.Provider == "" {
		t.Errorf("error %v names no provider", err)
	}
	if strings.Contains(err.Error(), Key) {
		t.Errorf("the key is in %v", err)
	}
	return e
}

func isCanceled(err error) bool { return errors.Is(err, context.Canceled) }

func sameJSON(raw []byte, want string) bool {
	var a, b any
	if json.Unmarshal(raw, &a) != nil || json.Unmarshal([]byte(want), &b) != nil {
		return false
	}
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
