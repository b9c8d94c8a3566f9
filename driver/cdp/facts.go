package cdp

import (
	"errors"

	"github.com/wayfinder-engine/wayfinder/driver"
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

var (
	errFacts = errors.New("unexpected answer of our script")

	// errMoved: the page has gone on between two parts of one look.
	errMoved = errors.New("the page changed while it was read")
)
