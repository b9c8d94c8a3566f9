package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// choosing gives file inputs their files.
type choosing struct {
	pointing
	files  map[string][]byte // contents that arguments may name
	taken  bool              // the control took what was sent, whatever the page does with it since
	remade bool              // the page made something else of it
}

// setFiles gives files to a file input. Anything else is clicked to open a file
// chooser, and the input that asks gets them.
func (a *choosing) setFiles(ctx context.Context) error {
	paths, err := a.paths()
	if err != nil {
		return err
	}
	if a.before.Tag != "input" || a.before.Type != "file" {
		if err := a.openChooser(ctx); err != nil {
			return err
		}
	}
	if len(paths) > 1 && !a.before.Multiple {
		return fmt.Errorf("%w: the input takes one file, got %d", ErrInvalid, len(paths))
	}
	if a.before.Disabled {
		return fmt.Errorf("%w: it is disabled", ErrDisabled)
	}
	names := baseNames(paths)
	if err := a.accepts(ctx, names); err != nil {
		return err
	}
	a.expect = func(after *driver.State) error {
		// The input had them at its change: a page that has read them may well empty it.
		a.remade = !slices.Equal(after.Files, names)
		return nil
	}
	return a.whenReady(ctx, a.method.needs, func(at *driver.Location) error {
		err := a.sending(at, func(aim driver.Target) error { return a.page.driver.SetFiles(ctx, aim, paths...) })
		a.taken = err == nil
		return err
	})
}

// baseNames returns the names of files without their directories.
func baseNames(paths []string) []string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = filepath.Base(path)
	}
	return names
}

