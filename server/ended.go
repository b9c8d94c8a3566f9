package server

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/wayfinder-engine/wayfinder/server/internal/nodes"
	"github.com/wayfinder-engine/wayfinder/server/internal/replays"
	"github.com/wayfinder-engine/wayfinder/server/internal/traces"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// endedCalls answer for sessions that have ended, as far as something is kept of them.
type endedCalls struct {
	core *core
	kept *Kept
}

// list answers with sessions that have ended, as far as something is kept of
// them: those before the one that the client names, or that one alone.
func (e *endedCalls) list(c *call) error {
	if e.kept.Replays == nil {
		return newFault(wire.NotImplemented, "this server keeps nothing of sessions that have ended: its operator has named no directory for it (--data)")
	}
	query := c.r.URL.Query()
	operator := c.holder.operator()
	all, err := e.kept.Replays.List(c.r.Context(), c.holder.caller(), operator)
	if err != nil {
		return &fault{code: wire.NodeUnavailable, message: "the sessions cannot be read now; ask again", retry: time.Second, cause: err}
	}
	listed := wire.SessionList{Sessions: []wire.SessionSummary{}, Operator: operator}
	before, only, last := query.Get("before"), query.Get("id"), ""
	for one := range all {
		if only != "" && one.ID != only || before != "" && cursor(&one) <= before || one.Ended.IsZero() && e.somewhere(c.r.Context(), one.ID) {
			continue
		}
		if len(listed.Sessions) == mostEnded {
			listed.Next = last
			break
		}
		listed.Sessions, last = append(listed.Sessions, e.summary(&one, operator)), cursor(&one)
	}
	return c.writeJSON(http.StatusOK, wire.Success[wire.SessionList]{Success: true, Data: listed})
}

// somewhere reports that a session is open, here or at another node.
func (e *endedCalls) somewhere(ctx context.Context, id string) bool {
	if e.core.sessions.has(id) || e.core.opts.Parts.Node == nil {
		return e.core.sessions.has(id)
	}
	_, err := e.core.opts.Parts.Node.Find(ctx, id)
	return !errors.Is(err, nodes.ErrNoSession) && !errors.Is(err, nodes.ErrNodeGone)
}

// summary is a session that has ended, as lists have it.
func (e *endedCalls) summary(of *replays.Summary, operator bool) wire.SessionSummary {
	one := wire.SessionSummary{ID: of.ID, Run: of.Run, Model: of.Model, URL: of.Latest.URL, Title: of.Latest.Title, Created: of.Begun.Format(time.RFC3339), Traced: of.Traced}
	if !of.Ended.IsZero() {
		one.Ended = of.Ended.Format(time.RFC3339)
	}
	if of.Latest.Method != "" {
		one.Doing = &wire.Doing{Operation: of.Latest.Method, Text: of.Latest.Text, Since: of.Latest.Time.Format(time.RFC3339), Over: true}
	}
	if operator {
		for _, h := range e.core.holders.all() {
			if h.caller() == of.Owner {
				one.Key = h.name()
			}
		}
	}
	return one
}

// instead answers for a session that this fleet does not have any more, if what is
// asked for was kept of it, or says that its process is gone. gone is the answer
// otherwise.
func (e *endedCalls) instead(c *call, id string, gone error) error {
	f := faultOf(c.r.Context(), gone)
	switch {
	case c.holder == nil || f.code != wire.SessionNotFound && f.code != wire.SessionGone:
		return gone
	case c.op.id == "SessionTrace":
		return e.trace(c, id, gone)
	case c.op.id == "SessionReplay":
		return e.replay(c, id, gone)
	case f.code == wire.SessionNotFound && e.core.opts.Parts.Node == nil && e.kept.Replays != nil && e.kept.Replays.Cut(c.r.Context(), id, c.holder.caller()):
		return errProcessGone // of several nodes their records tell it
	}
	return gone
}

func (e *endedCalls) replay(c *call, id string, gone error) error {
	if e.kept.Replays == nil {
		return gone
	}
	session, calls, err := e.kept.Replays.Load(c.r.Context(), id)
	switch {
	case errors.Is(err, replays.ErrNotFound):
		return gone
	case errors.Is(err, replays.ErrUnavailable):
		return &fault{code: wire.NodeUnavailable, message: "what was done in the session cannot be read now; ask again", retry: time.Second, cause: err}
	case err != nil:
		return err
	case session.Owner != c.holder.caller() && !c.holder.operator():
		return newFault(wire.Forbidden, "the session belongs to another key")
	}
	return answerReplay(c, calls, session.Language)
}

// trace answers with the trace of a session that has ended.
func (e *endedCalls) trace(c *call, id string, gone error) error {
	if e.kept.Traces == nil {
		return errNoTraces
	}
	owner, html, err := e.kept.Traces.Load(id)
	switch {
	case errors.Is(err, traces.ErrNotFound):
		return gone
	case err != nil:
		return traceFault(err)
	case owner != c.holder.caller() && !c.holder.operator():
		return newFault(wire.Forbidden, "the session belongs to another key")
	}
	return answerTrace(c, id, html)
}

// cursor is a session's place in the list of those that have ended: those after it
// have greater ones.
func cursor(one *replays.Summary) string {
	return fmt.Sprintf("%016x-%s", uint64(math.MaxInt64-one.Begun.UnixNano()), one.ID)
}

// mostEnded is how many sessions that have ended are listed at once.
const mostEnded = 30

var errProcessGone = newFault(wire.SessionGone, "the session is gone with the process that had it; start another")
