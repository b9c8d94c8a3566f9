package cdp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mafredri/cdp/protocol/accessibility"
	"github.com/mafredri/cdp/protocol/dom"
	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// An actor changes one element of a page, without pointer and keys.
type actor struct{ page *page }

// SetValue implements driver.Actor.
//
// The value is assigned in the isolated world: the page's own world may have
// replaced the setter to notice assignments that are not its own.
func (a *actor) SetValue(ctx context.Context, at driver.Target, values ...string) ([]string, error) {
	if values == nil {
		values = []string{}
	}
	var now []string
	err := a.page.callAt(ctx, at, call{name: "setValue", args: []any{values}, gesture: true}, &now)
	return now, opError("setvalue", nodeName(at.At), err)
}

// SetFiles implements driver.Actor.
func (a *actor) SetFiles(ctx context.Context, at driver.Target, paths ...string) error {
	return opError("setfiles", nodeName(at.At), a.setFiles(ctx, at, paths))
}

func (a *actor) setFiles(ctx context.Context, at driver.Target, paths []string) error {
	// Chrome takes a path that leads nowhere for an empty file.
	files := make([]string, len(paths))
	for i, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() && !info.IsDir() {
			return fmt.Errorf("%s is no file: %w", path, errors.ErrUnsupported)
		}
		if files[i], err = filepath.Abs(path); err != nil {
			return err
		}
	}
	t, err := a.page.handleOf(ctx, at.At)
	if err != nil {
		return err
	}
	defer t.release()
	if err := t.callOn(ctx, at, call{name: "fileInput", args: []any{len(files)}}, nil); err != nil || len(files) == 0 {
		return err
	}
	return t.giveFiles(ctx, files)
}

// giveFiles sets the files of an input that our script was just asked about. Where the
// input is no longer what it was found to be then, the script takes them back before
// the page knows of them.
func (t *nodeHandle) giveFiles(ctx context.Context, files []string) error {
	g := &gate{at: t}
	objects, err := t.resolve(ctx, t.ref.Node)
	if err != nil {
		g.abandon()
		return err
	}
	defer release(t.session, objects...)
	if _, err = protocol.DOMSetFileInputFiles.Do(ctx, t.session, dom.SetFileInputFilesArgs{Files: files, ObjectID: new(runtime.RemoteObjectID(objects[0]))}); err != nil {
		g.abandon()
		return err
	}
	seen, err := g.ask(ctx, &t.world)
	if missed := seen.missed(); missed != nil {
		return &driver.MissedError{By: t.ref, Err: driver.ErrChanged}
	}
	return err
}

// Focus implements driver.Actor.
func (a *actor) Focus(ctx context.Context, at driver.Target) error {
	return opError("focus", nodeName(at.At), a.page.callAt(ctx, at, call{name: "focus", gesture: true, wait: true}, nil))
}

// SelectText implements driver.Actor.
func (a *actor) SelectText(ctx context.Context, at driver.Target) error {
	return opError("selecttext", nodeName(at.At), a.page.callAt(ctx, at, call{name: "selectText", gesture: true, wait: true}, nil))
}

// ScrollTo implements driver.Actor.
func (a *actor) ScrollTo(ctx context.Context, node driver.NodeRef, to driver.ScrollTarget) (driver.ScrollState, error) {
	var now [7]float64
	err := a.page.callWith(ctx, node, call{name: "scrollTo", args: []any{to.X, to.Y, to.By, to.Percent}}, &now)
	if err != nil {
		return driver.ScrollState{}, opError("scrollto", nodeName(node), err)
	}
	return *scrollState(now), nil
}

// State implements driver.Actor.
func (a *actor) State(ctx context.Context, node driver.NodeRef) (*driver.State, error) {
	var reply stateReply
	if err := a.page.callWith(ctx, node, call{name: "state"}, &reply); err != nil {
		return nil, opError("state", nodeName(node), err)
	}
	state := reply.state()
	if err := a.internalState(ctx, node, state); err != nil {
		return nil, opError("state", nodeName(node), err)
	}
	return state, nil
}

// A stateReply is what our script tells of an element's state.
type stateReply struct {
	driver.State
	Scroll [7]float64
}

func (r *stateReply) state() *driver.State {
	r.State.Scroll = *scrollState(r.Scroll)
	return &r.State
}

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
func (p *page) handleOf(ctx context.Context, ref driver.NodeRef) (*nodeHandle, error) {
	w, err := p.isolated(ctx, ref.Frame)
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
	if t.number = p.kept.nodes.of(w.key(), ref.Node); t.number != 0 {
		return t, nil
	}
	objects, err := t.resolve(ctx, ref.Node)
	if err != nil {
		return nil, err
	}
	t.object, t.number = objects[0], p.kept.nodes.next()
	return t, nil
}

