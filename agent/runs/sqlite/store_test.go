package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/agent/runs/internal/storetest"
	"github.com/wayfinder-engine/wayfinder/agent/runs/sqlite"
)

func open(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c#d%20.db") // what an address would take for something else
	storetest.Run(t, func(t *testing.T) runs.Store { return open(t, path) })
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func rec(revision int) runs.Record {
	return runs.Record{Revision: revision, Kind: "k", Time: time.Unix(int64(revision), 5).UTC(), Data: json.RawMessage(`{"text":"tea"}`)}
}

// TestRecord: what is stored comes back, whatever it is, and what cannot come back
// is not stored.
func TestRecord(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "runs.db"))
	at := time.Date(2026, 11, 1, 2, 3, 4, 5678, time.FixedZone("", 3600))
	for n, data := range []string{"", `"a\u0000b\n'\"%"`, `null`} {
		in := runs.Record{Revision: n + 1, Kind: "k", Time: at}
		if data != "" {
			in.Data = json.RawMessage(data)
		}
		if err := s.Append(t.Context(), "r", in); err != nil {
			t.Fatal(err)
		}
		log, err := s.Load(t.Context(), "r")
		if err != nil || len(log) != n+1 || !log[n].Time.Equal(at) || log[n].Kind != "k" || string(log[n].Data) != data || (log[n].Data == nil) != (data == "") {
			t.Errorf("Load = %+v, %v, want %+v", log, err, in)
		}
	}
	if err := s.Append(t.Context(), "r", runs.Record{Revision: 4, Data: json.RawMessage(`{`)}); err == nil {
		t.Error("Append of what is no JSON = nil, want an error")
	}
}

// TestNewest: the run that was written to last, and not the last by name.
func TestNewest(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "runs.db"))
	if _, err := s.Newest(t.Context()); !errors.Is(err, runs.ErrNotFound) {
		t.Errorf("Newest of no runs = %v, want ErrNotFound", err)
	}
	for _, r := range []struct {
		run      string
		revision int
	}{{"b", 1}, {"a", 1}, {"c", 1}, {"b", 2}} {
		if err := s.Append(t.Context(), r.run, rec(r.revision)); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Newest(t.Context()); got != r.run || err != nil {
			t.Errorf("Newest after a record of %s = %s, %v", r.run, got, err)
		}
	}
}

// TestSecret: nobody else can read the files, and what was removed is in none of them.
func TestSecret(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "runs.db"))
	log := rec(1)
	log.Data = json.RawMessage(`"` + strings.Repeat("cookie=xyzzy ", 2000) + `"`)
	for _, run := range []string{"a", "b"} {
		log := log
		if run == "b" {
			log.Data = json.RawMessage(`"stays"`)
		}
		if err := s.Append(t.Context(), run, log); err != nil {
			t.Fatal(err)
		}
	}
	look := func(secret string) (names []string) {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			if info.Mode().Perm()&0o077 != 0 {
				t.Errorf("others can read %s: %v", d.Name(), info.Mode())
			}
			content, err := os.ReadFile(path) // closing it ends SQLite's locks, and nobody else is here
			if bytes.Contains(content, []byte(secret)) {
				names = append(names, d.Name())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	if len(look("xyzzy")) == 0 {
		t.Error("no file has the record: the test looks in the wrong place")
	}
	if err := s.Remove(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if names := look("xyzzy"); len(names) > 0 {
		t.Errorf("%q still have what was removed", names)
	}
	if len(look("stays")) == 0 {
		t.Error("the other run is gone")
	}
}

// TestForeign: a file that is not ours is refused, and left as it is.
func TestForeign(t *testing.T) {
	database := func(statements string) func(string) error {
		return func(path string) error {
			db, err := sql.Open("sqlite", path)
			if err != nil {
				return err
			}
			_, err = db.Exec(statements)
			return errors.Join(err, db.Close())
		}
	}
	for _, c := range []struct {
		name string
		make func(path string) error
		want error
		says string
	}{
		{"another program's tables", database("CREATE TABLE bookmarks (url TEXT)"), runs.ErrFormat, "another program"},
		{"another program's name", database("PRAGMA application_id = 7; CREATE TABLE records (run TEXT)"), runs.ErrFormat, "another program"},
		{"a later version", database(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = 2; CREATE TABLE records (run TEXT)", 0x57466e72)), runs.ErrFormat, "2, and this version of Wayfinder reads 1"},
		{"no database", func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("hello\n"), 300), 0o600) }, runs.ErrFormat, "no database"},
		{"a directory", func(path string) error { return os.Mkdir(path, 0o700) }, nil, "runs.db"},
		{"no directory", func(path string) error { return os.Remove(filepath.Dir(path)) }, fs.ErrNotExist, "runs.db"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "d", "runs.db")
			if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), c.make(path)); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(path)
			s, err := sqlite.Open(t.Context(), path)
			if err == nil {
				s.Close()
				t.Fatal("Open = nil, want an error")
			}
			if c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Open = %v, want %v that says %q", err, c.want, c.says)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("Open has changed the file")
			}
		})
	}
	if _, err := sqlite.Open(t.Context(), ""); err == nil {
		t.Error("Open of no path = nil, want an error")
	}
}

// TestDamage: a log that something else has changed is an error, and never a
// shorter log.
func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	for _, c := range []struct {
		run, change string
	}{
		{"gap", "DELETE FROM records WHERE run = 'gap' AND revision = 2"},
		{"time", "UPDATE records SET time = 'noon' WHERE run = 'time' AND revision = 3"},
	} {
		s := open(t, path)
		for n := 1; n <= 3; n++ {
			if err := s.Append(t.Context(), c.run, rec(n)); err != nil {
				t.Fatal(err)
			}
		}
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(c.change); err != nil {
			t.Fatal(err)
		}
		if log, err := s.Load(t.Context(), c.run); !errors.Is(err, runs.ErrDamaged) {
			t.Errorf("%s: Load = %d records, %v, want ErrDamaged", c.run, len(log), err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLocked: who waits for another process waits as long as its context, and gets
// in when the other one is done.
func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	s := open(t, path)
	if err := s.Append(t.Context(), "r", rec(1)); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	other, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if log, err := s.Load(t.Context(), "r"); err != nil || len(log) != 1 {
		t.Errorf("Load beside a writer = %d records, %v", len(log), err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := s.Append(ctx, "r", rec(2)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Append = %v, want the end of its context", err)
	}
	waiting := make(chan error, 1)
	go func() { waiting <- s.Append(t.Context(), "r", rec(2)) }()
	if _, err := other.ExecContext(t.Context(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; err != nil {
		t.Errorf("Append = %v, want nil when the other one is done", err)
	}
	if log, err := s.Load(t.Context(), "r"); err != nil || len(log) != 2 {
		t.Errorf("Load = %d records, %v, want 2", len(log), err)
	}
}
