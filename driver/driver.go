package driver

import (
	"context"
)

// A Driver opens browsers. Its value is a fixed configuration: it is safe for
// concurrent use and opening one browser does not change what the next open
// gives.
//
// The guarantees run both ways. The engine calls Open with options that are
// never nil and have been validated; the driver gives a browser that has at
// least one page.
type Driver interface {
	// Open gives an isolated browser: nothing that one browser stores
	// (cookies, storage, cache, permissions) is seen by another, even where
	// they share a process.
	//
	// opts is non-nil. The driver does not keep it, nor what it points to, and
	// does not change it.
	//
	// ctx bounds the opening alone; the browser lives until Close. If ctx
	// ends first, Open leaves nothing behind: no process, no directory, no
	// goroutine.
	Open(ctx context.Context, opts *BrowserOptions) (Browser, error)

	// String names the driver for people, as "chrome" or "memory", with what
	// tells two of the kind apart where that is no secret.
	String() string
}

// A Browser is one isolated profile with its pages.
type Browser interface {
	// Pages returns the open pages in the order in which they were opened.
	// It does not ask the browser and never blocks. The caller owns the slice.
	// After Close there are none.
	Pages() []Page

	// NewPage opens a page at about:blank and returns once it can be used.
	NewPage(ctx context.Context) (Page, error)

	// Cookies returns the cookies that would be sent to any of urls, or all
	// of them if there are no urls. The caller owns the slice.
	Cookies(ctx context.Context, urls ...string) ([]Cookie, error)

	// SetCookies adds cookies; one of the same name, domain and path is
	// replaced. Either all are set or an error says which was refused.
	SetCookies(ctx context.Context, cookies ...Cookie) error

	// ClearCookies removes all cookies.
	ClearCookies(ctx context.Context) error

	// StorageState returns cookies, and the local storage and IndexedDB of
	// every origin that has an open document, unless it is a site's within
	// another site. It can be given to [BrowserOptions] later. Databases that a
	// page keeps busy are waited for about a second: what is not there
	// is named in [OriginStorage].LeftOut. The caller must not change what the
	// databases point to.
	StorageState(ctx context.Context) (*StorageState, error)

	// Listen registers fn for the events of the browser and of all its
	// pages, those that are opened later included, and returns a function
	// that ends the registration.
	//
	// Order is the point of this method. fn is called for one event at a
	// time, in the order in which the browser sent them, and an event that
	// the browser sent before it answered a call has been delivered before
	// that call returns. So a caller that listens, sends input, and gets the
	// answer has seen all that happened up to then.
	//
	// fn must return quickly and must not call the browser or its pages:
	// delivery waits for it. stop may be called at any time, also within fn,
	// and more than once; after it returns fn is not called again, except
	// when it is called within fn.
	Listen(fn func(Event)) (stop func())

	// Version names the browser and its version, as "Chromium/156.0.8078.79".
	Version() string

	// Close ends all pages and frees what the browser holds: the process if
	// it has one of its own, its profile directory, its part of a shared
	// process. It ends every call under way with [ErrClosed], is bounded in
	// time (a process that does not end is killed), and may be called again,
	// which does nothing and returns nil.
	Close() error
}

// A Page is one tab or window.
type Page interface {
	// ID is the page's identifier. Equal to the FrameID of its main frame.
	ID() PageID

	// Opener returns the page that opened this one by script or by a link
	// with a target; the zero PageID if there is none.
	Opener() PageID

	// Frames returns the frames of the page in document order, main frame
	// first. It does not ask the browser.
	Frames() []Frame

	Navigator
	Reader
	Finder
	Actor

	// Evaluate runs a JavaScript expression and returns its value as JSON;
	// undefined is null. A promise is awaited. See [EvaluateOptions] for the
	// frame and the world; opts may be nil: main frame, isolated world.
	// A thrown exception is an error whose text is the exception's.
	Evaluate(ctx context.Context, expression string, opts *EvaluateOptions) ([]byte, error)

	// Screenshot returns an encoded picture. opts may be nil: the viewport as PNG.
	Screenshot(ctx context.Context, opts *ScreenshotOptions) ([]byte, error)

	// PDF prints the page. opts may be nil. A driver that paints nothing returns
	// an error that wraps [errors.ErrUnsupported].
	PDF(ctx context.Context, opts *PDFOptions) ([]byte, error)

	// Emulate changes what this page takes its environment to be from now on;
	// zero fields stay as they are.
	Emulate(ctx context.Context, e *Emulation) error

	// AddInitScript has source run in every document of this page from the
	// next navigation on, before the document's own scripts, in the main world.
	AddInitScript(ctx context.Context, source string) error

	// OnDialog sets who answers the page's dialogs (alert, confirm, prompt,
	// beforeunload). nil restores the default: alert and beforeunload are
	// accepted, confirm and prompt dismissed.
	//
	// answer is called on a goroutine of its own and may take its time: a
	// person may be asked. Until it returns the page stands still, and calls
	// on it that need the page's script wait, within their contexts.
	OnDialog(answer func(Dialog) DialogAnswer)

	// Activate brings the page to the front.
	Activate(ctx context.Context) error

	// Close closes the page without asking it (no beforeunload), and ends its
	// calls under way with [ErrClosed]. The browser stays open without a page.
	// Closing a closed page does nothing and returns nil.
	Close(ctx context.Context) error
}

