//go:build unix

package process

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
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

// lockNew makes the owner file. It has its name only once it is locked, so
// that nobody finds it unlocked while we live.
func lockNew(root string) (*os.File, error) {
	path := filepath.Join(root, ownerFile)
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// takeOver locks an owner file if its owner is dead.
func takeOver(path string) (lock *os.File, dead bool) {
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, false // no owner file: not ours, or not yet
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		_ = f.Close()     // nothing was written, and no lock is held
		return nil, false // its owner lives
	}
	return f, true
}

// removeLocked removes a directory whose lock we hold; the lock file last, so
// that what is left over is still known as ours.
func removeLocked(root string, _ *os.File) error {
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == ownerFile {
			continue
		}
		if err := os.RemoveAll(filepath.Join(root, e.Name())); err != nil {
			return err
		}
	}
	return os.RemoveAll(root)
}

func ownedByUs(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
