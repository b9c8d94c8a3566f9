package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
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
	var reply runtime.CallFunctionOnReply
	if opts.Args == nil && opts.Node.IsZero() {
		evaluated, eerr := protocol.RuntimeEvaluate.Do(ctx, state.session, runtime.EvaluateArgs{
			Expression: expression, ContextID: &id, ReturnByValue: new(true), AwaitPromise: new(true), UserGesture: &opts.UserGesture,
		})
		reply, err = runtime.CallFunctionOnReply(evaluated), eerr
	} else {
		args := make([]runtime.CallArgument, 0, len(opts.Args)+1)
		if !opts.Node.IsZero() {
			object, err := (&world{frameState: state, page: p, id: id}).argument(ctx, opts.Node)
			if err != nil {
				return nil, err
			}
			defer release(state.session, object)
			args = append(args, runtime.CallArgument{ObjectID: new(runtime.RemoteObjectID(object))})
		}
		for _, a := range opts.Args {
			value, err := json.Marshal(a)
			if err != nil {
				return nil, err
			}
			args = append(args, runtime.CallArgument{Value: value})
		}
		reply, err = protocol.RuntimeCallFunctionOn.Do(ctx, state.session, runtime.CallFunctionOnArgs{
			FunctionDeclaration: expression, ExecutionContextID: &id, Arguments: args,
			ReturnByValue: new(true), AwaitPromise: new(true), UserGesture: &opts.UserGesture,
		})
	}
	if err != nil {
		return nil, err
	}
	if _, err := readEvaluation(&reply); err != nil {
		return nil, err
	}
	return asJSON(&reply.Result), nil
}

// asJSON is a value as JSON.stringify would write it.
func asJSON(r *runtime.RemoteObject) []byte {
	switch v := string(value(r.UnserializableValue)); {
	case v == "-0":
		return []byte("0")
	case strings.HasSuffix(v, "n") && json.Valid([]byte(v[:len(v)-1])):
		return []byte(v[:len(v)-1]) // a bigint
	case len(r.Value) == 0:
		return []byte("null")
	}
	return r.Value
}

// Send sends one command of the DevTools protocol to the process that renders
// a frame of a page, the main frame if frame is zero, and decodes its result
// into result, unless that is nil. params is anything that encodes to the
// command's parameters as JSON, or nil.
//
// It is the way past the driver, for what it has no method for. The driver
// does not notice what a command changes: do not turn off a domain, and do not
// navigate. page must be one of this package's, or wrap one
// (see [driver.PageAs]); any other is [errors.ErrUnsupported].
func Send(ctx context.Context, at driver.Page, frame driver.FrameID, method string, params, result any) error {
	p, ok := driver.PageAs[*page](at)
	if !ok {
		return fmt.Errorf("cdp: send %s to a %T: %w", method, at, errors.ErrUnsupported)
	}
	if params == nil {
		params = struct{}{}
	}
	_, state, err := p.worldOf(ctx, frame, driver.Isolated)
	if err != nil {
		return opError("send", string(frame), err)
	}
	return opError("send", string(frame), state.session.Call(ctx, method, params, result))
}
