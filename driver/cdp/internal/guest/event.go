package guest

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// Event implements conn.Handler: it passes on what is the guest's to hear.
func (c *channel) Event(method string, params []byte) {
	g := c.guest
	switch method {
	case "Target.attachedToTarget":
		if !g.attached(c, params) {
			return
		}
	case "Target.detachedFromTarget":
		gone := g.channelOf(params)
		if gone == nil {
			g.forget(params)
			return
		}
		g.drop(gone)
	case "Page.javascriptDialogOpening":
		g.mu.Lock()
		if g.channels[c.session.ID()] == c && !c.deaf {
			g.o.Dialog(c.target, c, true)
		}
		g.mu.Unlock()
	default:
		// Chrome tells a page's session, too, of the targets of all contexts.
		if (c.browser || strings.HasPrefix(method, "Target.")) && !c.mayHear(method, params) {
			return
		}
	}
	g.send(&message{Method: method, Params: bytes.Clone(params), Session: c.name()})
}

// mayHear picks the events of the browser itself that are about the guest's
// targets.
func (c *channel) mayHear(method string, raw []byte) bool {
	var e struct {
		TargetInfo targetInfo `json:"targetInfo"`
		TargetID   string     `json:"targetId"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return false
	}
	g := c.guest
	g.mu.Lock()
	defer g.mu.Unlock()
	switch method {
	case "Target.targetCreated", "Target.targetInfoChanged":
		if e.TargetInfo.Context != g.o.Context {
			return false
		}
		g.shown[sight{c, e.TargetInfo.ID}] = true
		return true
	case "Target.targetCrashed":
		return g.shown[sight{c, e.TargetID}]
	case "Target.targetDestroyed":
		known := g.shown[sight{c, e.TargetID}]
		delete(g.shown, sight{c, e.TargetID})
		return known
	}
	return false
}

// channelOf returns the channel that an event of the client's is about.
func (g *Guest) channelOf(raw []byte) *channel {
	var e attachReply
	if json.Unmarshal(raw, &e) != nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.channels[e.SessionID]
}

// attached takes in a target that Chrome has attached the guest to, and reports
// whether it is the guest's. Chrome knows no filter for contexts: it holds the
// new pages of all, and we release a stranger's at once.
func (g *Guest) attached(parent *channel, raw []byte) bool {
	var e struct {
		SessionID  string     `json:"sessionId"`
		TargetInfo targetInfo `json:"targetInfo"`
	}
	if json.Unmarshal(raw, &e) != nil || e.SessionID == "" {
		return false
	}
	// A session with the browser is as bound as the one that it was opened in.
	again := e.TargetInfo.Kind == "browser" && parent.browser
	own := again || e.TargetInfo.Context == g.o.Context || e.TargetInfo.Context == "" && !parent.browser
	g.mu.Lock()
	own = own && len(g.channels) < maxChannels
	child := &channel{guest: g, parent: parent, target: e.TargetInfo.ID, browser: again}
	if own {
		child.session = g.o.Conn.Open(e.SessionID, child)
		g.channels[e.SessionID] = child
	}
	g.mu.Unlock()
	if own {
		return true
	}
	deaf := &stranger{}
	deaf.session = g.o.Conn.Open(e.SessionID, deaf)
	run := conn.Method[conn.None, conn.None]("Runtime.runIfWaitingForDebugger").With(conn.None{})
	run.OnAnswer(func(error) {
		parent.session.Post(detach(e.SessionID))
		deaf.session.Drop(errGone)
	})
	deaf.session.Post(run)
	return false
}

// forget ends the session of a stranger that has gone before it could be let go.
func (g *Guest) forget(raw []byte) {
	var e attachReply
	if json.Unmarshal(raw, &e) != nil {
		return
	}
	if deaf, ok := g.o.Conn.Handler(e.SessionID).(*stranger); ok {
		deaf.session.Drop(errGone)
	}
}

// A stranger is a target of another context, on its way to be let go.
type stranger struct{ session *conn.Session }

// Event implements conn.Handler: it hears nothing.
func (*stranger) Event(string, []byte) {}
