//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package profiles

import (
	"errors"
	"os"
	"syscall"
)

// flock takes a file for this process, or returns errTaken at once unless it
// waits. That ends when the file is closed, or with the process.
func flock(f *os.File, wait bool) error {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		switch err := syscall.Flock(int(f.Fd()), how); {
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errTaken
		case !errors.Is(err, syscall.EINTR):
			return err
		}
	}
}

// syncDir has what was renamed in a directory survive a loss of power.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// begin makes the file of a life, which is locked before it has its name: no process
// takes it for a dead one's.
func begin(made, path string) (*os.File, error) {
	file, err := os.OpenFile(made, os.O_CREATE|os.O_RDWR|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err = flock(file, false); err == nil {
		err = os.Rename(made, path)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(made))
	}
	return file, nil
}
