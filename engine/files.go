package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// setFiles gives a file input its files. What opens a file chooser, as the
// button before a hidden input does, is clicked, and the input that asks gets
// them.
func (d *deed) setFiles(ctx context.Context) error {
	paths, err := d.paths()
	if err != nil {
		return err
	}
	if d.before.Tag != "input" || d.before.Type != "file" {
		if err := d.openChooser(ctx); err != nil {
			return err
		}
	}
	if len(paths) > 1 && !d.before.Multiple {
		return fmt.Errorf("%w: the input takes one file, got %d", ErrInvalid, len(paths))
	}
	if d.before.Disabled {
		return fmt.Errorf("%w: it is disabled", ErrDisabled)
	}
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = filepath.Base(path)
	}
	if err := d.accepts(ctx, names); err != nil {
		return err
	}
	d.expect = func(after *driver.State) error {
		if !slices.Equal(after.Files, names) {
			return fmt.Errorf("%w: the input holds %d of %d files", ErrNoEffect, len(after.Files), len(names))
		}
		return nil
	}
	return d.aimed(ctx, 0, func(at *driver.Location) error {
		return d.sending(func() error { return d.page.driver.SetFiles(ctx, d.aim(at), paths...) })
	})
}

// paths are where the files are. A name of [ActOptions].Files has its content
// written out first.
func (d *deed) paths() ([]string, error) {
	paths := make([]string, len(d.args))
	for i, arg := range d.args {
		content, ok := d.files[arg]
		if ok {
			path, err := d.page.session.files.write(arg, content)
			if err != nil {
				return nil, err
			}
			paths[i] = path
			continue
		}
		if allowed := d.page.session.opts.File; allowed != nil {
			if err := allowed(arg); err != nil {
				return nil, fmt.Errorf("file %q: %w", arg, err)
			}
		}
		switch info, err := os.Stat(arg); {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%w: no file %q: %w", ErrInvalid, arg, fs.ErrNotExist)
		case err != nil:
			return nil, fmt.Errorf("%w: file %q: %w", ErrInvalid, arg, err)
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%w: %q is no file", ErrInvalid, arg)
		}
		paths[i] = arg
	}
	return paths, nil
}

// openChooser clicks what opens a file chooser. From then on the deed is about
// the input that asks for the files.
func (d *deed) openChooser(ctx context.Context) error {
	switch d.before.Type {
	case "", "button", "submit", "image":
	default:
		return d.unfit("it is for file inputs, and for what opens a file chooser")
	}
	if d.before.Editable || d.before.Tag == "select" {
		return d.unfit("it is for file inputs, and for what opens a file chooser")
	}
	recorder := d.page.watch.record()
	defer recorder.stop()
	if err := d.clickTimes(ctx, 1); err != nil {
		return err
	}
	input, err := recorder.chooser(ctx)
	if err != nil {
		return err
	}
	d.node, d.unsure = input, false
	d.before, err = d.state(ctx)
	return err
}

// chooser waits for the file chooser that a click has to open.
func (r *recorder) chooser(ctx context.Context) (driver.NodeRef, error) {
	timer := time.NewTimer(longestOutcome)
	defer timer.Stop()
	for {
		events, changed := r.seen()
		for _, e := range events {
			if asked, ok := e.(driver.FileChooserOpened); ok {
				return asked.Node, nil
			}
		}
		select {
		case <-changed:
		case <-timer.C:
			return driver.NodeRef{}, fmt.Errorf("%w: it was clicked, and nothing asked for a file", ErrNoEffect)
		case <-ctx.Done():
			return driver.NodeRef{}, context.Cause(ctx)
		}
	}
}

// accepts refuses what a file chooser would not offer for the input.
func (d *deed) accepts(ctx context.Context, names []string) error {
	if _, err := d.page.capture(ctx); err != nil {
		return err
	}
	at, ok := placeOf(d.page.seen.capture, d.node)
	if !ok {
		return nil // not in the tree that a person sees, so that nothing is known
	}
	accept, _ := at.node().Attr("accept")
	for _, name := range names {
		if !accepted(accept, name) {
			return fmt.Errorf("%w: the input takes %s, and %s is none", ErrInvalid, accept, name)
		}
	}
	return nil
}

// accepted reports that a file of the name is one of those that an accept
// attribute lists. What the name does not tell is not held against it.
func accepted(accept, name string) bool {
	name = strings.ToLower(name)
	kind, _, _ := strings.Cut(mime.TypeByExtension(filepath.Ext(name)), ";")
	listed := false
	for token := range strings.SplitSeq(strings.ToLower(accept), ",") {
		switch token = strings.TrimSpace(token); {
		case token == "":
			continue
		case strings.HasPrefix(token, "."):
			if strings.HasSuffix(name, token) {
				return true
			}
		case kind == "", token == kind, token == "*/*", token == "image/jpg" && kind == "image/jpeg":
			return true
		case strings.HasSuffix(token, "/*") && strings.HasPrefix(kind, strings.TrimSuffix(token, "*")):
			return true
		}
		listed = true
	}
	return !listed
}

// A fileStore keeps the contents that were given as files on disk until the
// session ends: a browser reads a file when its page does.
type fileStore struct {
	mu  sync.Mutex // protects what follows
	dir string     // empty until needed
	n   int
}

// write makes a file of the name, in a directory of its own.
func (f *fileStore) write(name string, content []byte) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dir == "" {
		dir, err := os.MkdirTemp("", "wayfinder-files-")
		if err != nil {
			return "", err
		}
		f.dir = dir
	}
	f.n++
	dir := filepath.Join(f.dir, strconv.Itoa(f.n))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	return path, os.WriteFile(path, content, 0o600)
}

func (f *fileStore) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dir == "" {
		return nil
	}
	return os.RemoveAll(f.dir)
}

// checkFiles refuses names that are more than a name.
func checkFiles(files map[string][]byte) error {
	for name := range files {
		if name != filepath.Base(name) || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00") {
			return fmt.Errorf("%w: file name %q; give a name without a directory, as \"photo.png\"", ErrInvalid, name)
		}
	}
	return nil
}

// fileParts tells a model which files it can give by name.
func fileParts(files map[string][]byte) []llm.Part {
	if len(files) == 0 {
		return nil
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, strconv.Quote(name))
	}
	slices.Sort(names)
	return []llm.Part{llm.Text{Text: "Files that setInputFiles can give, by name: " + strings.Join(names, ", ") + "\n"}}
}

// checkPaths refuses files that a model thought of by itself: a page must not
// talk it into giving away what lies on the machine. Those that the person
// named, or the caller gave, are free.
func checkPaths(c choice, instruction string, opts *ActOptions) error {
	if m, err := ParseMethod(c.Method); err != nil || m != SetInputFiles {
		return nil
	}
	for _, arg := range c.Arguments {
		_, given := opts.Files[arg]
		variable := substitute([]string{arg}, opts.Variables)[0] != arg
		if !given && !variable && !(arg != "" && strings.Contains(instruction, arg)) {
			return fmt.Errorf("arguments: %q is no file that the person named", arg)
		}
	}
	return nil
}
