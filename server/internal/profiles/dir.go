package profiles

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/files"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// A Dir is a Store in a directory, a file for each record. Several processes on
// one machine may use it; their lives are locks of the operating system, so that
// the profiles of one that was killed can be had at once. Where that has none
// (Windows) other processes are taken for dead; what they write late is refused.
type Dir struct {
	dir  string
	life string
	file *os.File // locked as long as the process lives; nil where there are no locks

	mu sync.Mutex // held while a record is changed, with the directory's lock
}

var _ Store = (*Dir)(nil)

const (
	lifePrefix = "life."
	newPrefix  = "new-" // of files that get their name once they are whole
	lockName   = "lock"
	// leftOver is how old such a file is whose writer died.
	leftOver = time.Hour
)

// OpenDir returns the store in a directory, which is made if need be, for the
// process's user alone. The caller closes it, when no profile is held any more.
func OpenDir(dir string) (*Dir, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("profiles: %w", err)
	}
	d := &Dir{dir: dir, life: strings.ToLower(rand.Text())}
	if files.Locks {
		if err := d.begin(); err != nil {
			return nil, fmt.Errorf("profiles: %w", err)
		}
	}
	if err := d.sweep(); err != nil {
		return nil, errors.Join(fmt.Errorf("profiles: %w", err), d.Close())
	}
	return d, nil
}

// begin makes the file of this process's life, which is locked before it has its name: no
// other process takes it for a dead one's.
func (d *Dir) begin() error {
	made := filepath.Join(d.dir, newPrefix+d.life)
	file, err := os.OpenFile(made, os.O_CREATE|os.O_RDWR|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = files.TryLock(file); err == nil {
		err = os.Rename(made, d.lifePath(d.life))
	}
	if err != nil {
		return errors.Join(err, file.Close(), os.Remove(made))
	}
	d.file = file
	return nil
}

// Close ends this process's life in the directory. It may be called again.
func (d *Dir) Close() error {
	if d.file == nil {
		return nil
	}
	err := d.file.Close()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	_ = os.Remove(d.lifePath(d.life)) // it is unlocked, so that others take it for ended
	return err
}

func (d *Dir) lifePath(life string) string { return filepath.Join(d.dir, lifePrefix+life) }

// sweep removes what dead processes have left.
func (d *Dir) sweep() error {
	all, err := os.ReadDir(d.dir)
	if err != nil {
		return err
	}
	for _, e := range all {
		if life, ok := strings.CutPrefix(e.Name(), lifePrefix); ok && life != d.life {
			if _, err := d.Ended(context.Background(), life); err != nil {
				return err
			}
		}
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), newPrefix) && time.Since(info.ModTime()) > leftOver {
			_ = os.Remove(filepath.Join(d.dir, e.Name())) // another may have done so
		}
	}
	return nil
}

// Life implements Store.
func (d *Dir) Life() string { return d.life }

// Ended implements Store.
func (d *Dir) Ended(_ context.Context, life string) (bool, error) {
	if life == d.life {
		return false, nil
	}
	if fleet.CheckKey(life) != nil {
		return true, nil // no process has such a life
	}
	file, err := os.OpenFile(d.lifePath(life), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("profiles: %w", err)
	}
	defer file.Close()
	switch err := files.TryLock(file); {
	case errors.Is(err, files.ErrTaken):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("profiles: %w", err)
	}
	_ = os.Remove(file.Name()) // another may have done so
	return true, nil
}

func (d *Dir) path(key string) (string, error) {
	if err := fleet.CheckKey(key); err != nil {
		return "", err
	}
	return filepath.Join(d.dir, key+".record"), nil
}

// Get implements Store.
func (d *Dir) Get(ctx context.Context, key string) (fleet.Record, error) {
	if err := context.Cause(ctx); err != nil {
		return fleet.Record{}, err
	}
	path, err := d.path(key)
	if err != nil {
		return fleet.Record{}, err
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fleet.Record{}, fmt.Errorf("%w: %s", fleet.ErrNotFound, key)
	}
	if err != nil {
		return fleet.Record{}, unavailable(err)
	}
	line, value, ok := strings.Cut(string(raw), "\n")
	revision, err := strconv.ParseUint(line, 10, 64)
	if !ok || err != nil {
		return fleet.Record{}, fmt.Errorf("%w: %s", ErrDamaged, path)
	}
	return fleet.Record{Key: key, Value: []byte(value), Revision: revision}, nil
}

// change runs f while no other process changes the record at key, whose revision has
// to be the given one.
func (d *Dir) change(ctx context.Context, key string, revision uint64, f func(path string) error) error {
	path, err := d.path(key)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	lock, err := os.OpenFile(filepath.Join(d.dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return unavailable(err)
	}
	defer lock.Close()
	if files.Locks {
		if err := files.Lock(lock); err != nil {
			return unavailable(err)
		}
	}
	there, err := d.Get(ctx, key)
	if err != nil && !errors.Is(err, fleet.ErrNotFound) {
		return err
	}
	if there.Revision != revision {
		return fmt.Errorf("%w: %s", fleet.ErrConflict, key)
	}
	return f(path)
}

// Put implements Store. What it wrote is on the disk.
func (d *Dir) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	// Greater than that of a record which was deleted.
	next := max(revision+1, uint64(time.Now().UnixNano()))
	err := d.change(ctx, key, revision, func(path string) error {
		return unavailable(write(path, append([]byte(strconv.FormatUint(next, 10)+"\n"), value...)))
	})
	if err != nil {
		return 0, err
	}
	return next, nil
}

// unavailable is an error of the operating system as one of a store; nil for nil.
func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", fleet.ErrUnavailable, err)
}

// write replaces a file as a whole. Its content is on the disk then.
func write(path string, content []byte) error {
	err := files.Replace(path, newPrefix+"*", func(f *os.File) error {
		if _, err := f.Write(content); err != nil {
			return err
		}
		return f.Sync()
	})
	if err != nil {
		return err
	}
	return files.SyncDir(filepath.Dir(path))
}

// Delete implements Store.
func (d *Dir) Delete(ctx context.Context, key string, revision uint64) error {
	return d.change(ctx, key, revision, func(path string) error {
		if revision == 0 {
			return fmt.Errorf("%w: %s", fleet.ErrConflict, key)
		}
		return unavailable(os.Remove(path))
	})
}

// List implements Store.
func (d *Dir) List(ctx context.Context, prefix string) ([]fleet.Record, error) {
	all, err := os.ReadDir(d.dir)
	if err != nil {
		return nil, unavailable(err)
	}
	var list []fleet.Record
	for _, e := range all {
		key, ok := strings.CutSuffix(e.Name(), ".record")
		if !ok || !strings.HasPrefix(key, prefix) {
			continue
		}
		r, err := d.Get(ctx, key)
		switch {
		case err == nil:
			list = append(list, r)
		case !errors.Is(err, fleet.ErrNotFound) && !errors.Is(err, ErrDamaged): // one that is damaged hides no other
			return nil, err
		}
	}
	return list, nil
}
