package guests

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/internal/nodes"
)

// Path is where the addresses are, below the service's own.
const Path = "/devtools/browser/"

// Options are what an operator decides. A zero member is its default.
type Options struct {
	// Base is the service's address as clients reach it, as wss://host; empty is
	// the one that a session was asked for at, without TLS.
	Base string

	// Node finds sessions of other nodes, to which clients are passed on; nil: there
	// are none.
	Node *nodes.Node

	PerSession int           // clients of one session at once; 4
	Message    int64         // bytes of a client's message; 32 MiB
	Buffer     int           // bytes that wait for a client that reads slowly; 64 MiB
	AdmitTime  time.Duration // for the browser to let a client in; 30 s
	Silence    time.Duration // after which a client that answers no ping is gone; 90 s
	WriteTime  time.Duration // for a client to take a message; 30 s
	NoteEvery  time.Duration // between two entries of the history about one client; 10 s

	Logger *slog.Logger // nil is silence
}

// Guests hold the addresses of the open sessions, and serve the clients that connect
// there.
type Guests struct {
	opts     Options
	log      *slog.Logger
	upgrader websocket.Upgrader

	mu    sync.Mutex                  // protects what follows
	rooms map[[sha256.Size]byte]*room // by the digest of the token
}

// A room is a session that clients can attach to.
type room struct {
	server.GuestSession
	host driver.Host

	mu     sync.Mutex // protects what follows
	ended  bool
	inside map[*visit]struct{}
	all    sync.WaitGroup
}

// New returns Guests without sessions. o may be nil.
func New(o *Options) *Guests {
	g := &Guests{opts: *cmp.Or(o, &Options{}), rooms: map[[sha256.Size]byte]*room{}}
	given := &g.opts
	g.log = cmp.Or(given.Logger, slog.New(slog.DiscardHandler))
	given.PerSession, given.Message, given.Buffer = cmp.Or(given.PerSession, 4), cmp.Or(given.Message, 32<<20), cmp.Or(given.Buffer, 64<<20)
	given.AdmitTime, given.Silence = cmp.Or(given.AdmitTime, 30*time.Second), cmp.Or(given.Silence, 90*time.Second)
	given.WriteTime, given.NoteEvery = cmp.Or(given.WriteTime, 30*time.Second), cmp.Or(given.NoteEvery, 10*time.Second)
	g.upgrader = websocket.Upgrader{
		HandshakeTimeout: 10 * time.Second,
		// A web page sends its origin, and no page is a client of ours.
		CheckOrigin: func(r *http.Request) bool { return r.Header.Get("origin") == "" },
		Error: func(w http.ResponseWriter, _ *http.Request, status int, _ error) {
			http.Error(w, http.StatusText(status), status)
		},
	}
	return g
}

// Open gives a session its address; it is for [server.Parts].Guests. A browser that
// accepts no guests gets none, and address is nil. end closes the connections of all
// clients and waits for that; it may be called again.
func (g *Guests) Open(s server.GuestSession) (address func(*http.Request) string, end func()) {
	host, ok := driver.BrowserAs[driver.Host](s.Browser)
	if !ok {
		return nil, func() {}
	}
	var secret [32]byte
	rand.Read(secret[:]) // it never fails
	token := s.ID + "." + base64.RawURLEncoding.EncodeToString(secret[:])
	key := sha256.Sum256([]byte(token))
	one := &room{GuestSession: s, host: host, inside: map[*visit]struct{}{}}
	g.mu.Lock()
	g.rooms[key] = one
	g.mu.Unlock()
	address = func(r *http.Request) string { return g.addressOf(r, token) }
	return address, func() {
		g.mu.Lock()
		delete(g.rooms, key)
		g.mu.Unlock()
		one.end()
	}
}

// addressOf is a token's address, as the sender of r reaches it.
func (g *Guests) addressOf(r *http.Request, token string) string {
	base := strings.TrimSuffix(g.opts.Base, "/")
	switch {
	case base != "":
	case r.Host == "":
		return ""
	case r.TLS != nil:
		base = "wss://" + r.Host
	default:
		base = "ws://" + r.Host
	}
	return base + Path + token
}

func (o *room) end() {
	o.mu.Lock()
	o.ended = true
	for v := range o.inside {
		v.end(errEnded)
	}
	o.mu.Unlock()
	o.all.Wait()
}

