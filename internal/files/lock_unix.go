//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package files

import (
	"errors"
	"os"
	"syscall"
)

// Locks reports that [TryLock] works, and that a file can be renamed and removed while it
// is locked.
const Locks = true

// Lock makes a file this process's own, and waits for a process that has it. That ends
// when the file is closed, or with the process.
func Lock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// TryLock is Lock, and returns [ErrTaken] at once if another process has the file.
func TryLock(f *os.File) error { return flock(f, syscall.LOCK_EX|syscall.LOCK_NB) }

func flock(f *os.File, how int) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), how); {
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrTaken
		case !errors.Is(err, syscall.EINTR):
			return err
		}
	}
}

// SyncDir has the names in a directory outlive a loss of power, where its file system can.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}
