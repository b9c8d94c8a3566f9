package mcp

import (
	"os/exec"
	"syscall"
)

// ownGroup has the command begin a process group, which its children join, and
// end as soon as the thread that starts it is gone, however that happens.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
