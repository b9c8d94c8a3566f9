package llmtest

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/llm"
)

func streamCases() []conformanceCase {
	cases := []conformanceCase{
		{name: "stream: text", said: []*Said{{Text: "one two three", Pieces: []string{"one ", "two", " three"}, Usage: llm.Usage{Input: 9, Output: 4}}}, ask: func(t *testing.T, c *conversation) {
			text, bits, resp, err := listen(t, t.Context(), c)
			if err != nil || text != "one two three" || bits < 2 {
				t.Errorf("Stream gave %q in %d bits, %v", text, bits, err)
			}
			if resp == nil || resp.Text != text || resp.Stop != llm.StopEnd || resp.Usage.Input != 9 || resp.Usage.Output != 4 {
				t.Errorf("Stream ended with %+v", resp)
			}
			if !c.last(t).Stream {
				t.Error("the server was not asked for a stream")
			}
		}},
		{name: "stream: characters torn apart", said: []*Said{{Text: "a世🌍é", Pieces: []string{"a\xe4", "\xb8\x96\xf0\x9f", "\x8c", "\x8d\xc3", "\xa9"}}}, ask: func(t *testing.T, c *conversation) {
			streamer := c.model.(llm.Streamer)
			var text strings.Builder
			for delta, err := range streamer.Stream(t.Context(), c.req) {
				if err != nil {
					t.Fatal(err)
				}
				if !utf8.ValidString(delta.Text) {
					t.Errorf("a bit is %q", delta.Text)
				}
				text.WriteString(delta.Text)
			}
			if text.String() != "a世🌍é" {
				t.Errorf("Stream gave %q", text.String())
			}
		}},
		{name: "stream: tool calls", req: withTools, said: []*Said{{Text: "Both.", Calls: []llm.ToolCall{
			{ID: "call_1", Name: "look", Arguments: json.RawMessage(`{"zoom":1,"area":"all"}`)},
			{ID: "call_2", Name: "wait-1", Arguments: json.RawMessage(`{}`)}}}}, ask: func(t *testing.T, c *conversation) {
			_, _, resp, err := listen(t, t.Context(), c)
			if err != nil || resp == nil || resp.Stop != llm.StopTools || len(resp.ToolCalls) != 2 ||
				!sameJSON(resp.ToolCalls[0].Arguments, `{"zoom":1,"area":"all"}`) || resp.ToolCalls[1].Name != "wait-1" || resp.Text != "Both." {
				t.Errorf("Stream ended with %+v, %v", resp, err)
			}
		}},
		{name: "stream: structured", req: withSchema, said: []*Said{{Text: `{"name":"a","price":1,"link":null}`}}, ask: func(t *testing.T, c *conversation) {
			_, _, resp, err := listen(t, t.Context(), c)
			if err != nil || resp == nil || !sameJSON([]byte(resp.Text), `{"name":"a","price":1}`) {
				t.Errorf("Stream ended with %+v, %v", resp, err)
			}
		}},
		{name: "stream: cut off", said: []*Said{{Text: "It was a", Stop: llm.KindLength}}, ask: streamFails(llm.KindLength)},
		{name: "stream: an error before it begins", said: []*Said{{Fail: llm.KindRateLimited}}, ask: streamFails(llm.KindRateLimited)},
		{name: "stream: a page in its place", said: []*Said{raw(200, "text/html", "<html>")}, ask: streamFails(llm.KindMalformed)},
		{name: "stream: it breaks off", said: []*Said{{Text: "It was", Break: true}}, ask: func(t *testing.T, c *conversation) {
			_, _, resp, err := listen(t, t.Context(), c)
			if err == nil || resp != nil {
				t.Errorf("Stream ended with %+v, %v, want an error", resp, err)
			}
		}},
		{name: "stream: leaving it ends the request", said: []*Said{{Text: "one two", Pieces: []string{"one ", "two"}, Hang: true}}, ask: func(t *testing.T, c *conversation) {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-c.arrived
				cancel()
			}()
			if _, _, _, err := listen(t, ctx, c); !isCanceled(err) {
				t.Errorf("Stream = %v, want %v", err, context.Canceled)
			}
		}},
		{name: "stream: whoever has heard enough may go", said: []*Said{{Text: "one two", Pieces: []string{"one ", "two"}}}, ask: func(t *testing.T, c *conversation) {
			bits := 0
			for _, err := range c.model.(llm.Streamer).Stream(t.Context(), c.req) {
				if err != nil {
					t.Fatal(err)
				}
				bits++
				break
			}
			if bits != 1 {
				t.Errorf("the loop ran %d times", bits)
			}
		}},
	}
	for i := range cases {
		cases[i].needs = FeatureStream
	}
	return cases
}

// listen takes a stream to its end, and checks its form.
func listen(t *testing.T, ctx context.Context, c *conversation) (text string, bits int, resp *llm.Response, failed error) {
	t.Helper()
	streamer, ok := c.model.(llm.Streamer)
	if !ok {
		t.Fatal("the model is no llm.Streamer")
	}
	for delta, err := range streamer.Stream(ctx, c.req) {
		if resp != nil || failed != nil {
			t.Error("the stream goes on after its end")
		}
		if err != nil {
			failed = err
			continue
		}
		if delta.Text != "" {
			bits++
		}
		text += delta.Text
		resp = delta.Response
	}
	if resp == nil && failed == nil {
		t.Error("the stream ended without a response and without an error")
	}
	return text, bits, resp, failed
}

func streamFails(kind llm.ErrorKind) func(*testing.T, *conversation) {
	return func(t *testing.T, c *conversation) {
		_, _, resp, err := listen(t, t.Context(), c)
		if resp != nil {
			t.Errorf("Stream ended with %+v", resp)
		}
		wantKind(t, err, kind)
	}
}
