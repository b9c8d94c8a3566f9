// Package conn carries commands to Chrome, and answers and events back.
package conn

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/cbor"
)

const (
	// CommandLimit ends a command whose context has no deadline.
	CommandLimit = 30 * time.Second

	// receiveLimit is about what Chrome manages to send: what is larger
	// never arrives at all, and is ended by the command's deadline.
	receiveLimit = 256 << 20

	// sendLimit: Chrome cuts the connection at a larger message.
	sendLimit = 100 << 20

	// promptLimit is how long a sender may be held up before the writing is
	// left to a goroutine.
	promptLimit = 5 * time.Millisecond
)

// Options are what a connection is for.
type Options struct {
	Log *slog.Logger

	// Root gets the events of the browser itself.
	Root Handler

	// Refused makes an error of a command that Chrome has refused, of the session whose
	// events a handler gets.
	Refused func(of Handler, method string, f *Failure) error

	// End is called on the reader goroutine, once, when nothing more will
	// come; it returns the error with which calls under way end.
	End func(cause error) error
}

// A Handler gets the events of a session, on the reader goroutine.
type Handler interface {
	Event(method string, params []byte)
}

// A Conn is one connection to Chrome with all its sessions. Its reader
// goroutine handles every message in the order of the wire: events are
// delivered to their end before the reply behind them wakes its caller.
type Conn struct {
	link    Link
	options Options
	log     *slog.Logger
	limit   int // of a message received

	root  *Session
	ended chan struct{} // closed when the reader goroutine is done
	group sync.WaitGroup
	heard atomic.Int64 // messages that have come

	mu       sync.Mutex // protects the following
	last     int64
	calls    map[int64]*Call
	sessions map[string]*Session
	out      []byte // what is to be written
	spare    []byte
	writing  bool
	err      error // why nothing can be sent any more
}

// New returns a connection that does not read yet.
func New(l Link, o Options) *Conn {
	m := &Conn{
		link: l, options: o, log: o.Log, limit: receiveLimit,
		ended:    make(chan struct{}),
		calls:    map[int64]*Call{},
		sessions: map[string]*Session{},
	}
	m.root = &Session{conn: m, handler: o.Root}
	m.sessions[""] = m.root
	return m
}

// Root is the session of the browser itself.
func (m *Conn) Root() *Session { return m.root }

// Heard is how many messages have come.
func (m *Conn) Heard() int64 { return m.heard.Load() }

// Ended is closed when nothing more will come.
func (m *Conn) Ended() <-chan struct{} { return m.ended }

// Run begins to read.
func (m *Conn) Run() {
	go func() {
		defer close(m.ended)
		m.read()
		m.group.Wait()
	}()
}

func (m *Conn) read() {
	for {
		raw, err := m.link.receive(m.limit)
		m.heard.Add(1)
		switch {
		case errors.Is(err, errOverLimit):
			m.answer(idOf(raw), nil, err)
			continue
		case err != nil:
			m.end(m.options.End(err))
			return
		}
		msg, err := m.parse(raw)
		if err == nil {
			err = m.take(&msg)
		}
		if err != nil {
			m.log.Warn("cdp: unreadable message", "err", err)
		}
	}
}

func (m *Conn) parse(raw []byte) (message, error) {
	if m.link.binary() {
		return parseBinary(raw)
	}
	return parseMessage(raw)
}

// take hands a message to its receiver.
func (m *Conn) take(msg *message) error {
	if msg.method == "" {
		m.reply(msg)
		return nil
	}
	m.mu.Lock()
	s := m.sessions[msg.session]
	m.mu.Unlock()
	if s == nil {
		return nil
	}
	params, err := msg.json()
	if err == nil {
		s.handler.Event(msg.method, params)
	}
	return err
}

func (m *Conn) reply(msg *message) {
	m.mu.Lock()
	p := m.calls[msg.id]
	m.mu.Unlock()
	switch {
	case p == nil:
	case msg.failure != nil:
		m.answer(msg.id, nil, m.options.Refused(p.session.handler, p.method, msg.failure))
	case p.raw:
		m.answer(msg.id, msg.wire(), nil)
	default:
		body, err := msg.json()
		m.answer(msg.id, body, err)
	}
}

// answer gives a call its answer, if the call still waits.
func (m *Conn) answer(id int64, result []byte, err error) {
	m.mu.Lock()
	p := m.calls[id]
	delete(m.calls, id)
	m.mu.Unlock()
	if p != nil {
		p.finish(result, err)
	}
}

// end fails everything that waits, and all that is to come.
func (m *Conn) end(err error) {
	m.mu.Lock()
	if m.err == nil {
		m.err = err
	}
	calls := m.calls
	m.calls = map[int64]*Call{}
	for id, s := range m.sessions {
		if id != "" {
			s.gone = cmp.Or(s.gone, m.err)
		}
	}
	m.mu.Unlock()
	for _, p := range calls {
		p.finish(nil, err)
	}
	if cerr := m.link.Close(); cerr != nil {
		m.log.Debug("cdp: closing the connection", "err", cerr)
	}
}

