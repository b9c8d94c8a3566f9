//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package runs

import (
	"errors"
	"os"
)

// lock fails: without it two processes could continue one run.
func lock(*os.File) error { return errors.ErrUnsupported }

func syncDir(string) error { return nil }
