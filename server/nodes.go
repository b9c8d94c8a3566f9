package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/uuid"
	"github.com/wayfinder-engine/wayfinder/server/internal/body"
	"github.com/wayfinder-engine/wayfinder/server/internal/nodes"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// errNodeGone is why sessions end whose node is not of the fleet any more.
var errNodeGone = newFault(wire.SessionGone, "the session is gone with the node that had it; start another")

// nodeCalls answer what is asked of the nodes together, and pass to another what is
// asked of its sessions.
type nodeCalls struct {
	core  *core
	node  *nodes.Node // nil: this one is alone
	ended *endedCalls
}

// mostPlaced is how many nodes are tried for one session.
const mostPlaced = 4

// start starts a session at the node that is chosen for it: here, where
// begin does so, or at another one, which answers the client.
func (n *nodeCalls) start(c *call, labels map[string]string, begin func(id string) error) error {
	if n.node == nil {
		return begin(uuid.New())
	}
	if c.pass != nil {
		return begin(c.pass.Session)
	}
	var last error
	for range mostPlaced {
		id := uuid.New()
		forward, err := n.node.Place(c.r.Context(), id, labels)
		switch {
		case err != nil:
			return c.unreachable(c.r.Context(), err)
		case forward != nil:
			if err = n.forward(c, forward); err == nil {
				return nil
			}
		default:
			if err = begin(id); err == nil {
				return nil
			}
		}
		n.node.Drop(id)
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
func (n *nodeCalls) elsewhere(c *call, id string) error {
	find, err := n.node.Find(c.r.Context(), id)
	if err == nil {
		c.elsewhere = true
		if err = n.forward(c, find); err == nil {
			return nil
		}
	}
	return c.unreachable(c.r.Context(), err)
}

// forward passes a request on.
func (n *nodeCalls) forward(c *call, to nodes.Forward) error {
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
func (n *nodeCalls) list(c *call) error {
	if c.r.URL.Query().Get("ended") == "true" {
		return n.ended.list(c)
	}
	operator := c.holder.operator()
	var own []*session
	for _, one := range n.core.sessions.all() {
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
	if n.node != nil && c.pass == nil {
		n.listElsewhere(c, &listed)
	}
	return c.writeJSON(http.StatusOK, wire.Success[wire.SessionList]{Success: true, Data: listed})
}

// nodeTime is how long a node may take to say what it has.
const nodeTime = 3 * time.Second

// listElsewhere adds the sessions of the other nodes to a list, as far as there
// is room in it.
func (n *nodeCalls) listElsewhere(c *call, listed *wire.SessionList) {
	ctx, cancel := context.WithTimeout(c.r.Context(), nodeTime)
	defer cancel()
	self, others := "", []body.Node{}
	for _, node := range n.node.Nodes() {
		if node.Here {
			self = node.ID
		} else {
			others = append(others, node)
		}
	}
	answers := make([]*wire.SessionList, len(others))
	var all sync.WaitGroup
	for i, node := range others {
		all.Go(func() { answers[i] = n.listAt(c.r.Clone(ctx), c.holder.caller(), node.ID) })
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
func (n *nodeCalls) listAt(r *http.Request, caller, node string) *wire.SessionList {
	w, err := n.ask(r, caller, node)
	if w == nil {
		return nil
	}
	var answer wire.Success[wire.SessionList]
	if err != nil || w.status != http.StatusOK || json.Unmarshal(w.body.Bytes(), &answer) != nil {
		n.core.log.Warn("a node did not list its sessions", "node", node, "status", w.status, "err", err)
		return nil
	}
	return &answer.Data
}

// ask passes a request to a node, and returns the answer; nil: the node is gone by now.
func (n *nodeCalls) ask(r *http.Request, caller, node string) (*kept, error) {
	forward, err := n.node.Node(node)
	if err != nil {
		return nil, err
	}
	w := &kept{header: http.Header{}}
	return w, forward(w, r, caller)
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

// trace answers with the trace of a session that has ended at another node,
// where the nodes share no directory. gone is the answer where none has it.
func (n *nodeCalls) trace(c *call, gone error) error {
	if c.pass != nil || n.node == nil || c.holder == nil || c.op.id != "SessionTrace" {
		return gone
	}
	if f := faultOf(c.r.Context(), gone); f.code != wire.SessionNotFound && f.code != wire.SessionGone {
		return gone
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), traceTime)
	defer cancel()
	for _, node := range n.node.Nodes() {
		if node.Here {
			continue
		}
		w, err := n.ask(c.r.Clone(ctx), c.holder.caller(), node.ID)
		if w == nil {
			continue
		}
		if err != nil {
			n.core.log.Warn("a node did not say whether it has a trace", "node", node.ID, "err", err)
		} else if w.status == http.StatusOK {
			return answerTrace(c, c.r.PathValue("id"), w.body.Bytes())
		}
	}
	return gone
}

// all answers an operator with the processes of the service.
func (n *nodeCalls) all(c *call) error {
	if !c.holder.operator() {
		return newFault(wire.Forbidden, "the nodes are told to operators: this key is not one of theirs")
	}
	data := body.Nodes{Nodes: []body.Node{{ID: "this", Capacity: max(n.core.limits.Sessions, 0), Sessions: n.core.Load().Sessions, Here: true}}}
	if n.node != nil {
		data.Nodes = n.node.Nodes()
		for i := range data.Nodes {
			if one := &data.Nodes[i]; one.Here {
				one.Sessions = n.core.Load().Sessions // what others say is as old as their last report
			}
		}
	}
	if n.core.opts.Parts.Runs != nil {
		data.Queue = new(body.Queue)
		data.Queue.Waiting, data.Queue.Running = n.core.opts.Parts.Runs.Counts()
	}
	return c.writeJSON(http.StatusOK, wire.Success[body.Nodes]{Success: true, Data: data})
}
