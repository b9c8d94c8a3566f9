package cdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	associated                    []deepNode  // custom elements that labels are for
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
	for name, to := range map[string]*[]deepNode{"mixed": &f.mixed, "modal": &f.modal, "popover": &f.popover, "broken": &f.broken, "associated": &f.associated} {
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
	return f.active == 0 && len(f.mixed)+len(f.modal)+len(f.popover)+len(f.broken)+len(f.associated)+len(f.invalid)+
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
	if err := f.applyLists(rare); err != nil {
		return err
	}
	for _, n := range f.associated {
		// A label's control is also the host of the element that its shadow root
		// passes references to, and that one is labeled itself.
		r := rare(n.ID)
		r.FormAssociated = r.ReferenceTarget == 0
	}
	return nil
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
// elements of one name are of one class, so those are asked first that are least
// like one another, and the rest of a name only if one of them says something.

const (
	probes       = 3   // elements of a name that are asked in any case
	maxProbes    = 64  // elements of a document that are asked at first
	maxInternals = 512 // elements of a document that are asked at all
)

// internals fills in Rare.Internals. It returns what was found, as bytes.
func (p *page) internals(ctx context.Context, s *session, d *driver.Document) ([]byte, error) {
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
		if n.Rare == nil {
			n.Rare = new(driver.Rare)
		}
		n.Rare.Internals = said
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

var (
	errFacts = errors.New("unexpected answer of our script")

	// errMoved: the page has gone on between two parts of one look.
	errMoved = errors.New("the page changed while it was read")
)
