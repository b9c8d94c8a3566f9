package cdp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// A targetInfo is what Chrome says of a target.
type targetInfo struct {
	TargetID         string
	Type             string
	URL              string
	OpenerID         string
	BrowserContextID string
	Subtype          string
}

// event handles an event on the reader goroutine.
func (c *Chrome) event(s *session, method string, params []byte) {
	switch method {
	case "Target.attachedToTarget":
		var e struct {
			SessionID          string
			TargetInfo         targetInfo
			WaitingForDebugger bool
		}
		if c.read(method, params, &e) {
			c.attached(s, e.SessionID, &e.TargetInfo, e.WaitingForDebugger)
		}
	case "Target.detachedFromTarget":
		var e struct{ SessionID string }
		if c.read(method, params, &e) {
			c.detached(e.SessionID)
		}
	case "Fetch.requestPaused":
		var e requestPaused
		if s.browser != nil && c.read(method, params, &e) {
			s.browser.requestPaused(s, &e)
		}
	case "Fetch.authRequired":
		var e authRequired
		if s.browser != nil && c.read(method, params, &e) {
			s.browser.authRequired(s, &e)
		}
	default:
		switch {
		case s.page != nil:
			s.page.event(s, method, params)
		case strings.HasPrefix(method, "Browser.download"):
			c.download(method, params)
		}
	}
}

func (c *Chrome) read(method string, params []byte, v any) bool {
	if err := json.Unmarshal(params, v); err != nil {
		c.log.Warn("cdp: unreadable event", "method", method, "err", err)
		return false
	}
	return true
}

// attached takes in a target that Chrome has attached us to. It waits until
// it is told to run.
func (c *Chrome) attached(parent *session, id string, info *targetInfo, waits bool) {
	s := &session{chrome: c, target: info.TargetID, kind: info.Type, parent: parent, waits: waits}
	s.Session = c.conn.Open(id, s)
	switch {
	case info.Type == "page" && parent == c.root && info.Subtype == "":
		if b := c.browserOf(info.BrowserContextID); b != nil && b.addPage(s, info) {
			return
		}
	case info.Type == "iframe" && parent.page != nil:
		if parent.page.addFrameSession(s) {
			return
		}
	case info.Type != "page" && info.Type != "iframe":
		b := parent.browser
		if parent == c.root {
			b = c.browserOf(info.BrowserContextID)
		}
		if b != nil && b.addWorker(s) {
			return
		}
	}
	c.release(s)
}

// release lets a target run that is none of ours. We leave when it has taken
// that: a shared worker that lost us before would wait for ever.
func (c *Chrome) release(s *session) {
	s.Post(conn.Command{Method: "Runtime.runIfWaitingForDebugger", Then: func([]byte, error) {
		s.parent.Post(conn.Command{Method: "Target.detachFromTarget", Params: map[string]any{"sessionId": s.ID()}})
	}})
}

// detached takes leave of a target.
func (c *Chrome) detached(id string) {
	s, _ := c.conn.Handler(id).(*session)
	switch {
	case s == nil:
	case s.page != nil && s.kind == "page":
		p := s.page
		p.browser.locked(func() { p.remove(fmt.Errorf("the page is %w", driver.ErrClosed)) })
	case s.page != nil && s.kind == "iframe":
		s.page.removeSession(s)
	default:
		s.Drop(driver.ErrClosed)
	}
}
