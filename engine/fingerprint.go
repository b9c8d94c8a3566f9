package engine

import (
	"fmt"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

func fingerprint(n *accessibility.Node) Fingerprint {
	return Fingerprint{Role: string(n.Role), Name: n.Name, Tag: n.Tag}
}

// verify holds an element against the fingerprint of the action that names it.
// It uses the last reading of the page if nothing has changed since.
func (p *Page) verify(snap *Snapshot, node driver.NodeRef, want *Fingerprint) error {
	if want == nil {
		return nil
	}
	found, ok := snap.Find(node)
	if !ok {
		return fmt.Errorf("%w: %s was meant, and what is there now says nothing of itself", ErrMismatch, want)
	}
	if got := fingerprint(found); got != *want {
		return fmt.Errorf("%w: %s was meant, %s is there", ErrMismatch, want, got)
	}
	return nil
}