// paths returns the files' paths. Contents from [ActOptions].Files are written
// to disk first.
func (a *choosing) paths() ([]string, error) {
	paths := make([]string, len(a.args))
	for i, arg := range a.args {
		content, ok := a.files[arg]
		if ok {
			path, err := a.page.session.files.write(arg, content)
			if err != nil {
				return nil, err
			}
			paths[i] = path
			continue
		}
		if allowed := a.page.session.opts.File; allowed != nil {
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

// openChooser clicks what opens a file chooser. The attempt then continues with
// the input that asks for files.
func (a *choosing) openChooser(ctx context.Context) error {
	opens := []string{"", "button", "submit", "image"}
	if a.before.Editable || a.before.Tag == "select" || !slices.Contains(opens, a.before.Type) {
		return a.wrongMethod("it is for file inputs, and for what opens a file chooser")
	}
	recorder := a.page.watch.record()
	defer recorder.stop()
	if err := a.clickTimes(ctx, needPointer, 1); err != nil {
		return err
	}
	input, err := recorder.chooser(ctx)
	if err != nil {
		return err
	}
	a.element, a.watchPage = element{node: input}, false
	a.before, err = a.state(ctx)
	return err
}

// accepts rejects files that a file chooser would not offer for the input.
func (a *choosing) accepts(ctx context.Context, names []string) error {
	if _, err := a.page.capture(ctx); err != nil {
		return err
	}
	at, ok := placeOf(a.page.last.capture, a.node)
	if !ok {
		return nil // not in the capture, so nothing is known
	}
	accept, _ := at.node().Attr("accept")
	for _, name := range names {
		if !accepted(accept, name) {
			return fmt.Errorf("%w: the input takes %s, and %s is none", ErrInvalid, accept, name)
		}
	}
	return nil
}

// accepted reports whether an accept attribute allows a file with this name. A
// name of unknown type passes.
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

// A fileStore keeps given contents on disk until the session ends, because a
// browser reads a file only when its page does.
type fileStore struct {
	mu  sync.Mutex // protects what follows
	dir string     // empty until needed
	n   int
}

// write creates a file with this name in a directory of its own.
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

// checkFiles rejects names that contain a path.
func checkFiles(files map[string][]byte) error {
	for name := range files {
		if name != filepath.Base(name) || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00") {
			return fmt.Errorf("%w: file name %q; give a name without a directory, as \"photo.png\"", ErrInvalid, name)
		}
	}
	return nil
}

// fileParts lists for a model the files that it can give by name.
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

// Downloads configures downloads. Without it, all are refused.
type Downloads struct {
	// Dir is where files are saved; it is created if missing. A file gets the
	// name that the site suggests, reduced to a safe name: no path, no device,
	// nothing that hides its extension. An existing file is never replaced.
	Dir string

	// MaxBytes bounds each file; 0 is no limit. A larger one is canceled.
	MaxBytes int64
}

// A downloadFolder gives a session's downloads their names.
type downloadFolder struct {
	dir string // absolute; empty without Options.Downloads

	mu    sync.Mutex
	names map[string]string // suggested names, by the driver's id of the download
	parts []string          // files that canceled downloads may have left in dir
}

// guid finds ids of downloads that Chrome names files by, so that no other file can have
// that name.
var guid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// sweep removes what canceled downloads left: a browser removes it late, and
// never if it is closed first.
func (f *downloadFolder) sweep() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range f.parts {
		os.Remove(filepath.Join(f.dir, name)) // usually gone already
	}
	f.parts = nil
}

// prepareDownloads creates the directory and sets the browser's options.
func (s *Session) prepareDownloads(opts *driver.BrowserOptions) error {
	d := s.opts.Downloads
	if d == nil {
		return nil
	}
	if d.Dir == "" || d.MaxBytes < 0 {
		return fmt.Errorf("%w: Downloads needs a Dir, and a MaxBytes that is not negative", ErrInvalid)
	}
	dir, err := filepath.Abs(d.Dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return fmt.Errorf("directory for downloads: %w", err)
	}
	s.downloads = downloadFolder{dir: dir, names: map[string]string{}}
	opts.DownloadDir, opts.MaxDownload = dir, d.MaxBytes
	return nil
}

// nameDownload renames a complete download to the suggested name, and returns
// the event with its new path. It runs on the driver's goroutine.
func (s *Session) nameDownload(e driver.Event) driver.Event {
	h := &s.downloads
	if h.dir == "" {
		return e
	}
	switch e := e.(type) {
	case driver.DownloadStarted:
		h.mu.Lock()
		h.names[e.ID] = e.Name
		h.mu.Unlock()
	case driver.DownloadEnded:
		h.mu.Lock()
		name := h.names[e.ID]
		delete(h.names, e.ID)
		if e.Canceled && guid.MatchString(e.ID) {
			h.parts = append(h.parts, e.ID) // Chrome writes into a file of that name
		}
		h.mu.Unlock()
		if e.Canceled || e.Path == "" {
			return e
		}
		path, err := moveTo(h.dir, fileName(s.secrets.hide(name)), e.Path)
		if err != nil {
			// The file keeps the driver's name.
			s.journal.log.Warn("download not renamed", "path", e.Path, "error", err)
			return e
		}
		e.Path = path
		return e
	}
	return e
}

// maxSameNames bounds the search for a free name.
const maxSameNames = 10_000

// moveTo moves a file into dir, as name or, if that is taken, as "name (2)".
func moveTo(dir, name, from string) (string, error) {
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 1; n <= maxSameNames; n++ {
		path := filepath.Join(dir, name)
		if n > 1 {
			path = filepath.Join(dir, fmt.Sprintf("%s (%d)%s", stem, n, ext))
		}
		// O_EXCL reserves the name, so that the rename replaces nothing of
		// others.
		place, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if err := errors.Join(place.Close(), os.Rename(from, path)); err != nil {
			return "", errors.Join(err, os.Remove(path))
		}
		return path, nil
	}
	return "", fmt.Errorf("%d files are named %q", maxSameNames, name)
}

// maxFileName is a length in bytes that every file system allows, with room for
// a number.
const maxFileName = 200

// fileName turns the name that a site suggests, which can be anything, into a
// safe one: the last path element, of visible characters without a meaning to
// file systems, not a device, not too long.
func fileName(suggested string) string {
	name := suggested[strings.LastIndexAny(suggested, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, unicode.Is(unicode.C, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			return -1 // control, bidirectional and zero-width characters
		case strings.ContainsRune(`<>:"|?*`, r):
			return '_'
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, name)
	name = shorten(strings.Trim(name, " ."))
	if name == "" {
		return "download"
	}
	if isDevice(name) {
		return "_" + name
	}
	return name
}

// shorten cuts a name between two characters and keeps its extension.
func shorten(name string) string {
	if len(name) <= maxFileName {
		return name
	}
	ext := filepath.Ext(name)
	if len(ext) > maxFileName/4 {
		ext = ""
	}
	cut := maxFileName - len(ext)
	for cut > 0 && !utf8.RuneStart(name[cut]) {
		cut--
	}
	return strings.TrimRight(name[:cut], " .") + ext
}

// isDevice reports a Windows device name, with any extension.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	switch stem = strings.ToUpper(strings.TrimRight(stem, " ")); stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	for _, port := range []string{"COM", "LPT"} {
		if rest, ok := strings.CutPrefix(stem, port); ok && utf8.RuneCountInString(rest) == 1 && strings.ContainsAny(rest, "0123456789¹²³") {
			return true
		}
	}
	return false
}
