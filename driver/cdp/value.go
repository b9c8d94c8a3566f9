package cdp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// SetValue implements driver.Actor.
//
// The value is assigned in the isolated world: the page's own world may have
// replaced the setter so as to be told of its own assignments only.
func (p *page) SetValue(ctx context.Context, at driver.Target, values ...string) ([]string, error) {
	if values == nil {
		values = []string{}
	}
	var now []string
	err := p.actAt(ctx, at, call{name: "setValue", args: []any{values}, gesture: true}, &now)
	return now, opError("setvalue", targetName(at.At), err)
}

// SetFiles implements driver.Actor.
func (p *page) SetFiles(ctx context.Context, at driver.Target, paths ...string) error {
	return opError("setfiles", targetName(at.At), p.setFiles(ctx, at, paths))
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
	t, err := p.targetOf(ctx, at.At)
	if err != nil {
		return err
	}
	defer t.release()
	if err := p.held(ctx, t, at, call{name: "fileInput", args: []any{len(files)}}, nil); err != nil || len(files) == 0 {
		return err
	}
	return t.session.Call(ctx, "DOM.setFileInputFiles", map[string]any{"files": files, "objectId": t.object}, nil)
}
