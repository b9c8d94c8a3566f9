package cdp

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// givePipe has the command inherit Chrome's ends as handles, whose numbers
// are told on the command line.
func givePipe(cmd *exec.Cmd) (*pipeEnds, error) {
	e, err := openPipes()
	if err != nil {
		return nil, err
	}
	in, out := e.theirIn.Fd(), e.theirOut.Fd()
	cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: []syscall.Handle{syscall.Handle(in), syscall.Handle(out)}}
	for _, h := range []uintptr{in, out} {
		if err := syscall.SetHandleInformation(syscall.Handle(h), syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT); err != nil {
			e.closeAll()
			return nil, err
		}
	}
	cmd.Args = append(cmd.Args, fmt.Sprintf("--remote-debugging-io-pipes=%d,%d", in, out))
	return e, nil
}

// ownGroup keeps a Ctrl+C at our console from reaching Chrome first.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP
}

// killGroup ends the process; Chrome's children end with it.
func killGroup(p *os.Process) {
	// That it is gone already is what is hoped for.
	_ = p.Kill()
}
