//go:build unix

package cdp

import (
	"os"
	"os/exec"
	"syscall"
)

// givePipe has the command inherit Chrome's ends as descriptors 3 and 4.
func givePipe(cmd *exec.Cmd) (*pipeEnds, error) {
	e, err := openPipes()
	if err != nil {
		return nil, err
	}
	cmd.ExtraFiles = []*os.File{e.theirIn, e.theirOut}
	return e, nil
}

// ownGroup has the command begin a process group, which its children join.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup ends the process and its children. That they are gone already is
// what is hoped for, so errors mean nothing.
func killGroup(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
}
