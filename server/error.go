package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A fault is a failure as clients see it.
type fault struct {
	code    wire.Code
	message string
	issues  []schema.Issue
	retry   time.Duration // for retry-after; 0 is none
	cause   error         // for the log
}

func (f *fault) Error() string { return f.message }
func (f *fault) Unwrap() error { return f.cause }

// statuses are the codes of the interface and their HTTP statuses.
var statuses = map[wire.Code]int{
	wire.InvalidRequest:       http.StatusBadRequest,
	wire.Unauthorized:         http.StatusUnauthorized,
	wire.Forbidden:            http.StatusForbidden,
	wire.NotFound:             http.StatusNotFound,
	wire.SessionNotFound:      http.StatusNotFound,
	wire.PageNotFound:         http.StatusNotFound,
	wire.MethodNotAllowed:     http.StatusMethodNotAllowed,
	wire.Timeout:              http.StatusRequestTimeout,
	wire.SessionBusy:          http.StatusConflict,
	wire.SessionTaken:         http.StatusConflict,
	wire.SessionNotTaken:      http.StatusConflict,
	wire.TooLarge:             http.StatusRequestEntityTooLarge,
	wire.UnsupportedMediaType: http.StatusUnsupportedMediaType,
	wire.AgentFailed:          http.StatusUnprocessableEntity,
	wire.TooManySessions:      http.StatusTooManyRequests,
	wire.RateLimited:          http.StatusTooManyRequests,
	wire.Internal:             http.StatusInternalServerError,
	wire.NotImplemented:       http.StatusNotImplemented,
	wire.ModelError:           http.StatusBadGateway,
	wire.Draining:             http.StatusServiceUnavailable,
	wire.BrowserUnavailable:   http.StatusServiceUnavailable,
	wire.SessionGone:          http.StatusGone,
	wire.NodeUnavailable:      http.StatusServiceUnavailable,
	wire.RunNotFound:          http.StatusNotFound,
	wire.TooManyRuns:          http.StatusTooManyRequests,
	wire.KeyReused:            http.StatusUnprocessableEntity,
	wire.ProfileNotFound:      http.StatusNotFound,
	wire.ProfileInUse:         http.StatusConflict,
	wire.ProfileExists:        http.StatusConflict,
	wire.ProfileUnreadable:    http.StatusUnprocessableEntity,
	wire.ProfileNotSaved:      http.StatusInternalServerError,
	wire.TooManyProfiles:      http.StatusTooManyRequests,
}

func newFault(code wire.Code, format string, args ...any) *fault {
	return &fault{code: code, message: fmt.Sprintf(format, args...)}
}

// later has clients told when to ask again, and the log why; cause may be nil.
func (f *fault) later(retry time.Duration, cause error) *fault {
	f.retry, f.cause = retry, cause
	return f
}

// invalid is a request that is wrong at one place.
func invalid(path []any, format string, args ...any) *fault {
	issue := schema.Issue{Path: path, Message: fmt.Sprintf(format, args...)}
	return &fault{code: wire.InvalidRequest, message: "the request is not valid: " + issue.String(), issues: []schema.Issue{issue}}
}

// invalidDocument is a document that does not satisfy its schema. Its place in
// the request goes before the paths of what is wrong.
func invalidDocument(err error, place ...any) *fault {
	var refused *fault
	if errors.As(err, &refused) {
		return refused
	}
	var issues []schema.Issue
	var failed *schema.ValidationError
	var form *schema.SchemaError
	switch {
	case errors.As(err, &failed):
		issues = failed.Issues
	case errors.As(err, &form) && len(form.Issues) > 0:
		issues = form.Issues
	default:
		return invalid(place, "%v", err)
	}
	f := &fault{code: wire.InvalidRequest, message: "the request is not valid", cause: err}
	for i, issue := range issues {
		issue.Path = append(append([]any{}, place...), issue.Path...)
		f.issues = append(f.issues, issue)
		switch {
		case i == 0:
			f.message += ": " + issue.String()
		case i < mostToldIssues:
			f.message += "; " + issue.String()
		case i == mostToldIssues:
			f.message += fmt.Sprintf("; and %d more", len(issues)-i)
		}
	}
	if len(f.issues) > mostIssues {
		f.issues = f.issues[:mostIssues]
	}
	return f
}

