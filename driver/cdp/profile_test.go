package cdp

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func TestUserDataDir(t *testing.T) {
	parent := shortDir(t)
	for _, c := range []struct {
		name           string
		exists, keep   bool
		stays          bool
		launchAgainToo bool
	}{
		{name: "made", stays: false},
		{name: "preserved", keep: true, stays: true, launchAgainToo: true},
		{name: "standing", exists: true, stays: true},
	} {
		dir := filepath.Join(parent, c.name)
		if c.exists {
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		b := launch(t, Launch{UserDataDir: dir, PreserveUserDataDir: c.keep})
		cookie := driver.Cookie{Name: "kept", Value: "1", URL: "http://example.test", Expires: time.Now().Add(time.Hour)}
		if err := b.SetCookies(t.Context(), cookie); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir); (err == nil) != c.stays {
			t.Errorf("%s: after Close Stat = %v", c.name, err)
		}
		if c.launchAgainToo {
			b := launch(t, Launch{UserDataDir: dir, PreserveUserDataDir: true})
			if got, err := b.Cookies(t.Context()); err != nil || len(got) != 1 {
				t.Errorf("the profile's cookies = %+v, %v, want the one that was set", got, err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestReap(t *testing.T) {
	parent := t.TempDir()
	living, err := ownProfile(parent, false)
	if err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(parent, profilePrefix+"dead")
	foreign := filepath.Join(parent, profilePrefix+"foreign") // our prefix, and no owner file
	other := filepath.Join(parent, "other")
	target := t.TempDir()
	link := filepath.Join(parent, profilePrefix+"link")
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
	reap(parent)
	for path, stays := range map[string]bool{living.root: true, dead: false, foreign: true, other: true, link: true, filepath.Join(target, ownerFile): true} {
		if _, err := os.Lstat(path); (err == nil) != stays {
			t.Errorf("%s after reap: %v, want that it stays: %t", filepath.Base(path), err, stays)
		}
	}
	if err := living.remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(living.root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after remove: %v", err)
	}
}
