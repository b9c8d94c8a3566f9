package files

import (
	"math"
	"os"
	"syscall"
	"unsafe"
)

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

// Lock makes a file this process's own, and waits for a process that has it. That ends
// when the file is closed, or with the process. What is locked is a byte far behind the
// file's end: others may read it meanwhile.
func Lock(f *os.File) error {
	const exclusive = 2
	at := syscall.Overlapped{OffsetHigh: math.MaxInt32}
	if ok, _, err := lockFileEx.Call(f.Fd(), exclusive, 0, 1, 0, uintptr(unsafe.Pointer(&at))); ok == 0 {
		return err
	}
	return nil
}
