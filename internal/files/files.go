// Package files is what a directory that several processes use needs beside package os: a
// file that one of them has, and a file that is there whole or not at all.
package files

import (
	"errors"
	"os"
	"path/filepath"
)

// ErrTaken is a file that another process has.
var ErrTaken = errors.New("another process has it")

// Replace gives path what write puts into a new file in the same directory, whose name is
// made of pattern as by [os.CreateTemp]. Whoever opens path has the file of before or all
// of the new one, also where this process dies. Only the file's owner may read it. Where it
// is to outlive a loss of power, write ends with Sync, and [SyncDir] follows.
func Replace(path, pattern string, write func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), pattern)
	if err != nil {
		return err
	}
	if err = errors.Join(write(f), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // as far as it goes: what happened before matters more
	}
	return err
}
