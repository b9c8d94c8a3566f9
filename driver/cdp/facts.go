package cdp

import (
	"cmp"
	"errors"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A factSheet is what our script tells of one document beyond its snapshot. It names
// nodes by their places in nodes.
type factSheet struct {
	View     [3]float64 // inner width and height, device pixels for a CSS pixel
	Document int
	Active   int

	Mixed, Modal, Popover, Broken []int
	Associated                    []int // custom elements that labels are for

	Invalid []struct {
		Node    int
		Message string
	}
	References []struct {
		Node int
		Name string // of the attribute
		To   []int
	}
	Targets []struct{ Node, To int } // hosts, and the elements that stand for them

	nodes nodeList
}

// apply writes the facts into the document.
func (f *factSheet) apply(d *driver.Document) {
	if len(f.nodes) <= 2 { // none but the document
		return
	}
	index := make(map[driver.NodeID]int32, len(d.Nodes))
	for i := range d.Nodes {
		index[d.Nodes[i].ID] = int32(i)
	}
	if i, ok := index[f.nodes.at(f.Active).ID]; ok {
		d.Active = i
	}
	// An element that the snapshot does not have came or went between the two.
	rare := func(place int) *driver.Rare {
		i, ok := index[f.nodes.at(place).ID]
		if !ok {
			return new(driver.Rare)
		}
		return rareOf(&d.Nodes[i])
	}
	for _, n := range f.Mixed {
		rare(n).Mixed = true
	}
	for _, n := range f.Modal {
		rare(n).Modal = true
	}
	for _, n := range f.Popover {
		rare(n).PopoverOpen = true
	}
	for _, n := range f.Broken {
		rare(n).Broken = true
	}
	for _, n := range f.Invalid {
		rare(n.Node).Invalid = n.Message
	}
	for _, from := range f.References {
		r := rare(from.Node)
		if r.References == nil {
			r.References = map[string][]driver.NodeID{}
		}
		for _, to := range from.To {
			r.References[from.Name] = append(r.References[from.Name], f.nodes.at(to).ID)
		}
	}
	for _, t := range f.Targets {
		rare(t.Node).ReferenceTarget = cmp.Or(f.nodes.at(t.To).ID, -1) // it names an element that is not there
	}
	for _, n := range f.Associated {
		// A label's control is also the host of the element that its shadow root
		// passes references to, and that one is labeled itself.
		r := rare(n)
		r.FormAssociated = r.ReferenceTarget == 0
	}
}

// rareOf returns what only few nodes have, of a node.
func rareOf(n *driver.Node) *driver.Rare {
	if n.Rare == nil {
		n.Rare = new(driver.Rare)
	}
	return n.Rare
}

var (
	errFacts = errors.New("unexpected answer of our script")

	// errMoved: the page has gone on between two parts of one look.
	errMoved = errors.New("the page changed while it was read")
)
