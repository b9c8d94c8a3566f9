package llm

import (
	"fmt"
	"time"
)

// An ErrorKind is what a caller can do about a model's error.
type ErrorKind string

// The kinds.
const (
	KindAuth          ErrorKind = "auth"           // the key is missing, wrong, or not entitled
	KindInvalid       ErrorKind = "invalid"        // the request is one that the provider does not take
	KindNotFound      ErrorKind = "not_found"      // no such model or endpoint
	KindRateLimited   ErrorKind = "rate_limited"   // too many requests or tokens; wait RetryAfter
	KindQuota         ErrorKind = "quota"          // the account is used up
	KindOverloaded    ErrorKind = "overloaded"     // the provider has no room now
	KindUnavailable   ErrorKind = "unavailable"    // it is down, or cannot be reached
	KindTooLong       ErrorKind = "too_long"       // the request is over the model's context
	KindLength        ErrorKind = "length"         // the answer was cut off at its limit
	KindRefusal       ErrorKind = "refusal"        // the model refused
	KindContentFilter ErrorKind = "content_filter" // a filter stopped the request or the answer
	KindMalformed     ErrorKind = "malformed"      // the answer is not what the protocol says
	KindSchema        ErrorKind = "schema"         // the answer does not satisfy its schema
	KindBudget        ErrorKind = "budget"         // a budget of the caller's own is used up
	KindUnsupported   ErrorKind = "unsupported"    // this model cannot do what the request asks
)

// An Error is a failed request to a model. Its text never holds a key.
type Error struct {
	Provider   string
	Kind       ErrorKind
	Status     int           // HTTP status; 0 if there was none
	RetryAfter time.Duration // 0 if the provider did not say
	Message    string        // the provider's own words, made safe
	Err        error         // may be nil
}

func (e *Error) Error() string {
	s := e.Provider + ": " + string(e.Kind)
	if e.Status != 0 {
		s += fmt.Sprintf(" (%d)", e.Status)
	}
	if e.Message != "" {
		s += ": " + e.Message
	} else if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether the same request may succeed later.
func (e *Error) Temporary() bool {
	switch e.Kind {
	case KindRateLimited, KindOverloaded, KindUnavailable:
		return true
	default:
		return false
	}
}