func (t *nodeHandle) release() { release(t.session, t.object) }

// on makes a call one with the target as its first argument.
func (t *nodeHandle) on(c call) call {
	c.object, c.number, c.document = t.object, t.number, t.object == "" && t.number == 0
	return c
}

// deep makes a call with the target and returns what it returns.
func (t *nodeHandle) deep(ctx context.Context, c call) (*deepValue, error) {
	c.deep = true
	e, err := t.run(ctx, c)
	if err != nil {
		return nil, err
	}
	release(t.session, e.object)
	return e.deep, nil
}

// run makes a call with the target, which is remembered from then on.
func (t *nodeHandle) run(ctx context.Context, c call) (*evaluation, error) {
	e, err := t.world.run(ctx, t.on(c))
	if err == nil {
		t.remember()
	}
	return e, err
}

// remember notes that our script remembers a node, after a call with it.
func (t *nodeHandle) remember() {
	if t.object != "" && t.number != 0 {
		t.page.kept.nodes.add(t.key(), t.ref.Node, t.number)
		t.release()
		t.object = ""
	}
}

// timeLeft is how long a call may take.
func timeLeft(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return time.Until(deadline)
	}
	return conn.CommandLimit
}

// callWith makes a call with the node that ref names and decodes what it returns.
func (p *page) callWith(ctx context.Context, ref driver.NodeRef, c call, v any) error {
	t, err := p.handleOf(ctx, ref)
	if err != nil {
		return err
	}
	defer t.release()
	e, err := t.run(ctx, c)
	if err != nil {
		return err
	}
	return e.decode(&c, v)
}

func nodeName(ref driver.NodeRef) string {
	if ref.Node == 0 {
		return "document"
	}
	return fmt.Sprintf("node %d", ref.Node)
}

func mayHost(n *driver.Node) bool {
	return n.Kind == driver.ElementNode && n.Namespace == driver.HTML && (hostNames[n.Name] || strings.Contains(n.Name, "-"))
}

// hostNames are the elements that can host a shadow root, besides custom ones.
var hostNames = map[string]bool{
	"article": true, "aside": true, "blockquote": true, "body": true, "div": true, "footer": true, "h1": true, "h2": true, "h3": true,
	"h4": true, "h5": true, "h6": true, "header": true, "main": true, "nav": true, "p": true, "section": true, "span": true,
}

// aboutElement asks for the accessibility node of an element alone.
func aboutElement(id driver.NodeID) accessibility.GetPartialAXTreeArgs {
	return accessibility.GetPartialAXTreeArgs{BackendNodeID: new(dom.BackendNodeID(id)), FetchRelatives: new(false)}
}

// checkedState returns the state of what can be checked: "true", "false", "mixed".
func checkedState(a *protocol.AXNode) string {
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

// internalState fills in what a custom element says of its state through
// ElementInternals alone.
func (a *actor) internalState(ctx context.Context, node driver.NodeRef, state *driver.State) error {
	if !hasInternals(state) {
		return nil
	}
	t, err := a.page.handleOf(ctx, node)
	if err != nil {
		return err
	}
	defer t.release()
	reply, err := protocol.AccessibilityGetPartialAXTree.Do(ctx, t.world.session, aboutElement(node.Node))
	if err != nil || len(reply.Nodes) == 0 {
		return err
	}
	switch checkedState(&reply.Nodes[0]) {
	case "mixed":
		state.Mixed = true
	case "true", "false":
		on := checkedState(&reply.Nodes[0]) == "true"
		state.AriaChecked = &on
	}
	return nil
}

// scrollState is what our script says of scrolling.
func scrollState(v [7]float64) *driver.ScrollState {
	return &driver.ScrollState{X: v[0], Y: v[1], MaxX: v[2], MaxY: v[3], View: driver.Size{Width: v[4], Height: v[5]}, Clipped: v[6] != 0}
}

// expectations are what a target asks of its element, as our script takes them.
func expectations(target driver.Target) map[string]any {
	m := map[string]any{"label": target.Label, "only": target.Only, "continued": target.Continued}
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
func (p *page) callAt(ctx context.Context, target driver.Target, c call, v any) error {
	t, err := p.handleOf(ctx, target.At)
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
	r := t.on(c).request(&t.world)
	if err = t.askThen(ctx, r, last); err == nil {
		var e *evaluation
		if e, err = evaluationOf(ctx, r); err == nil {
			t.remember()
			err = e.decode(&c, v)
		}
	}
	if errors.Is(err, driver.ErrChanged) {
		return &driver.MissedError{By: t.ref, Err: driver.ErrChanged}
	}
	return err
}
