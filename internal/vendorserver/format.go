// Package vendorserver plays the servers of vendors' models, for tests: each
// [Format] reads requests as strictly as its vendor does, and writes answers
// with the vendor's own quirks.
package vendorserver

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// bearer is the header that holds a key as a bearer's token.
const bearer = "Authorization"

// A Format is the server's side of one interface. A copy with other fields is
// that of a server that differs in them.
type Format struct {
	Path   string // with its query; of a named format, what stands before /models
	Key    string // the header that shows who asks, the only one that may
	Errors map[llm.ErrorKind]Error

	named   bool // the address holds the model's name
	without []llmtest.Feature
	read    func(f Format, r *http.Request, body []byte) (*llmtest.Heard, error)
	whole   func(w http.ResponseWriter, heard *llmtest.Heard, said *llmtest.Said)
	stream  func(w http.ResponseWriter, heard *llmtest.Heard, said *llmtest.Said)
	fault   func(e Error, message string) any
}

// An Error is how a server says what went wrong.
type Error struct {
	Status int
	Code   any
	Before string // stands before the message
	detail any
}

// The formats.
var (
	Chat = Format{Path: "/v1/chat/completions", Key: bearer, Errors: openAIErrors,
		read: readChat, whole: answerChat, stream: streamChat, fault: openAIFault}
	Responses = Format{Path: "/v1/responses", Key: bearer, Errors: openAIErrors,
		read: readResponses, whole: answerResponses, stream: streamResponses, fault: openAIFault}
	Claude = Format{Path: "/v1/messages", Key: "X-Api-Key", Errors: claudeErrors,
		read: readClaude, whole: answerClaude, stream: streamClaude, fault: claudeFault}
	// CloudClaude is Claude as Google Cloud serves it.
	CloudClaude = Format{Key: bearer, Errors: claudeErrors, named: true,
		read: readCloudClaude, whole: answerClaude, stream: streamClaude, fault: claudeFault}
	Gemini = Format{Path: "/v1beta", Key: "X-Goog-Api-Key", Errors: geminiErrors, named: true, without: []llmtest.Feature{llmtest.FeatureRefusal},
		read: readGemini, whole: answerGemini, stream: streamGemini, fault: geminiFault}
)

var openAIErrors = map[llm.ErrorKind]Error{
	llm.KindInvalid:     {Status: 400},
	llm.KindAuth:        {Status: 401, Code: "invalid_api_key"},
	llm.KindNotFound:    {Status: 404, Code: "model_not_found"},
	llm.KindRateLimited: {Status: 429, Code: "rate_limit_exceeded"},
	llm.KindQuota:       {Status: 429, Code: "insufficient_quota"},
	llm.KindOverloaded:  {Status: 503},
	llm.KindUnavailable: {Status: 500, Code: "server_error"},
	llm.KindTooLong:     {Status: 400, Code: "context_length_exceeded"},
}

// AzureErrors are those of OpenAI's formats on Azure: the codes are others, and
// often the status as a word.
var AzureErrors = map[llm.ErrorKind]Error{
	llm.KindInvalid:     {Status: 400},
	llm.KindAuth:        {Status: 401, Code: "401"},
	llm.KindNotFound:    {Status: 404, Code: "DeploymentNotFound"},
	llm.KindRateLimited: {Status: 429, Code: "429"},
	llm.KindQuota:       {Status: 429, Code: "insufficient_quota"},
	llm.KindOverloaded:  {Status: 500, Code: "NoCapacity"},
	llm.KindUnavailable: {Status: 500, Code: "InternalServerError"},
	llm.KindTooLong:     {Status: 400, Code: "context_length_exceeded"},
}

func openAIFault(e Error, message string) any {
	return map[string]any{"error": map[string]any{"message": message, "type": "some_error", "param": nil, "code": e.Code}}
}

var claudeErrors = map[llm.ErrorKind]Error{
	llm.KindInvalid:     {Status: 400, Code: "invalid_request_error"},
	llm.KindAuth:        {Status: 401, Code: "authentication_error"},
	llm.KindNotFound:    {Status: 404, Code: "not_found_error"},
	llm.KindRateLimited: {Status: 429, Code: "rate_limit_error"},
	llm.KindQuota:       {Status: 402, Code: "billing_error"},
	llm.KindOverloaded:  {Status: 529, Code: "overloaded_error"},
	llm.KindUnavailable: {Status: 500, Code: "api_error"},
	llm.KindTooLong:     {Status: 400, Code: "invalid_request_error", Before: "prompt is too long: 9 tokens > 8 maximum; "},
}

