//go:build !linux

package cdp

// noSandbox says why Chrome's sandbox cannot work here; empty if it can.
func noSandbox() string { return "" }

// shmSize returns the size of the file system of shared memory, which only
// Linux has.
func shmSize() uint64 { return enoughShm }
