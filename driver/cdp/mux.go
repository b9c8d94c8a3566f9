package cdp

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

const (
	// commandLimit ends a command whose context has no deadline.
	commandLimit = 30 * time.Second

	// receiveLimit is about what Chrome manages to send: what is larger
	// never arrives at all, and is ended by the command's deadline.
	receiveLimit = 256 << 20

	// sendLimit: Chrome cuts the connection at a larger message.
	sendLimit = 100 << 20

	// promptLimit is how long a sender may be held up before the writing is
	// left to a goroutine.
	promptLimit = 5 * time.Millisecond
)

// A mux is one connection to Chrome with all its sessions. Its reader
// goroutine handles every message in the order of the wire: events are
// delivered to their end before the reply behind them wakes its caller.
type mux struct {
	link  link
	log   *slog.Logger
	limit int // of a message received

	// onEvent is called on the reader goroutine.
	onEvent func(s *session, method string, params []byte)
	// onEnd is called on the reader goroutine, once, when nothing more will
	// come; it tells what calls under way get to hear.
	onEnd func(cause error) error

	root  *session
	ended chan struct{} // closed when the reader goroutine is done
	group sync.WaitGroup

	mu       sync.Mutex // protects the following
	last     int64
	calls    map[int64]*pending
	sessions map[string]*session
	out      []byte // what is to be written
	spare    []byte
	writing  bool
	err      error // why nothing can be sent any more
}

func newMux(l link, log *slog.Logger) *mux {
	m := &mux{
		link: l, log: log, limit: receiveLimit,
		ended:    make(chan struct{}),
		calls:    map[int64]*pending{},
		sessions: map[string]*session{},
	}
	m.root = &session{mux: m}
	m.sessions[""] = m.root
	return m
}

// run begins to read. onEvent and onEnd are set by then.
func (m *mux) run() {
	go func() {
		defer close(m.ended)
		m.read()
		m.group.Wait()
	}()
}

func (m *mux) read() {
	for {
		raw, err := m.link.receive(m.limit)
		switch {
		case errors.Is(err, errOverLimit):
			m.settle(idOf(raw), nil, err)
			continue
		case err != nil:
			m.end(m.onEnd(err))
			return
		}
		msg, err := parseMessage(raw)
		if err != nil {
			m.log.Warn("cdp: unreadable message", "err", err)
			continue
		}
		if msg.method != "" {
			m.mu.Lock()
			s := m.sessions[msg.session]
			m.mu.Unlock()
			if s != nil {
				m.onEvent(s, msg.method, msg.body)
			}
			continue
		}
		m.reply(&msg)
	}
}

func (m *mux) reply(msg *message) {
	if msg.failure == nil {
		m.settle(msg.id, msg.body, nil)
		return
	}
	m.mu.Lock()
	p := m.calls[msg.id]
	m.mu.Unlock()
	if p != nil {
		m.settle(msg.id, nil, commandError(p.method, msg.failure))
	}
}

// settle gives a call its answer, if the call still waits.
func (m *mux) settle(id int64, result []byte, err error) {
	m.mu.Lock()
	p := m.calls[id]
	delete(m.calls, id)
	m.mu.Unlock()
	if p != nil {
		p.finish(result, err)
	}
}

// end fails everything that waits, and all that is to come.
func (m *mux) end(err error) {
	m.mu.Lock()
	if m.err == nil {
		m.err = err
	}
	calls := m.calls
	m.calls = map[int64]*pending{}
	for id, s := range m.sessions {
		if id != "" {
			s.gone = cmpErr(s.gone, m.err)
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

// cmpErr returns the first that is not nil.
func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// open makes a session known. It is called on the reader goroutine.
func (m *mux) open(s *session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sessions[s.id] = s
}

// drop ends a session: what waits for it fails with err.
func (m *mux) drop(s *session, err error) {
	m.mu.Lock()
	delete(m.sessions, s.id)
	s.gone = cmpErr(s.gone, err)
	failed := m.takeCalls(s)
	m.mu.Unlock()
	for _, p := range failed {
		p.finish(nil, err)
	}
}

// fail ends what waits for a session and all later commands, while its events
// still come.
func (m *mux) fail(s *session, err error) {
	m.mu.Lock()
	s.gone = cmpErr(s.gone, err)
	failed := m.takeCalls(s)
	m.mu.Unlock()
	for _, p := range failed {
		p.finish(nil, err)
	}
}

// refuse has all later commands for a session fail.
func (m *mux) refuse(s *session, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s.gone = cmpErr(s.gone, err)
}

// revive undoes fail and refuse.
func (m *mux) revive(s *session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sessions[s.id] == s {
		s.gone = nil
	}
}

// takeCalls removes the calls of a session. m.mu is held.
func (m *mux) takeCalls(s *session) []*pending {
	var taken []*pending
	for id, p := range m.calls {
		if p.session == s {
			delete(m.calls, id)
			taken = append(taken, p)
		}
	}
	return taken
}

// start sends commands of one session together. After an error none was sent.
func (m *mux) start(s *session, commands []command) ([]*pending, error) {
	bodies := make([][]byte, len(commands))
	for i, c := range commands {
		body, err := c.encode()
		if err != nil {
			return nil, err
		}
		if len(body) > sendLimit {
			return nil, fmt.Errorf("%s: %d bytes to send: %w", c.method, len(body), driver.ErrTooLarge)
		}
		bodies[i] = body
	}
	calls := make([]*pending, len(commands))
	m.mu.Lock()
	if err := cmpErr(s.gone, m.err); err != nil {
		m.mu.Unlock()
		return nil, err
	}
	for i, c := range commands {
		m.last++
		p := &pending{mux: m, session: s, id: m.last, method: c.method, then: c.then, done: make(chan struct{})}
		m.calls[p.id], calls[i] = p, p
		m.out = appendCommand(m.out, p.id, c.method, bodies[i], s.id)
	}
	m.mu.Unlock()
	m.flush()
	return calls, nil
}

// flush writes what is there, unless somebody is at it: then he writes it.
func (m *mux) flush() {
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
func (m *mux) more(written []byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if cap(written) <= 1<<16 {
		m.spare = written[:0]
	}
	m.writing = len(m.out) > 0
	return m.writing
}

// takeOut returns what is to be written. m.mu is held.
func (m *mux) takeOut() []byte {
	buf := m.out
	m.out, m.spare = m.spare, nil
	return buf
}

// finishWriting writes rest, and then what has been added meanwhile.
func (m *mux) finishWriting(rest []byte) {
	defer m.group.Done()
	for {
		if len(rest) > 0 {
			if _, err := m.link.send(rest, time.Now().Add(commandLimit)); err != nil {
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
func (m *mux) broken(err error) {
	m.log.Debug("cdp: writing to the browser", "err", err)
	if cerr := m.link.Close(); cerr != nil {
		m.log.Debug("cdp: closing the connection", "err", cerr)
	}
}
