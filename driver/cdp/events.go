package cdp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver"
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

// event handles an event of one of the page's sessions, on the reader goroutine.
func (p *page) event(s *session, method string, params []byte) {
	handle := handlers[method]
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
	"Storage.indexedDBContentUpdated": on((*page).indexedDBUpdated),
	"Storage.indexedDBListUpdated":    on((*page).indexedDBUpdated),
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

type callFrames struct {
	CallFrames []struct {
		URL        string
		LineNumber int
	}
}

// top is where a script was.
func (c *callFrames) top() (url string, line int) {
	if c == nil || len(c.CallFrames) == 0 {
		return "", 0
	}
	return c.CallFrames[0].URL, c.CallFrames[0].LineNumber + 1
}

type consoleAPICalled struct {
	Type               string
	Args               []remoteValue
	ExecutionContextID runtime.ExecutionContextID
	StackTrace         *callFrames
}

// A remoteValue is a value of a page's script, as its console shows it.
type remoteValue struct {
	Value               json.RawMessage
	UnserializableValue string
	Description         string
}

func (v *remoteValue) String() string {
	var text string
	switch {
	case json.Unmarshal(v.Value, &text) == nil:
		return text
	case v.UnserializableValue != "":
		return v.UnserializableValue
	case v.Description != "":
		return v.Description
	}
	return string(v.Value)
}

var consoleLevels = map[string]driver.ConsoleLevel{
	"debug": driver.ConsoleDebug, "info": driver.ConsoleInfo, "warning": driver.ConsoleWarning,
	"error": driver.ConsoleError, "assert": driver.ConsoleError,
}

func (p *page) consoleAPICalled(s *session, e *consoleAPICalled) {
	parts := make([]string, len(e.Args))
	for i := range e.Args {
		parts[i] = e.Args[i].String()
	}
	m := driver.ConsoleMessage{Page: p.ID(), Frame: p.frameOfWorld(s, e.ExecutionContextID), Level: driver.ConsoleLog, Text: strings.Join(parts, " ")}
	if level, ok := consoleLevels[e.Type]; ok {
		m.Level = level
	}
	m.URL, m.Line = e.StackTrace.top()
	p.browser.emit(m)
}

type exceptionThrown struct {
	ExceptionDetails struct {
		Text               string
		URL                string
		LineNumber         int
		ExecutionContextID runtime.ExecutionContextID
		Exception          *remoteValue
		StackTrace         *callFrames
	}
}

func (p *page) exceptionThrown(s *session, e *exceptionThrown) {
	d := &e.ExceptionDetails
	m := driver.PageError{Page: p.ID(), Frame: p.frameOfWorld(s, d.ExecutionContextID), Text: d.Text, URL: d.URL, Line: d.LineNumber + 1}
	if d.Exception != nil {
		m.Text, _, _ = strings.Cut(d.Exception.String(), "\n") // the rest is the stack
	}
	if url, line := d.StackTrace.top(); m.URL == "" {
		m.URL, m.Line = url, line
	}
	p.browser.emit(m)
}

type targetCrashed struct{}

// targetCrashed: the process of the session's frames is gone. The page's own
// takes the page with it, unless we ended it; a frame's leaves a hole.
func (p *page) targetCrashed(s *session, _ *targetCrashed) {
	if s != p.session {
		p.toolProvider.fail(s)
		p.browser.later(func() { s.Fail(fmt.Errorf("the frame's process has ended: %w", driver.ErrDetached)) })
		return
	}
	if p.crashing {
		p.crashed()
		return
	}
	p.end(fmt.Errorf("the page's process has ended: %w", driver.ErrCrashed))
	p.browser.emit(driver.PageCrashed{Page: p.ID()})
}
