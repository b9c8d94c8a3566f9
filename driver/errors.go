package driver

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// What callers branch on. A driver maps its browser's own messages to these in
// one place, and wraps them in an [OpError].
var (
	// ErrStale: the node, or its whole document, is no longer the one that
	// was read. Look again.
	ErrStale = errors.New("node is stale")

	// ErrDetached: the frame is gone, or the process that showed it alone, or the
	// node left its document. A node that left and that the browser has forgotten
	// since is [ErrStale].
	ErrDetached = errors.New("node is detached")

	// ErrNotVisible: the element has no box that a person could see or point at.
	ErrNotVisible = errors.New("element is not visible")

	// ErrObscured: another element is on top at the point. See [ObscuredError].
	ErrObscured = errors.New("element is covered by another")

	// ErrNotFocusable: the element does not take the focus.
	ErrNotFocusable = errors.New("element cannot be focused")

	// ErrDisabled: the element takes no press. See [Target].
	ErrDisabled = errors.New("element takes no input")

	// ErrChanged: the element says something else than it did when it was
	// looked at, or is not what is selected any more. See [Target].
	ErrChanged = errors.New("element is not what it was by now")

	// ErrTargetMoved: the element had the press and no click, for the page has
	// changed by the release.
	// See [Target].
	ErrTargetMoved = errors.New("element was gone from under the pointer at the release")

	// ErrNotTyped: a key of a text wrote nothing. See [Target].
	ErrNotTyped = errors.New("the page has not taken every letter as text")

	// ErrNotDropped: the page began a drag and drop, and did not take the drop. See [Drag].
	ErrNotDropped = errors.New("nothing was dropped")

	// ErrSelector: a selector that cannot be parsed.
	ErrSelector = errors.New("invalid selector")

	// ErrNoHistory: there is no earlier or later page to go to.
	ErrNoHistory = errors.New("no such history entry")

	// ErrDownload: the address did not give a document but a download.
	ErrDownload = errors.New("navigation became a download")

	// ErrDialog: a dialog stands open and its answer is outstanding.
	ErrDialog = errors.New("a dialog is open")

	// ErrNoTool: the document does not offer the tool, or no longer.
	ErrNoTool = errors.New("the page offers no such tool")

	// ErrBlocked: refused by [BrowserOptions].Allow.
	ErrBlocked = errors.New("blocked by policy")

	// ErrClosed: the page or the browser was closed.
	ErrClosed = errors.New("closed")

	// ErrCrashed: the page's or the browser's process is gone.
	ErrCrashed = errors.New("crashed")

	// ErrTooLarge: an answer over the driver's size limit.
	ErrTooLarge = errors.New("too large")
)

// An OpError says which operation failed, on what, and why. Its text is
// "op target: cause".
type OpError struct {
	Op     string // the method, in lower case: "navigate", "hittest"
	Target string // what it was about: an address, a selector, a node; may be empty
	Err    error  // never nil
}

func (e *OpError) Error() string {
	if e.Target == "" {
		return fmt.Sprintf("%s: %v", e.Op, e.Err)
	}
	return fmt.Sprintf("%s %s: %v", e.Op, excerpt(e.Target), e.Err)
}

// mostOfTarget is how much of an address or a selector, in bytes, the text of an
// error repeats. All of it is in the error's fields.
const mostOfTarget = 200

// excerpt is as much of a text as an error repeats.
func excerpt(text string) string {
	if len(text) <= mostOfTarget {
		return text
	}
	return strings.ToValidUTF8(text[:mostOfTarget], "") + "…"
}

func (e *OpError) Unwrap() error { return e.Err }

// An ObscuredError says which element lies on top. It wraps [ErrObscured].
type ObscuredError struct {
	By NodeRef
}

func (e *ObscuredError) Error() string { return ErrObscured.Error() }
func (e *ObscuredError) Unwrap() error { return ErrObscured }

// A MissedError is input that was withheld from the page because it would have
// gone elsewhere than [Target] says, or the release of a button that did.
type MissedError struct {
	// By is where it would have gone; zero if that is not known.
	By NodeRef
	// Taken reports that some of the input had reached the page before. If it
	// is false, nothing has, and the input may be sent again.
	Taken bool
	// Err is ErrObscured for a press, ErrDisabled for one that the element
	// would not take, ErrNotFocusable for a key or text,
	// ErrChanged for an element that says something else and for one that is dropped on and
	// does not come to rest, ErrTargetMoved for a
	// release, ErrNotTyped for text and ErrNotDropped for a drag, which are not withheld,
	// ErrDialog for what was to follow when a dialog had opened,
	// context.DeadlineExceeded for what came too late, and for an element that
	// is no more what every call on it gives.
	Err error
}

func (e *MissedError) Error() string { return e.Err.Error() }
func (e *MissedError) Unwrap() error { return e.Err }

// A Reason is the kind of a navigation's failure.
type Reason string

// The reasons of a [NavigationError].
const (
	ReasonAddress Reason = "address" // the address is none, or its scheme is not known
	ReasonDNS     Reason = "dns"     // the host's name was not found
	ReasonRefused Reason = "refused" // nobody listens there
	ReasonReset   Reason = "reset"   // the connection ended, or its answer was empty
	ReasonTLS     Reason = "tls"     // certificate or handshake
	ReasonTimeout Reason = "timeout" // the network gave no answer in time
	ReasonBlocked Reason = "blocked" // by the browser, by policy, or by the client
	ReasonAborted Reason = "aborted" // another navigation, or a 204, took its place
	ReasonOther   Reason = "other"
)

// A NavigationError is a main document that could not be fetched.
type NavigationError struct {
	URL    string
	Reason Reason
	Detail string // the browser's own word, as "net::ERR_NAME_NOT_RESOLVED"
	Err    error  // a sentinel such as ErrBlocked or ErrDownload; may be nil
}

func (e *NavigationError) Error() string {
	s := fmt.Sprintf("cannot open %s: %s", excerpt(e.URL), e.Reason.words())
	if e.Detail != "" {
		s += " (" + e.Detail + ")"
	}
	return s
}

func (e *NavigationError) Unwrap() error { return e.Err }

func (r Reason) words() string { return cmp.Or(reasonWords[r], "it failed") }

var reasonWords = map[Reason]string{
	ReasonAddress: "not an address that a browser can open",
	ReasonDNS:     "the host name was not found",
	ReasonRefused: "the connection was refused",
	ReasonReset:   "the connection was cut",
	ReasonTLS:     "no secure connection could be made",
	ReasonTimeout: "the network did not answer in time",
	ReasonBlocked: "the request was blocked",
	ReasonAborted: "the navigation was given up for another",
}
