package traces

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/server/internal/profiles"
)

// TestBounds: what is too old is not answered and goes, the oldest go where there is
// too much, and a file that nobody writes any more, too.
func TestBounds(t *testing.T) {
	dir := t.TempDir()
	kept, err := Open(dir, &Options{Bytes: 250, Keep: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	age := func(path string, d time.Duration) {
		t.Helper()
		then := time.Now().Add(-d)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	html := bytes.Repeat([]byte("x"), 80)
	for i, id := range []string{"a", "b", "c"} { // about 100 bytes each
		if err := kept.save(id, "ann", html); err != nil {
			t.Fatal(err)
		}
		if id != "c" {
			age(kept.path(id), time.Duration(30-10*i)*time.Minute)
		}
	}
	want := func(id string, there bool) {
		t.Helper()
		owner, got, err := kept.Load(id)
		if !there && !errors.Is(err, ErrNotFound) || there && (err != nil || owner != "ann" || !bytes.Equal(got, html)) {
			t.Errorf("Load(%q) = %q, %q, %v, want it there: %v", id, owner, got, err, there)
		}
	}
	want("a", false) // there was too much
	want("b", true)
	want("c", true)
	age(kept.path("b"), 2*time.Hour)
	want("b", false)
	left := dir + "/" + partial + "1"
	if err := os.WriteFile(left, html, 0o600); err != nil {
		t.Fatal(err)
	}
	age(left, 2*time.Hour)
	if err := kept.clean(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "c.trace" {
		t.Errorf("the directory has %v, %v, want c.trace alone", entries, err)
	}
	if info, err := os.Stat(kept.path("c")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("c.trace is %v, %v, want its owner's alone", info.Mode(), err)
	}
	for _, id := range []string{"", "../c", "c/../c", ".", strings.Repeat("c", 65), "c.trace", "c\x00"} {
		want(id, false)
		if kept.save(id, "ann", html) == nil {
			t.Errorf("save(%q) has written a file", id)
		}
	}
}

// TestSealed: with a key, files are encrypted, each for its own session.
func TestSealed(t *testing.T) {
	dir := t.TempDir()
	open := func(letter string) *Traces {
		var keys *profiles.Keys
		var err error
		if letter != "" {
			if keys, err = profiles.ParseKeys(strings.NewReader(strings.Repeat(letter, 64))); err != nil {
				t.Fatal(err)
			}
		}
		kept, err := Open(dir, &Options{Keys: keys})
		if err != nil {
			t.Fatal(err)
		}
		return kept
	}
	kept := open("a")
	if err := kept.save("a", "ann", []byte("what was done")); err != nil {
		t.Fatal(err)
	}
	if owner, got, err := kept.Load("a"); err != nil || owner != "ann" || string(got) != "what was done" {
		t.Errorf("Load = %q, %q, %v", owner, got, err)
	}
	raw, err := os.ReadFile(kept.path("a"))
	if err != nil || bytes.Contains(raw, []byte("done")) || bytes.Contains(raw, []byte("ann")) {
		t.Errorf("the file is %q, %v", raw, err)
	}
	if err := os.WriteFile(kept.path("b"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, load := range map[string]func() (string, []byte, error){
		"another session's": func() (string, []byte, error) { return kept.Load("b") },
		"another key":       func() (string, []byte, error) { return open("b").Load("a") },
		"no key":            func() (string, []byte, error) { return open("").Load("a") },
	} {
		if _, got, err := load(); !errors.Is(err, ErrSealed) || got != nil {
			t.Errorf("%s: %q, %v, want ErrSealed", name, got, err)
		}
	}
}
