package cdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mafredri/cdp/protocol/accessibility"
	"github.com/mafredri/cdp/protocol/dom"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// What a custom element says of itself through ElementInternals shows nowhere
// but in Chrome's accessibility tree. Asking costs half a millisecond each, and
// elements of one name are of one class, so those are asked first that are least
// like one another, and the rest of a name only if one of them says something.

const (
	probes       = 3   // elements of a name that are asked in any case
	maxProbes    = 64  // elements of a document that are asked at first
	maxInternals = 512 // elements of a document that are asked at all
)

// internals fills in Rare.Internals. It returns what was found, as bytes.
func internals(ctx context.Context, s *session, d *driver.Document) ([]byte, error) {
	first, rest := probing(d.Nodes)
	if len(first) == 0 {
		return nil, nil
	}
	declaring, found, err := askInternals(ctx, s, d, first)
	if err != nil {
		return nil, err
	}
	rest = slices.DeleteFunc(rest, func(i int32) bool { return !declaring[d.Nodes[i].Name] })
	_, more, err := askInternals(ctx, s, d, rest[:min(len(rest), maxInternals)])
	return append(found, more...), err
}

// probing returns the custom elements of a document that are asked in any case, and
// the others: a few of each name, one of each set of attributes, and what else there
// is room for, in turn.
func probing(nodes []driver.Node) (first, rest []int32) {
	type candidate struct {
		at   int32
		rank int // how many like it come before
	}
	var all []candidate
	var names, kinds map[string]int
	for i := range nodes {
		n := &nodes[i]
		if n.Kind != driver.ElementNode || n.Namespace != driver.HTML || !n.Rendered || !strings.Contains(n.Name, "-") {
			continue
		}
		if names == nil {
			names, kinds = map[string]int{}, map[string]int{}
		}
		kind := n.Name
		for _, a := range n.Attrs {
			kind += " " + a.Name
		}
		rank := kinds[kind]
		if names[n.Name] < probes {
			rank = 0
		}
		names[n.Name]++
		kinds[kind]++
		all = append(all, candidate{int32(i), rank})
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	for _, c := range all {
		if c.rank == 0 && len(first) < maxInternals || len(first) < maxProbes {
			first = append(first, c.at)
		} else {
			rest = append(rest, c.at)
		}
	}
	slices.Sort(first) // for the same bytes every time
	slices.Sort(rest)
	return first, rest
}

// askInternals asks about elements and returns the names of those that say
// something.
func askInternals(ctx context.Context, s *session, d *driver.Document, elements []int32) (declaring map[string]bool, found []byte, err error) {
	if len(elements) == 0 {
		return nil, nil, nil
	}
	requests := make([]*conn.Request[protocol.GetPartialAXTreeReply], len(elements))
	for i, e := range elements {
		requests[i] = protocol.AccessibilityGetPartialAXTree.With(aboutElement(d.Nodes[e].ID))
	}
	replies, err := conn.All(ctx, s, requests)
	if err != nil && !errors.As(err, new(*CommandError)) {
		return nil, nil, err
	}
	declaring = map[string]bool{}
	for i, reply := range replies {
		if reply == nil || len(reply.Nodes) == 0 {
			continue // it is gone
		}
		n := &d.Nodes[elements[i]]
		said := declared(&reply.Nodes[0], n)
		if len(said) == 0 {
			continue
		}
		rareOf(n).Internals = said
		declaring[n.Name] = true
		found = fmt.Appendf(found, "%d %q\n", n.ID, said)
	}
	return declaring, found, nil
}

// ariaOf are the attributes that say what properties of Chrome's accessibility nodes
// say, and the values of those that say nothing.
var ariaOf = map[string]struct{ attribute, silent string }{
	"busy": {"aria-busy", "false"}, "checked": {"aria-checked", ""}, "disabled": {"aria-disabled", "false"},
	"expanded": {"aria-expanded", ""}, "hasPopup": {"aria-haspopup", "false"}, "invalid": {"aria-invalid", "false"},
	"level": {"aria-level", ""}, "modal": {"aria-modal", "false"}, "multiline": {"aria-multiline", "false"},
	"multiselectable": {"aria-multiselectable", "false"}, "pressed": {"aria-pressed", ""}, "readonly": {"aria-readonly", "false"},
	"required": {"aria-required", "false"}, "selected": {"aria-selected", ""}, "valuemax": {"aria-valuemax", ""},
	"valuemin": {"aria-valuemin", ""}, "valuetext": {"aria-valuetext", ""},
}

// declared returns what an element says of itself that its attributes do not. States
// that follow from the role alone are among it: they say the same.
func declared(a *protocol.AXNode, n *driver.Node) []driver.Attr {
	var said []driver.Attr
	say := func(name, value string) {
		if _, own := n.Attr(name); !own && value != "" {
			said = append(said, driver.Attr{Name: name, Value: value})
		}
	}
	if !a.Ignored && a.Role.Type == "role" && a.Role.Value != "generic" && a.Role.Value != "none" {
		say("role", a.Role.Value)
	}
	label := ""
	for _, s := range a.Name.Sources {
		if s.Attribute != "aria-label" {
			continue
		}
		for _, v := range []*struct{ Value string }{s.AttributeValue, s.Value} {
			if v != nil && label == "" {
				label = v.Value
			}
		}
	}
	say("aria-label", label)
	if _, own := n.Attr("role"); len(said) == 0 && !own {
		return nil
	}
	for _, p := range a.Properties {
		to, ok := ariaOf[p.Name]
		value := fmt.Sprint(p.Value.Value)
		if !ok || value == to.silent || p.Value.Value == nil {
			continue
		}
		say(to.attribute, value)
		if p.Name == "valuemin" && a.Value.Value != nil {
			say("aria-valuenow", fmt.Sprint(a.Value.Value))
		}
	}
	slices.SortFunc(said, func(a, b driver.Attr) int { return strings.Compare(a.Name, b.Name) })
	return said
}

// aboutElement asks for the accessibility node of an element alone.
func aboutElement(id driver.NodeID) accessibility.GetPartialAXTreeArgs {
	return accessibility.GetPartialAXTreeArgs{BackendNodeID: new(dom.BackendNodeID(id)), FetchRelatives: new(false)}
}

// axNode returns the accessibility node of an element, nil if it has none.
func axNode(ctx context.Context, s *session, id driver.NodeID) (*protocol.AXNode, error) {
	reply, err := protocol.AccessibilityGetPartialAXTree.Do(ctx, s, aboutElement(id))
	if err != nil || len(reply.Nodes) == 0 {
		return nil, err
	}
	return &reply.Nodes[0], nil
}

// checkedState returns the state of what can be checked: "true", "false", "mixed". It is
// empty for an element without an accessibility node.
func checkedState(a *protocol.AXNode) string {
	if a == nil {
		return ""
	}
	for _, p := range a.Properties {
		if p.Name == "checked" {
			return fmt.Sprint(p.Value.Value)
		}
	}
	return ""
}

// hasInternals reports that an element may have a state that our script cannot read.
func hasInternals(state *driver.State) bool {
	return strings.Contains(state.Tag, "-") && state.AriaChecked == nil && !state.Mixed && state.Connected
}
