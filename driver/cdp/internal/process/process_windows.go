package process

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
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

// lockNew makes the owner file and keeps it open: Windows removes no file that
// somebody has open.
func lockNew(root string) (*os.File, error) {
	return os.OpenFile(filepath.Join(root, ownerFile), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
}

// takeOver removes an owner file, which succeeds if its owner is dead.
func takeOver(path string) (lock *os.File, dead bool) {
	return nil, os.Remove(path) == nil
}

// removeLocked removes a directory whose lock, if it is open, is ours.
func removeLocked(root string, lock *os.File) error {
	if lock != nil {
		// It cannot be removed while it is open; a second Close does no harm.
		_ = lock.Close()
	}
	return os.RemoveAll(root)
}

// ownedByUs: the directory for temporary files is each user's own.
func ownedByUs(fs.FileInfo) bool { return true }
