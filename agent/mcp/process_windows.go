package mcp

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup keeps a Ctrl+C at our console from reaching the server first.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// askGroup does nothing: a process without a window cannot be asked.
func askGroup(*os.Process) {}

// killGroup ends the process. That it is gone already is what is hoped for.
func killGroup(p *os.Process) { _ = p.Kill() }
