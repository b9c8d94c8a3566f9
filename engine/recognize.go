package engine

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// recognize finds the element of a cached step, and makes sure that it is the
// one, and in the state, that the step was made for.
func (p *Page) recognize(ctx context.Context, snap *Snapshot, step *CachedStep) (*accessibility.Node, CacheReason, error) {
	action := &step.Action
	ref, err := p.findOne(ctx, action.Selector)
	if err != nil {
		return nil, ReasonGone, err
	}
	if err := p.verify(snap, ref, action.Fingerprint); err != nil {
		return nil, ReasonChanged, err
	}
	node, _ := snap.Find(ref) // verify has found it
	hide := p.session.secrets.hide
	if got := surroundings(snap, node, hide); got != step.Surroundings {
		return nil, ReasonChanged, fmt.Errorf("%w: several look like %s, or what is around it is not what was", ErrMismatch, action.Fingerprint)
	}
	if got := stateWords(node, strings.Contains(step.State, valueWord), hide); got != step.State {
		return nil, ReasonChanged, fmt.Errorf("%w: %s is in another state", ErrMismatch, action.Fingerprint)
	}
	return node, "", nil
}

// surroundings is a hash of the text around a node that tells it from others of
// the same role and name, empty if there are none: that of the largest part of
// the page in which it is the only one, or, where others stand right beside it,
// that from the one before it to the one after it.
func surroundings(snap *Snapshot, node *accessibility.Node, hide func(string) string) string {
	if onRow(node) {
		if around := surroundingsOfCell(snap, node); around.Alike > 1 {
			return digest(hide(around.Row))
		}
		return ""
	}
	r, _ := rowOf(snap, node.Source)
	twins := r.twins
	if len(twins) < 2 {
		return ""
	}
	at := twins[r.at]
	within := func(i, end int32) int {
		first := sort.Search(len(twins), func(k int) bool { return twins[k] >= i })
		last := sort.Search(len(twins), func(k int) bool { return twins[k] >= end })
		return last - first
	}
	start, end := at, node.End
	for up := node.Parent; up >= 0; up = snap.Nodes[up].Parent {
		if within(up, snap.Nodes[up].End) > 1 {
			if start == at { // nothing of its own is around it
				start, end = beside(snap, twins, at, up)
			}
			break
		}
		start, end = up, snap.Nodes[up].End
	}
	var b strings.Builder
	for _, n := range snap.Nodes[start:end] {
		fmt.Fprintf(&b, "%s\x00%s\x00", n.Role, hide(n.Name))
		for _, c := range n.Cells {
			b.WriteString(hide(c.Text) + "\x00")
		}
	}
	return digest(b.String())
}

// beside returns what lies between the twin before and the twin after a node,
// within a common parent.
func beside(snap *Snapshot, twins []int32, at, parent int32) (start, end int32) {
	start, end = parent+1, snap.Nodes[parent].End
	for _, twin := range twins {
		switch {
		case twin < at:
			start = max(start, snap.Nodes[twin].End)
		case twin > at:
			return start, min(end, twin)
		}
	}
	return start, end
}

// valueWord begins the part of a state that is about a value.
const valueWord = "value "

// stateWords say what of an element's state a choice may depend on.
func stateWords(n *accessibility.Node, value bool, hide func(string) string) string {
	var words []string
	for _, s := range []struct {
		name string
		is   accessibility.Tristate
	}{{"checked", n.States.Checked}, {"expanded", n.States.Expanded}, {"pressed", n.States.Pressed}, {"selected", n.States.Selected}} {
		switch s.is {
		case accessibility.On:
			words = append(words, s.name)
		case accessibility.Mixed:
			words = append(words, s.name+" mixed")
		}
	}
	if value {
		words = append(words, valueWord+digest(hide(n.Value)+"\x00"+hide(strings.Join(n.Options, "\x00"))))
	}
	return strings.Join(words, ", ")
}

// says reports whether an instruction says itself what to enter, so that it
// does not depend on the page.
func says(instruction string, args []string) bool {
	instruction = strings.ToLower(squeeze(instruction))
	for _, arg := range args {
		for _, text := range placeholder.Split(arg, -1) {
			if !strings.Contains(instruction, strings.ToLower(squeeze(text))) {
				return false
			}
		}
	}
	return true
}
