package bedrock

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// A frameWriter writes the vendor's event stream, in pieces that end anywhere:
// between two bytes of a character, too.
type frameWriter struct{ http.ResponseWriter }

func newFrameWriter(w http.ResponseWriter) frameWriter {
	w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
	return frameWriter{w}
}

// frame writes a message of a type, as "event" or "exception".
func (w frameWriter) frame(messageType, name string, v any) {
	payload, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var raw bytes.Buffer
	err = eventstream.NewEncoder().Encode(&raw, eventstream.Message{
		Headers: eventstream.Headers{
			{Name: ":" + messageType + "-type", Value: eventstream.StringValue(name)},
			{Name: ":content-type", Value: eventstream.StringValue("application/json")},
			{Name: ":message-type", Value: eventstream.StringValue(messageType)},
		},
		Payload: payload,
	})
	if err != nil {
		panic(err)
	}
	for rest := raw.Bytes(); len(rest) > 0; {
		n := min(len(rest), 7)
		w.Write(rest[:n]) // the client may be gone
		w.ResponseWriter.(http.Flusher).Flush()
		rest = rest[n:]
	}
}

func (w frameWriter) event(name string, v any) { w.frame("event", name, v) }

func (w frameWriter) delta(block int, delta any) {
	w.event("contentBlockDelta", map[string]any{"contentBlockIndex": block, "delta": delta})
}

func (w frameWriter) stop(block int) {
	w.event("contentBlockStop", map[string]any{"contentBlockIndex": block})
}

// answerStream writes an answer in the vendor's events. Text that is torn apart
// within a character comes in whole ones: an event is a JSON document of its own.
func answerStream(w http.ResponseWriter, heard *llmtest.Heard, said *llmtest.Said) {
	f := newFrameWriter(w)
	text, calls := calls(heard, said)
	f.event("messageStart", map[string]any{"role": "assistant", "p": "abcdefgh"}) // p is padding, of any length
	block := 0
	for _, part := range []any{map[string]any{"text": cmp.Or(said.Reasoning, "Hm.")}, map[string]any{"signature": "c2ln"}} {
		f.delta(block, map[string]any{"reasoningContent": part})
	}
	f.stop(block)
	if text != "" {
		block++
		for _, letter := range text {
			f.delta(block, map[string]any{"text": string(letter)})
		}
	}
	if said.Break {
		return
	}
	if text != "" {
		f.stop(block)
	}
	for _, call := range calls {
		block++
		f.event("contentBlockStart", map[string]any{"contentBlockIndex": block, "start": map[string]any{"toolUse": map[string]any{"toolUseId": call.ID, "name": call.Name}}})
		for _, part := range append([]string{""}, strings.Split(string(call.Arguments), "")...) {
			f.delta(block, map[string]any{"toolUse": map[string]any{"input": part}})
		}
		f.stop(block)
	}
	f.event("messageStop", map[string]any{"stopReason": stopReason(said)})
	f.event("metadata", map[string]any{"usage": usage(said.Usage), "metrics": map[string]any{"latencyMs": 5}})
}
