//go:build !linux

package process

import "os/exec"

// endWithUs does nothing: Chrome notices that its pipe is closed.
func endWithUs(*exec.Cmd) {}

// noSandbox says why Chrome's sandbox cannot work here; empty if it can.
func noSandbox() string { return "" }

// shmSize returns the size of the file system of shared memory, which only
// Linux has.
func shmSize() uint64 { return enoughShm }