// Open makes a session known, whose events h gets. It is called on the reader goroutine.
func (m *Conn) Open(id string, h Handler) *Session {
	s := &Session{conn: m, id: id, handler: h}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sessions[id] = s
	return s
}

// Handler returns what gets the events of a session; nil if there is none of that id.
func (m *Conn) Handler(id string) Handler {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.sessions[id]; s != nil {
		return s.handler
	}
	return nil
}

// Close ends the connection and waits until nothing more comes of it.
func (m *Conn) Close() error {
	err := m.link.Close()
	<-m.ended
	return err
}

// takeCalls removes the calls of a session. m.mu is held.
func (m *Conn) takeCalls(s *Session) []*Call {
	var taken []*Call
	for id, p := range m.calls {
		if p.session == s {
			delete(m.calls, id)
			taken = append(taken, p)
		}
	}
	return taken
}

// start sends commands of one session together. After an error none was sent.
func (m *Conn) start(s *Session, commands []Command) ([]*Call, error) {
	bodies := make([][]byte, len(commands))
	for i, c := range commands {
		body, err := m.encode(c.base())
		if err != nil {
			return nil, err
		}
		bodies[i] = body
	}
	calls := make([]*Call, len(commands))
	m.mu.Lock()
	if err := cmp.Or(s.gone, m.err); err != nil {
		m.mu.Unlock()
		return nil, err
	}
	s.commands += len(commands)
	s.writes++
	for i, c := range commands {
		m.last++
		p := c.base()
		p.params, p.conn, p.session, p.id, p.done = nil, m, s, m.last, make(chan struct{})
		m.calls[p.id], calls[i] = p, p
		if m.link.binary() {
			m.out = appendBinary(m.out, p.id, p.method, bodies[i], s.id)
		} else {
			m.out = appendCommand(m.out, p.id, p.method, bodies[i], s.id)
		}
	}
	m.mu.Unlock()
	m.flush()
	return calls, nil
}

// encode returns what a command takes, as the link has it.
func (m *Conn) encode(c *Call) (body []byte, err error) {
	switch params := c.params.(type) {
	case nil, None:
		return nil, nil
	case json.RawMessage:
		body = params
	default:
		body, err = json.Marshal(params)
	}
	if err == nil && len(body) > 0 && len(body) <= sendLimit && m.link.binary() {
		body, err = cbor.Append(make([]byte, 0, len(body)+len(body)/4+cbor.HeaderLength), body)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.method, err)
	}
	if len(body) > sendLimit {
		return nil, fmt.Errorf("%s: %d bytes to send: %w", c.method, len(body), driver.ErrTooLarge)
	}
	return body, nil
}

// flush writes what is there, unless another goroutine is writing, which then writes this, too.
func (m *Conn) flush() {
	m.mu.Lock()
	if m.writing || len(m.out) == 0 || m.err != nil {
		m.mu.Unlock()
		return
	}
	m.writing = true
	if !m.link.prompt() {
		m.group.Add(1)
		m.mu.Unlock()
		go m.finishWriting(nil)
		return
	}
	buf := m.takeOut()
	m.mu.Unlock()
	n, err := m.link.send(buf, time.Now().Add(promptLimit))
	if errors.Is(err, os.ErrDeadlineExceeded) || err == nil && m.more(buf) {
		m.mu.Lock()
		if m.err != nil {
			m.mu.Unlock()
			return
		}
		m.group.Add(1)
		m.mu.Unlock()
		go m.finishWriting(buf[n:])
		return
	}
	if err != nil {
		m.broken(err)
	}
}

// more ends the writing if there is nothing left to be written.
func (m *Conn) more(written []byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if cap(written) <= 1<<16 {
		m.spare = written[:0]
	}
	m.writing = len(m.out) > 0
	return m.writing
}

// takeOut returns what is to be written. m.mu is held.
func (m *Conn) takeOut() []byte {
	buf := m.out
	m.out, m.spare = m.spare, nil
	return buf
}

// finishWriting writes rest, and then what has been added meanwhile.
func (m *Conn) finishWriting(rest []byte) {
	defer m.group.Done()
	for {
		if len(rest) > 0 {
			if _, err := m.link.send(rest, time.Now().Add(CommandLimit)); err != nil {
				m.broken(err)
				return
			}
		}
		m.mu.Lock()
		if len(m.out) == 0 {
			m.writing = false
			m.mu.Unlock()
			return
		}
		rest = m.takeOut()
		m.mu.Unlock()
	}
}

// broken ends the connection after a failed write. The reader notices, and
// tells everybody.
func (m *Conn) broken(err error) {
	m.log.Debug("cdp: writing to the browser", "err", err)
	if cerr := m.link.Close(); cerr != nil {
		m.log.Debug("cdp: closing the connection", "err", cerr)
	}
}
