package server

import (
	"context"
	"encoding/json"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// navigate goes to an address.
func (s *Server) navigate(c *call) error {
	req, err := read[wire.NavigateRequest](c)
	if err != nil {
		return err
	}
	if err := engine.CheckAddress(req.URL); err != nil {
		return invalid([]any{"url"}, "%v", err)
	}
	o := req.Options
	if o == nil {
		o = &wire.NavigateOptions{}
	}
	opts := &engine.NavigateOptions{Referer: o.Referer, WaitUntil: driver.WaitUntil(o.WaitUntil)}
	return s.operate(c, job{
		frame: req.FrameID, stream: req.StreamResponse, timeout: o.Timeout, said: "navigating: " + req.URL,
		do: func(ctx context.Context, page *engine.Page) (outcome, error) {
			resp, err := page.Navigate(ctx, req.URL, opts)
			if err != nil {
				return outcome{}, err
			}
			result, id := navigateResult(resp), progressOf(ctx).action()
			raw, err := json.Marshal(result)
			return outcome{data: wire.NavigateData{Result: result, ActionID: id}, result: raw}, err
		},
	})
}

// navigateResult is nil where nothing was fetched.
func navigateResult(r *driver.Response) *wire.NavigateResult {
	if r == nil {
		return nil
	}
	headers := r.Headers
	if headers == nil {
		headers = map[string]string{}
	}
	return &wire.NavigateResult{URL: r.URL, Status: r.Status, OK: r.OK(), Headers: headers}
}
