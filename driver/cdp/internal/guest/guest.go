// Package guest lets clients of the DevTools protocol into one context of a
// Chrome that we hold: their commands and events go over our connection, in
// sessions of their own, and reach nothing but that context.
package guest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

const (
	// maxPending bounds the commands of a guest that Chrome has not answered.
	maxPending = 4096

	// maxChannels bounds a guest's sessions.
	maxChannels = 1024
)

// Options are what a guest needs of its browser.
type Options struct {
	Conn    *conn.Conn
	Context string // the browser context that the guest is let into
	Base    bool   // it is the one that Chrome means where none is named

	// Allow decides about an address that the guest has a page ask for, before
	// Chrome hears of it.
	Allow func(url string) error

	// Refusal reads an error of a command as Chrome wrote it.
	Refusal func(error) (code int, message string)

	// Dialog is called where Chrome has told a session of the guest's of a dialog of
	// a target, and where a session listens no more, whether or not one is open.
	// The guest's lock is held.
	Dialog func(target string, session any, listens bool)

	// Used is called before a command that acts is sent to a page or a part of one.
	Used func(target string)

	// Left is called on the reader goroutine when Chrome has let go of all that
	// the guest had set up.
	Left func()

	Guest *driver.GuestOptions
}

// A Guest is one client.
type Guest struct {
	o    Options
	root *channel
	done chan struct{}
	ends sync.Once

	sending sync.Mutex // held while a message is handed over
	closed  bool       // protected by sending

	mu       sync.Mutex // protects what follows
	pending  int
	channels map[string]*channel
	shown    map[sight]bool // targets that the client knows
}

// A sight is a target as a session of the client's has shown it.
type sight struct {
	channel *channel
	target  string
}

// Admit opens a connection for a client.
func Admit(ctx context.Context, o Options) (*Guest, error) {
	g := &Guest{o: o, done: make(chan struct{}), channels: map[string]*channel{}, shown: map[sight]bool{}}
	g.root = &channel{guest: g, browser: true}
	attach := conn.Method[conn.None, attachReply]("Target.attachToBrowserTarget").With(conn.None{})
	attach.Then(func(r attachReply, err error) {
		switch {
		case err != nil:
		case ctx.Err() != nil: // nobody waits for it any more
			o.Conn.Root().Post(detach(r.SessionID))
		default:
			g.root.session = o.Conn.Open(r.SessionID, g.root)
		}
	})
	if _, err := o.Conn.Root().Start(ctx, attach); err != nil {
		return nil, err
	}
	if _, err := attach.Wait(ctx); err != nil {
		return nil, err
	}
	if g.root.session == nil {
		return nil, ctx.Err()
	}
	return g, nil
}

type attachReply struct {
	SessionID string `json:"sessionId"`
}

func detach(session string) conn.Command {
	return conn.Method[map[string]string, conn.None]("Target.detachFromTarget").With(map[string]string{"sessionId": session})
}

// Done implements driver.Guest.
func (g *Guest) Done() <-chan struct{} { return g.done }

// Close implements driver.Guest. It may be called on the reader goroutine.
func (g *Guest) Close() {
	g.ends.Do(func() {
		g.sending.Lock()
		g.closed = true
		g.sending.Unlock()
		close(g.done)
		leave := detach(g.root.session.ID()) // and with it all that hang on it
		leave.OnAnswer(func(error) { g.o.Left() })
		g.o.Conn.Root().Post(leave)
		g.drop(g.root)
	})
}

// drop ends a channel and those below it.
func (g *Guest) drop(c *channel) {
	g.mu.Lock()
	gone := []*channel{c}
	for i := 0; i < len(gone); i++ {
		for _, other := range g.channels {
			if other.parent == gone[i] {
				gone = append(gone, other)
			}
		}
		delete(g.channels, gone[i].session.ID())
		gone[i].hide()
		g.o.Dialog(gone[i].target, gone[i], false)
	}
	g.mu.Unlock()
	for _, c := range gone {
		c.session.Drop(errGone)
	}
}

