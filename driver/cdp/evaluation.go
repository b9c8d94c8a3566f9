package cdp

import (
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

// failureOf returns what a script has thrown, nil if it has not.
func failureOf(details *runtime.ExceptionDetails) error {
	if details == nil {
		return nil
	}
	return (*thrown)(details).known()
}

// A nodeList is the nodes that an answer names by their places. The first is none.
type nodeList []deepNode

// at returns a node; our scripts name none that is not in the list.
func (l nodeList) at(place int) deepNode {
	if place < 0 || place >= len(l) {
		return deepNode{}
	}
	return l[place]
}

// decodeNodes decodes the text of an answer in depth into v, and returns the nodes that it
// names, see apart in script/00-dom.js.
func decodeNodes(deep json.RawMessage, v any) (nodeList, error) {
	var items []struct {
		Type  string
		Value json.RawMessage
	}
	if err := json.Unmarshal(deep, &items); err != nil || len(items) == 0 || items[0].Type != "string" {
		return nil, errFacts
	}
	var text string
	err := json.Unmarshal(items[0].Value, &text)
	if err == nil {
		err = json.Unmarshal([]byte(text), v)
	}
	list := make(nodeList, len(items))
	for i := 1; i < len(items) && err == nil; i++ {
		err = json.Unmarshal(items[i].Value, &list[i])
	}
	return list, err
}

// A deepNode is a node as Chrome serializes it in depth, by its backend node id.
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
