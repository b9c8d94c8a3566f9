package cdp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A handles gets hold of the nodes of a page, and knows which of them our scripts
// remember: those that were last worked with.
type handles struct {
	page *page
	last atomic.Int64 // the last number that was given

	mu   sync.Mutex // protects list
	list []rememberedNode
}

// numberOf returns the number of a node, 0 if it is not remembered.
func (hs *handles) numberOf(world worldKey, node driver.NodeID) int {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	for _, n := range hs.list {
		if n.world == world && n.node == node {
			return n.number
		}
	}
	return 0
}

// remember notes that our script remembers a node by a number.
func (hs *handles) remember(world worldKey, node driver.NodeID, number int) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if len(hs.list) == mostRemembered {
		hs.list = slices.Delete(hs.list, 0, 1)
	}
	hs.list = append(hs.list, rememberedNode{world, node, number})
}

// A rememberedNode is a node of a document, and its number in our world there.
type rememberedNode struct {
	world  worldKey
	node   driver.NodeID
	number int
}

const mostRemembered = 16 // our scripts remember more

// A nodeHandle is a node that somebody asked for, as an object of our world in
// its document.
type nodeHandle struct {
	world
	ref    driver.NodeRef
	object string // empty: the document, or one that is remembered
	number int    // by which our script remembers it; 0 if it does not
}

// handleOf makes sure that the node's document is the one that its frame
// shows, and gets hold of the node there. That is the check which everything
// that acts on a node begins with: Chrome itself takes the numbers of a page in
// the back/forward cache for those of the page that is shown. That the node
// is still in the document is checked by the script that comes next.
func (hs *handles) handleOf(ctx context.Context, ref driver.NodeRef) (*nodeHandle, error) {
	w, err := hs.page.isolated(ctx, ref.Frame)
	if err != nil {
		return nil, err
	}
	if ref.IsZero() {
		ref = driver.NodeRef{Frame: w.ID, Doc: w.Doc}
	}
	if ref.Doc != w.Doc {
		return nil, fmt.Errorf("the frame shows another document: %w", driver.ErrStale)
	}
	t := &nodeHandle{world: w, ref: ref}
	if ref.Node == 0 {
		return t, nil
	}
	if t.number = hs.numberOf(w.key(), ref.Node); t.number != 0 {
		return t, nil
	}
	objects, err := t.resolve(ctx, ref.Node)
	if err != nil {
		return nil, err
	}
	t.object, t.number = objects[0], int(hs.last.Add(1))
	return t, nil
}

func (t *nodeHandle) release() { release(t.session, t.object) }

// on makes a call one with the target as its first argument.
func (t *nodeHandle) on(c call) call {
	c.object, c.number, c.document = t.object, t.number, t.object == "" && t.number == 0
	return c
}

// ask makes a call with the target, which is remembered from then on.
func (t *nodeHandle) ask(ctx context.Context, c call, v any) (nodeList, error) {
	nodes, err := t.world.ask(ctx, t.on(c), v)
	if err == nil {
		t.remember()
	}
	return nodes, err
}

// remember notes that our script remembers the node, after a call with it.
func (t *nodeHandle) remember() {
	if t.object != "" && t.number != 0 {
		t.page.handles.remember(t.key(), t.ref.Node, t.number)
		t.release()
		t.object = ""
	}
}

// callWith makes a call with the node that ref names and decodes what it returns.
func (hs *handles) callWith(ctx context.Context, ref driver.NodeRef, c call, v any) error {
	t, err := hs.handleOf(ctx, ref)
	if err != nil {
		return err
	}
	defer t.release()
	_, err = t.ask(ctx, c, v)
	return err
}

// expectations are what a target asks of its element, as our script takes them.
func expectations(target driver.Target) map[string]any {
	m := map[string]any{"label": target.Label, "only": target.Only, "continued": target.Continued}
	if b := target.Beside; b != nil {
		m["beside"] = map[string]any{"up": b.Up, "from": b.From, "to": b.To, "texts": b.Texts}
	}
	if s := target.Selected; s != nil {
		m["selector"], m["xpath"] = s.Text, s.Kind == driver.XPath
	}
	return m
}

// closedTrees returns what the selector of a target looks in: an element of the
// same document, or nothing, which is the whole document.
func (t *nodeHandle) closedTrees(ctx context.Context, target driver.Target) ([]string, error) {
	if target.Selected == nil || target.Selected.Root.Node == 0 || target.Selected.Root.Doc != t.Doc || target.Selected.Root.Frame != t.ID {
		return nil, nil
	}
	return t.resolve(ctx, target.Selected.Root.Node)
}

// callAt makes a call with the element of a target, if it is what the target
// expects, and decodes what the call returns.
func (hs *handles) callAt(ctx context.Context, target driver.Target, c call, v any) error {
	t, err := hs.handleOf(ctx, target.At)
	if err != nil {
		return err
	}
	defer t.release()
	return t.callOn(ctx, target, c, v)
}

// callOn is callAt for a handle.
func (t *nodeHandle) callOn(ctx context.Context, target driver.Target, c call, v any) error {
	tree, err := t.closedTrees(ctx, target)
	if err != nil {
		return err
	}
	defer release(t.session, tree...)
	c.nodes, c.args = tree, append([]any{expectations(target), c.name}, c.args...)
	var last *nodeHandle
	if c.name == "setValue" { // the last that an action does
		last = t
	}
	c.name = "callOn"
	if err = t.page.callThen(ctx, &t.world, t.on(c), last, v); err == nil {
		t.remember()
	}
	if errors.Is(err, driver.ErrChanged) {
		return &driver.MissedError{By: t.ref, Err: driver.ErrChanged}
	}
	return err
}
