package runs_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/agent/runs/internal/storetest"
)

func TestMemory(t *testing.T) {
	store := runs.NewMemory()
	storetest.Run(t, func(*testing.T) runs.Store { return store })
}

func TestDir(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs")
	storetest.Run(t, func(t *testing.T) runs.Store { return dir(t, path) })
}

func dir(t *testing.T, path string) *runs.Dir {
	t.Helper()
	d, err := runs.NewDir(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDirDamage: each file that a crash can leave is a log without its last
// record; what a crash cannot do is an error that names the line.
func TestDirDamage(t *testing.T) {
	path := t.TempDir()
	d := dir(t, path)
	for n := 1; n <= 3; n++ {
		if err := d.Append(t.Context(), "r", runs.Record{Revision: n, Kind: "k", Data: []byte(`{"text":"tea"}`)}); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(path, "r.run")
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can read the file: %v, %v", info.Mode(), err)
	}
	write := func(content []byte) *runs.Dir {
		t.Helper()
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return dir(t, path)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	ends := make([]int, 4) // where the header and each record end
	for i := range ends {
		ends[i] = len(bytes.Join(lines[:i+1], nil))
	}
	for cut := range len(whole) {
		d := write(whole[:cut])
		left := 0
		for i, end := range ends {
			if cut >= end {
				left = i
			}
		}
		log, err := d.Load(t.Context(), "r")
		if left == 0 && !errors.Is(err, runs.ErrNotFound) || left > 0 && (err != nil || len(log) != left) {
			t.Fatalf("cut at %d: Load = %d records, %v, want %d", cut, len(log), err, left)
		}
		if cut%7 == 0 { // each append is a sync
			if err := d.Append(t.Context(), "r", runs.Record{Revision: left + 1, Kind: "k"}); err != nil {
				t.Fatalf("cut at %d: Append: %v", cut, err)
			}
			if log, err := d.Load(t.Context(), "r"); err != nil || len(log) != left+1 {
				t.Fatalf("cut at %d: after Append Load = %d records, %v, want %d", cut, len(log), err, left+1)
			}
		}
	}
	for _, c := range []struct {
		name    string
		content string
		want    error
		says    string
	}{
		{"a letter in the middle", strings.Replace(string(whole), "tea", "tee", 1), runs.ErrDamaged, "line 2"},
		{"a record is gone", string(lines[0]) + string(lines[1]) + string(lines[3]) + string(lines[3]), runs.ErrDamaged, "line 3"},
		{"a later format", strings.Replace(string(whole), "run 1", "run 2", 1), runs.ErrFormat, "2, and this version of Wayfinder reads 1"},
		{"another file", "hello\nworld\n", runs.ErrDamaged, "does not begin"},
	} {
		d := write([]byte(c.content))
		_, err := d.Load(t.Context(), "r")
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: Load = %v, want %v that says %q", c.name, err, c.want, c.says)
		}
		if err := d.Append(t.Context(), "r", runs.Record{Revision: 4}); !errors.Is(err, c.want) {
			t.Errorf("%s: Append = %v, want %v", c.name, err, c.want)
		}
	}
	last := append(bytes.Clone(whole[:ends[2]]), bytes.Replace(whole[ends[2]:], []byte("tea"), []byte("tee"), 1)...)
	if log, err := write(last).Load(t.Context(), "r"); err != nil || len(log) != 2 {
		t.Errorf("a damaged last line: Load = %d records, %v, want 2", len(log), err)
	}
}
