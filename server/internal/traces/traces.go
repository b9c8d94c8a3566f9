package traces

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/files"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
	"github.com/wayfinder-engine/wayfinder/server/internal/profiles"
	"github.com/wayfinder-engine/wayfinder/trace"
)

// Options bound what is kept. The zero value is usable.
type Options struct {
	Keep    time.Duration  // after a session's end; 0 is a week
	Bytes   int64          // of all traces; 0 is 1 GiB
	PerOne  int            // bytes of one, about, for which pictures become smaller; 0 is 8 MiB
	Memory  int64          // of what is recorded of one session that is open; 0 is 16 MiB, and what comes after that is not in the trace
	Secrets []string       // that are in no trace, as the operator's keys
	Version string         // of the program, for the trace's head
	Keys    *profiles.Keys // that encrypt files; nil: they are as they are
	Logger  *slog.Logger   // nil is silence
}

// Traces are a directory of traces. They may be used by any number of goroutines.
type Traces struct {
	dir  string
	opts Options
	log  *slog.Logger

	cleaning sync.Mutex // held while old files are removed
}

// The errors of Load.
var (
	ErrNotFound = errors.New("traces: there is no trace of the session")
	ErrSealed   = errors.New("traces: the trace is encrypted with a key that is not given, or damaged")
)

// ErrTooLarge is the error of a trace that is not kept, however small its pictures.
var ErrTooLarge = errors.New("traces: the trace is too large to be kept")

// head is the first line of a file.
type head struct {
	Owner string `json:"owner"` // as the server names callers
}

const (
	ending    = ".trace"
	partial   = ".writing-" // begins the name of a file that is being written
	abandoned = time.Hour   // after which the writer of such a file is dead
)

// Open opens a directory, which is made where it is not there. opts may be nil.
func Open(dir string, opts *Options) (*Traces, error) {
	t := &Traces{dir: dir, opts: *cmp.Or(opts, &Options{})}
	o := &t.opts
	o.Keep, o.Bytes = cmp.Or(o.Keep, 7*24*time.Hour), cmp.Or(o.Bytes, 1<<30)
	o.PerOne, o.Memory = cmp.Or(o.PerOne, 8<<20), cmp.Or(o.Memory, 16<<20)
	t.log = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	probe, err := os.CreateTemp(dir, partial+"*") // said now, and not at the first session's end
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	return t, nil
}

const cleanEvery = 10 * time.Minute

// Run removes what is too old or too much, now and then, until ctx ends.
func (t *Traces) Run(ctx context.Context) {
	for again := true; again; again = pause.For(ctx, cleanEvery) {
		if err := t.clean(); err != nil {
			t.log.Warn("old traces are still there", "err", err)
		}
	}
}

// path is where a session's trace is; empty for what is no session's id.
func (t *Traces) path(session string) string {
	outside := func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-'
	}
	if session == "" || len(session) > 64 || strings.ContainsFunc(session, outside) {
		return ""
	}
	return filepath.Join(t.dir, session+ending)
}

// Load returns the trace of a session that has ended, and whose it is.
func (t *Traces) Load(session string) (owner string, html []byte, _ error) {
	path := t.path(session)
	if path == "" {
		return "", nil, ErrNotFound
	}
	var raw []byte
	info, err := os.Stat(path)
	if err == nil {
		if time.Since(info.ModTime()) > t.opts.Keep {
			return "", nil, ErrNotFound
		}
		raw, err = os.ReadFile(path)
	}
	if errors.Is(err, fs.ErrNotExist) { // it may have been removed right now
		return "", nil, ErrNotFound
	}
	if err != nil {
		return "", nil, fmt.Errorf("traces: %w", err)
	}
	if !bytes.HasPrefix(raw, []byte("{")) { // no seal begins so
		if t.opts.Keys == nil {
			return "", nil, ErrSealed
		}
		if raw, err = t.opts.Keys.Open(raw, "trace", session); err != nil {
			return "", nil, fmt.Errorf("%w: %w", ErrSealed, err)
		}
	}
	first, html, _ := bytes.Cut(raw, []byte("\n"))
	var h head
	if err := json.Unmarshal(first, &h); err != nil {
		return "", nil, fmt.Errorf("traces: %s: %w", session, err)
	}
	return h.Owner, html, nil
}

// save writes the trace of a session, whole or not at all.
func (t *Traces) save(session, owner string, html []byte) (err error) {
	path := t.path(session)
	if path == "" {
		return fmt.Errorf("traces: %q is no session's id", session)
	}
	first, err := json.Marshal(head{owner})
	if err != nil {
		return err
	}
	raw := slices.Concat(first, []byte("\n"), html)
	if t.opts.Keys != nil {
		if raw, err = t.opts.Keys.Seal(raw, "trace", session); err != nil {
			return fmt.Errorf("traces: %w", err)
		}
	}
	err = files.Replace(path, partial+"*", func(f *os.File) error {
		_, err := f.Write(raw)
		return err
	})
	if err != nil {
		return fmt.Errorf("traces: %w", err)
	}
	return t.clean()
}

// clean removes what is too old, and the oldest where there is too much. Any
// process calls it.
func (t *Traces) clean() error {
	t.cleaning.Lock()
	defer t.cleaning.Unlock()
	entries, err := os.ReadDir(t.dir)
	if err != nil {
		return fmt.Errorf("traces: %w", err)
	}
	var kept []fs.FileInfo
	var failed error
	remove := func(name string) {
		if err := os.Remove(filepath.Join(t.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) { // another does so
			failed = errors.Join(failed, fmt.Errorf("traces: %w", err))
		}
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil { // another has removed it
			continue
		}
		switch age := time.Since(info.ModTime()); {
		case strings.HasPrefix(e.Name(), partial) && age > abandoned, strings.HasSuffix(e.Name(), ending) && age > t.opts.Keep:
			remove(e.Name())
		case strings.HasSuffix(e.Name(), ending):
			kept = append(kept, info)
		}
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) }) // the latest first
	var bytes int64
	for _, info := range kept {
		if bytes += info.Size(); bytes > t.opts.Bytes {
			remove(info.Name())
		}
	}
	return failed
}

// Record begins to record a session of an owner's, whose browser d opens.
func (t *Traces) Record(session, owner string, d driver.Driver) *Record {
	o := &trace.Options{Secrets: t.opts.Secrets, Version: t.opts.Version, MaxBytes: t.opts.Memory}
	return &Record{traces: t, session: session, owner: owner, collector: trace.New(d, o)}
}
