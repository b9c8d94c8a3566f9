package process

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestReap(t *testing.T) {
	parent := t.TempDir()
	living, err := ownProfile(parent, false)
	if err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(parent, Prefix+"dead")
	foreign := filepath.Join(parent, Prefix+"foreign") // our prefix, and no owner file
	other := filepath.Join(parent, "other")
	target := t.TempDir()
	link := filepath.Join(parent, Prefix+"link")
	for _, dir := range []string{dead, foreign, other} {
		if err := os.MkdirAll(filepath.Join(dir, "profile"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(dead, ownerFile), filepath.Join(other, ownerFile), filepath.Join(target, ownerFile)} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	Reap(parent)
	for path, stays := range map[string]bool{living.root: true, dead: false, foreign: true, other: true, link: true, filepath.Join(target, ownerFile): true} {
		if _, err := os.Lstat(path); (err == nil) != stays {
			t.Errorf("%s after Reap: %v, want that it stays: %t", filepath.Base(path), err, stays)
		}
	}
	if err := living.remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(living.root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after remove: %v", err)
	}
}
