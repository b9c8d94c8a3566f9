package cdp

import (
	"io/fs"
	"os"
	"path/filepath"
)

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
