package server

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/schema"
	"github.com/wayfinder-engine/wayfinder/server/wire"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// extractJob reads data. Without instruction and schema no model is asked.
func extractJob(c *call, req *wire.ExtractRequest) (_ job, err error) {
	o := cmp.Or(req.Options, &wire.ExtractOptions{})
	opts := &engine.ExtractOptions{
		Selector: o.Selector, IgnoreSelectors: o.IgnoreSelectors, Frames: o.Iframes, Screenshot: o.Screenshot,
		SettleTimeout: o.DOMSettleTimeoutMs.Duration(), Timeout: o.Timeout.Duration(),
		Strict: o.Strict, StrictAll: o.StrictAll, Direct: o.Direct,
	}
	if req.Schema != nil {
		if opts.Schema, err = schema.Parse(req.Schema); err != nil {
			return job{}, invalidDocument(err, "schema")
		}
	}
	if !o.Direct && (req.Schema != nil || strings.TrimSpace(req.Instruction) != "") {
		if opts.Model, err = c.model(o.Model); err != nil {
			return job{}, err
		}
	}
	step := wayfindertest.Step{
		Method: "extract", Instruction: req.Instruction, Schema: req.Schema, Selector: o.Selector, Ignored: o.IgnoreSelectors,
		Frames: o.Iframes, Screenshot: o.Screenshot, Strict: o.Strict, StrictAll: o.StrictAll,
	}
	return job{
		frame: req.FrameID, stream: req.StreamResponse, timeout: o.Timeout, said: "extracting: " + req.Instruction, trailer: wire.HeaderGrounded,
		do: func(ctx context.Context, page *engine.Page) (outcome, error) {
			step := c.session.stepOn(page, step, nil)
			read, err := step.Extract(ctx, page, opts)
			defer func() { c.session.record.Step(step) }()
			if err != nil {
				return outcome{}, err
			}
			step.Result = string(read.Data)
			report, err := reportOf(read, o.Sources)
			if err != nil {
				return outcome{}, err
			}
			out := outcome{data: wire.ExtractData{Result: read.Data, ActionID: read.ID, Report: report}, result: read.Data}
			if read.Sources != nil {
				n, of := read.Grounded()
				out.note = fmt.Sprintf("%d/%d", n, of)
			}
			return out, nil
		},
	}, nil
}

// reportOf says what is known of an extraction, if it is asked for.
func reportOf(read *engine.Extraction, asked bool) (*wire.ExtractReport, error) {
	if !asked {
		return nil, nil
	}
	r := &wire.ExtractReport{Sources: map[string]wire.Source{}, Ungrounded: []wire.Ungrounded{}, Omitted: []wire.Omission{}, Unfilled: []string{}}
	return r, alike(read, r)
}
