package server

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/server/internal/replays"
	"github.com/wayfinder-engine/wayfinder/server/internal/traces"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// handleReplay answers with what was done in the session.
func handleReplay(c *call) error {
	prices, err := middleware.ListPrices()
	if err != nil {
		return err
	}
	return answerReplay(c, callsOf(c.session.engine.History(), prices), c.session.language)
}

func answerReplay(c *call, calls []replays.Entry, language string) error {
	data := wire.Replay{Pages: pagesOf(calls), ClientLanguage: language}
	return c.writeJSON(http.StatusOK, wire.Success[wire.Replay]{Success: true, Data: data})
}

var errNoTraces = newFault(wire.NotImplemented, "this server keeps no traces: its operator has named no directory for them (--keep-traces)")

// handleTrace answers with what was recorded of the session so far.
func handleTrace(c *call) error {
	if c.session.record == nil {
		return newFault(wire.NotFound, "there is no trace of the session: it was not started with trace: true")
	}
	html, err := c.session.record.HTML()
	if err != nil {
		return traceFault(err)
	}
	return answerTrace(c, c.session.id, html)
}

func traceFault(err error) error {
	f := newFault(wire.NotFound, "")
	switch {
	case errors.Is(err, traces.ErrTooLarge):
		f.message = "the trace has become too large to be kept"
	case errors.Is(err, traces.ErrSealed):
		f.message = "the trace is encrypted with a key that this server's operator has not given, or damaged"
	default:
		return err
	}
	f.cause = err
	return f
}

// answerTrace answers with a file to be kept. Where a browser shows it all the same,
// it is of an origin of its own, and reaches nothing.
func answerTrace(c *call, id string, html []byte) error {
	h := c.Header()
	h.Set("content-type", "text/html; charset=utf-8")
	h.Set("content-disposition", `attachment; filename="trace-`+id+`.html"`)
	h.Set("content-security-policy", "sandbox allow-scripts; default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'") // the file's own says which script
	h.Set("x-content-type-options", "nosniff")
	h.Set("referrer-policy", "no-referrer")
	h.Set("cache-control", "no-store")
	return c.write(http.StatusOK, html)
}

// callsOf are the calls of a history that are over.
func callsOf(entries []engine.Entry, prices *middleware.Prices) []replays.Entry {
	calls := make([]replays.Entry, 0, len(entries))
	for i := range entries {
		e := &entries[i]
		if e.End.IsZero() {
			continue // under way
		}
		calls = append(calls, replays.Entry{Page: string(e.Page), URL: cmp.Or(e.Arrived, e.PageURL), Action: written(replayAction(e, prices))})
	}
	return calls
}

// pagesOf groups calls into stays: calls in a row on one page at one address. A
// navigation belongs to the address to which it led.
func pagesOf(calls []replays.Entry) []wire.ReplayPage {
	pages := []wire.ReplayPage{}
	last := ""
	for _, one := range calls {
		if n := len(pages); n == 0 || pages[n-1].URL != one.URL || last != one.Page {
			pages = append(pages, wire.ReplayPage{URL: one.URL, Timestamp: one.Action.Timestamp, Actions: []wire.ReplayAction{}})
			last = one.Page
		}
		page := &pages[len(pages)-1]
		page.Actions = append(page.Actions, one.Action)
		page.Duration = one.Action.EndTime - page.Timestamp
	}
	return pages
}

// written returns a call that can be written as JSON: one that can't be, because
// of what a page or a model put into it, keeps its bare facts, so that the
// others are not lost with it.
func written(a wire.ReplayAction) wire.ReplayAction {
	if _, err := json.Marshal(a); err == nil {
		return a
	}
	return wire.ReplayAction{
		ID: a.ID, Parent: a.Parent, Method: a.Method, Parameters: map[string]any{}, Timestamp: a.Timestamp, EndTime: a.EndTime,
		Result: map[string]any{"success": a.Result["success"], "message": "what came of it can't be written as JSON"},
	}
}

func replayAction(e *engine.Entry, prices *middleware.Prices) wire.ReplayAction {
	a := wire.ReplayAction{
		ID: e.ID, Parent: e.Parent, Method: string(e.Operation), Parameters: map[string]any{}, Result: map[string]any{"success": e.Success},
		Timestamp: e.Begin.UnixMilli(), EndTime: e.End.UnixMilli(),
	}
	switch e.Operation {
	case engine.OperationAct, engine.OperationDo, engine.OperationObserve:
		a.Result["actions"] = toWire(e.Actions, false)
		if e.Sent != "" {
			a.Result["sent"] = e.Sent
		}
	case engine.OperationExtract, "agent":
		if e.Data != nil {
			a.Result["data"] = json.RawMessage(e.Data)
		}
	}
	if e.Arrived != "" {
		a.Result["url"] = e.Arrived
	}
	if e.Message != "" {
		a.Result["message"] = e.Message
	}
	if e.Response != nil {
		a.Result["status"], a.Result["ok"] = e.Response.Status, e.Response.OK()
	}
	if e.Address != "" {
		a.Parameters["url"] = e.Address
	}
	if e.Instruction != "" {
		a.Parameters["instruction"] = e.Instruction
	}
	if e.Model != "" && e.Parent == "" { // a run's total has those of its parts
		a.TokenUsage = &wire.TokenUsage{InputTokens: e.Usage.Input, OutputTokens: e.Usage.Output, TimeMs: e.Usage.Duration.Milliseconds()}
		if price, known := prices.Of(e.Model); known {
			cost := price.Cost(e.Usage)
			a.TokenUsage.Cost = &cost
		}
	}
	return a
}
