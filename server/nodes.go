package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/uuid"
	"github.com/wayfinder-engine/wayfinder/server/internal/body"
	"github.com/wayfinder-engine/wayfinder/server/internal/replays"
	"github.com/wayfinder-engine/wayfinder/server/nodes"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// errNodeGone is why sessions end whose node is not of the fleet any more.
var errNodeGone = newFault(wire.SessionGone, "the session is gone with the node that had it; start another")

// KeepNode keeps the server's node known to the others until ctx ends. When the others
// have taken it for dead, its sessions end, and new ones can be started.
func (s *core) KeepNode(ctx context.Context) {
	s.opts.Parts.Node.Maintain(ctx, func() int { return s.Load().Sessions }, func() { s.sessions.endAll(errNodeGone) })
}

// mostPlaced is how many nodes are tried for one session.
const mostPlaced = 4

// startPlaced starts a session at the node that is chosen for it: here, where
// begin does so, or at another one, which answers the client.
func (s *Server) startPlaced(c *call, labels map[string]string, begin func(id string) error) error {
	if s.opts.Parts.Node == nil {
		return begin(uuid.New())
	}
	if c.pass != nil {
		return begin(c.pass.Session)
	}
	var last error
	for range mostPlaced {
		id := uuid.New()
		forward, err := s.opts.Parts.Node.Place(c.r.Context(), id, labels)
		switch {
		case err != nil:
			return c.unreachable(c.r.Context(), err)
		case forward != nil:
			if err = s.forward(c, forward); err == nil {
				return nil
			}
		default:
			if err = begin(id); err == nil {
				return nil
			}
		}
		s.opts.Parts.Node.Drop(id)
		last = err
		// Another node may have room, or not be about to end.
		f := faultOf(c.r.Context(), err)
		if forward == nil && (errors.Is(err, nodes.ErrKeyFull) || f.code != wire.TooManySessions && f.code != wire.Draining) {
			return err
		}
		if forward != nil && !errors.Is(err, nodes.ErrUnsent) && !errors.Is(err, nodes.ErrNoRoom) {
			break
		}
	}
	return c.unreachable(c.r.Context(), last)
}

// elsewhere answers a request for a session that this server does not have.
func (s *Server) elsewhere(c *call, id string) error {
	find, err := s.opts.Parts.Node.Find(c.r.Context(), id)
	if err == nil {
		c.elsewhere = true
		if err = s.forward(c, find); err == nil {
			return nil
		}
	}
	return c.unreachable(c.r.Context(), err)
}

// forward passes a request on.
func (s *Server) forward(c *call, to nodes.Forward) error {
	r := c.r
	if c.raw != nil { // it was read
		r = r.WithContext(r.Context())
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(c.raw)), int64(len(c.raw))
	}
	kept := c.w.Header().Get(wire.HeaderSent)
	c.w.Header().Del(wire.HeaderSent) // the node knows
	err := to(c, r, c.holder.caller())
	if err != nil && kept != "" {
		c.w.Header().Set(wire.HeaderSent, kept)
		if !errors.Is(err, nodes.ErrUnsent) {
			c.sent = wire.SentPossible
			c.tellSent()
		}
	}
	return err
}

// mostListed is how many sessions are listed.
const mostListed = 100

// list answers with the sessions of the caller, or with all for an operator: of
// this server, and of the other nodes where the client asks.
func (s *Server) list(c *call) error {
	if c.r.URL.Query().Get("ended") == "true" {
		return s.listEnded(c)
	}
	operator := c.holder.operator()
	var own []*session
	for _, one := range s.sessions.all() {
		if operator || one.holder == c.holder {
			own = append(own, one)
		}
	}
	slices.SortFunc(own, func(a, b *session) int { return cmp.Or(b.begun.Compare(a.begun), cmp.Compare(a.id, b.id)) })
	listed := wire.SessionList{Operator: operator, Omitted: max(0, len(own)-mostListed)}
	own = own[:len(own)-listed.Omitted]
	listed.Sessions = make([]wire.SessionSummary, len(own))
	var all sync.WaitGroup
	for i, one := range own {
		all.Go(func() { listed.Sessions[i] = one.summary(c.r.Context(), operator) })
	}
	all.Wait()
	if s.opts.Parts.Node != nil && c.pass == nil {
		s.listElsewhere(c, &listed)
	}
	return c.writeJSON(http.StatusOK, wire.Success[wire.SessionList]{Success: true, Data: listed})
}

