package server

import (
	"encoding/json"
	"net/http"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// replay answers with what was done in the session.
func (s *Server) replay(c *call) error {
	prices, err := middleware.ListPrices()
	if err != nil {
		return err
	}
	data := wire.Replay{Pages: pagesOf(c.session.engine.History(), prices), ClientLanguage: c.session.language}
	return c.writeJSON(http.StatusOK, wire.Success[wire.Replay]{Success: true, Data: data})
}

// pagesOf groups a history into stays: calls in a row on one page at one
// address. A navigation belongs to the address to which it led.
func pagesOf(entries []engine.Entry, prices *middleware.Prices) []wire.ReplayPage {
	pages := []wire.ReplayPage{}
	var last driver.PageID
	for i := range entries {
		e := &entries[i]
		if e.End.IsZero() {
			continue // under way
		}
		url := e.PageURL
		if e.Arrived != "" {
			url = e.Arrived
		}
		if n := len(pages); n == 0 || pages[n-1].URL != url || last != e.Page {
			pages = append(pages, wire.ReplayPage{URL: url, Timestamp: e.Begin.UnixMilli(), Actions: []wire.ReplayAction{}})
			last = e.Page
		}
		page := &pages[len(pages)-1]
		page.Actions = append(page.Actions, written(replayAction(e, prices)))
		page.Duration = e.End.UnixMilli() - page.Timestamp
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
		a.Result["actions"] = toWire(e.Actions)
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
