package process

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// endWithUs has the system kill the process as soon as the thread that starts it
// is gone, however that happens. Chrome by itself notices only that its pipe is
// closed, and not before it has started.
func endWithUs(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }

// noSandbox says why Chrome's sandbox cannot work here; empty if it can.
func noSandbox() string {
	if os.Geteuid() == 0 {
		return "Chrome refuses to run as root with it"
	}
	for path, off := range map[string]string{
		"/proc/sys/kernel/unprivileged_userns_clone": "0",
		"/proc/sys/user/max_user_namespaces":         "0",
	} {
		if b, err := os.ReadFile(path); err == nil && strings.TrimSpace(string(b)) == off {
			return "user namespaces are switched off"
		}
	}
	// Containers forbid it by a filter that only a trial shows. Chrome makes a user
	// namespace and changes its root there: without CAP_SYS_CHROOT in the container
	// Podman's filter allows the first and not the second, and Chrome aborts.
	probe := exec.Command("/proc/self/exe")
	probe.Path = "/bin/true"
	probe.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, Chroot: "/"}
	if err := probe.Run(); err != nil {
		return "no user namespace can be made, or no root changed there: " + err.Error()
	}
	return ""
}

// shmSize returns the size of the file system of shared memory.
func shmSize() uint64 {
	var fs syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &fs); err != nil {
		return 0
	}
	return fs.Blocks * uint64(fs.Bsize)
}
