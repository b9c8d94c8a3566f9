//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package files

import (
	"errors"
	"os"
)

// Locks reports that there is no [TryLock].
const Locks = false

// TryLock fails.
func TryLock(*os.File) error { return errors.ErrUnsupported }

// SyncDir does nothing: Windows keeps names by itself.
func SyncDir(string) error { return nil }
