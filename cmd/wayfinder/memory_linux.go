package main

import (
	"fmt"
	"syscall"
)

// leastSharedMemory is what Chrome needs for pages with large pictures. Containers
// have 64 MiB by default.
const leastSharedMemory = 128 << 20

// checkSharedMemory looks at what Chrome's processes share pictures through.
func checkSharedMemory() []finding {
	f := finding{Check: "memory", OK: true, Optional: true}
	var fs syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &fs); err != nil {
		f.OK, f.Detail = false, "/dev/shm cannot be read: "+err.Error()
		f.Fix = "mount a tmpfs there; until then Chrome uses files in the temporary directory"
		return []finding{f}
	}
	size := fs.Blocks * uint64(fs.Bsize)
	f.Detail = fmt.Sprintf("/dev/shm has %d MiB", size>>20)
	if size < leastSharedMemory {
		f.OK = false
		f.Fix = "start the container with --shm-size=1g; until then Chrome is told to use files in the temporary directory"
	}
	return []finding{f}
}
