package cdp

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// A factSheet is what our script tells of one document beyond its snapshot.
type factSheet struct {
	document deepNode
	view     [3]float64 // inner width and height, device pixels for a CSS pixel
	active   driver.NodeID

	mixed, modal, popover, broken []deepNode
	invalid                       []deepValue // [element, message]
	references                    []deepValue // [element, attribute, [elements]]
	targets                       []deepValue // [host, element]
}

// readFacts decodes the result of the library's facts function.
func readFacts(r *deepValue) (*factSheet, error) {
	members, err := r.object()
	if err != nil {
		return nil, err
	}
	f := &factSheet{}
	if f.document, err = members["document"].node(); err != nil {
		return nil, err
	}
	view, err := members["view"].list()
	if err != nil {
		return nil, err
	}
	for i := range min(len(view), len(f.view)) {
		if f.view[i], err = view[i].number(); err != nil {
			return nil, err
		}
	}
	active, err := members["active"].node()
	if err != nil {
		return nil, err
	}
	f.active = active.ID
	for name, to := range map[string]*[]deepNode{"mixed": &f.mixed, "modal": &f.modal, "popover": &f.popover, "broken": &f.broken} {
		if *to, err = members[name].nodes(); err != nil {
			return nil, err
		}
	}
	for name, to := range map[string]*[]deepValue{
		"invalid": &f.invalid, "references": &f.references, "targets": &f.targets,
	} {
		if *to, err = members[name].list(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// none reports that apply would change nothing.
func (f *factSheet) none() bool {
	return f.active == 0 && len(f.mixed)+len(f.modal)+len(f.popover)+len(f.broken)+len(f.invalid)+
		len(f.references)+len(f.targets) == 0
}

// apply writes the facts into the document.
func (f *factSheet) apply(d *driver.Document) error {
	if f.none() {
		return nil
	}
	index := make(map[driver.NodeID]int32, len(d.Nodes))
	for i := range d.Nodes {
		index[d.Nodes[i].ID] = int32(i)
	}
	if i, ok := index[f.active]; ok {
		d.Active = i
	}
	// An element that the snapshot does not have came or went between the two.
	rare := func(id driver.NodeID) *driver.Rare {
		i, ok := index[id]
		if !ok {
			return new(driver.Rare)
		}
		if d.Nodes[i].Rare == nil {
			d.Nodes[i].Rare = new(driver.Rare)
		}
		return d.Nodes[i].Rare
	}
	for _, n := range f.mixed {
		rare(n.ID).Mixed = true
	}
	for _, n := range f.modal {
		rare(n.ID).Modal = true
	}
	for _, n := range f.popover {
		rare(n.ID).PopoverOpen = true
	}
	for _, n := range f.broken {
		rare(n.ID).Broken = true
	}
	return f.applyLists(rare)
}

func (f *factSheet) applyLists(rare func(driver.NodeID) *driver.Rare) error {
	for i := range f.invalid {
		n, rest, err := headed(&f.invalid[i], 2)
		if err != nil {
			return err
		}
		if rare(n.ID).Invalid, err = rest[0].text(); err != nil {
			return err
		}
	}
	for i := range f.references {
		n, rest, err := headed(&f.references[i], 3)
		if err != nil {
			return err
		}
		name, err := rest[0].text()
		if err != nil {
			return err
		}
		to, err := rest[1].nodes()
		if err != nil {
			return err
		}
		r := rare(n.ID)
		if r.References == nil {
			r.References = map[string][]driver.NodeID{}
		}
		for _, t := range to {
			r.References[name] = append(r.References[name], t.ID)
		}
	}
	for i := range f.targets {
		n, rest, err := headed(&f.targets[i], 2)
		if err != nil {
			return err
		}
		to, err := rest[0].node()
		if err != nil {
			return err
		}
		if to.ID == 0 {
			to.ID = -1 // it names an element that is not there
		}
		rare(n.ID).ReferenceTarget = to.ID
	}
	return nil
}

// headed reads a list of a node and what belongs to it.
func headed(r *deepValue, length int) (deepNode, []deepValue, error) {
	items, err := r.list()
	if err != nil {
		return deepNode{}, nil, err
	}
	if len(items) != length {
		return deepNode{}, nil, errFacts
	}
	n, err := items[0].node()
	return n, items[1:], err
}

// What a custom element says of itself through ElementInternals shows nowhere
// but in Chrome's accessibility tree. Asking costs half a millisecond each, and
// elements of one name are of one class, so of each name a few are asked
// first, and the rest only if one of them says something.

const (
	probes       = 3   // elements of a name that are asked first
	maxInternals = 512 // elements of a document that are asked at all
)

// internals fills in Rare.Role, Rare.Label and Rare.Checked. It returns what was found, as bytes.
func (p *page) internals(ctx context.Context, s *session, d *driver.Document) ([]byte, error) {
	byName := map[string][]int32{}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if n.Kind == driver.ElementNode && n.Namespace == driver.HTML && strings.Contains(n.Name, "-") && n.Rendered {
			byName[n.Name] = append(byName[n.Name], int32(i))
		}
	}
	if len(byName) == 0 {
		return nil, nil
	}
	var first, rest []int32
	names := slices.Sorted(maps.Keys(byName)) // for the same bytes every time
	for _, name := range names {
		list := byName[name]
		first = append(first, list[:min(probes, len(list))]...)
	}
	declaring, found, err := askInternals(ctx, s, d, first)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if list := byName[name]; declaring[name] && len(list) > probes {
			rest = append(rest, list[probes:]...)
		}
	}
	_, more, err := askInternals(ctx, s, d, rest[:min(len(rest), maxInternals)])
	return append(found, more...), err
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
		if role, label := declared(&reply.Nodes[0], n); role != "" || label != "" {
			if n.Rare == nil {
				n.Rare = new(driver.Rare)
			}
			n.Rare.Role, n.Rare.Label = role, label
			if _, own := n.Attr("aria-checked"); !own && role != "" {
				n.Rare.Checked = checkedState(&reply.Nodes[0])
			}
			declaring[n.Name] = true
			found = append(found, role+" "+label+" "+n.Rare.Checked+"\n"...)
		}
	}
	return declaring, found, nil
}

// declared returns what an element says of itself that its attributes do not.
func declared(a *protocol.AXNode, n *driver.Node) (role, label string) {
	if _, own := n.Attr("role"); !own && !a.Ignored && a.Role.Type == "role" && a.Role.Value != "generic" && a.Role.Value != "none" {
		role = a.Role.Value
	}
	if _, own := n.Attr("aria-label"); !own {
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
	}
	return role, label
}

var (
	errFacts = errors.New("unexpected answer of our script")

	// errMoved: the page has gone on between two parts of one look.
	errMoved = errors.New("the page changed while it was read")
)
