package cdp

import (
	"fmt"
	"net/http"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// intercepts reports whether requests are held up for us: only where somebody
// decides about them, or a proxy asks for a password.
func (b *browser) intercepts() bool { return b.opts.Allow != nil || b.proxyAuth() }

func (b *browser) proxyAuth() bool { return b.opts.Proxy != nil && b.opts.Proxy.Username != "" }

// attachBelow has whatever a page or a worker begets attached to us before its
// first byte: frames in processes of their own, workers and worklets of every
// kind. It names none, because Chrome holds those that a filter leaves out, too,
// and then nobody is there to let them run.
func (b *browser) attachBelow() conn.Command {
	return conn.Command{Method: "Target.setAutoAttach", Params: autoAttach{true, true, true, []targetFilter{{}}}}
}

// interception is the command that has requests held up.
func (b *browser) interception() conn.Command {
	return conn.Command{Method: "Fetch.enable", Params: map[string]any{
		"patterns":           []map[string]any{{"urlPattern": "*"}},
		"handleAuthRequests": b.proxyAuth(),
	}}
}

// addWorker takes in a worker that waits, so that its requests are decided
// about, too. It reports false if they are nobody's business.
func (b *browser) addWorker(s *session) bool {
	if !b.intercepts() {
		return false
	}
	s.browser = b
	if s.parent.page != nil {
		s.page = s.parent.page
		b.mu.Lock()
		s.page.workers = append(s.page.workers, s)
		b.mu.Unlock()
	}
	s.Post(b.interception(), b.attachBelow(), conn.Command{Method: "Runtime.runIfWaitingForDebugger"})
	return true
}

type requestPaused struct {
	RequestID           string
	Request             struct{ URL, Method string }
	FrameID             driver.FrameID
	ResourceType        string
	NetworkID           string
	RedirectedRequestID string
}

// requestPaused decides about a request on a goroutine of its own: others
// need not wait for the decision.
func (b *browser) requestPaused(s *session, e *requestPaused) {
	if s.page != nil && s.page.isBlank() {
		s.Post(conn.Command{Method: "Fetch.fulfillRequest", Params: map[string]any{
			"requestId": e.RequestID, "responseCode": http.StatusOK,
			"responseHeaders": []map[string]string{{"name": "content-type", "value": "text/html"}},
			"body":            []byte(`<link rel=icon href="data:,">`), // no request for one
		}})
		return
	}
	if b.opts.Allow == nil {
		s.Post(conn.Command{Method: "Fetch.continueRequest", Params: map[string]any{"requestId": e.RequestID}})
		return
	}
	// Not waited for: Close must not hang on somebody who does not decide.
	go b.decide(s, e)
}

func (b *browser) decide(s *session, e *requestPaused) {
	kind := requestKind(e.ResourceType)
	err := b.opts.Allow(driver.RequestInfo{
		URL: e.Request.URL, Method: e.Request.Method, Kind: kind,
		Frame: e.FrameID, Redirected: e.RedirectedRequestID != "",
	})
	if err == nil {
		s.Post(conn.Command{Method: "Fetch.continueRequest", Params: map[string]any{"requestId": e.RequestID}})
		return
	}
	reason := "BlockedByClient"
	if kind == driver.RequestDocument {
		// The page that is there stays, instead of one of Chrome's that says so.
		reason = "Aborted"
		if s.page != nil {
			s.page.refuse(e.NetworkID, err)
		}
	}
	s.Post(conn.Command{Method: "Fetch.failRequest", Params: map[string]any{"requestId": e.RequestID, "errorReason": reason}})
}

// maxRefused bounds the refusals that nobody asked about.
const maxRefused = 100

// refuse remembers why a document was refused, for whoever navigated to it.
func (p *page) refuse(id string, err error) {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	if len(p.refused) >= maxRefused {
		clear(p.refused)
	}
	p.refused[id] = err
}

func (p *page) isBlank() bool {
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	return p.blank
}

type authRequired struct {
	RequestID     string
	AuthChallenge struct{ Source, Origin string }
}

// authRequired gives the proxy, and nobody else, its password.
func (b *browser) authRequired(s *session, e *authRequired) {
	answer := map[string]any{"response": "Default"}
	if e.AuthChallenge.Source == "Proxy" {
		answer = map[string]any{
			"response": "ProvideCredentials",
			"username": b.opts.Proxy.Username, "password": b.opts.Proxy.Password,
		}
	}
	s.Post(conn.Command{Method: "Fetch.continueWithAuth", Params: map[string]any{
		"requestId": e.RequestID, "authChallengeResponse": answer,
	}})
}

// refusal is the error of a navigation that policy refused.
func refusal(address string, why error) error {
	return &driver.NavigationError{
		URL: address, Reason: driver.ReasonBlocked, Detail: why.Error(),
		Err: fmt.Errorf("%w: %w", driver.ErrBlocked, why),
	}
}
