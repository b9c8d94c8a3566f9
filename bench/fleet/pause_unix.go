//go:build unix

package main

import (
	"os"
	"syscall"
)

// canStop: a process can be stopped, and go on.
const canStop = true

func suspend(p *os.Process) { _ = p.Signal(syscall.SIGSTOP) } // it may have ended
func resume(p *os.Process)  { _ = p.Signal(syscall.SIGCONT) }
