package client

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/schema"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// An Error is what the service answers when it did not do what it was asked
// for. An act that could not be done is no Error: its result says so.
type Error struct {
	Status     int            // of HTTP; 0 if the error came in a stream
	Code       wire.Code      // empty if it came from elsewhere, such as a proxy
	Message    string         // in the service's words
	Issues     []schema.Issue // what is wrong with the request, and where
	RetryAfter time.Duration  // 0 if the service did not say
	RequestID  string         // to look for in the service's log
	Sent       wire.Sent      // of an act: whether input was sent by then; empty if that is not known
}

func (e *Error) Error() string {
	var sb strings.Builder
	sb.WriteString("client: ")
	if e.Status != 0 {
		fmt.Fprintf(&sb, "%d ", e.Status)
	}
	if e.Code != "" {
		fmt.Fprintf(&sb, "%s: ", e.Code)
	}
	sb.WriteString(e.Message)
	return sb.String()
}

// errorOf reads an answer that is no success.
func errorOf(response *http.Response) error {
	e := &Error{Status: response.StatusCode, RequestID: response.Header.Get("x-request-id"), Sent: wire.Sent(response.Header.Get(wire.HeaderSent))}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	var failure wire.Failure
	if err := readJSON(response, &failure); err != nil || failure.Message == "" {
		e.Message = "the answer is not the service's: " + http.StatusText(response.StatusCode)
		return e
	}
	e.Code, e.Message, e.Issues = failure.Code, failure.Message, failure.Issues
	return e
}
