package cdp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mafredri/cdp/protocol/dom"
	"github.com/mafredri/cdp/protocol/runtime"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// SetValue implements driver.Actor.
//
// The value is assigned in the isolated world: the page's own world may have
// replaced the setter to notice assignments that are not its own.
func (p *page) SetValue(ctx context.Context, at driver.Target, values ...string) ([]string, error) {
	if values == nil {
		values = []string{}
	}
	var now []string
	err := p.callAt(ctx, at, call{name: "setValue", args: []any{values}, gesture: true}, &now)
	return now, opError("setvalue", nodeName(at.At), err)
}

// SetFiles implements driver.Actor.
func (p *page) SetFiles(ctx context.Context, at driver.Target, paths ...string) error {
	return opError("setfiles", nodeName(at.At), p.setFiles(ctx, at, paths))
}

func (p *page) setFiles(ctx context.Context, at driver.Target, paths []string) error {
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
	t, err := p.handleOf(ctx, at.At)
	if err != nil {
		return err
	}
	defer t.release()
	if err := p.callOn(ctx, t, at, call{name: "fileInput", args: []any{len(files)}}, nil); err != nil || len(files) == 0 {
		return err
	}
	_, err = protocol.DOMSetFileInputFiles.Do(ctx, t.session, dom.SetFileInputFilesArgs{Files: files, ObjectID: new(runtime.RemoteObjectID(t.object))})
	return err
}

// Focus implements driver.Actor.
func (p *page) Focus(ctx context.Context, at driver.Target) error {
	return opError("focus", nodeName(at.At), p.callAt(ctx, at, call{name: "focus", gesture: true, wait: true}, nil))
}

// SelectText implements driver.Actor.
func (p *page) SelectText(ctx context.Context, at driver.Target) error {
	return opError("selecttext", nodeName(at.At), p.callAt(ctx, at, call{name: "selectText", gesture: true, wait: true}, nil))
}

// State implements driver.Actor.
func (p *page) State(ctx context.Context, node driver.NodeRef) (*driver.State, error) {
	var reply struct {
		driver.State
		Scroll [7]float64
	}
	if err := p.callWith(ctx, node, call{name: "state"}, &reply); err != nil {
		return nil, opError("state", nodeName(node), err)
	}
	state := reply.State
	state.Scroll = *scrollState(reply.Scroll)
	if err := p.internalState(ctx, node, &state); err != nil {
		return nil, opError("state", nodeName(node), err)
	}
	return &state, nil
}

// A nodeHandle is a node that somebody asked for, as an object of our world in
// its document.
type nodeHandle struct {
	world
	ref    driver.NodeRef
	object string // empty: the document
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
	objects, err := p.resolve(ctx, &t.world, ref.Node)
	if err != nil {
		return nil, err
	}
	t.object = objects[0]
	return t, nil
}

func (t *nodeHandle) release() { release(t.session, t.object) }

// on makes a call one with the target as its first argument.
func (t *nodeHandle) on(c call) call {
	c.object, c.document = t.object, t.object == ""
	return c
}

// deepCall makes a call with the target and returns what it returns.
func (p *page) deepCall(ctx context.Context, t *nodeHandle, c call) (*deepValue, error) {
	c.deep = true
	e, err := p.run(ctx, &t.world, t.on(c))
	if err != nil {
		return nil, err
	}
	release(t.session, e.object)
	return e.deep, nil
}

// callWith makes a call with the node that ref names and decodes what it returns.
func (p *page) callWith(ctx context.Context, ref driver.NodeRef, c call, v any) error {
	t, err := p.handleOf(ctx, ref)
	if err != nil {
		return err
	}
	defer t.release()
	return p.value(ctx, &t.world, t.on(c), v)
}

func nodeName(ref driver.NodeRef) string {
	if ref.Node == 0 {
		return "document"
	}
	return fmt.Sprintf("node %d", ref.Node)
}
