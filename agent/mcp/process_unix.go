//go:build unix && !linux

package mcp

import (
	"os/exec"
	"syscall"
)

// ownGroup has the command begin a process group, which its children join.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
