package cdp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// A call is a function of the library to be called.
type call struct {
	name     string   // of the function
	object   string   // id of the object that is its first argument; empty: none
	number   int      // by which our script remembers, or is to remember, that object
	document bool     // the document is its first argument
	nodes    []string // ids of objects that come next
	args     []any    // the rest of them

	// deep is for a function whose result names nodes; see [decodeNodes].
	deep bool
	// gesture calls it as if a person had caused it.
	gesture bool
	// wait awaits the promise that the function returns.
	wait bool
}

// deepNodes has Chrome serialize nodes by their backend node ids, closed
// shadow roots included, without their children.
var deepNodes = &runtime.SerializationOptions{
	Serialization: "deep", MaxDepth: new(8),
	AdditionalParameters: json.RawMessage(`{"maxNodeDepth":0,"includeShadowTree":"all"}`),
}

// A callRequest is a call as a command.
type callRequest struct {
	*conn.Request[runtime.CallFunctionOnReply]
	session *session
	call    call
	deep    json.RawMessage // the answer as it came, of a call in depth
}

// request returns the call as a command. Arguments are values that JSON has.
func (c call) request(w *world) *callRequest {
	args := runtime.CallFunctionOnArgs{
		AwaitPromise: &c.wait, UserGesture: &c.gesture, Silent: new(true),
		Arguments: make([]runtime.CallArgument, 0, len(c.nodes)+len(c.args)),
	}
	for _, id := range c.nodes {
		args.Arguments = append(args.Arguments, runtime.CallArgument{ObjectID: new(runtime.RemoteObjectID(id))})
	}
	for _, a := range c.args {
		value, err := json.Marshal(a)
		if err != nil {
			panic(err) // the calls are ours: flags, numbers, texts and lists of them
		}
		args.Arguments = append(args.Arguments, runtime.CallArgument{Value: value})
	}
	if c.deep {
		args.SerializationOptions = deepNodes
	} else {
		args.ReturnByValue = new(true)
	}
	switch {
	case c.object != "" && c.number != 0:
		args.ObjectID = new(runtime.RemoteObjectID(c.object))
		args.FunctionDeclaration = fmt.Sprintf("function(...a) { return wayfinder.%s(wayfinder.keep(%d, this), ...a) }", c.name, c.number)
	case c.number != 0:
		args.ExecutionContextID = &w.id
		args.FunctionDeclaration = fmt.Sprintf("(...a) => wayfinder.%s(wayfinder.kept(%d), ...a)", c.name, c.number)
	case c.object != "":
		args.ObjectID = new(runtime.RemoteObjectID(c.object))
		args.FunctionDeclaration = "function(...a) { return wayfinder." + c.name + "(this, ...a) }"
	case c.document:
		args.ExecutionContextID = &w.id
		args.FunctionDeclaration = "(...a) => wayfinder." + c.name + "(document, ...a)"
	default:
		args.ExecutionContextID = &w.id
		args.FunctionDeclaration = "(...a) => wayfinder." + c.name + "(...a)"
	}
	return &callRequest{Request: protocol.RuntimeCallFunctionOn.With(args), session: w.session, call: c}
}

// answer waits for what a call returns and decodes it into v, which may be nil. It
// returns the nodes that the answer names, if it is one in depth.
func (r *callRequest) answer(ctx context.Context, v any) (nodeList, error) {
	reply, err := r.Wait(ctx)
	if err == nil {
		err = failureOf(reply.ExceptionDetails)
	}
	if err != nil {
		return nil, err
	}
	var nodes nodeList
	switch d := reply.Result.DeepSerializedValue; {
	case d != nil:
		release(r.session, string(value(reply.Result.ObjectID)))
		r.deep = d.Value
		nodes, err = decodeNodes(d.Value, v)
	case v != nil:
		err = json.Unmarshal(reply.Result.Value, v)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: unexpected answer: %w", r.call.name, err)
	}
	return nodes, nil
}

// release drops objects, with the next command. Nothing waits for it.
func release(s *session, objects ...string) {
	var commands []conn.Command
	for _, id := range objects {
		if id != "" {
			commands = append(commands, protocol.RuntimeReleaseObject.With(runtime.ReleaseObjectArgs{ObjectID: runtime.RemoteObjectID(id)}))
		}
	}
	if len(commands) > 0 {
		s.Later(commands...)
	}
}

// timeLeft is how long a call may take.
func timeLeft(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return time.Until(deadline)
	}
	return conn.CommandLimit
}