func claudeFault(e Error, message string) any {
	return map[string]any{"type": "error", "error": map[string]any{"type": e.Code, "message": message}, "request_id": "req_1"}
}

var geminiErrors = map[llm.ErrorKind]Error{
	llm.KindInvalid: {Status: 400, Code: "INVALID_ARGUMENT"},
	llm.KindAuth: {Status: 400, Code: "INVALID_ARGUMENT", // a key that is wrong is an invalid argument
		detail: map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"}},
	llm.KindNotFound:    {Status: 404, Code: "NOT_FOUND"},
	llm.KindRateLimited: {Status: 429, Code: "RESOURCE_EXHAUSTED", detail: geminiQuota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier")},
	llm.KindQuota:       {Status: 429, Code: "RESOURCE_EXHAUSTED", detail: geminiQuota("GenerateRequestsPerDayPerProjectPerModel-FreeTier")},
	llm.KindOverloaded:  {Status: 503, Code: "UNAVAILABLE"},
	llm.KindUnavailable: {Status: 500, Code: "INTERNAL"},
	llm.KindTooLong:     {Status: 400, Code: "INVALID_ARGUMENT", Before: "The input token count (9) exceeds the maximum number of tokens allowed (8). "},
}

func geminiQuota(id string) any {
	return map[string]any{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []any{map[string]any{"quotaId": id, "quotaValue": "50"}}}
}

func geminiFault(e Error, message string) any {
	fault := map[string]any{"code": e.Status, "message": message, "status": e.Code}
	if e.detail != nil {
		fault["details"] = []any{e.detail}
	}
	return map[string]any{"error": fault}
}

// Harness returns a harness for an adapter of the format.
func (f Format) Harness(open func(t testing.TB, address string) llm.Model) llmtest.Harness {
	return llmtest.Harness{New: open, Read: f.Read, Answer: f.Answer, Fail: f.Fail, Without: f.without}
}

// Read reads a request as the vendor's server does.
func (f Format) Read(r *http.Request, body []byte) (*llmtest.Heard, error) {
	path := f.Path
	if f.named {
		path = r.URL.RequestURI() // its reader checks it
	}
	if err := Post(r, path); err != nil {
		return nil, err
	}
	for _, name := range []string{bearer, "Api-Key", "X-Api-Key", "X-Goog-Api-Key"} {
		if name != f.Key && r.Header.Get(name) != "" {
			return nil, fmt.Errorf("%s beside %s", name, f.Key)
		}
	}
	key := r.Header.Get(f.Key)
	if f.Key == bearer {
		var ok bool
		if key, ok = strings.CutPrefix(key, "Bearer "); !ok {
			return nil, fmt.Errorf("authorization %q", r.Header.Get(bearer))
		}
	}
	heard, err := f.read(f, r, body)
	if err == nil {
		heard.Key, heard.Header = key, r.Header
	}
	return heard, err
}

// Answer writes an answer, as a stream where the request asks for one.
func (f Format) Answer(w http.ResponseWriter, heard *llmtest.Heard, said *llmtest.Said) {
	if heard.Stream {
		f.stream(w, heard, said)
		return
	}
	f.whole(w, heard, said)
}

// Say answers with a text in one piece.
func (f Format) Say(w http.ResponseWriter, text string) { f.Reply(w, &llmtest.Said{Text: text}) }

// Reply answers in one piece.
func (f Format) Reply(w http.ResponseWriter, said *llmtest.Said) {
	f.whole(w, &llmtest.Heard{Model: "m"}, said)
}

// Fail writes an error of a kind.
func (f Format) Fail(w http.ResponseWriter, kind llm.ErrorKind, message string) {
	e, ok := f.Errors[kind]
	if !ok {
		e = f.Errors[llm.KindInvalid]
	}
	WriteJSON(w, e.Status, f.fault(e, e.Before+message))
}
