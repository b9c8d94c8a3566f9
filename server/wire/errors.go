package wire

import "github.com/wayfinder-engine/wayfinder/schema"

// A Code names a kind of failure.
type Code string

// The codes.
const (
	InvalidRequest       Code = "invalid_request"
	Unauthorized         Code = "unauthorized"
	Forbidden            Code = "forbidden"
	NotFound             Code = "not_found" // the address
	SessionNotFound      Code = "session_not_found"
	SessionGone          Code = "session_gone" // with the node that had it
	NodeUnavailable      Code = "node_unavailable"
	PageNotFound         Code = "page_not_found"
	MethodNotAllowed     Code = "method_not_allowed"
	Timeout              Code = "timeout"
	SessionBusy          Code = "session_busy"
	SessionTaken         Code = "session_taken"     // by a person
	SessionNotTaken      Code = "session_not_taken" // by the sender of input
	TooLarge             Code = "too_large"
	UnsupportedMediaType Code = "unsupported_media_type"
	AgentFailed          Code = "agent_failed"
	ScriptFailed         Code = "script_failed" // of a run: as a rule, a step that did not fit the page, or did not prove itself
	TooManySessions      Code = "too_many_sessions"
	RateLimited          Code = "rate_limited"
	Internal             Code = "internal"
	NotImplemented       Code = "not_implemented"
	ModelError           Code = "model_error"
	Draining             Code = "draining"
	BrowserUnavailable   Code = "browser_unavailable"
	RunNotFound          Code = "run_not_found"
	RunInterrupted       Code = "run_interrupted" // of a run: it lost its process, again and again
	TooManyRuns          Code = "too_many_runs"
	KeyReused            Code = "idempotency_key_reused" // for another request
	ProfileNotFound      Code = "profile_not_found"
	ProfileInUse         Code = "profile_in_use" // by another session
	ProfileExists        Code = "profile_exists"
	ProfileUnreadable    Code = "profile_unreadable" // sealed with a key that the server was not given, or damaged
	ProfileNotSaved      Code = "profile_not_saved"  // at the end of a session, which is over
	TooManyProfiles      Code = "too_many_profiles"
)

// Failure is the body of every answer that is no success.
type Failure struct {
	Success bool           `json:"success"` // false
	Error   string         `json:"error"`
	Message string         `json:"message"` // the same as Error
	Code    Code           `json:"code"`
	Issues  []schema.Issue `json:"issues,omitempty"`
}

// Success is the body of every other answer.
type Success[T any] struct {
	Success bool `json:"success"` // true
	Data    T    `json:"data"`
}
