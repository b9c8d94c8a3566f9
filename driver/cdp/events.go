package cdp

import (
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// A session is Chrome's word for a channel to one target: a page, a frame in
// a process of its own, a worker, or with an empty id the browser itself. All
// sessions share the connection.
type session struct {
	*conn.Session
	chrome *Chrome
	target string
	kind   string // of the target: "page", "iframe", "worker" …; empty for the browser
	parent *session

	// Set before the first event comes, on the reader goroutine.
	waits   bool     // the target is held before its first byte
	page    *page    // that the target is or belongs to; nil for the browser and for shared workers
	browser *browser // nil for the browser itself
}

// Event implements conn.Handler.
func (s *session) Event(method string, params []byte) { s.chrome.event(s, method, params) }

// pageEvent handles an event of one of a page's sessions, on the reader goroutine.
func (s *session) pageEvent(method string, params []byte) {
	handle, p := handlers[method], s.page
	if handle == nil {
		return
	}
	p.browser.locked(func() {
		if p.gone == nil {
			handle(p, s, method, params)
			p.wake()
		}
	})
}

// handlers are called with browser.mu held.
var handlers = map[string]func(p *page, s *session, method string, params []byte){
	"Input.dragIntercepted":           on((*page).dragIntercepted),
	"Network.webSocketCreated":        on((*page).webSocketCreated),
	"Page.frameAttached":              on((*page).frameAttached),
	"Page.frameDetached":              on((*page).frameDetached),
	"Page.frameRequestedNavigation":   on((*page).frameRequestedNavigation),
	"Page.frameStartedNavigating":     on((*page).frameStartedNavigating),
	"Page.frameStoppedLoading":        on((*page).frameStoppedLoading),
	"Page.frameNavigated":             on((*page).frameNavigated),
	"Page.navigatedWithinDocument":    on((*page).navigatedWithinDocument),
	"Page.documentOpened":             on((*page).documentOpened),
	"Page.lifecycleEvent":             on((*page).lifecycleEvent),
	"Page.windowOpen":                 on((*page).windowOpen),
	"Page.javascriptDialogOpening":    on((*page).dialogOpening),
	"Page.javascriptDialogClosed":     on((*page).dialogClosed),
	"Page.fileChooserOpened":          on((*page).fileChooserOpened),
	"Network.requestWillBeSent":       on((*page).requestWillBeSent),
	"Network.responseReceived":        on((*page).responseReceived),
	"Network.loadingFinished":         on((*page).loadingFinished),
	"Network.loadingFailed":           on((*page).loadingFailed),
	"Runtime.executionContextCreated": on((*page).executionContextCreated),
	"Runtime.consoleAPICalled":        on((*page).consoleAPICalled),
	"Runtime.exceptionThrown":         on((*page).exceptionThrown),
	"Inspector.targetCrashed":         on((*page).targetCrashed),
	"Storage.indexedDBContentUpdated": on(indexedDBChanged),
	"Storage.indexedDBListUpdated":    on(indexedDBChanged),
	"WebMCP.toolsAdded":               on((*page).toolsAdded),
	"WebMCP.toolsRemoved":             on((*page).toolsRemoved),
	"WebMCP.toolInvoked":              on((*page).toolInvoked),
	"WebMCP.toolResponded":            on((*page).toolResponded),

	"Page.frameClearedScheduledNavigation": on((*page).frameClearedScheduledNavigation),
	"Inspector.targetReloadedAfterCrash":   on((*page).targetReloaded),
}

// on makes a handler of a method that wants the parameters decoded.
func on[T any](f func(*page, *session, *T)) func(*page, *session, string, []byte) {
	return func(p *page, s *session, method string, params []byte) {
		var e T
		if p.browser.chrome.read(method, params, &e) {
			f(p, s, &e)
		}
	}
}
