//go:build unix

package main

import (
	"os"
	"syscall"
	"time"
)

// canStop: a process can be stopped, and continue.
const canStop = true

func suspend(p *os.Process) { _ = p.Signal(syscall.SIGSTOP) } // it may have ended
func resume(p *os.Process)  { _ = p.Signal(syscall.SIGCONT) }

// cpuTime is what this process has taken of the processors.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
