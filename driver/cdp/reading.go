package cdp

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A reading is a JavaScript value as Chrome serializes it in depth: unlike
// JSON it names nodes, by their backend node ids.
//
// What occurs a second time is told by its number alone, so every reading
// knows those of the whole.
type reading struct {
	Type  string
	Value json.RawMessage
	Ref   int `json:"weakLocalObjectReference"`

	seen map[int]json.RawMessage // values by number; nil if none occurs twice
}

// link completes the outermost reading.
func (r *reading) link() error {
	if !bytes.Contains(r.Value, []byte(`"weakLocalObjectReference"`)) {
		return nil
	}
	r.seen = map[int]json.RawMessage{}
	return r.collect()
}

func (r *reading) collect() error {
	if r.Ref != 0 && r.Value != nil {
		r.seen[r.Ref] = r.Value
	}
	var items []reading
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

// A readNode is a node within a reading.
type readNode struct {
	ID         driver.NodeID  `json:"backendNodeId"`
	Doc        driver.DocID   `json:"loaderId"`
	Frame      driver.FrameID `json:"frameId"` // of a frame's owner: the frame within
	Name       string         `json:"localName"`
	NodeType   int
	ShadowRoot *struct{ Value readNode }
}

func (r *reading) decode(kind string, v any) error {
	if r == nil || r.Type != kind {
		have := "nothing"
		if r != nil {
			have = r.Type
		}
		return fmt.Errorf("unexpected answer: %s instead of %s", have, kind)
	}
	value := r.Value
	if value == nil {
		value = r.seen[r.Ref]
	}
	return json.Unmarshal(value, v)
}

// node reads a node; null is a node of number 0.
func (r *reading) node() (readNode, error) {
	var n readNode
	if r != nil && (r.Type == "null" || r.Type == "undefined") {
		return n, nil
	}
	return n, r.decode("node", &n)
}

// list reads an array.
func (r *reading) list() ([]reading, error) {
	var items []reading
	if err := r.decode("array", &items); err != nil {
		return nil, err
	}
	for i := range items {
		items[i].seen = r.seen
	}
	return items, nil
}

// nodes reads an array of nodes.
func (r *reading) nodes() ([]readNode, error) {
	items, err := r.list()
	if err != nil {
		return nil, err
	}
	nodes := make([]readNode, len(items))
	for i := range items {
		if nodes[i], err = items[i].node(); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// text reads a string.
func (r *reading) text() (string, error) {
	var s string
	return s, r.decode("string", &s)
}

// number reads a number; what is no finite one is 0.
func (r *reading) number() (float64, error) {
	var f float64
	if r != nil && r.Type == "number" && len(r.Value) > 0 && r.Value[0] == '"' {
		return 0, nil
	}
	return f, r.decode("number", &f)
}

// object reads an object by its members' names.
func (r *reading) object() (map[string]*reading, error) {
	var pairs [][2]json.RawMessage
	if err := r.decode("object", &pairs); err != nil {
		return nil, err
	}
	members := make(map[string]*reading, len(pairs))
	for _, p := range pairs {
		var name string
		value := reading{seen: r.seen}
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
