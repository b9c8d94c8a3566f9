package driver

import (
	"cmp"
	"context"
	"maps"
	"net"
	"time"
)

// BrowserOptions says how a new browser is set up. The zero value is a
// browser with a viewport of 1280×720 at scale 1, without touch, and with
// downloads refused.
type BrowserOptions struct {
	// Emulation is what every page of the browser starts with.
	Emulation

	// IgnoreHTTPSErrors accepts every certificate.
	IgnoreHTTPSErrors bool

	// Proxy is used for the requests of this browser; nil is the process's own.
	Proxy *Proxy

	// Dial, if not nil, makes every connection of this browser, for drivers
	// that say so: see [SelfDialer]. Proxy is nil then. A session with a policy
	// sets it.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// DownloadDir is an existing directory that downloads are saved in, each
	// under a name of the driver's own making. Empty: downloads are refused,
	// which [DownloadEnded] reports with Canceled.
	DownloadDir string

	// MaxDownload bounds each download, in bytes; 0 is no bound. A longer one
	// is canceled, and nothing of it is kept.
	MaxDownload int64

	// StorageState is restored before the first page is there.
	StorageState *StorageState

	// MaxIndexedDB bounds what [Browser].StorageState tells of the IndexedDB of
	// each origin, in bytes of JSON: databases that do not fit are left out,
	// the largest first. 0 is 4 MiB; negative: none is read.
	MaxIndexedDB int64

	// InitScripts run in every document of every page, before the document's
	// own scripts, in the main world.
	InitScripts []string

	// Dialog answers the dialogs of every page from its first byte on, until
	// [Page].OnDialog says otherwise; nil is the default named there.
	Dialog func(Dialog) DialogAnswer

	// Allow decides about each request (documents, redirects, subresources,
	// popups) before it is sent. A non-nil error refuses it; a navigation so
	// refused fails with [ErrBlocked] and that error's text. It is called
	// from several goroutines, and must return quickly. nil allows all.
	Allow func(RequestInfo) error

	// Handler takes part in requests; nil leaves them alone.
	Handler *Handler

	// Credentials answer servers that ask for a user and a password (HTTP
	// authentication), each for its origin alone.
	Credentials []Credentials

	// Permissions are what pages may do without asking, by origin, named as in
	// the Permissions API ("geolocation", "notifications", "clipboard-read");
	// the origin "*" stands for all. What is not named is denied.
	Permissions map[string][]string

	// Console asks for [ConsoleMessage] and [PageError] events. It is off
	// unless asked for: a page can notice that somebody listens.
	Console bool

	// PageTools lets pages offer tools to agents: see [ToolProvider]. It is off
	// unless asked for. A driver that starts a browser switches the browser's own
	// feature on; one that finds a browser running cannot.
	PageTools bool
}

// Credentials are a user and a password for one origin.
type Credentials struct {
	Origin   string // scheme, host and port, as "https://intern.example:8443"
	Username string
	Password string
}

// A RequestInfo is a request about to be sent.
type RequestInfo struct {
	URL        string
	Method     string
	Kind       RequestKind
	Frame      FrameID
	Redirected bool // the address comes from a redirect
}

// Emulation is what a page takes its environment to be. Zero fields mean
// "unchanged" in [Page].Emulate, and the driver's default in BrowserOptions.
// Headers that are set take the place of all that were; an empty map sends none.
type Emulation struct {
	Viewport  Size    // CSS pixels
	Scale     float64 // device pixels for a CSS pixel
	Touch     bool
	Mobile    bool              // mobile viewport rules (meta viewport, overlay scrollbars)
	Locale    string            // BCP 47, as "de-CH"
	TimeZone  string            // IANA, as "Europe/Zurich"
	UserAgent string            // whole header value
	Headers   map[string]string // sent with every request

	ColorScheme ColorScheme  // what style sheets take the person to prefer
	Geolocation *Geolocation // where the device is, for origins that may know it
	Connection  Connection
}

// Merge changes e by what change sets, as [Page].Emulate does.
func (e *Emulation) Merge(change *Emulation) {
	e.Viewport = cmp.Or(change.Viewport, e.Viewport)
	e.Scale = cmp.Or(change.Scale, e.Scale)
	e.Touch = e.Touch || change.Touch
	e.Mobile = e.Mobile || change.Mobile
	e.Locale = cmp.Or(change.Locale, e.Locale)
	e.TimeZone = cmp.Or(change.TimeZone, e.TimeZone)
	e.UserAgent = cmp.Or(change.UserAgent, e.UserAgent)
	e.ColorScheme = cmp.Or(change.ColorScheme, e.ColorScheme)
	e.Geolocation = cmp.Or(change.Geolocation, e.Geolocation)
	e.Connection = cmp.Or(change.Connection, e.Connection)
	if change.Headers != nil {
		e.Headers = maps.Clone(change.Headers)
	}
}

