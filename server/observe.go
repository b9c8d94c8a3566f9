package server

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// observe finds what can be done. Without an instruction no model is asked.
func (s *Server) observe(c *call) error {
	req, err := read[wire.ObserveRequest](c)
	if err != nil {
		return err
	}
	o := req.Options
	if o == nil {
		o = &wire.ObserveOptions{}
	}
	opts := &engine.ObserveOptions{Variables: variables(o.Variables), Selector: o.Selector, IgnoreSelectors: o.IgnoreSelectors, Timeout: o.Timeout.Duration()}
	if strings.TrimSpace(req.Instruction) != "" {
		if opts.Model, err = s.model(c, o.Model); err != nil {
			return err
		}
	}
	return s.operate(c, job{
		frame: req.FrameID, stream: req.StreamResponse, timeout: o.Timeout, said: "observing: " + req.Instruction,
		do: func(ctx context.Context, page *engine.Page) (outcome, error) {
			found, err := page.Observe(ctx, req.Instruction, opts)
			if err != nil {
				return outcome{}, err
			}
			actions := toWire(found.Actions)
			raw, err := json.Marshal(actions)
			return outcome{data: wire.ObserveData{Result: actions, ActionID: found.ID}, result: raw}, err
		},
	})
}
