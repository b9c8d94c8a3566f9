//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package files

import (
	"errors"
	"os"
)

// Lock fails.
func Lock(*os.File) error { return errors.ErrUnsupported }
