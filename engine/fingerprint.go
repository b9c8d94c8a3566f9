package engine

import (
	"context"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

func fingerprint(n *accessibility.Node) Fingerprint {
	return Fingerprint{Role: string(n.Role), Name: n.Name, Tag: n.Tag}
}

// verify holds an element of a snapshot against the fingerprint of the action
// that names it.
func (p *Page) verify(snap *Snapshot, node driver.NodeRef, want *Fingerprint) error {
	if want == nil {
		return nil
	}
	found, ok := snap.Find(node)
	if !ok {
		return fmt.Errorf("%w: %s was meant, and what is there now says nothing of itself", ErrMismatch, want)
	}
	// A name that holds the value of a variable was stored without it.
	if got := fingerprint(found); got != *want && p.session.hidePrint(got) != p.session.hidePrint(*want) {
		return fmt.Errorf("%w: %s was meant, %s is there", ErrMismatch, want, got)
	}
	return nil
}

// verifyNow holds an element against a fingerprint as the page is now: a list
// uses its nodes again for other rows. What has not changed since the last look is
// not read again.
func (p *Page) verifyNow(ctx context.Context, node driver.NodeRef, want *Fingerprint) error {
	if want == nil {
		return nil
	}
	if _, err := p.capture(ctx); err != nil {
		return err
	}
	return p.verify(p.build(nil), node, want)
}

// findAgain finds the element that took the place of one that was replaced
// since it was read: the only one in the same document that looks the same, or
// the only one of these that stands in the same row.
func (p *Page) findAgain(ctx context.Context, before *Snapshot, lost driver.NodeRef, want Fingerprint) (driver.NodeRef, error) {
	p.seen = seen{}
	if _, err := p.capture(ctx); err != nil {
		return driver.NodeRef{}, err
	}
	snap := p.build(nil)
	want = p.session.hidePrint(want)
	var same []*accessibility.Node
	add := func(n *accessibility.Node) {
		if n.Source.Frame == lost.Frame && n.Source.Doc == lost.Doc && p.session.hidePrint(fingerprint(n)) == want {
			same = append(same, n)
		}
	}
	was, cell := before.Find(lost)
	cell = cell && onRow(was)
	for i := range snap.Nodes {
		n := &snap.Nodes[i]
		if !cell {
			add(n)
		} else if rowWords(n) == rowWords(&before.Nodes[was.Parent]) {
			for _, c := range cellsOf(snap, n) {
				add(c)
			}
		}
	}
	switch len(same) {
	case 0:
		return driver.NodeRef{}, fmt.Errorf("%w: %s is no longer on the page", ErrNotFound, want)
	case 1:
		return same[0].Source, keepsRow(before, lost, snap, same[0].Source)
	}
	if again, ok := inSameRow(before, lost, snap); ok {
		return again, nil
	}
	e := &AmbiguousError{Selector: want.String(), Count: len(same)}
	for _, n := range same[:min(len(same), maxAmbiguousNamed)] {
		e.Candidates = append(e.Candidates, candidate(n))
	}
	return driver.NodeRef{}, e
}

// candidate names an element for a choice among several.
func candidate(n *accessibility.Node) string {
	return fmt.Sprintf("[%s] %s", n.Ref, fingerprint(n))
}
