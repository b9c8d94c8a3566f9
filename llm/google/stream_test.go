package google

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// streams answers with a stream as it stands.
func streams(t *testing.T, text string) *Model {
	return serve(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, text) // the client may have heard enough
	}).model(t)
}

func TestStreamsThatServersWrite(t *testing.T) {
	const hello = `{"candidates":[{"content":{"role":"model","parts":[{"text":"Hello."}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2}}`
	const part = `{"candidates":[{"content":{"role":"model","parts":[{"text":"Hel"}]}}]}`
	for _, test := range []struct {
		name, stream string
		text         string
		kind         llm.ErrorKind
	}{
		{"as documented", "data: " + hello + "\r\n\r\n", "Hello.", ""},
		{"no space, no end of line", "data:" + hello, "Hello.", ""},
		{"comments and names of events", ": hi\n\nevent: message\nid: 7\nretry: 5\ndata: " + hello + "\n\n: bye\n\n", "Hello.", ""},
		{"data in lines", "data: " + strings.Replace(hello, ":[", ":\ndata: [", 1) + "\n\n", "Hello.", ""},
		{"an end as others write it", "data: " + hello + "\n\ndata: [DONE]\n\n", "Hello.", ""},
		{"usage after the end", "data: " + hello + "\n\ndata: {\"usageMetadata\":{\"promptTokenCount\":3,\"candidatesTokenCount\":2}}\n\n", "Hello.", ""},
		{"an error in it", "data: " + part + "\n\ndata: {\"error\":{\"code\":503,\"message\":\"overloaded\",\"status\":\"UNAVAILABLE\"}}\n\n", "Hel", llm.KindOverloaded},
		{"an error without a field", "{\"error\":{\"code\":429,\n\"message\":\"slow\",\"status\":\"RESOURCE_EXHAUSTED\"}}\n", "", llm.KindRateLimited},
		{"cut off", "data: " + part + "\n\ndata: {\"candidates\":[{\"cont", "Hel", llm.KindMalformed},
		{"over too soon", "data: " + part + "\n\n", "Hel", llm.KindMalformed},
		{"empty", "", "", llm.KindMalformed},
		{"blocked", "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}\n\n", "", llm.KindContentFilter},
		{"filtered", "data: " + part + "\n\ndata: {\"candidates\":[{\"finishReason\":\"SAFETY\"}]}\n\n", "Hel", llm.KindContentFilter},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, ended := "", false
			var failed error
			req := question()
			req.Schema = nil
			for delta, err := range streams(t, test.stream).Stream(t.Context(), req) {
				text += delta.Text
				ended = ended || delta.Response != nil
				failed = err
				if r := delta.Response; r != nil && (r.Text != test.text || r.Usage.Input != 3 || r.Usage.Output != 2) {
					t.Errorf("Stream ended with %+v", r)
				}
			}
			if text != test.text || ended != (test.kind == "") || kindOf(failed) != test.kind {
				t.Errorf("Stream gave %q, and ended with a response: %t, or %v; want kind %q", text, ended, failed, test.kind)
			}
		})
	}
}

// TestCharactersSurviveTheStream tears characters apart at every byte, among
// them those of the range that carries the pieces.
func TestCharactersSurviveTheStream(t *testing.T) {
	want := "aé世🌍\U0010FE80\U0010FEFFz"
	for i := range len(want) {
		var stream strings.Builder
		for _, piece := range []string{want[:i], want[i:]} {
			stream.WriteString(`data: {"candidates":[{"content":{"parts":[{"text":"` + piece + `"}]},"finishReason":"STOP"}]}` + "\n\n")
		}
		req := question()
		req.Schema = nil
		for delta, err := range streams(t, stream.String()).Stream(t.Context(), req) {
			if err != nil || delta.Response != nil && delta.Response.Text != want {
				t.Errorf("torn at %d: %+v, %v", i, delta.Response, err)
			}
		}
	}
}

func TestCallersPanicIsHisOwn(t *testing.T) {
	defer func() {
		if got := recover(); got != "mine" {
			t.Errorf("recovered %v", got)
		}
	}()
	m := streams(t, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hel\"}]}}]}\n\n")
	for range m.Stream(context.Background(), question()) {
		panic("mine")
	}
}
