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
			out := outcome{data: wire.ExtractData{Result: read.Data, ActionID: read.ID, Report: reportOf(read, o.Sources)}, result: read.Data}
			if read.Sources != nil {
				n, of := read.Grounded()
				out.note = fmt.Sprintf("%d/%d", n, of)
			}
			return out, nil
		},
	}, nil
}

// reportOf says what is known of an extraction, if it is asked for.
func reportOf(read *engine.Extraction, asked bool) *wire.ExtractReport {
	if !asked {
		return nil
	}
	r := &wire.ExtractReport{Sources: map[string]wire.Source{}, Ungrounded: []wire.Ungrounded{}, Omitted: []wire.Omission{}, Unfilled: append([]string{}, read.Unfilled...)}
	for pointer, s := range read.Sources {
		r.Sources[pointer] = sourceOf(s)
	}
	for _, s := range read.Sentences {
		sentence := wire.Sentence{Text: s.Text, Doubts: s.Doubts}
		for _, source := range s.Sources {
			sentence.Sources = append(sentence.Sources, sourceOf(source))
		}
		r.Sentences = append(r.Sentences, sentence)
	}
	for _, u := range read.Ungrounded {
		r.Ungrounded = append(r.Ungrounded, wire.Ungrounded{Pointer: u.Pointer, Degree: string(u.Degree), Reason: u.Reason})
	}
	for _, o := range read.Omitted {
		omission := wire.Omission{Cause: string(o.Cause), Pointer: o.Pointer, Count: o.Count, Noun: o.Noun}
		for _, ref := range o.Refs {
			omission.Refs = append(omission.Refs, string(ref))
		}
		r.Omitted = append(r.Omitted, omission)
	}
	return r
}

func sourceOf(s engine.Source) wire.Source {
	return wire.Source{Frame: string(s.Frame), Ref: string(s.Ref), Kind: string(s.Kind), Text: s.Text, Start: s.Start, End: s.End, Parts: s.Parts, How: s.How, Found: s.Found}
}
