package cdp

import (
	"bytes"
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
			object, err := p.argument(ctx, &world{frameState: state, id: id}, opts.Node)
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

// argument gives a node as an object of any world of its frame.
func (p *page) argument(ctx context.Context, w *world, ref driver.NodeRef) (string, error) {
	if ref.Doc != w.Doc {
		return "", driver.ErrStale
	}
	if ref.Node == 0 {
		reply, err := protocol.RuntimeEvaluate.Do(ctx, w.session, runtime.EvaluateArgs{Expression: "document", ContextID: &w.id})
		if err != nil {
			return "", err
		}
		e, err := readEvaluation((*runtime.CallFunctionOnReply)(&reply))
		if err != nil {
			return "", err
		}
		return e.object, nil
	}
	// Our own world checks that the node is in the document still.
	if err := p.callWith(ctx, ref, call{name: "check"}, nil); err != nil {
		return "", err
	}
	objects, err := p.resolve(ctx, w, ref.Node)
	if err != nil {
		return "", err
	}
	return objects[0], nil
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

// A thrown is an exception of a script.
type thrown runtime.ExceptionDetails

func (t *thrown) Error() string {
	text := t.Text
	if e := t.Exception; e != nil {
		switch {
		case value(e.Description) != "":
			text = *e.Description
		case len(e.Value) > 0:
			text += " " + string(e.Value)
		}
	}
	// What follows the first line is a trace of the stack.
	if message, _, found := strings.Cut(text, "\n    at "); found {
		text = message
	}
	return text
}

// scriptErrors are what our scripts throw.
var scriptErrors = map[string]error{
	"stale":        driver.ErrStale,
	"detached":     driver.ErrDetached,
	"selector":     driver.ErrSelector,
	"notfocusable": driver.ErrNotFocusable,
	"changed":      driver.ErrChanged,
	"unsupported":  errors.ErrUnsupported,
}

// known returns the error that our script means, if it is one of ours. A
// library that is not there belongs to a world that has been replaced.
func (t *thrown) known() error {
	if t.Exception == nil {
		return t
	}
	var said string
	if err := json.Unmarshal(t.Exception.Value, &said); err == nil {
		if rest, ours := strings.CutPrefix(said, "wayfinder: "); ours {
			word, detail, _ := strings.Cut(rest, " ")
			switch kind := scriptErrors[word]; {
			case kind != nil && detail != "":
				return fmt.Errorf("%s: %w", detail, kind)
			case kind != nil:
				return kind
			}
			return errors.New(rest)
		}
	}
	return t
}

// An evaluation is what a script has returned.
type evaluation struct {
	value  json.RawMessage // by value
	deep   *deepValue      // in depth
	object string          // id of the object, if one was asked for
}

// readEvaluation reads the reply to Runtime.callFunctionOn, or to
// Runtime.evaluate, which has the same members.
func readEvaluation(r *runtime.CallFunctionOnReply) (*evaluation, error) {
	if r.ExceptionDetails != nil {
		return nil, (*thrown)(r.ExceptionDetails).known()
	}
	e := &evaluation{value: r.Result.Value, object: string(value(r.Result.ObjectID))}
	if d := r.Result.DeepSerializedValue; d != nil {
		e.deep = &deepValue{Type: d.Type, Value: d.Value, Ref: value(d.WeakLocalObjectReference)}
		if err := e.deep.link(); err != nil {
			return nil, fmt.Errorf("unexpected answer: %w", err)
		}
	}
	return e, nil
}

// A deepValue is a JavaScript value as Chrome serializes it in depth: unlike
// JSON it names nodes, by their backend node ids.
//
// What occurs a second time is written as its number alone, so every value
// knows those of the whole.
type deepValue struct {
	Type  string
	Value json.RawMessage
	Ref   int `json:"weakLocalObjectReference"`

	byNumber map[int]json.RawMessage // values by number; nil if none occurs twice
}

// link completes the outermost value.
func (r *deepValue) link() error {
	if !bytes.Contains(r.Value, []byte(`"weakLocalObjectReference"`)) {
		return nil
	}
	r.byNumber = map[int]json.RawMessage{}
	return r.collect()
}

func (r *deepValue) collect() error {
	if r.Ref != 0 && r.Value != nil {
		r.byNumber[r.Ref] = r.Value
	}
	var items []deepValue
	switch r.Type {
	case "array":
		list, err := r.list()
		if err != nil {
			return err
		}
		items = list
	case "object":
		members, err := r.object()
		if err != nil {
			return err
		}
		for _, m := range members {
			items = append(items, *m)
		}
	}
	for i := range items {
		if err := items[i].collect(); err != nil {
			return err
		}
	}
	return nil
}

// A deepNode is a node within a deep value.
type deepNode struct {
	ID         driver.NodeID  `json:"backendNodeId"`
	Doc        driver.DocID   `json:"loaderId"`
	Frame      driver.FrameID `json:"frameId"` // of a frame's owner: the frame within
	Name       string         `json:"localName"`
	NodeType   int
	ShadowRoot *struct{ Value deepNode }
}

func (r *deepValue) decode(kind string, v any) error {
	if r == nil || r.Type != kind {
		have := "nothing"
		if r != nil {
			have = r.Type
		}
		return fmt.Errorf("unexpected answer: %s instead of %s", have, kind)
	}
	value := r.Value
	if value == nil {
		value = r.byNumber[r.Ref]
	}
	return json.Unmarshal(value, v)
}

// node reads a node; null is a node of number 0.
func (r *deepValue) node() (deepNode, error) {
	var n deepNode
	if r != nil && (r.Type == "null" || r.Type == "undefined") {
		return n, nil
	}
	return n, r.decode("node", &n)
}

// list reads an array.
func (r *deepValue) list() ([]deepValue, error) {
	var items []deepValue
	if err := r.decode("array", &items); err != nil {
		return nil, err
	}
	for i := range items {
		items[i].byNumber = r.byNumber
	}
	return items, nil
}

// nodes reads an array of nodes.
func (r *deepValue) nodes() ([]deepNode, error) {
	items, err := r.list()
	if err != nil {
		return nil, err
	}
	nodes := make([]deepNode, len(items))
	for i := range items {
		if nodes[i], err = items[i].node(); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// text reads a string.
func (r *deepValue) text() (string, error) {
	var s string
	return s, r.decode("string", &s)
}

// number reads a number; what is no finite one is 0.
func (r *deepValue) number() (float64, error) {
	var f float64
	if r != nil && r.Type == "number" && len(r.Value) > 0 && r.Value[0] == '"' {
		return 0, nil
	}
	return f, r.decode("number", &f)
}

// object reads an object by its members' names.
func (r *deepValue) object() (map[string]*deepValue, error) {
	var pairs [][2]json.RawMessage
	if err := r.decode("object", &pairs); err != nil {
		return nil, err
	}
	members := make(map[string]*deepValue, len(pairs))
	for _, p := range pairs {
		var name string
		value := deepValue{byNumber: r.byNumber}
		if err := json.Unmarshal(p[0], &name); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(p[1], &value); err != nil {
			return nil, err
		}
		members[name] = &value
	}
	return members, nil
}