const (
	mostToldIssues = 5   // stand in the message
	mostIssues     = 100 // stand in the list
)

// Why a session's work is cut short. They are causes of its context.
var (
	errEnded    = newFault(wire.SessionNotFound, "the session was ended")
	errIdle     = newFault(wire.SessionNotFound, "the session was ended: it had no work for too long")
	errOld      = newFault(wire.SessionNotFound, "the session was ended: its time is over")
	errGone     = newFault(wire.BrowserUnavailable, "the session's browser is gone, and the session with it; start another")
	errShutdown = newFault(wire.Draining, "the server is shutting down")
	errTimeout  = newFault(wire.Timeout, "the time for this request ran out; what it did was stopped")
)

// faultOf is what clients see of an error. ctx is that of the work:
// its cause goes before what the work itself says of its end.
func faultOf(ctx context.Context, err error) *fault {
	var f *fault
	var model *llm.Error
	var run *RunError
	switch cause := context.Cause(ctx); {
	case errors.As(err, &f):
		return f
	case errors.As(cause, &f):
		return &fault{code: f.code, message: f.message, cause: err}
	case errors.As(err, &run):
		return &fault{code: run.Code, message: run.Message, retry: run.Retry, cause: run.cause}
	case errors.As(err, &model):
		return modelFault(model, err)
	case errors.Is(err, context.DeadlineExceeded):
		return &fault{code: wire.Timeout, message: err.Error() + "; it was stopped", cause: err}
	case errors.Is(err, context.Canceled):
		return &fault{code: wire.Timeout, message: "the client went away; what it asked for was stopped", cause: err}
	case errors.Is(err, driver.ErrBlocked):
		return &fault{code: wire.Forbidden, message: err.Error(), cause: err}
	case errors.Is(err, engine.ErrInvalid), errors.Is(err, engine.ErrNotFound), errors.Is(err, engine.ErrAmbiguous),
		errors.Is(err, engine.ErrNoModel), errors.Is(err, driver.ErrSelector), isNavigation(err):
		return &fault{code: wire.InvalidRequest, message: err.Error(), cause: err}
	case errors.Is(err, engine.ErrUngrounded), errors.Is(err, engine.ErrIncomplete): // by what the model said, or could not read
		return &fault{code: wire.ModelError, message: err.Error(), cause: err}
	case errors.Is(err, errors.ErrUnsupported):
		return &fault{code: wire.NotImplemented, message: err.Error() + " by this server's browser", cause: err}
	case errors.Is(err, driver.ErrCrashed):
		return &fault{code: wire.BrowserUnavailable, message: "the page crashed", cause: err}
	case errors.Is(err, engine.ErrClosed):
		return &fault{code: wire.PageNotFound, message: "the page was closed", cause: err}
	}
	return &fault{code: errInternal.code, message: errInternal.message, cause: err}
}

// errInternal is all that clients see of what went wrong in the server.
var errInternal = newFault(wire.Internal, "something went wrong in the server; its log says what")

func isNavigation(err error) bool {
	var failed *driver.NavigationError
	return errors.As(err, &failed)
}

// modelFault is a model that did not answer.
func modelFault(model *llm.Error, err error) *fault {
	if model.Kind == llm.KindBudget {
		return &fault{code: wire.RateLimited, message: model.Error(), retry: untilTomorrow(), cause: err}
	}
	return &fault{code: wire.ModelError, message: model.Error(), retry: model.RetryAfter, cause: err}
}

// untilTomorrow is how long a budget that is used up stays so.
func untilTomorrow() time.Duration {
	now := time.Now().UTC()
	return now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)
}

// newTaken refuses work while a person has the session.
func newTaken() *fault {
	return newFault(wire.SessionTaken, "a person has the session; ask again once it is given back").later(5*time.Second, nil)
}
