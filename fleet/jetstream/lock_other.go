//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package jetstream

import "os"

const locks = false

// lock does nothing: on this system two processes on one directory are not noticed.
func lock(*os.File) error { return nil }
