package conn

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// A Session is Chrome's word for a channel to one target, or with an empty id
// to the browser itself. All sessions share the connection.
type Session struct {
	conn    *Conn
	id      string
	handler Handler

	// Protected by conn.mu:

	gone             error     // why no command can be sent
	commands, writes int       // that were sent
	later            []Command // waits for the next write
}

// Sent is how many commands were sent to the session, in how many writes.
func (s *Session) Sent() (commands, writes int) {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.commands, s.writes
}

// ID is Chrome's name of the session.
func (s *Session) ID() string { return s.id }

// Call sends a command by its name and decodes its result, unless result is
// nil. params is anything that encodes to the parameters as JSON, or nil.
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	raw, err := Method[any, json.RawMessage](method).Do(ctx, s, params)
	if err != nil || result == nil {
		return err
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return fmt.Errorf("%s: unexpected answer: %w", method, err)
	}
	return nil
}

// Batch sends commands in one write and waits for all. The error is that of
// the first that failed.
func (s *Session) Batch(ctx context.Context, commands ...Command) error {
	calls, err := s.Start(ctx, commands...)
	for _, c := range calls {
		_, cerr := c.Wait(ctx)
		err = cmp.Or(err, cerr)
	}
	return err
}

// Start sends commands in one write and waits for none.
func (s *Session) Start(ctx context.Context, commands ...Command) ([]*Call, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := len(commands)
	calls, err := s.conn.start(s, slices.Concat(commands, s.takeLater()))
	return calls[:min(n, len(calls))], err
}

// Post sends commands whose answers nobody needs, or only their hooks.
func (s *Session) Post(commands ...Command) {
	if commands = slices.Concat(commands, s.takeLater()); len(commands) == 0 {
		return
	}
	if _, err := s.conn.start(s, commands); err != nil {
		// The session or the connection has ended, which is reported elsewhere.
		s.conn.log.Debug("cdp: not sent", "commands", len(commands), "err", err)
	}
}

// mostLater bounds what waits for the next write of a session.
const mostLater = 16

// Later sends commands, whose answers nobody needs, behind those of the next write.
func (s *Session) Later(commands ...Command) {
	s.conn.mu.Lock()
	s.later = append(s.later, commands...)
	full := len(s.later) > mostLater
	s.conn.mu.Unlock()
	if full {
		s.Post()
	}
}

// takeLater returns what waits for the next write.
func (s *Session) takeLater() []Command {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	later := s.later
	s.later = nil
	return later
}

// Drop ends a session: what waits for it fails with err.
func (s *Session) Drop(err error) {
	s.conn.mu.Lock()
	delete(s.conn.sessions, s.id)
	s.conn.mu.Unlock()
	s.Fail(err)
}

// Fail ends what waits for a session and all later commands, while its events
// still come.
func (s *Session) Fail(err error) {
	s.conn.mu.Lock()
	s.gone = cmp.Or(s.gone, err)
	failed := s.conn.takeCalls(s)
	s.conn.mu.Unlock()
	for _, p := range failed {
		p.finish(nil, err)
	}
}

// Refuse has all later commands for a session fail.
func (s *Session) Refuse(err error) {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	s.gone = cmp.Or(s.gone, err)
}

// Revive undoes Fail and Refuse.
func (s *Session) Revive() {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	if s.conn.sessions[s.id] == s {
		s.gone = nil
	}
}
