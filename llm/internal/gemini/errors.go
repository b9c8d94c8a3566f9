package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/genai"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// Codes of our own, for what the vendor's own codes leave open.
const (
	codeKey   = "wayfinder/key"
	codePlace = "wayfinder/place"
	codeQuota = "wayfinder/quota"
	codeLong  = "wayfinder/long"
)

// codes are those that say more than their status.
var codes = modelhttp.Codes{
	codeKey: llm.KindAuth, codePlace: llm.KindAuth, "UNAUTHENTICATED": llm.KindAuth, "PERMISSION_DENIED": llm.KindAuth,
	codeQuota: llm.KindQuota, codeLong: llm.KindTooLong,
	"INVALID_ARGUMENT": llm.KindInvalid, "FAILED_PRECONDITION": llm.KindInvalid, "OUT_OF_RANGE": llm.KindInvalid,
	"NOT_FOUND": llm.KindNotFound, "RESOURCE_EXHAUSTED": llm.KindRateLimited, "UNAVAILABLE": llm.KindOverloaded, "UNIMPLEMENTED": llm.KindUnsupported,
	"INTERNAL": llm.KindUnavailable, "UNKNOWN": llm.KindUnavailable, "ABORTED": llm.KindUnavailable,
	"CANCELLED": llm.KindUnavailable, "DEADLINE_EXCEEDED": llm.KindUnavailable, "DATA_LOSS": llm.KindUnavailable,
}

var (
	aboutLength = regexp.MustCompile(`(?i)(?:token count|tokens?\b).{0,60}exceeds? the (?:maximum|limit)|exceeds the maximum number of tokens`)
	aboutPlace  = regexp.MustCompile(`(?i)location is not supported`)
	aboutCredit = regexp.MustCompile(`(?i)credits? (?:are|is) depleted|billing (?:account|is) .{0,20}(?:disabled|not enabled)|enable billing|limit: 0\b`)
)

// codeOf reads an error of the vendor's: its code, or one of ours where the
// details say more, and how long to wait.
func codeOf(e *genai.APIError) (code string, wait time.Duration) {
	code = e.Status
	for _, detail := range e.Details {
		kind, _ := detail["@type"].(string)
		switch {
		case strings.HasSuffix(kind, ".RetryInfo"):
			delay, _ := detail["retryDelay"].(string)
			if d, err := time.ParseDuration(delay); err == nil && d > 0 {
				wait = d
			}
		case strings.HasSuffix(kind, ".ErrorInfo") && slices.Contains([]any{"API_KEY_INVALID", "API_KEY_SERVICE_BLOCKED"}, detail["reason"]):
			code = codeKey
		case strings.HasSuffix(kind, ".ErrorInfo") && slices.Contains([]any{"BILLING_DISABLED"}, detail["reason"]):
			code = codeQuota
		case strings.HasSuffix(kind, ".QuotaFailure") && forTheDay(detail):
			code = codeQuota
		}
	}
	switch {
	case code == "INVALID_ARGUMENT" && aboutLength.MatchString(e.Message):
		code = codeLong
	case code == "FAILED_PRECONDITION" && aboutPlace.MatchString(e.Message):
		code = codePlace
	case (code == "RESOURCE_EXHAUSTED" || code == "FAILED_PRECONDITION") && aboutCredit.MatchString(e.Message):
		code = codeQuota
	}
	return code, wait
}

// forTheDay reports whether a quota is used up for longer than one would wait.
func forTheDay(detail map[string]any) bool {
	violations, _ := detail["violations"].([]any)
	return slices.ContainsFunc(violations, func(v any) bool {
		violation, _ := v.(map[string]any)
		id, _ := violation["quotaId"].(string)
		return strings.Contains(id, "PerDay")
	})
}

const maxError = 64 << 10 // bytes of an error's body that are read

// Tidy brings a response that is an error of the vendor's to the form that
// package modelhttp reads: its code is one of ours where the details say more,
// its wait is in a header, and it is no list. Others stay as they are.
func Tidy(resp *http.Response) (*http.Response, error) {
	if resp.StatusCode < 400 {
		return resp, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxError))
	resp.Body.Close()
	if err != nil {
		body = nil // the status alone has to do
	}
	if list := []json.RawMessage(nil); json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var form struct {
		Error *genai.APIError `json:"error"`
	}
	if json.Unmarshal(body, &form) == nil && form.Error != nil && form.Error.Message != "" && form.Error.Status != "" {
		code, wait := codeOf(form.Error)
		tidy, err := json.Marshal(map[string]any{"error": map[string]any{"code": code, "message": form.Error.Message}})
		if err != nil {
			return nil, err
		}
		body = tidy
		if wait > 0 && resp.Header.Get("Retry-After") == "" {
			resp.Header.Set("Retry-After", strconv.FormatFloat(wait.Seconds(), 'f', -1, 64))
		}
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// readError puts what the SDK says of a response that came. Its own words hold
// the whole of it.
func readError(err error) error {
	if streamed, ok := errors.AsType[genai.APIError](err); ok {
		code, wait := codeOf(&streamed)
		return &llm.Error{Kind: codes.Kind(code, llm.KindUnavailable), Status: streamed.Code, RetryAfter: wait, Message: streamed.Message}
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return modelhttp.Malformed("the answer is no complete JSON: " + syntax.Error())
	}
	return modelhttp.Malformed("the answer has another form than Gemini's")
}

// failure puts whatever went wrong as an *llm.Error that holds no secret, or as
// the context's own error.
func failure(ctx context.Context, opts *Options, err error) error {
	return modelhttp.Failure(ctx, opts.Provider, err, func(text string) string {
		return opts.Scrub(modelhttp.Scrub(text, opts.Headers))
	})
}
