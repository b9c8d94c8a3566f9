// Package modelhttp is what the adapters of hosted models share: they read
// responses that are no answers, which the vendors' SDKs take for well-meant.
package modelhttp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/wayfinder-engine/wayfinder/llm"
)

const (
	maxAnswer  = 64 << 20 // bytes of an answer that are read
	maxTrouble = 64 << 10 // bytes of an error's body that are read
)

// Codes are the kinds for a vendor's codes that say more than the status.
type Codes map[string]llm.ErrorKind

// Kind returns the kind for a code, and otherwise the kind that it is given.
func (c Codes) Kind(code string, otherwise llm.ErrorKind) llm.ErrorKind {
	return cmp.Or(c[code], otherwise)
}

// Inspect sends a request on, and gives the response back if it may be an
// answer. Otherwise the error is an *llm.Error, without its Provider.
func Inspect(req *http.Request, next func(*http.Request) (*http.Response, error), codes Codes) (*http.Response, error) {
	resp, err := next(req)
	if err != nil {
		return resp, err
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		resp.Body.Close()
		return nil, &llm.Error{Kind: llm.KindInvalid, Status: resp.StatusCode,
			Message: "the server leads to " + destination(resp) + ": give that address if it is right"}
	}
	if resp.StatusCode >= 400 {
		defer resp.Body.Close()
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxTrouble))
		if err != nil {
			body = nil // the status alone has to do
		}
		return nil, refusal(resp, body, codes)
	}
	start := make([]byte, 1)
	n, err := io.ReadFull(resp.Body, start)
	if err != nil && !errors.Is(err, io.EOF) {
		resp.Body.Close()
		return nil, err
	}
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // none is none
	stream := mediaType == "text/event-stream" || mediaType == "application/vnd.amazon.eventstream"
	if !stream && !looksLikeJSON(start[:n], mediaType) {
		defer resp.Body.Close()
		rest, _ := io.ReadAll(io.LimitReader(resp.Body, 200)) // for the message only
		return nil, &llm.Error{Kind: llm.KindMalformed, Status: resp.StatusCode,
			Message: "the server answered no JSON but " + Excerpt(append(start[:n], rest...), mediaType)}
	}
	if !stream {
		resp.Header.Set("Content-Type", "application/json")
	}
	resp.Body = &limited{Reader: io.MultiReader(bytes.NewReader(start[:n]), resp.Body), Closer: resp.Body, left: maxAnswer}
	return resp, nil
}

// looksLikeJSON is generous with servers that name another media type.
func looksLikeJSON(start []byte, mediaType string) bool {
	if strings.HasSuffix(mediaType, "json") {
		return true
	}
	return len(start) == 1 && bytes.ContainsAny(start, "{[ \n\r\t")
}

// Excerpt shows the beginning of a body that is no answer.
func Excerpt(body []byte, mediaType string) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(body), "�")), " ")
	if len([]rune(text)) > 120 {
		text = string([]rune(text)[:120]) + "…"
	}
	if mediaType == "" {
		mediaType = "a body without a type"
	}
	if text == "" {
		return mediaType + ", empty"
	}
	return mediaType + ": " + text
}

// limited reads up to a number of bytes, and then fails.
type limited struct {
	io.Reader
	io.Closer
	left int64
}

var errTooLarge = fmt.Errorf("the answer is over %d bytes", maxAnswer)

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// refusal reads a response that is an error.
func refusal(resp *http.Response, body []byte, codes Codes) *llm.Error {
	e := &llm.Error{Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header), Kind: kindOfStatus(resp.StatusCode)}
	code, message := Trouble(body)
	if code == "" { // Amazon's place for it, sometimes with an address behind
		code, _, _ = strings.Cut(resp.Header.Get("X-Amzn-Errortype"), ":")
	}
	e.Message = message
	if e.Message == "" {
		mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // none is none
		e.Message = http.StatusText(resp.StatusCode) + ": " + Excerpt(body, mediaType)
	}
	e.Kind = codes.Kind(code, e.Kind)
	return e
}

// Trouble finds code and words in the forms that servers write.
func Trouble(body []byte) (code, message string) {
	if !gjson.ValidBytes(body) {
		return "", ""
	}
	form := gjson.ParseBytes(body)
	failure := form.Get("error")
	if failure.IsObject() && failure.Get("message").String() != "" {
		// Azure says in the inner one what its own code leaves open.
		for _, member := range []string{"innererror.code", "code", "type"} {
			if code = failure.Get(member).Str; code != "" {
				break
			}
		}
		return code, failure.Get("message").String()
	}
	if failure.Type == gjson.String && failure.Str != "" {
		return "", failure.Str
	}
	for _, member := range []string{"message", "Message", "detail"} {
		if words := form.Get(member).String(); words != "" {
			return "", words
		}
	}
	return "", ""
}

var statusKinds = map[int]llm.ErrorKind{
	http.StatusUnauthorized: llm.KindAuth, http.StatusForbidden: llm.KindAuth,
	http.StatusPaymentRequired:       llm.KindQuota,
	http.StatusNotFound:              llm.KindNotFound,
	http.StatusRequestTimeout:        llm.KindUnavailable,
	http.StatusConflict:              llm.KindUnavailable,
	http.StatusRequestEntityTooLarge: llm.KindTooLong,
	http.StatusTooManyRequests:       llm.KindRateLimited,
	http.StatusServiceUnavailable:    llm.KindOverloaded,
	529:                              llm.KindOverloaded,
	http.StatusNotImplemented:        llm.KindUnsupported,
}

func kindOfStatus(status int) llm.ErrorKind {
	if status >= 500 {
		return cmp.Or(statusKinds[status], llm.KindUnavailable)
	}
	return cmp.Or(statusKinds[status], llm.KindInvalid)
}

// retryAfter reads the headers that say when to come back.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		if seconds > 0 && seconds < 1e6 {
			return time.Duration(seconds * float64(time.Second))
		}
		return 0
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// Failure puts whatever went wrong as an *llm.Error, or as the context's own
// error. scrub takes secrets out of a text.
func Failure(ctx context.Context, provider string, err error, scrub func(string) string) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", provider, context.Cause(ctx))
	}
	e := &llm.Error{Kind: llm.KindUnavailable, Message: err.Error(), Err: err}
	known, isKnown := errors.AsType[*llm.Error](err)
	_, isSyntax := errors.AsType[*json.SyntaxError](err)
	switch {
	case isKnown:
		c := *known
		e = &c
	case errors.Is(err, errTooLarge):
		e.Kind = llm.KindMalformed
	case errors.Is(err, context.DeadlineExceeded):
		e.Message = "the server did not answer in time"
	case isSyntax, strings.Contains(err.Error(), "error parsing response json"):
		e.Kind = llm.KindMalformed
		e.Message = "the answer is no complete JSON: " + err.Error()
	}
	e.Provider = provider
	e.Message = scrub(e.Message)
	return e
}

// Malformed is an answer that is not what the protocol says.
func Malformed(message string) *llm.Error {
	return &llm.Error{Kind: llm.KindMalformed, Message: message}
}

// isObject reports whether a text is a JSON object.
func isObject(raw []byte) bool { return gjson.ValidBytes(raw) && gjson.ParseBytes(raw).IsObject() }
