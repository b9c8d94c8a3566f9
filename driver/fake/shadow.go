package fake

import (
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// assignSlots finds the nodes that each slot shows. Slots without any are
// absent and show their own children.
func (d *document) assignSlots() map[*html.Node][]*html.Node {
	if len(d.shadows) == 0 {
		return nil
	}
	slots := make(map[*html.Node][]*html.Node)
	for host, s := range d.shadows {
		byName := make(map[string]*html.Node)
		for n := s.root; n != nil; n = next(n, s.root) {
			if isElement(n, "slot") {
				if name := attr(n, "name"); byName[name] == nil {
					byName[name] = n
				}
			}
		}
		for c := host.FirstChild; c != nil; c = c.NextSibling {
			name := ""
			switch c.Type {
			case html.ElementNode:
				name = attr(c, "slot")
			case html.TextNode:
			default:
				continue
			}
			if slot := byName[name]; slot != nil {
				slots[slot] = append(slots[slot], c)
			}
		}
	}
	return slots
}

// referenceTarget is the number of the element that stands for the host when
// something refers to that; -1 if it is not there.
func (d *document) referenceTarget(s *shadowRoot) driver.NodeID {
	for n := s.root; n != nil; n = next(n, s.root) {
		if n.Type == html.ElementNode && s.target != "" && attr(n, "id") == s.target {
			return d.number(n)
		}
	}
	return -1
}
