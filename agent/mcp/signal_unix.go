//go:build unix

package mcp

import (
	"os"
	"syscall"
)

// askGroup asks the process and its children to end. That they are gone already
// is what is hoped for, here and below, so errors mean nothing.
func askGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

// killGroup ends them.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
