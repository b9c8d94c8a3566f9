package cdp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Evaluate implements driver.Page.
func (p *page) Evaluate(ctx context.Context, expression string, opts *driver.EvaluateOptions) ([]byte, error) {
	if opts == nil {
		opts = &driver.EvaluateOptions{}
	}
	value, err := p.evaluate(ctx, expression, opts)
	return value, opError("evaluate", "", err)
}

func (p *page) evaluate(ctx context.Context, expression string, opts *driver.EvaluateOptions) ([]byte, error) {
	frame := opts.Frame
	if !opts.Node.IsZero() {
		frame = opts.Node.Frame
	}
	id, state, err := p.worldOf(ctx, frame, opts.World)
	if err != nil {
		return nil, err
	}
	params := map[string]any{"returnByValue": true, "awaitPromise": true, "userGesture": opts.UserGesture}
	method := "Runtime.evaluate"
	if opts.Args == nil && opts.Node.IsZero() {
		params["expression"], params["contextId"] = expression, id
	} else {
		method = "Runtime.callFunctionOn"
		params["functionDeclaration"], params["executionContextId"] = expression, id
		args := make([]map[string]any, 0, len(opts.Args)+1)
		if !opts.Node.IsZero() {
			object, err := p.argument(ctx, &world{frameState: state, id: id}, opts.Node)
			if err != nil {
				return nil, err
			}
			defer release(state.session, object)
			args = append(args, map[string]any{"objectId": object})
		}
		for _, a := range opts.Args {
			args = append(args, map[string]any{"value": a})
		}
		params["arguments"] = args
	}
	raw, err := state.session.Raw(ctx, method, params)
	if err != nil {
		return nil, err
	}
	o, err := readOutcome(raw)
	if err != nil {
		return nil, err
	}
	return o.Result.json(), nil
}

// argument gives a node as an object of any world of its frame.
func (p *page) argument(ctx context.Context, w *world, ref driver.NodeRef) (string, error) {
	if ref.Doc != w.Doc {
		return "", driver.ErrStale
	}
	if ref.Node == 0 {
		raw, err := w.session.Raw(ctx, "Runtime.evaluate", map[string]any{"expression": "document", "contextId": w.id})
		if err != nil {
			return "", err
		}
		o, err := readOutcome(raw)
		if err != nil {
			return "", err
		}
		return o.Result.ObjectID, nil
	}
	// Our own world checks that the node is in the document still.
	if err := p.act(ctx, ref, call{name: "check"}, nil); err != nil {
		return "", err
	}
	objects, err := p.resolve(ctx, w, ref.Node)
	if err != nil {
		return "", err
	}
	return objects[0], nil
}

// json is the value as JSON.stringify would write it.
func (r *remote) json() []byte {
	switch v := r.UnserializableValue; {
	case v == "-0":
		return []byte("0")
	case strings.HasSuffix(v, "n") && json.Valid([]byte(v[:len(v)-1])):
		return []byte(v[:len(v)-1]) // a bigint
	case len(r.Value) == 0:
		return []byte("null")
	}
	return r.Value
}