// summary is a session as lists have it.
func (s *session) summary(ctx context.Context, operator bool) wire.SessionSummary {
	one := wire.SessionSummary{ID: s.id, Run: s.run, Model: s.model, Created: s.begun.UTC().Format(time.RFC3339), Doing: s.doing.Load(), Traced: s.record != nil}
	if operator {
		one.Key = s.holder.name()
	}
	s.mu.Lock()
	one.Working, one.Taken = s.working > 0, s.person != nil && s.person.has
	s.mu.Unlock()
	if page := s.engine.Page(); page != nil {
		one.URL, one.Title = short(s.shownURL(page)), s.titleOf(ctx, page)
	}
	return one
}

// mostEnded is how many sessions that have ended are listed at once.
const mostEnded = 30

// listEnded answers with sessions that have ended, as far as something is kept of
// them: those before the one that the client names, or that one alone.
func (s *Server) listEnded(c *call) error {
	if s.opts.Parts.Kept.Replays == nil {
		return newFault(wire.NotImplemented, "this server keeps nothing of sessions that have ended: its operator has named no directory for it (--data)")
	}
	query := c.r.URL.Query()
	operator := c.holder.operator()
	all, err := s.opts.Parts.Kept.Replays.List(c.r.Context(), c.holder.caller(), operator)
	if err != nil {
		return &fault{code: wire.NodeUnavailable, message: "the sessions cannot be read now; ask again", retry: time.Second, cause: err}
	}
	listed := wire.SessionList{Sessions: []wire.SessionSummary{}, Operator: operator}
	before, only, last := query.Get("before"), query.Get("id"), ""
	for one := range all {
		if only != "" && one.ID != only || before != "" && cursor(&one) <= before || one.Ended.IsZero() && s.somewhere(c.r.Context(), one.ID) {
			continue
		}
		if len(listed.Sessions) == mostEnded {
			listed.Next = last
			break
		}
		listed.Sessions, last = append(listed.Sessions, s.endedSummary(&one, operator)), cursor(&one)
	}
	return c.writeJSON(http.StatusOK, wire.Success[wire.SessionList]{Success: true, Data: listed})
}

// cursor is a session's place in the list of those that have ended: those after it
// have greater ones.
func cursor(one *replays.Summary) string {
	return fmt.Sprintf("%016x-%s", uint64(math.MaxInt64-one.Begun.UnixNano()), one.ID)
}

// somewhere reports that a session is open, here or at another node.
func (s *core) somewhere(ctx context.Context, id string) bool {
	if s.sessions.has(id) || s.opts.Parts.Node == nil {
		return s.sessions.has(id)
	}
	_, err := s.opts.Parts.Node.Find(ctx, id)
	return !errors.Is(err, nodes.ErrNoSession) && !errors.Is(err, nodes.ErrNodeGone)
}

// endedSummary is a session that has ended, as lists have it.
func (s *core) endedSummary(of *replays.Summary, operator bool) wire.SessionSummary {
	one := wire.SessionSummary{ID: of.ID, Run: of.Run, Model: of.Model, URL: of.Latest.URL, Title: of.Latest.Title, Created: of.Begun.Format(time.RFC3339), Traced: of.Traced}
	if !of.Ended.IsZero() {
		one.Ended = of.Ended.Format(time.RFC3339)
	}
	if of.Latest.Method != "" {
		one.Doing = &wire.Doing{Operation: of.Latest.Method, Text: of.Latest.Text, Since: of.Latest.Time.Format(time.RFC3339), Over: true}
	}
	if operator {
		for _, h := range s.holders.all() {
			if h.caller() == of.Owner {
				one.Key = h.name()
			}
		}
	}
	return one
}

// nodeTime is how long a node may take to say what it has.
const nodeTime = 3 * time.Second

// listElsewhere adds the sessions of the other nodes to a list, as far as there
// is room in it.
func (s *Server) listElsewhere(c *call, listed *wire.SessionList) {
	ctx, cancel := context.WithTimeout(c.r.Context(), nodeTime)
	defer cancel()
	self, others := "", []body.Node{}
	for _, node := range s.opts.Parts.Node.Nodes() {
		if node.Here {
			self = node.ID
		} else {
			others = append(others, node)
		}
	}
	answers := make([]*wire.SessionList, len(others))
	var all sync.WaitGroup
	for i, node := range others {
		all.Go(func() { answers[i] = s.listAt(c.r.Clone(ctx), c.holder.caller(), node.ID) })
	}
	all.Wait()
	for i := range listed.Sessions {
		listed.Sessions[i].Node = self
	}
	for i, answer := range answers {
		if answer == nil {
			listed.Unreachable = append(listed.Unreachable, others[i].ID)
			continue
		}
		listed.Omitted += answer.Omitted
		for _, one := range answer.Sessions {
			one.Node = others[i].ID
			listed.Sessions = append(listed.Sessions, one)
		}
	}
	// RFC 3339 in UTC sorts as text.
	slices.SortStableFunc(listed.Sessions, func(a, b wire.SessionSummary) int {
		return cmp.Or(cmp.Compare(b.Created, a.Created), cmp.Compare(a.ID, b.ID))
	})
	if over := len(listed.Sessions) - mostListed; over > 0 {
		listed.Sessions, listed.Omitted = listed.Sessions[:mostListed], listed.Omitted+over
	}
}

