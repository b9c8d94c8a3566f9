package driver

// An Event is something that happened in a browser. The set is closed: the
// types of this file. A type switch with a default branch reads it.
type Event interface {
	// From is the page that it happened in; the zero PageID for the browser.
	From() PageID
}

// MaxBody is the size of the largest body that [RequestStarted] has: what people
// enter into forms is smaller, and files are larger.
const MaxBody = 16 << 10

type (
	// PageOpened: a page is there, by NewPage, by script, or by a link: one
	// with a target, or pressed with Control, Shift or the middle button. It comes before any other event of the page.
	PageOpened struct {
		Page   PageID
		Opener PageID
		URL    string // what it is going to show
	}

	// PageClosed: a page is gone, closed by us or by anybody else. No event of the page follows.
	PageClosed struct{ Page PageID }

	// PageCrashed: the page's process is gone. Calls on it give [ErrCrashed].
	PageCrashed struct{ Page PageID }

	// BrowserGone: the browser has ended, was closed from outside, or its
	// connection broke. Err says which; it is nil after Close. It is the last event.
	BrowserGone struct{ Err error }

	// FrameAttached: a child frame was added. It comes before any other event
	// of the frame.
	FrameAttached struct {
		Page          PageID
		Frame, Parent FrameID
	}

	// FrameDetached: a child frame was removed.
	FrameDetached struct {
		Page  PageID
		Frame FrameID
	}

	// NavigationRequested: a frame is about to go to another document, by
	// script, link, form, refresh, or Navigate. Exactly one of Navigated
	// (SameDocument false), NavigationEnded or FrameDetached follows, unless
	// a further NavigationRequested of the frame takes its place.
	NavigationRequested struct {
		Page  PageID
		Frame FrameID
		URL   string
	}

	// NavigationEnded: a navigation came to nothing: given up, refused,
	// answered by 204, or turned into a download. The document that is shown
	// stays.
	NavigationEnded struct {
		Page  PageID
		Frame FrameID
	}

	// Navigated: a frame shows another document or, with SameDocument, the
	// same one at another address (fragment, pushState).
	Navigated struct {
		Page         PageID
		Frame        FrameID
		Doc          DocID
		URL          string
		SameDocument bool
		Status       int // of the response; 0 if not known
	}

	// DOMContentLoaded: a frame's document is parsed, or as much of it as
	// ever will be: see Loaded.
	DOMContentLoaded struct {
		Page  PageID
		Frame FrameID
	}

	// Loaded: a frame's load event has fired, or never will: loading was
	// stopped, as by a navigation that then came to nothing.
	Loaded struct {
		Page  PageID
		Frame FrameID
	}

	// RequestStarted: a request was sent. A redirect ends it and starts
	// another of the same ID.
	RequestStarted struct {
		Page   PageID
		Frame  FrameID
		ID     string
		Kind   RequestKind
		Method string
		URL    string

		// ContentType and Body are what a request for a document or data sends;
		// empty without a body, or where it has more than MaxBody bytes.
		ContentType string
		Body        string
	}

	// RequestEnded: the answer is complete, or there will be none.
	RequestEnded struct {
		Page   PageID
		ID     string
		Failed bool
		Status int // of the answer, a redirect's included; 0 if there was none or it is not known
	}

	// ConsoleMessage: a script wrote to the console. It comes only where
	// [BrowserOptions].Console asks for it, and so does PageError.
	ConsoleMessage struct {
		Page  PageID
		Frame FrameID // zero if not known
		Level ConsoleLevel
		Text  string // the arguments as a console shows them, joined by spaces
		URL   string // of the script; empty if not known
		Line  int    // counted from 1; 0 if not known
	}

	// PageError: a script failed, and nothing caught it.
	PageError struct {
		Page  PageID
		Frame FrameID // zero if not known
		Text  string  // as "TypeError: x is undefined"
		URL   string
		Line  int
	}

	// DialogOpened: the page shows a dialog and stands still.
	DialogOpened struct {
		Page   PageID
		Dialog Dialog
	}

	// DialogClosed: the dialog was answered.
	DialogClosed struct {
		Page   PageID
		Dialog Dialog
		Answer DialogAnswer
	}

	// FileChooserOpened: a click wants files. No chooser is shown; the files
	// go to Node by SetFiles.
	FileChooserOpened struct {
		Page     PageID
		Node     NodeRef
		Multiple bool
	}

	// ToolsChanged: a frame's document offers other tools than before; see
	// [ToolProvider]. It comes only where [BrowserOptions].PageTools asks for it.
	ToolsChanged struct {
		Page  PageID
		Frame FrameID
	}

	// DownloadStarted: the browser began to save something.
	DownloadStarted struct {
		Page PageID
		ID   string
		URL  string
		Name string // what the site suggests, not made safe
	}

	// DownloadEnded: it is complete, or will not be.
	DownloadEnded struct {
		Page     PageID
		ID       string
		Path     string // where the bytes are; empty if canceled
		Size     int64  // bytes
		Canceled bool
		Err      error // why we canceled it: [ErrTooLarge]; else nil
	}
)

