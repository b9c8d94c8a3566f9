package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Downloads says what becomes of what a site has downloaded. Without it, all
// downloads are refused.
type Downloads struct {
	// Dir is where files are saved; it is made if it is not there. A file has
	// the name that the site suggests, as far as that is a name and nothing
	// else: no path, no device, nothing that hides its end. One that is there
	// already is never replaced.
	Dir string

	// MaxBytes bounds each file; 0 is no bound. A larger one is canceled.
	MaxBytes int64
}

// A shelf gives a session's downloads their names.
type shelf struct {
	dir string // absolute; empty without Options.Downloads

	mu    sync.Mutex
	names map[string]string // suggested, by the driver's id of the download
	parts []string          // what canceled downloads may have left in dir
}

var guid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// isGUID reports whether a download's id is one that Chrome names files by: no
// file of somebody else's has such a name.
func isGUID(id string) bool { return guid.MatchString(id) }

// sweep removes what canceled downloads have left. A browser takes its time to
// do that, and one that is closed meanwhile never does.
func (h *shelf) sweep() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, name := range h.parts {
		os.Remove(filepath.Join(h.dir, name)) // mostly it is gone already
	}
	h.parts = nil
}

// prepareDownloads makes the directory and gives opts what it takes.
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
	s.shelf = shelf{dir: dir, names: map[string]string{}}
	opts.DownloadDir, opts.MaxDownload = dir, d.MaxBytes
	return nil
}

// shelve gives a download that is complete the name that the site suggests, and
// returns the event with the path that the file has now. It runs on the
// driver's goroutine.
func (s *Session) shelve(e driver.Event) driver.Event {
	h := &s.shelf
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
		if e.Canceled && isGUID(e.ID) {
			h.parts = append(h.parts, e.ID) // Chrome writes into a file of that name
		}
		h.mu.Unlock()
		if e.Canceled || e.Path == "" {
			return e
		}
		path, err := moveTo(h.dir, fileName(s.secrets.hide(name)), e.Path)
		if err != nil {
			// The file stays under the driver's name.
			s.log.Warn("download not renamed", "path", e.Path, "error", err)
			return e
		}
		e.Path = path
		return e
	}
	return e
}

// mostSameNames bounds the search for a name that is free.
const mostSameNames = 10_000

// moveTo moves a file into dir, under name or, where that is taken, "name (2)".
func moveTo(dir, name, from string) (string, error) {
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 1; n <= mostSameNames; n++ {
		path := filepath.Join(dir, name)
		if n > 1 {
			path = filepath.Join(dir, fmt.Sprintf("%s (%d)%s", stem, n, ext))
		}
		// Made by us and by nobody else, so that the rename replaces nothing.
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
	return "", fmt.Errorf("%d files are named %q", mostSameNames, name)
}

// longestFileName is what every file system takes, in bytes, with room for a
// number.
const longestFileName = 200

// fileName makes a name out of what a site suggests, which is anything: the
// last element of a path, of letters that are seen and mean nothing to a file
// system, not the name of a device, and not too long.
func fileName(suggested string) string {
	name := suggested[strings.LastIndexAny(suggested, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, unicode.Is(unicode.C, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			return -1 // controls, marks that turn the direction, what has no width
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

// shorten cuts a name between two letters; its extension stays.
func shorten(name string) string {
	if len(name) <= longestFileName {
		return name
	}
	ext := filepath.Ext(name)
	if len(ext) > longestFileName/4 {
		ext = ""
	}
	cut := longestFileName - len(ext)
	for cut > 0 && !utf8.RuneStart(name[cut]) {
		cut--
	}
	return strings.TrimRight(name[:cut], " .") + ext
}

// isDevice reports a name that is a device on Windows, with any extension.
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
