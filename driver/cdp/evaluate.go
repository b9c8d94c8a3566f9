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

// An evaluator runs the expressions of callers in the documents of a page.
type evaluator struct{ page *page }

// Evaluate implements driver.Page.
func (ev *evaluator) Evaluate(ctx context.Context, expression string, opts *driver.EvaluateOptions) ([]byte, error) {
	if opts == nil {
		opts = &driver.EvaluateOptions{}
	}
	value, err := ev.evaluate(ctx, expression, opts)
	return value, opError("evaluate", "", err)
}

func (ev *evaluator) evaluate(ctx context.Context, expression string, opts *driver.EvaluateOptions) ([]byte, error) {
	frame := opts.Frame
	if !opts.Node.IsZero() {
		frame = opts.Node.Frame
	}
	w, err := ev.page.worldOf(ctx, frame, opts.World)
	if err != nil {
		return nil, err
	}
	var reply runtime.CallFunctionOnReply
	if opts.Args == nil && opts.Node.IsZero() {
		evaluated, eerr := protocol.RuntimeEvaluate.Do(ctx, w.session, runtime.EvaluateArgs{
			Expression: expression, ContextID: &w.id, ReturnByValue: new(true), AwaitPromise: new(true), UserGesture: &opts.UserGesture,
		})
		reply, err = runtime.CallFunctionOnReply(evaluated), eerr
	} else {
		args := make([]runtime.CallArgument, 0, len(opts.Args)+1)
		if !opts.Node.IsZero() {
			object, err := ev.argument(ctx, &w, opts.Node)
			if err != nil {
				return nil, err
			}
			defer release(w.session, object)
			args = append(args, runtime.CallArgument{ObjectID: new(runtime.RemoteObjectID(object))})
		}
		for _, a := range opts.Args {
			value, err := json.Marshal(a)
			if err != nil {
				return nil, err
			}
			args = append(args, runtime.CallArgument{Value: value})
		}
		reply, err = protocol.RuntimeCallFunctionOn.Do(ctx, w.session, runtime.CallFunctionOnArgs{
			FunctionDeclaration: expression, ExecutionContextID: &w.id, Arguments: args,
			ReturnByValue: new(true), AwaitPromise: new(true), UserGesture: &opts.UserGesture,
		})
	}
	if err == nil {
		err = failureOf(reply.ExceptionDetails)
	}
	if err != nil {
		return nil, err
	}
	return asJSON(&reply.Result), nil
}

// argument gives a node as an object of any world of its frame.
func (ev *evaluator) argument(ctx context.Context, w *world, ref driver.NodeRef) (string, error) {
	if ref.Doc != w.Doc {
		return "", driver.ErrStale
	}
	if ref.Node == 0 {
		reply, err := protocol.RuntimeEvaluate.Do(ctx, w.session, runtime.EvaluateArgs{Expression: "document", ContextID: &w.id})
		if err == nil {
			err = failureOf(reply.ExceptionDetails)
		}
		return string(value(reply.Result.ObjectID)), err
	}
	// Our own world checks that the node is in the document still.
	if err := ev.page.callWith(ctx, ref, call{name: "check"}, nil); err != nil {
		return "", err
	}
	objects, err := w.resolve(ctx, ref.Node)
	if err != nil {
		return "", err
	}
	return objects[0], nil
}

// text evaluates an expression in our world in a frame. Its value is a text, or a
// promise of one.
func (ev *evaluator) text(ctx context.Context, frame driver.FrameID, expression string) (string, error) {
	raw, err := ev.evaluate(ctx, expression, &driver.EvaluateOptions{Frame: frame})
	if err != nil {
		return "", err
	}
	var text string
	return text, json.Unmarshal(raw, &text)
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
	w, err := p.worldOf(ctx, frame, driver.Isolated)
	if err != nil {
		return opError("send", string(frame), err)
	}
	return opError("send", string(frame), w.session.Call(ctx, method, params, result))
}