// A ColorScheme is what a person prefers to look at (prefers-color-scheme).
type ColorScheme string

// The color schemes.
const (
	LightScheme ColorScheme = "light"
	DarkScheme  ColorScheme = "dark"
)

// A Geolocation is a place on earth.
type Geolocation struct {
	Latitude, Longitude float64 // degrees, north and east
	Accuracy            float64 // meters; 0 is exact
}

// A Connection is what network a page has.
type Connection string

// The connections.
const (
	Online  Connection = "online"
	Offline Connection = "offline" // every request over a network fails, as with the cable pulled
)

// A SelfDialer is a [Driver] whose browsers make their connections within this
// process. If DialsItself reports true, they make none but by the Dial of
// [BrowserOptions], where there is one.
type SelfDialer interface {
	DialsItself() bool
}

// DialsItself reports whether a driver is a [SelfDialer] that does.
func DialsItself(d Driver) bool {
	s, ok := d.(SelfDialer)
	return ok && s.DialsItself()
}

// A Proxy is an upstream for a browser's requests.
type Proxy struct {
	Server   string // "http://host:port", "socks5://host:port"
	Bypass   string // comma-separated hosts, as browsers take them
	Username string
	Password string
}

// A WaitUntil is the moment at which a navigation counts as done.
type WaitUntil string

// The moments. The empty value is WaitLoad.
const (
	WaitLoad             WaitUntil = "load"             // the load event
	WaitDOMContentLoaded WaitUntil = "domcontentloaded" // the document is parsed
	WaitNetworkIdle      WaitUntil = "networkidle"      // load, and then 500 ms without a request under way
	WaitCommit           WaitUntil = "commit"           // the response is there and the document has begun
)

// NavigateOptions refine a navigation. The zero value waits for load.
type NavigateOptions struct {
	WaitUntil WaitUntil
	Referer   string

	// AtMost bounds the wait for that moment from when the document is shown on: some
	// never load. The navigation is then done all the same, and has its response. 0 is as
	// long as the call may take.
	AtMost time.Duration
}

// A World is a JavaScript environment of a frame.
type World int

const (
	// Isolated shares the DOM with the page, and no script state: the page
	// neither sees nor disturbs it.
	Isolated World = iota
	// Main is the page's own.
	Main
)

// EvaluateOptions say where an expression runs. The zero value is the isolated
// world of the main frame.
type EvaluateOptions struct {
	Frame FrameID // zero is the main frame
	World World

	// Args, if not nil, makes the expression a function that is called with
	// these values, which are passed as JSON.
	Args []any

	// Node, if not zero, is passed as the function's first argument, before
	// Args; the function runs in the node's frame.
	Node NodeRef

	// UserGesture runs the expression as if a person had caused it.
	UserGesture bool
}

// An ImageFormat is how a screenshot is encoded.
type ImageFormat string

// The formats. The empty value is PNG.
const (
	PNG  ImageFormat = "png"
	JPEG ImageFormat = "jpeg"
	WebP ImageFormat = "webp"
)

// ScreenshotOptions say what is pictured. At most one of FullPage, Clip and
// Node is set; none means the viewport.
type ScreenshotOptions struct {
	Format   ImageFormat
	Quality  int     // 1 to 100 for JPEG and WebP; 0 is 80
	FullPage bool    // the whole scrollable page
	Clip     *Rect   // in the coordinates of the page, not of the viewport
	Node     NodeRef // an element, scrolled into view first

	// Scale is how many pixels of the picture one CSS pixel has; 0 is the
	// device's own.
	Scale float64
}

// PDFOptions say how a page is printed. Lengths are in inches. The zero value is
// upright Letter paper with the browser's own margins.
type PDFOptions struct {
	Width, Height float64 // of the paper; 0 is 8.5 × 11
	Landscape     bool
	Margin        *float64 // on all sides; nil is the browser's own
	Background    bool     // print background colors and pictures
	Scale         float64  // 0.1 to 2; 0 is 1
	Pages         string   // as "1-3, 5"; empty is all
	CSSPageSize   bool     // @page rules of the document go before Width and Height
}

// A Response is the answer to a request for a main document.
type Response struct {
	URL        string // after redirects
	Status     int    // 0 where the scheme has none (file, data)
	StatusText string
	Headers    map[string]string // names in lower case; several values joined by ", "
	FromCache  bool
}

// OK reports whether the status says success, or the scheme knows none.
func (r *Response) OK() bool {
	return r.Status == 0 || r.Status >= 200 && r.Status < 300
}