func (e PageOpened) From() PageID          { return e.Page }
func (e PageClosed) From() PageID          { return e.Page }
func (e PageCrashed) From() PageID         { return e.Page }
func (e BrowserGone) From() PageID         { return "" }
func (e FrameAttached) From() PageID       { return e.Page }
func (e FrameDetached) From() PageID       { return e.Page }
func (e NavigationRequested) From() PageID { return e.Page }
func (e NavigationEnded) From() PageID     { return e.Page }
func (e Navigated) From() PageID           { return e.Page }
func (e DOMContentLoaded) From() PageID    { return e.Page }
func (e Loaded) From() PageID              { return e.Page }
func (e RequestStarted) From() PageID      { return e.Page }
func (e RequestEnded) From() PageID        { return e.Page }
func (e ConsoleMessage) From() PageID      { return e.Page }
func (e PageError) From() PageID           { return e.Page }
func (e DialogOpened) From() PageID        { return e.Page }
func (e DialogClosed) From() PageID        { return e.Page }
func (e FileChooserOpened) From() PageID   { return e.Page }
func (e ToolsChanged) From() PageID        { return e.Page }
func (e DownloadStarted) From() PageID     { return e.Page }
func (e DownloadEnded) From() PageID       { return e.Page }

// A RequestKind is what a request is for.
type RequestKind string

// The kinds.
const (
	RequestDocument   RequestKind = "document"
	RequestScript     RequestKind = "script"
	RequestStylesheet RequestKind = "stylesheet"
	RequestFetch      RequestKind = "fetch" // fetch and XMLHttpRequest
	RequestImage      RequestKind = "image"
	RequestBeacon     RequestKind = "beacon" // sendBeacon, and pings of links
	RequestOther      RequestKind = "other"
)

// A ConsoleLevel is how much a message of a console matters.
type ConsoleLevel string

// The levels.
const (
	ConsoleDebug   ConsoleLevel = "debug"
	ConsoleLog     ConsoleLevel = "log"
	ConsoleInfo    ConsoleLevel = "info"
	ConsoleWarning ConsoleLevel = "warning"
	ConsoleError   ConsoleLevel = "error"
)

// A DialogKind is the kind of a JavaScript dialog.
type DialogKind string

// The kinds.
const (
	Alert        DialogKind = "alert"
	Confirm      DialogKind = "confirm"
	Prompt       DialogKind = "prompt"
	BeforeUnload DialogKind = "beforeunload"
)

// A Dialog is a JavaScript dialog.
type Dialog struct {
	Kind    DialogKind
	Message string
	Default string // of a prompt
	URL     string // of the frame that asks
}

// A DialogAnswer is what a person would do with a dialog. The zero value
// dismisses it.
type DialogAnswer struct {
	Accept bool
	Text   string // of a prompt
}
