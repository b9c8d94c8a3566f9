package server

import (
	"context"
	"strings"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/schema"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// extract reads data. Without instruction and schema no model is asked.
func (s *Server) extract(c *call) error {
	req, err := read[wire.ExtractRequest](c)
	if err != nil {
		return err
	}
	o := req.Options
	if o == nil {
		o = &wire.ExtractOptions{}
	}
	opts := &engine.ExtractOptions{
		Selector: o.Selector, IgnoreSelectors: o.IgnoreSelectors, Frames: o.Iframes, Screenshot: o.Screenshot,
		SettleTimeout: o.DOMSettleTimeoutMs.Duration(), Timeout: o.Timeout.Duration(),
	}
	if req.Schema != nil {
		if opts.Schema, err = schema.Parse(req.Schema); err != nil {
			return invalidDocument(err, "schema")
		}
	}
	if req.Schema != nil || strings.TrimSpace(req.Instruction) != "" {
		if opts.Model, err = s.model(c, o.Model); err != nil {
			return err
		}
	}
	return s.operate(c, job{
		frame: req.FrameID, stream: req.StreamResponse, timeout: o.Timeout, said: "extracting: " + req.Instruction,
		do: func(ctx context.Context, page *engine.Page) (outcome, error) {
			read, err := page.Extract(ctx, req.Instruction, opts)
			if err != nil {
				return outcome{}, err
			}
			return outcome{data: wire.ExtractData{Result: read.Data, ActionID: read.ID}, result: read.Data}, nil
		},
	})
}
