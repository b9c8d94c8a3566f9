package google

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
)

func TestStopReasons(t *testing.T) {
	for _, test := range []struct {
		reason string
		kind   llm.ErrorKind
	}{
		{"MAX_TOKENS", llm.KindLength},
		{"SAFETY", llm.KindContentFilter},
		{"RECITATION", llm.KindContentFilter},
		{"PROHIBITED_CONTENT", llm.KindContentFilter},
		{"BLOCKLIST", llm.KindContentFilter},
		{"SPII", llm.KindContentFilter},
		{"LANGUAGE", llm.KindContentFilter},
		{"MALFORMED_FUNCTION_CALL", llm.KindMalformed},
		{"UNEXPECTED_TOOL_CALL", llm.KindMalformed},
		{"OTHER", llm.KindMalformed},
		{"FINISH_REASON_UNSPECIFIED", llm.KindMalformed},
		{"", llm.KindMalformed},
	} {
		m := says(t, fmt.Sprintf(`{"candidates":[{"content":{"role":"model","parts":[{"text":"It was"}]},"finishReason":%q}]}`, test.reason))
		if resp, err := m.Generate(t.Context(), question()); resp != nil || kindOf(err) != test.kind {
			t.Errorf("%s: Generate = %+v, %v, want kind %s", test.reason, resp, err, test.kind)
		} else if test.reason == "SAFETY" && err.Error() != "google: content_filter: a filter stopped the answer (SAFETY)" {
			t.Errorf("error = %v", err)
		}
	}
	m := says(t, `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT","blockReasonMessage":"no"},"usageMetadata":{"promptTokenCount":4},"modelVersion":"m"}`)
	if _, err := m.Generate(t.Context(), question()); kindOf(err) != llm.KindContentFilter || err.Error() != "google: content_filter: the prompt was blocked (PROHIBITED_CONTENT): no" {
		t.Errorf("a blocked prompt is %v", err)
	}
}

// TestAnswersOfAnotherForm are those on which a decoder might panic.
func TestAnswersOfAnotherForm(t *testing.T) {
	for _, body := range []string{
		`{"candidates":{}}`, `{"candidates":["x"]}`, `{"candidates":[null]}`, `{"candidates":[{"content":"x"}]}`, `[]`, `"x"`, `null`,
		`{"candidates":[{"content":{"parts":{}},"finishReason":"STOP"}]}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{"name":7}}]},"finishReason":"STOP"}]}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"look","args":"text"}}]},"finishReason":"STOP"}]}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{"args":{}}}]},"finishReason":"STOP"}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"x","thoughtSignature":"%%%"}]},"finishReason":"STOP"}]}`,
		`{"candidates":[{"citationMetadata":7,"finishReason":"STOP"}]}`,
		`{"usageMetadata":{"promptTokenCount":"many"}}`,
	} {
		m := says(t, body)
		if resp, err := m.Generate(t.Context(), question()); kindOf(err) != llm.KindMalformed || len(err.Error()) > 300 {
			t.Errorf("%s: Generate = %+v, %v", body, resp, err)
		}
		m = streams(t, "data: "+body+"\n\n")
		for delta, err := range m.Stream(t.Context(), question()) {
			if kindOf(err) != llm.KindMalformed {
				t.Errorf("%s: Stream = %+v, %v", body, delta, err)
			}
		}
	}
}

func TestErrorsOfTheVendor(t *testing.T) {
	detail := func(kind, rest string) string {
		return `,"details":[{"@type":"type.googleapis.com/google.rpc.Help"},{"@type":"type.googleapis.com/google.rpc.` + kind + `",` + rest + `}]`
	}
	for _, test := range []struct {
		status      int
		name, words string
		details     string
		kind        llm.ErrorKind
		wait        time.Duration
	}{
		{400, "INVALID_ARGUMENT", "API key not valid.", detail("ErrorInfo", `"reason":"API_KEY_INVALID"`), llm.KindAuth, 0},
		{403, "PERMISSION_DENIED", "no", "", llm.KindAuth, 0},
		{400, "FAILED_PRECONDITION", "User location is not supported for the API use.", "", llm.KindAuth, 0},
		{400, "FAILED_PRECONDITION", "enable billing on your project", "", llm.KindQuota, 0},
		{404, "NOT_FOUND", "models/gemini-9 is not found for API version v1beta", "", llm.KindNotFound, 0},
		{429, "RESOURCE_EXHAUSTED", "quota", detail("RetryInfo", `"retryDelay":"37.5s"`), llm.KindRateLimited, 37500 * time.Millisecond},
		{429, "RESOURCE_EXHAUSTED", "quota", detail("QuotaFailure", `"violations":[{"quotaId":"GenerateRequestsPerDayPerProject"}]`), llm.KindQuota, 0},
		{429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.", "", llm.KindQuota, 0},
		{400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", "", llm.KindTooLong, 0},
		{400, "INVALID_ARGUMENT", "bad", "", llm.KindInvalid, 0},
		{500, "INTERNAL", "oops", "", llm.KindUnavailable, 0},
		{503, "UNAVAILABLE", "The model is overloaded.", "", llm.KindOverloaded, 0},
		{504, "DEADLINE_EXCEEDED", "late", "", llm.KindUnavailable, 0},
		{499, "CANCELLED", "gone", "", llm.KindUnavailable, 0},
		{501, "UNIMPLEMENTED", "no", "", llm.KindUnsupported, 0},
	} {
		body := fmt.Sprintf(`{"error":{"code":%d,"message":%q,"status":%q%s}}`, test.status, test.words, test.name, test.details)
		for _, body := range []string{body, "[" + body + "\n]"} {
			m := serve(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
				w.WriteHeader(test.status)
				io.WriteString(w, body) // the client reads it
			}).model(t)
			req := question()
			req.Schema = nil
			_, err := m.Generate(t.Context(), req)
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != test.kind || e.Status != test.status || e.RetryAfter != test.wait || e.Message != test.words {
				t.Errorf("%s: %#v, want kind %s after %v", body, err, test.kind, test.wait)
			}
		}
	}
}
