package knowledge_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/agent/knowledge"
)

func dir(t testing.TB, path string) knowledge.Store {
	t.Helper()
	store, err := knowledge.Dir(path)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// TestStores: both stores do what the contract says.
func TestStores(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) knowledge.Store{
		"memory":    func(*testing.T) knowledge.Store { return knowledge.Memory() },
		"directory": func(t *testing.T) knowledge.Store { return dir(t, filepath.Join(t.TempDir(), "a", "b")) },
	} {
		t.Run(name, func(t *testing.T) {
			store := open(t)
			empty, err := store.Get(t.Context(), "a.test")
			if err != nil || empty.Version != 0 || len(empty.Entries) > 0 {
				t.Fatalf("Get of an unknown host = %v, %v, want nothing", empty, err)
			}
			entry := knowledge.Entry{ID: "n1", Text: "the list is at /all", Version: 1}
			s := &knowledge.Site{Last: 1, Entries: []knowledge.Entry{entry}}
			if err := store.Put(t.Context(), "a.test", s); err != nil {
				t.Fatal(err)
			}
			s.Entries[0].Text = "changed afterwards"
			got, err := store.Get(t.Context(), "a.test")
			if want := (&knowledge.Site{Version: 1, Last: 1, Entries: []knowledge.Entry{entry}}); err != nil || !cmp.Equal(got, want) {
				t.Errorf("Get = %v, want what was put: %s", err, cmp.Diff(want, got))
			}
			if err := store.Put(t.Context(), "a.test", s); !errors.Is(err, knowledge.ErrConflict) {
				t.Errorf("Put of a site that was made from version 0 where 1 is kept: %v, want ErrConflict", err)
			}
			got.Entries[0].Text = "a copy"
			if again, _ := store.Get(t.Context(), "a.test"); again.Entries[0].Text != entry.Text {
				t.Errorf("Get gives what another caller has changed")
			}
			if other, err := store.Get(t.Context(), "b.test"); err != nil || other.Version != 0 {
				t.Errorf("Get of another host = %v, %v, want nothing", other, err)
			}
			if count := addAll(t, store, "many.test", 4, 12); count != 48 {
				t.Errorf("%d of 48 changes at the same time are kept", count)
			}
		})
	}
}

// addAll has goroutines add entries, and returns how many are there.
func addAll(t testing.TB, store knowledge.Store, host string, writers, each int) int {
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				if err := addOne(t, store, host, fmt.Sprintf("%d of %d", i, w)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	s, err := store.Get(t.Context(), host)
	if err != nil {
		t.Error(err)
		return 0
	}
	return len(s.Entries)
}

func addOne(t testing.TB, store knowledge.Store, host, text string) error {
	for {
		s, err := store.Get(t.Context(), host)
		if err != nil {
			return err
		}
		s.Entries = append(s.Entries, knowledge.Entry{Text: text})
		if err := store.Put(t.Context(), host, s); !errors.Is(err, knowledge.ErrConflict) {
			return err
		}
	}
}

// TestDirProcesses: what three processes write to one host at the same time is all there.
func TestDirProcesses(t *testing.T) {
	if path := os.Getenv("KNOWLEDGE_TEST_DIR"); path != "" {
		for i := range 15 {
			if err := addOne(t, dir(t, path), "shared.test", fmt.Sprint(os.Getpid(), i)); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	path := t.TempDir()
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			c := exec.Command(os.Args[0], "-test.run=^TestDirProcesses$")
			c.Env = append(os.Environ(), "KNOWLEDGE_TEST_DIR="+path)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	all.Wait()
	s, err := dir(t, path).Get(t.Context(), "shared.test")
	if err != nil || len(s.Entries) != 45 || s.Version != 45 {
		t.Errorf("%d entries in version %d, %v; want 45", len(s.Entries), s.Version, err)
	}
	files, _ := os.ReadDir(filepath.Join(path, "site-shared.test"))
	if len(files) > 9 {
		t.Errorf("%d files are left, want the newest and 8 before it", len(files))
	}
}

// TestDirStale: who has read nothing, or long ago, overwrites nothing.
func TestDirStale(t *testing.T) {
	store := dir(t, t.TempDir())
	var read []*knowledge.Site
	for i := range 20 {
		s, err := store.Get(t.Context(), "https://a.test")
		if err != nil {
			t.Fatal(err)
		}
		read = append(read, s)
		next := &knowledge.Site{Version: s.Version, Entries: append(slices.Clone(s.Entries), knowledge.Entry{ID: fmt.Sprint(i)})}
		if err := store.Put(t.Context(), "https://a.test", next); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range read {
		if err := store.Put(t.Context(), "https://a.test", s); !errors.Is(err, knowledge.ErrConflict) {
			t.Errorf("Put over version %d of 20 = %v, want ErrConflict", s.Version, err)
		}
	}
}

// TestDirHosts: whatever a host is called, it has a folder of its own, in the directory.
func TestDirHosts(t *testing.T) {
	path := t.TempDir()
	store := dir(t, path)
	hosts := []string{"a.test", "a.test:80", "..", ".", "../../etc", "con", "[::1]:8080", "a_2f", "a/", "münchen.test", "xn--mnchen-3ya.test", "a\x00b", strings.Repeat("long.", 80), strings.Repeat("long.", 80) + "x"}
	for _, host := range hosts {
		if err := store.Put(t.Context(), host, &knowledge.Site{Entries: []knowledge.Entry{{Text: host}}}); err != nil {
			t.Errorf("Put(%q): %v", host, err)
		}
	}
	for _, host := range hosts {
		if s, err := store.Get(t.Context(), host); err != nil || len(s.Entries) != 1 || s.Entries[0].Text != strings.ToValidUTF8(host, "�") {
			t.Errorf("Get(%q) = %v, %v", host, s, err)
		}
	}
	list, err := os.ReadDir(path)
	if err != nil || len(list) != len(hosts) {
		t.Errorf("%d folders, %v, want one for each of %d hosts", len(list), err, len(hosts))
	}
	for _, entry := range list {
		if !strings.HasPrefix(entry.Name(), "site-") || strings.ContainsAny(entry.Name(), `/\:*?"<>|`) {
			t.Errorf("a folder is called %q", entry.Name())
		}
	}
}

// TestDirDamaged: a file that cannot be read is an error that names it, and stays.
func TestDirDamaged(t *testing.T) {
	path := t.TempDir()
	store := dir(t, path)
	put := func(text string) string {
		name := filepath.Join(path, "site-a.test", "3.json")
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, text := range []string{"", "{", `{"version": 4}`, `[]`, `{"version": 3, "entries": 1}`, `{"version": 3}` + strings.Repeat(" ", 2<<20)} {
		name := put(text)
		if _, err := store.Get(t.Context(), "a.test"); !errors.Is(err, knowledge.ErrDamaged) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "remove it") {
			t.Errorf("Get of %.20q: %v, want ErrDamaged with the file's name and what to do", text, err)
		}
	}
	if _, err := knowledge.Dir(""); err == nil {
		t.Error("Dir without a path is no error")
	}
	if _, err := knowledge.Dir(put("x")); err == nil {
		t.Error("Dir of a file is no error")
	}
}
