package guest

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// A channel is a session of the client's.
type channel struct {
	guest   *Guest
	parent  *channel // nil for the browser's
	session *conn.Session
	browser bool // a session with the browser: the first, or one that the client has opened
	target  string
	deaf    bool // the client has said that it hears of no dialogs; protected by guest.mu
}

// hide forgets what the channel has shown. guest.mu is held.
func (c *channel) hide() {
	maps.DeleteFunc(c.guest.shown, func(s sight, _ bool) bool { return s.channel == c })
}

// name is the channel's session as the client calls it: that of the browser has
// no name.
func (c *channel) name() string {
	if c.parent == nil {
		return ""
	}
	return c.session.ID()
}

// Event implements conn.Handler: it passes on what is the guest's to hear.
func (c *channel) Event(method string, params []byte) {
	g := c.guest
	switch method {
	case "Target.attachedToTarget":
		if !g.attached(c, params) {
			return
		}
	case "Target.detachedFromTarget":
		if !g.detached(params) {
			return
		}
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

// A stranger is a target of another context, on its way to be let go.
type stranger struct{ session *conn.Session }

// Event implements conn.Handler: it hears nothing.
func (*stranger) Event(string, []byte) {}