// enter counts a client in.
func (o *room) enter(v *visit, most int) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.ended:
		return errEnded
	case len(o.inside) >= most:
		return errCrowd
	}
	o.inside[v] = struct{}{}
	o.all.Add(1)
	return nil
}

func (o *room) leave(v *visit) {
	o.mu.Lock()
	delete(o.inside, v)
	o.mu.Unlock()
	o.all.Done()
}

var (
	errEnded  = errors.New("the session has ended")
	errCrowd  = errors.New("as many clients as may are attached to the session")
	errBehind = errors.New("the client reads too slowly")
)

// ServeHTTP lets clients in at a session's address, and answers there what they
// ask before: /json/version.
func (g *Guests) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if g.opts.Node != nil {
		if r, _ = g.opts.Node.Receive(w, r); r == nil {
			return
		}
	}
	w.Header().Set("cache-control", "no-store")
	w.Header().Set("referrer-policy", "no-referrer")
	token, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Path), "/")
	g.mu.Lock()
	one := g.rooms[sha256.Sum256([]byte(token))]
	g.mu.Unlock()
	switch session, _, _ := strings.Cut(token, "."); {
	case one == nil && g.opts.Node != nil && strings.HasPrefix(r.URL.Path, Path) && session != "" && g.upgrader.CheckOrigin(r):
		g.passOn(session, w, r)
	case !strings.HasPrefix(r.URL.Path, Path) || one == nil:
		http.Error(w, nothing, http.StatusNotFound)
	case r.Method != http.MethodGet:
		w.Header().Set("allow", http.MethodGet)
		http.Error(w, "only GET is taken here", http.StatusMethodNotAllowed)
	case strings.TrimSuffix(rest, "/") == "json/version":
		w.Header().Set("content-type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{ // a client that has gone reads no answer
			"Browser": one.Browser.Version(), "Protocol-Version": "1.3", "webSocketDebuggerUrl": g.addressOf(r, token),
		})
	case rest != "":
		http.Error(w, "nothing is at this address", http.StatusNotFound)
	case !websocket.IsWebSocketUpgrade(r):
		http.Error(w, "a client of the DevTools protocol attaches here, by WebSocket", http.StatusUpgradeRequired)
	default:
		g.receive(one, w, r)
	}
}

// nothing is what is at the address of a session that has ended.
const nothing = "nothing is at this address; it ends with its session"

// passOn has the session's own node answer. Whether the secret is right is its to
// say.
func (g *Guests) passOn(session string, w http.ResponseWriter, r *http.Request) {
	forward, err := g.opts.Node.Find(r.Context(), session)
	if err == nil {
		err = forward(w, r, "")
	}
	switch {
	case err == nil:
	case errors.Is(err, nodes.ErrNoSession):
		http.Error(w, nothing, http.StatusNotFound)
	case errors.Is(err, nodes.ErrNodeGone):
		http.Error(w, "the session is gone with the node that had it", http.StatusGone)
	default:
		w.Header().Set("retry-after", "1")
		http.Error(w, "the node that has the session does not answer; ask again", http.StatusServiceUnavailable)
		g.log.Warn("a client was not passed on", "session", session, "err", err)
	}
}

// receive serves one client until it leaves.
func (g *Guests) receive(one *room, w http.ResponseWriter, r *http.Request) {
	v := &visit{opts: &g.opts, room: one, ready: make(chan struct{}, 1)}
	v.ctx, v.end = context.WithCancelCause(context.Background())
	defer v.end(errEnded)
	if err := one.enter(v, g.opts.PerSession); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	defer one.leave(v)
	conn, err := g.upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // it was answered
	}
	v.conn = conn
	g.log.Info("a client attached to the session's browser", "session", one.ID)
	one.Note("a client of the DevTools protocol attached")
	ctx, cancel := context.WithTimeout(v.ctx, g.opts.AdmitTime)
	defer cancel()
	guest, err := one.host.Admit(ctx, &driver.GuestOptions{Send: v.put, Acted: v.acted})
	if err != nil {
		v.end(err)
		v.finish(nil)
	} else {
		v.guest = guest
		v.serve()
	}
	g.log.Info("a client left the session's browser", "session", one.ID, "why", v.why())
	one.Note(v.story("it left"))
}
