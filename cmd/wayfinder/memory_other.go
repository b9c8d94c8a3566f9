//go:build !linux

package main

// checkSharedMemory has nothing to say here: only Linux has a directory for it.
func checkSharedMemory() []finding { return nil }
