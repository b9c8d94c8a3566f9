//go:build unix

package jetstream

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/files"
)

// endless puts a pipe in the place of the server's file. Nothing is ever written to it: a
// server waits for its first byte until the process ends.
func endless(t *testing.T, dir string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, serverDir, "*", "streams", "*", "msgs", "1.blk"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	if err := errors.Join(os.Remove(found[0]), syscall.Mkfifo(found[0], 0o600)); err != nil {
		t.Fatal(err)
	}
}

// TestUnread: a server that does not come to the end of its files ends the start with an
// error that says which they are and what to do, and keeps the directory; what the error
// says to do gives all records back.
func TestUnread(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), &Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), "a.b", []byte("kept"), 0); err != nil {
		t.Fatal(err)
	}
	s.Close()
	copied := func() string {
		t.Helper()
		other := filepath.Join(t.TempDir(), "records")
		if err := os.CopyFS(other, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		endless(t, other)
		return other
	}
	left, stop := context.WithCancel(t.Context())
	stop()
	if s, err := Open(left, &Options{Dir: copied()}); !errors.Is(err, context.Canceled) {
		t.Errorf("Open whose caller has left = %v, %v", s, err)
	}

	defer func(was time.Duration) { ready = was }(ready)
	ready = time.Millisecond
	stuck := copied()
	_, err = Open(t.Context(), &Options{Dir: stuck})
	var unread *UnreadError
	if !errors.As(err, &unread) || unread.Dir != filepath.Join(stuck, serverDir) || !strings.Contains(err.Error(), "move that directory away") {
		t.Fatalf("Open = %v, want an error with the directory and what to do", err)
	}
	if _, err := Open(t.Context(), &Options{Dir: stuck}); files.Locks && !errors.Is(err, errTaken) {
		t.Errorf("Open again = %v, want %v: the server reads yet", err, errTaken)
	}
	ready = time.Minute
	moved := filepath.Join(t.TempDir(), "records") // as another process finds it
	if err := os.CopyFS(filepath.Join(moved, twinDir), os.DirFS(filepath.Join(stuck, twinDir))); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(t.Context(), &Options{Dir: moved}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r, err := s.Get(t.Context(), "a.b"); err != nil || string(r.Value) != "kept" || s.Doubt() || len(s.Damage()) == 0 {
		t.Errorf("Get = %q, %v; doubt %v, said %q", r.Value, err, s.Doubt(), s.Damage())
	}
}