// listAt asks one node for its sessions; nil: it did not answer.
func (s *Server) listAt(r *http.Request, caller, node string) *wire.SessionList {
	forward, err := s.opts.Parts.Node.Node(node)
	if err != nil {
		return nil
	}
	w := &kept{header: http.Header{}}
	var answer wire.Success[wire.SessionList]
	if err := forward(w, r, caller); err != nil || w.status != http.StatusOK || json.Unmarshal(w.body.Bytes(), &answer) != nil {
		s.log.Warn("a node did not list its sessions", "node", node, "status", w.status, "err", err)
		return nil
	}
	return &answer.Data
}

// kept is an answer of another node that is read here.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *kept) Header() http.Header { return k.header }

func (k *kept) WriteHeader(status int) {
	if k.status == 0 && status >= http.StatusOK {
		k.status = status
	}
}

func (k *kept) Write(p []byte) (int, error) {
	k.WriteHeader(http.StatusOK)
	return k.body.Write(p)
}

// traceTime is how long another node may take to send a trace.
const traceTime = 10 * time.Second

// traceElsewhere answers with the trace of a session that has ended at another node,
// where the nodes share no directory. gone is the answer where none has it.
func (s *Server) traceElsewhere(c *call, gone error) error {
	if c.pass != nil || s.opts.Parts.Node == nil || c.holder == nil || c.op.id != "SessionTrace" {
		return gone
	}
	if f := faultOf(c.r.Context(), gone); f.code != wire.SessionNotFound && f.code != wire.SessionGone {
		return gone
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), traceTime)
	defer cancel()
	for _, node := range s.opts.Parts.Node.Nodes() {
		if node.Here {
			continue
		}
		forward, err := s.opts.Parts.Node.Node(node.ID)
		if err != nil {
			continue // it is gone by now
		}
		w := &kept{header: http.Header{}}
		if err := forward(w, c.r.Clone(ctx), c.holder.caller()); err != nil {
			s.log.Warn("a node did not say whether it has a trace", "node", node.ID, "err", err)
		} else if w.status == http.StatusOK {
			return answerTrace(c, c.r.PathValue("id"), w.body.Bytes())
		}
	}
	return gone
}

// nodes answers an operator with the processes of the service.
func (s *Server) nodes(c *call) error {
	if !c.holder.operator() {
		return newFault(wire.Forbidden, "the nodes are told to operators: this key is not one of theirs")
	}
	data := body.Nodes{Nodes: []body.Node{{ID: "this", Capacity: max(s.limits.Sessions, 0), Sessions: s.Load().Sessions, Here: true}}}
	if s.opts.Parts.Node != nil {
		data.Nodes = s.opts.Parts.Node.Nodes()
		for i := range data.Nodes {
			if one := &data.Nodes[i]; one.Here {
				one.Sessions = s.Load().Sessions // what others say is as old as their last report
			}
		}
	}
	if s.opts.Parts.Runs != nil {
		data.Queue = new(body.Queue)
		data.Queue.Waiting, data.Queue.Running = s.opts.Parts.Runs.Counts()
	}
	return c.writeJSON(http.StatusOK, wire.Success[body.Nodes]{Success: true, Data: data})
}

// unreachable is the answer to a client where no node answers.
func (w *work) unreachable(ctx context.Context, err error) error {
	var f *fault
	switch {
	case errors.As(err, &f), context.Cause(ctx) != nil:
		return err
	case errors.Is(err, nodes.ErrNoRoom):
		full := newFault(wire.TooManySessions, "no node has room for the session")
		full.retry, full.cause = time.Second, err
		return full
	case errors.Is(err, nodes.ErrNodeGone):
		return w.warn(&fault{code: wire.SessionGone, message: errNodeGone.message, cause: err})
	case errors.Is(err, nodes.ErrNoSession):
		return newFault(wire.SessionNotFound, "there is no such session; it may have ended")
	}
	return w.warn(&fault{code: wire.NodeUnavailable, message: "the node that has the session does not answer; ask again", retry: time.Second, cause: err})
}
