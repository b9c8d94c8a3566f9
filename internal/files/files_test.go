package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/files"
)

// A file that cannot be written leaves the one of before, and nothing beside it.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "list")
	broken := errors.New("broken")
	for _, c := range []struct {
		content string
		fails   error
		want    string
	}{
		{"one", nil, "one"}, {"tw", broken, "one"}, {"two", nil, "two"},
	} {
		err := files.Replace(path, "new-*", func(f *os.File) error {
			_, err := f.WriteString(c.content)
			return errors.Join(err, c.fails)
		})
		if !errors.Is(err, c.fails) {
			t.Errorf("Replace = %v, want %v", err, c.fails)
		}
		content, err := os.ReadFile(path)
		if err != nil || string(content) != c.want {
			t.Errorf("the file has %q, %v, want %q", content, err, c.want)
		}
	}
	there, err := os.ReadDir(dir)
	if err != nil || len(there) != 1 {
		t.Errorf("the directory has %v, %v, want one file", there, err)
	}
	if info, err := os.Stat(path); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("Stat = %v, %v, want a file of its owner's alone", info.Mode(), err)
	}
	if err := files.SyncDir(dir); err != nil {
		t.Error(err)
	}
}

// One has a file until it is closed.
func TestLock(t *testing.T) {
	if !files.Locks {
		t.Skip("there are no locks that do not wait")
	}
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	first, second := open(), open()
	if err := files.Lock(first); err != nil {
		t.Fatal(err)
	}
	if err := files.TryLock(second); !errors.Is(err, files.ErrTaken) {
		t.Errorf("TryLock = %v, want %v", err, files.ErrTaken)
	}
	waited := make(chan error, 1)
	go func() { waited <- files.Lock(second) }()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; err != nil {
		t.Errorf("Lock = %v after the first was closed", err)
	}
}
