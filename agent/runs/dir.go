package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/files"
)

// Dir is a directory with a file for each run. Processes of one machine may share
// it; a file is locked while a record is added to it.
//
// A file begins with its format. Each line after that is a record: a checksum and
// its JSON. A last line that is not whole is the record that a crash has lost; it
// is cut off by the next one.
type Dir struct {
	path string

	mu    sync.Mutex // protects known
	known map[string]extent
}

// An extent is how far a file goes that was read or written to its end.
type extent struct {
	size     int64
	revision int
}

var _ Store = (*Dir)(nil)

const (
	header    = "wayfinder run "
	format    = 1
	extension = ".run"
)

// NewDir returns the store of a directory, which is made if it is not there. Only
// its owner can read what is written to it.
func NewDir(path string) (*Dir, error) {
	if path == "" {
		return nil, errors.New("runs: the path of the directory is empty")
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	return &Dir{path: path, known: map[string]extent{}}, nil
}

func (d *Dir) file(run string) string { return filepath.Join(d.path, run+extension) }

// Append implements [Store].
func (d *Dir) Append(ctx context.Context, run string, rec Record) (err error) {
	if err := check(ctx, run); err != nil {
		return err
	}
	line, err := lineOf(rec)
	if err != nil {
		return fmt.Errorf("run %s: %w", run, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	flags := os.O_RDWR
	if rec.Revision == 1 {
		flags |= os.O_CREATE
	}
	f, err := os.OpenFile(d.file(run), flags, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return Conflict(run, rec, 0)
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", run, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }() // which unlocks it
	if err := files.Lock(f); err != nil {
		return fmt.Errorf("run %s: %s cannot be locked: %w", run, f.Name(), err)
	}
	end, err := d.extent(f, run)
	if err != nil {
		return err
	}
	if rec.Revision != end.revision+1 {
		return Conflict(run, rec, end.revision)
	}
	if err := d.write(f, end.size, line); err != nil {
		delete(d.known, run)
		return fmt.Errorf("run %s: %w", run, err)
	}
	if end.size == 0 {
		if err := files.SyncDir(d.path); err != nil {
			return fmt.Errorf("run %s: %w", run, err)
		}
		end.size = int64(len(firstLine()))
	}
	d.known[run] = extent{end.size + int64(len(line)), rec.Revision}
	return nil
}

// extent is how far a locked file goes, without a last line that is not whole.
func (d *Dir) extent(f *os.File, run string) (extent, error) {
	info, err := f.Stat()
	if err != nil {
		return extent{}, fmt.Errorf("run %s: %w", run, err)
	}
	if end, ok := d.known[run]; ok && end.size == info.Size() {
		return end, nil
	}
	content, err := io.ReadAll(f)
	if err != nil {
		return extent{}, fmt.Errorf("run %s: %w", run, err)
	}
	records, size, err := parse(content)
	if err != nil {
		return extent{}, fmt.Errorf("run %s: %s: %w", run, f.Name(), err)
	}
	return extent{size, len(records)}, nil
}

// write puts a line at the end of a file, in the place of what stands there.
func (d *Dir) write(f *os.File, end int64, line []byte) error {
	if end == 0 {
		line = append(firstLine(), line...)
	}
	if err := f.Truncate(end); err != nil {
		return err
	}
	if _, err := f.WriteAt(line, end); err != nil {
		return errors.Join(err, f.Truncate(end)) // a part of it may stand there
	}
	return f.Sync()
}

// Load implements [Store].
func (d *Dir) Load(ctx context.Context, run string) ([]Record, error) {
	if err := check(ctx, run); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(d.file(run))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("run %s: %w in %s", run, ErrNotFound, d.path)
	}
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", run, err)
	}
	records, _, err := parse(content)
	if err != nil {
		return nil, fmt.Errorf("run %s: %s: %w", run, d.file(run), err)
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("run %s: %w in %s: its first record was not written to its end", run, ErrNotFound, d.path)
	}
	return records, nil
}

// Runs implements [Store].
func (d *Dir) Runs(ctx context.Context) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), extension); ok && CheckName(name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Newest returns the run whose log was written to last, or an error that wraps
// [ErrNotFound].
func (d *Dir) Newest(ctx context.Context) (string, error) {
	names, err := d.Runs(ctx)
	if err != nil {
		return "", err
	}
	newest, at := "", time.Time{}
	for _, name := range names {
		info, err := os.Stat(d.file(name))
		if err == nil && (newest == "" || info.ModTime().After(at)) { // one that is gone by now is not the newest
			newest, at = name, info.ModTime()
		}
	}
	if newest == "" {
		return "", fmt.Errorf("%w in %s", ErrNotFound, d.path)
	}
	return newest, nil
}

// Remove implements [Store].
func (d *Dir) Remove(ctx context.Context, run string) error {
	if err := check(ctx, run); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.known, run)
	if err := os.Remove(d.file(run)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("run %s: %w", run, err)
	}
	return nil
}

func firstLine() []byte { return fmt.Appendf(nil, "%s%d\n", header, format) }

// lineOf is a record as a file has it.
func lineOf(rec Record) ([]byte, error) {
	text, err := json.Marshal(rec)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE(text), text), nil
}

// parse reads a file. It returns the records, and where they end.
func parse(content []byte) (records []Record, end int64, _ error) {
	first, rest, whole := bytes.Cut(content, []byte("\n"))
	if !whole && bytes.HasPrefix(firstLine(), first) {
		return nil, 0, nil // not written to its end
	}
	version, ok := strings.CutPrefix(string(first), header)
	switch n, err := strconv.Atoi(version); {
	case !ok || err != nil:
		return nil, 0, fmt.Errorf("%w: it does not begin as the log of a run", ErrDamaged)
	case n != format:
		return nil, 0, fmt.Errorf("%w: %d, and this version of Wayfinder reads %d; take the version that wrote it", ErrFormat, n, format)
	}
	end = int64(len(first) + 1)
	for len(rest) > 0 {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		rec, ok := recordOf(line)
		if !whole || !ok || rec.Revision != len(records)+1 {
			if len(after) > 0 {
				return nil, 0, fmt.Errorf("%w in line %d: record %d cannot be read, and others follow it", ErrDamaged, len(records)+2, len(records)+1)
			}
			return records, end, nil // the last write was lost
		}
		records = append(records, rec)
		end += int64(len(line) + 1)
		rest = after
	}
	return records, end, nil
}

// recordOf reads a line.
func recordOf(line []byte) (rec Record, ok bool) {
	sum, text, found := strings.Cut(string(line), " ")
	if want, err := strconv.ParseUint(sum, 16, 32); !found || err != nil || uint32(want) != crc32.ChecksumIEEE([]byte(text)) {
		return Record{}, false
	}
	return rec, json.Unmarshal([]byte(text), &rec) == nil
}