var errGone = fmt.Errorf("the session is %w", driver.ErrClosed)

// A message is what goes to and fro.
type message struct {
	ID      *int64          `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
	Session string          `json:"sessionId,omitempty"`
}

type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// The codes of JSON-RPC and of Chrome.
const (
	codeRefused = -32000
	codeUnknown = -32601
	codeParams  = -32602
	codeSession = -32001
)

func (g *Guest) send(m *message) {
	raw, err := json.Marshal(m)
	if err != nil {
		raw, _ = json.Marshal(&message{ID: m.ID, Error: &failure{codeRefused, "the answer can't be written"}, Session: m.Session})
	}
	g.sending.Lock()
	defer g.sending.Unlock()
	if !g.closed {
		g.o.Guest.Send(raw)
	}
}

// Command implements driver.Guest.
func (g *Guest) Command(raw []byte) error {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil || m.ID == nil || m.Method == "" {
		return errors.New("this is no command of the DevTools protocol")
	}
	c := &command{channel: g.root, id: *m.ID, method: m.Method}
	if m.Session != "" {
		g.mu.Lock()
		c.channel = g.channels[m.Session]
		g.mu.Unlock()
		if c.channel == nil {
			g.send(&message{ID: m.ID, Error: &failure{codeSession, "Session with given id not found."}, Session: m.Session})
			return nil
		}
	}
	allowed := ofTarget
	if c.channel.browser {
		allowed = ofBrowser
	}
	if !allowed[c.method] {
		if strings.Contains(c.method, ".") && len(c.method) < 100 {
			c.fail(codeUnknown, "is refused to a client that shares this session's browser")
		} else {
			c.method = "command"
			c.fail(codeUnknown, "wasn't found")
		}
		return nil
	}
	g.mu.Lock()
	full := g.pending >= maxPending
	g.mu.Unlock()
	if full {
		return fmt.Errorf("%d commands have no answer yet", maxPending)
	}
	var err error
	if c.params, err = parseParams(m.Params); err == nil {
		err = c.check()
	}
	if err != nil {
		c.fail(codeParams, err.Error())
		return nil
	}
	if acting[c.method] {
		if !c.channel.browser {
			g.o.Used(c.channel.target)
		}
		if g.o.Guest.Acted != nil {
			g.o.Guest.Acted(c.method)
		}
	}
	c.route()
	return nil
}

type targetInfo struct {
	ID      string `json:"targetId"`
	Context string `json:"browserContextId"`
	Kind    string `json:"type"`
}

type infoReply struct {
	TargetInfo targetInfo `json:"targetInfo"`
}

func (g *Guest) count(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pending += n
}

// ownTargets leaves the targets of others out of a list.
func (g *Guest) ownTargets(result json.RawMessage) (json.RawMessage, error) {
	var list struct {
		TargetInfos []json.RawMessage `json:"targetInfos"`
	}
	if err := json.Unmarshal(result, &list); err != nil {
		return nil, err
	}
	own := make([]json.RawMessage, 0, len(list.TargetInfos))
	for _, raw := range list.TargetInfos {
		var info targetInfo
		if json.Unmarshal(raw, &info) == nil && info.Context == g.o.Context {
			own = append(own, raw)
		}
	}
	list.TargetInfos = own
	return json.Marshal(list)
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

// detached ends the session that an event is about, and reports whether it was the
// client's. A stranger's has gone before it could be let go.
func (g *Guest) detached(raw []byte) bool {
	var e attachReply
	if json.Unmarshal(raw, &e) != nil {
		return false
	}
	g.mu.Lock()
	gone := g.channels[e.SessionID]
	g.mu.Unlock()
	if gone != nil {
		g.drop(gone)
	} else if deaf, ok := g.o.Conn.Handler(e.SessionID).(*stranger); ok {
		deaf.session.Drop(errGone)
	}
	return gone != nil
}
