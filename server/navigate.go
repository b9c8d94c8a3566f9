package server

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/weburl"
	"github.com/wayfinder-engine/wayfinder/server/wire"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// handleNavigate goes to an address.
func handleNavigate(c *call) error {
	req, err := read[wire.NavigateRequest](c)
	if err != nil {
		return err
	}
	j, err := c.navigation(req)
	if err != nil {
		return err
	}
	return c.operate(j)
}

// navigation is the job of going to an address.
func (w *work) navigation(req *wire.NavigateRequest) (job, error) {
	if err := weburl.Check(req.URL); err != nil {
		return job{}, invalid([]any{"url"}, "%v: %v", engine.ErrInvalid, err)
	}
	o := req.Options
	if o == nil {
		o = &wire.NavigateOptions{}
	}
	said, hide := weburl.WithoutPassword(req.URL)
	opts := &engine.NavigateOptions{Referer: o.Referer, WaitUntil: driver.WaitUntil(o.WaitUntil), Timeout: o.Timeout.Duration()}
	return job{
		frame: req.FrameID, stream: req.StreamResponse, timeout: o.Timeout, said: "navigating: " + said,
		do: func(ctx context.Context, page *engine.Page) (outcome, error) {
			step := w.session.stepOn(page, wayfindertest.Step{Method: "navigate", Instruction: said, WaitUntil: opts.WaitUntil, Referer: opts.Referer}, nil)
			resp, err := page.Navigate(ctx, req.URL, opts)
			w.session.record.Step(step)
			if err != nil {
				f := *faultOf(ctx, err)
				f.message, f.cause = hide(f.message), errors.New(hide(err.Error()))
				return outcome{}, &f
			}
			result, id := navigateResult(resp), progressOf(ctx).action()
			raw, err := json.Marshal(result)
			return outcome{data: wire.NavigateData{Result: result, ActionID: id}, result: raw}, err
		},
	}, nil
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
