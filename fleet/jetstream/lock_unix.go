//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package jetstream

import (
	"errors"
	"os"
	"syscall"
)

const locks = true

// lock takes a file for this process, or returns errTaken at once. That ends when
// the file is closed, or with the process.
func lock(f *os.File) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errTaken
		case !errors.Is(err, syscall.EINTR):
			return err
		}
	}
}