// A Navigator moves a page from document to document.
type Navigator interface {
	// Navigate goes to url and waits as opts says; opts may be nil: until
	// the load event, no referrer.
	//
	// The response is that of the main document after redirects. It is nil
	// where none was fetched: about:blank, a change of the fragment alone.
	// A status such as 404 is no error. A failed fetch is one: a
	// *[NavigationError] whose Reason is one of the constants there.
	// A url that starts a download gives an error that wraps [ErrDownload].
	// A javascript: url is refused, by [ReasonAddress], and not run.
	//
	// A document that leads to another one before it has loaded is followed;
	// where that comes to nothing, it stays, and its response is returned.
	Navigate(ctx context.Context, url string, opts *NavigateOptions) (*Response, error)

	// Reload, Back and Forward wait as Navigate does. Back and Forward return
	// [ErrNoHistory] where there is nowhere to go. A page that comes out of a
	// back/forward cache has its former [DocID] again.
	Reload(ctx context.Context, opts *NavigateOptions) (*Response, error)
	Back(ctx context.Context, opts *NavigateOptions) (*Response, error)
	Forward(ctx context.Context, opts *NavigateOptions) (*Response, error)
}

// A Reader reads what a page is.
type Reader interface {
	// Capture reads the DOM facts of every frame, cross-process frames
	// included, in one look. The caller owns the result.
	//
	// A frame that goes away meanwhile is left out. See [Capture] for the form.
	Capture(ctx context.Context) (*Capture, error)

	// Revision returns a number that changes whenever something changed that
	// a capture would show: a document, a node, a live form value, a scroll
	// position. It costs well under a millisecond. Equal numbers mean that
	// nothing was noticed; a number never comes back. What a driver cannot
	// notice without a capture it lists in its documentation.
	Revision(ctx context.Context) (Revision, error)

	// Activity tells how busy the page is, for settling.
	Activity(ctx context.Context) (*Activity, error)
}

// A Finder resolves selectors and points to nodes.
type Finder interface {
	// Find returns the elements that sel matches within root, in document
	// order; none is not an error. root is a document node (see
	// [Document.Root]), an element, or the zero NodeRef for the main
	// document. Of an element the descendants are searched, not the element
	// itself. If root is the owner element of a frame, the search is in
	// that frame's document; if it hosts a shadow root of any mode, it is in
	// that shadow root, and not in the light children. A relative XPath starts
	// at root; what it selects besides elements is left out.
	// A selector that cannot be parsed is an error that wraps [ErrSelector].
	Find(ctx context.Context, root NodeRef, sel Selector) ([]NodeRef, error)

	// Locate tells where an element is and whether a person could act on it
	// there: one look, in one round trip where the driver can. opts may be nil.
	Locate(ctx context.Context, node NodeRef, opts *LocateOptions) (*Location, error)

	// HitTest returns the deepest element at a point, through frames and
	// shadow roots of any mode; the zero NodeRef if there is none.
	HitTest(ctx context.Context, at Point) (NodeRef, error)
}

// An Actor changes a page as a person would, or as close to it as can be.
type Actor interface {
	// Input sends events in order, together, and returns when the browser has
	// taken them all. The events are trusted: the page cannot tell them from
	// a person's. If an error is returned, some of the events may have been
	// sent: the caller must not send them again.
	//
	// A dialog that opens because of the input does not hold Input up: it
	// returns then.
	Input(ctx context.Context, events ...InputEvent) error

	// Focus gives an element the keyboard focus, as a click or Tab would, and
	// returns [ErrNotFocusable] if it does not take it. Given a document,
	// it takes the focus from whatever has it there.
	//
	// Focus, SelectText, SetValue and SetFiles do nothing, and return a
	// [MissedError] with [ErrChanged], where the element is not as the aim says.
	// What it comes to say by Focus, SelectText or the keys of an Input counts for the
	// target of the next Input as what it said before, and a selector that no longer
	// selects it by that as one that does.
	Focus(ctx context.Context, at Target) error

	// SelectText selects the whole content of a text control or of an
	// editable element, which is focused first, so that text input replaces it.
	SelectText(ctx context.Context, at Target) error

	// SetValue assigns the value of a control that takes no typed text (date,
	// time, month, week, datetime-local, color, range, select) and has the
	// page notified by input and change events. A select takes the values of
	// the options to be chosen, others exactly one. It returns the values
	// that the control has afterwards: a browser may refuse or sanitize
	// one, and the caller compares.
	SetValue(ctx context.Context, at Target, values ...string) ([]string, error)

	// SetFiles gives a file input its files, by path. A missing file is an
	// error that wraps fs.ErrNotExist, and nothing is set. Without an error the
	// input had the files when the page was notified by input and change events,
	// whatever the page has done with it since.
	SetFiles(ctx context.Context, at Target, paths ...string) error

	// ScrollTo scrolls an element's content, or with a document node the
	// page's, to the offset given, at once and without animation, as far as it goes.
	// It returns where the content is then.
	ScrollTo(ctx context.Context, node NodeRef, to ScrollTarget) (ScrollState, error)

	// State reads one element's live state. It is the cheap way to see
	// whether an action took. An element that left its document is
	// [ErrDetached], as everywhere, or a State that is not Connected.
	State(ctx context.Context, node NodeRef) (*State, error)
}
