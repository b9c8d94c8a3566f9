package process

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	// Prefix begins the name of every directory of ours.
	Prefix = "wayfinder-chrome-"
	// ownerFile is locked as long as the program that made the directory lives.
	ownerFile = "owner.lock"
)

// A profile is the directory that a Chrome keeps its data in.
type profile struct {
	dir  string // --user-data-dir
	root string // that goes at the end; empty: nothing goes
	temp string // for temporary files of Chrome; empty: where all have theirs
	lock *os.File
}

// newProfile makes or takes a profile directory.
func newProfile(o *Options) (*profile, error) {
	if o.UserDataDir == "" {
		Reap(os.TempDir())
		return ownProfile(os.TempDir(), o.PreserveUserDataDir)
	}
	dir, err := filepath.Abs(o.UserDataDir)
	if err != nil {
		return nil, err
	}
	p := &profile{dir: dir}
	_, err = os.Stat(dir)
	isNew := errors.Is(err, fs.ErrNotExist)
	if isNew && !o.PreserveUserDataDir {
		p.root = dir
	}
	if err := os.MkdirAll(dir, 0o700); err != nil || !isNew {
		return p, err
	}
	return p, p.prefer()
}

// ownProfile makes a temporary directory below parent and locks it, so that
// others can tell whether it is in use.
func ownProfile(parent string, keep bool) (p *profile, err error) {
	root, err := os.MkdirTemp(parent, Prefix)
	if err != nil {
		return nil, err
	}
	if keep {
		p = &profile{dir: root}
		return p, p.prefer()
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(root))
		}
	}()
	p = &profile{dir: filepath.Join(root, "profile"), root: root, temp: filepath.Join(root, "tmp")}
	for _, dir := range []string{p.dir, p.temp} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
	}
	if err := p.prefer(); err != nil {
		return nil, err
	}
	p.lock, err = lockNew(root)
	return p, err
}

// preferences are those of a new profile. Chrome loads nothing ahead: such requests
// pass no interception.
const preferences = `{"net":{"network_prediction_options":2}}`

func (p *profile) prefer() error {
	dir := filepath.Join(p.dir, "Default")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "Preferences"), []byte(preferences), 0o600)
}

// env has Chrome put its sockets and temporary files where they are removed
// with the profile, even if it is killed.
func (p *profile) env() []string {
	if p.temp == "" {
		return nil
	}
	return []string{"TMPDIR=" + p.temp, "TMP=" + p.temp, "TEMP=" + p.temp}
}

const (
	// removeLimit is how long Chrome's last writers may stand in the way.
	removeLimit = 5 * time.Second
	removePause = 10 * time.Millisecond
)

// remove removes what is to be removed. The program may have ended, while
// some helper of it still writes a file: it is tried again.
func (p *profile) remove() error {
	if p.lock != nil {
		// The lock goes with it; an error would mean that it is gone.
		defer func() { _ = p.lock.Close() }()
	}
	if p.root == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), removeLimit)
	defer cancel()
	tick := time.NewTicker(removePause)
	defer tick.Stop()
	for {
		err := removeLocked(p.root, p.lock)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

// Reap removes the directories of ours below parent whose programs did not
// get to it. Whatever it cannot be sure of stays, and so does what it may
// not remove.
func Reap(parent string) {
	found, err := filepath.Glob(filepath.Join(parent, Prefix+"*"))
	if err != nil {
		return // parent is no pattern; then there is nothing of ours
	}
	for _, root := range found {
		// A link, or a directory of somebody else, is none of ours.
		if info, err := os.Lstat(root); err != nil || !info.IsDir() || !ownedByUs(info) {
			continue
		}
		lock, dead := takeOver(filepath.Join(root, ownerFile))
		if !dead {
			continue
		}
		// What cannot be removed now is tried again at the next start.
		_ = removeLocked(root, lock)
		if lock != nil {
			_ = lock.Close() // nothing was written to it
		}
	}
}
