package cdp

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// A CommandError is a command that Chrome refused. It wraps the sentinel of
// package driver that says the same, if there is one.
type CommandError struct {
	Method  string // as "DOM.resolveNode"
	Code    int
	Message string // Chrome's own words
	kind    error
}

func (e *CommandError) Error() string { return e.Method + ": " + e.Message }

// Unwrap returns the sentinel of package driver.
func (e *CommandError) Unwrap() error { return e.kind }

// sentinels says what Chrome means. Its messages are compared in lower case,
// by what they contain; the first that fits counts.
var sentinels = []struct {
	words string
	kind  error
}{
	{"no node with given id", driver.ErrStale},
	{"no node found for given backend id", driver.ErrStale},
	{"could not find node with given id", driver.ErrStale},
	{"node with given id does not belong to the document", driver.ErrStale},
	{"cannot find context", driver.ErrStale},
	{"cannot find execution context", driver.ErrStale},
	{"execution context was destroyed", driver.ErrStale},
	{"inspected target navigated or closed", driver.ErrStale},
	{"object id doesn't reference", driver.ErrStale},
	{"could not find object with given id", driver.ErrStale},
	{"node is detached from document", driver.ErrDetached},
	{"frame with the given id was not found", driver.ErrDetached},
	{"frame with the given id does not belong", driver.ErrDetached},
	{"no frame for given id", driver.ErrDetached},
	{"frame not found", driver.ErrDetached},
	{"frame was detached", driver.ErrDetached},
	{"could not compute content quads", driver.ErrNotVisible},
	{"could not compute box model", driver.ErrNotVisible},
	{"node does not have a layout object", driver.ErrNotVisible},
	{"element is not focusable", driver.ErrNotFocusable},
	{"session with given id not found", driver.ErrClosed},
	{"no target with given id", driver.ErrClosed},
	{"no session with given id", driver.ErrClosed},
	{"target closed", driver.ErrClosed},
	{"not attached to an active page", driver.ErrClosed},
	{"target crashed", driver.ErrCrashed},
	{"tool not found", driver.ErrNoTool},
	{"webmcp domain is not enabled", errors.ErrUnsupported},
	{"no dialog is showing", fs.ErrNotExist},
}

// commandError makes an error of a refusal. What Chrome says of the end of a frame's
// process is said of the frame: the page lives.
func commandError(of conn.Handler, method string, f *conn.Failure) error {
	text := f.Message
	if f.Data != "" {
		text += " (" + f.Data + ")"
	}
	e := &CommandError{Method: method, Code: f.Code, Message: text}
	lower := strings.ToLower(text)
	for _, s := range sentinels {
		if strings.Contains(lower, s.words) {
			e.kind = s.kind
			break
		}
	}
	if s, ok := of.(*session); ok && s.kind == "iframe" && (e.kind == driver.ErrClosed || e.kind == driver.ErrCrashed) {
		e.kind = driver.ErrDetached
	}
	// -32601 is JSON-RPC's "method not found": an older Chrome, or another browser.
	if e.kind == nil && f.Code == -32601 {
		e.kind = errors.ErrUnsupported
	}
	return e
}

// opError wraps err for the caller of a public method; nil stays nil.
func opError(op, target string, err error) error {
	if err == nil {
		return nil
	}
	if have, ok := errors.AsType[*driver.OpError](err); ok && have.Op == op {
		return err
	}
	return &driver.OpError{Op: op, Target: target, Err: err}
}

// inOp is opError at the end of a public method, for what the method returns.
func inOp(op, target string, err *error) { *err = opError(op, target, *err) }

// reasons say what Chrome's network errors mean; the longest prefix counts.
var reasons = []struct {
	prefix string
	reason driver.Reason
}{
	{"net::ERR_NAME_", driver.ReasonDNS},
	{"net::ERR_DNS_", driver.ReasonDNS},
	{"net::ERR_ICANN_NAME_COLLISION", driver.ReasonDNS},
	{"net::ERR_CONNECTION_REFUSED", driver.ReasonRefused},
	{"net::ERR_ADDRESS_UNREACHABLE", driver.ReasonRefused},
	{"net::ERR_ADDRESS_INVALID", driver.ReasonRefused},
	{"net::ERR_INTERNET_DISCONNECTED", driver.ReasonRefused},
	{"net::ERR_CONNECTION_FAILED", driver.ReasonRefused},
	{"net::ERR_PROXY_CONNECTION_FAILED", driver.ReasonRefused},
	{"net::ERR_TUNNEL_CONNECTION_FAILED", driver.ReasonRefused},
	{"net::ERR_SOCKS_CONNECTION_FAILED", driver.ReasonRefused},
	{"net::ERR_CONNECTION_", driver.ReasonReset},
	{"net::ERR_EMPTY_RESPONSE", driver.ReasonReset},
	{"net::ERR_SOCKET_NOT_CONNECTED", driver.ReasonReset},
	{"net::ERR_CONTENT_LENGTH_MISMATCH", driver.ReasonReset},
	{"net::ERR_INCOMPLETE_", driver.ReasonReset},
	{"net::ERR_HTTP2_", driver.ReasonReset},
	{"net::ERR_CONNECTION_TIMED_OUT", driver.ReasonTimeout},
	{"net::ERR_TIMED_OUT", driver.ReasonTimeout},
	{"net::ERR_SSL_", driver.ReasonTLS},
	{"net::ERR_CERT_", driver.ReasonTLS},
	{"net::ERR_BAD_SSL_", driver.ReasonTLS},
	{"net::ERR_BLOCKED_BY_", driver.ReasonBlocked},
	{"net::ERR_UNSAFE_PORT", driver.ReasonBlocked},
	{"net::ERR_NETWORK_ACCESS_DENIED", driver.ReasonBlocked},
	{"net::ERR_ACCESS_DENIED", driver.ReasonBlocked},
	{"net::ERR_ABORTED", driver.ReasonAborted},
	{"net::ERR_INVALID_URL", driver.ReasonAddress},
	{"net::ERR_UNKNOWN_URL_SCHEME", driver.ReasonAddress},
	{"net::ERR_DISALLOWED_URL_SCHEME", driver.ReasonAddress},
	{"net::ERR_INVALID_", driver.ReasonOther},
}

// reasonOf reads Chrome's word for what went wrong.
func reasonOf(text string) driver.Reason {
	best, reason := 0, driver.ReasonOther
	for _, r := range reasons {
		if len(r.prefix) > best && strings.HasPrefix(text, r.prefix) {
			best, reason = len(r.prefix), r.reason
		}
	}
	return reason
}

// isGone reports that an error is about a document or a frame that is no more.
func isGone(err error) bool {
	return errors.Is(err, driver.ErrStale) || errors.Is(err, driver.ErrDetached) || errors.Is(err, errMoved)
}
