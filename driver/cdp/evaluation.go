package cdp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver"
)

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

// told decodes the text of an answer that has nodes beside it, which it returns by their
// names.
func (r *deepValue) told(v any) (map[string]*deepValue, error) {
	m, err := r.object()
	if err != nil {
		return nil, err
	}
	told, err := m["told"].text()
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(told), v); err != nil {
		return nil, fmt.Errorf("unexpected answer: %w", err)
	}
	return m, nil
}

// numbers reads an array of as many numbers as there are in to.
func (r *deepValue) numbers(to []float64) error {
	items, err := r.list()
	if err != nil || len(items) != len(to) {
		return errFacts
	}
	for i := range items {
		if to[i], err = items[i].number(); err != nil {
			return err
		}
	}
	return nil
}

// decode decodes what a call returned into v, which may be nil.
func (e *evaluation) decode(name string, v any) error {
	if v == nil {
		return nil
	}
	if err := json.Unmarshal(e.value, v); err != nil {
		return fmt.Errorf("%s: unexpected answer: %w", name, err)
	}
	return nil
}

// A deepNode is a node within a deep value.
type deepNode struct {
	ID         driver.NodeID  `json:"backendNodeId"`
	Doc        driver.DocID   `json:"loaderId"`
	Frame      driver.FrameID `json:"frameId"` // of a frame's owner: the frame within
	Name       string         `json:"localName"`
	ShadowRoot *struct{ Value deepNode }
}

// closedTree returns the number of an element's closed shadow root, 0 if it
// has none. Controls and images have one of the browser's own, which is no
// affair of ours; they cannot host another.
func (n *deepNode) closedTree() driver.NodeID {
	if n.ShadowRoot == nil || !mayHost(&driver.Node{Kind: driver.ElementNode, Name: n.Name}) {
		return 0
	}
	return n.ShadowRoot.Value.ID
}
