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
func (a *actor) SetFiles(ctx context.Context, at driver.Target, paths ...string) (err error) {
	defer inOp("setfiles", nodeName(at.At), &err)
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
	return a.giveFiles(ctx, t, files)
}

// giveFiles sets the files of an input that our script was just asked about. Where the
// input is no longer what it was found to be then, the script takes them back before
// the page knows of them.
func (a *actor) giveFiles(ctx context.Context, t *nodeHandle, files []string) error {
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
	var now driver.ScrollState
	err := a.page.callWith(ctx, node, call{name: "scrollTo", args: []any{to.X, to.Y, to.By, to.Percent}}, &now)
	return now, opError("scrollto", nodeName(node), err)
}

// State implements driver.Actor.
func (a *actor) State(ctx context.Context, node driver.NodeRef) (_ *driver.State, err error) {
	defer inOp("state", nodeName(node), &err)
	state := &driver.State{}
	if err := a.page.callWith(ctx, node, call{name: "state"}, state); err != nil {
		return nil, err
	}
	if !hasInternals(state) {
		return state, nil
	}
	// What it says of its state is said through ElementInternals alone.
	t, err := a.page.handleOf(ctx, node)
	if err != nil {
		return nil, err
	}
	defer t.release()
	n, err := axNode(ctx, t.session, node.Node)
	if err != nil {
		return nil, err
	}
	switch checked := checkedState(n); checked {
	case "mixed":
		state.Mixed = true
	case "true", "false":
		state.AriaChecked = new(checked == "true")
	}
	return state, nil
}

func nodeName(ref driver.NodeRef) string {
	if ref.Node == 0 {
		return "document"
	}
	return fmt.Sprintf("node %d", ref.Node)
}
