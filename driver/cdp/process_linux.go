package cdp

import (
	"os/exec"
	"syscall"
)

// endWithUs has the system kill the process as soon as the thread that starts it
// is gone, however that happens. Chrome by itself notices only that its pipe is
// closed, and not before it has started.
func endWithUs(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }
