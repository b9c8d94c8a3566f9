package jetstream

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// TestTwin: a twin that was written to for long is little longer than what it has, and
// reads as it was written.
func TestTwin(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "copy")
	w, err := newTwin(dir, "epoch")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]uint64{}
	value := []byte(strings.Repeat("x", 200<<10))
	for revision := uint64(1); revision <= 600; revision++ {
		key := fmt.Sprintf("k.%d", revision%20)
		if revision%7 == 0 && want[key] > 0 {
			if err := w.remove(key, want[key]); err != nil {
				t.Fatal(err)
			}
			delete(want, key)
			continue
		}
		if err := w.put(key, fmt.Append(value, revision), revision); err != nil {
			t.Fatal(err)
		}
		want[key] = revision
	}
	w.close()
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(files) > 4 { // 4 MB of records, of 120 that were written
		t.Errorf("%d files, %v: %v", len(files), files, err)
	}
	r, wrong, err := loadTwin(dir)
	if err != nil || len(wrong) > 0 {
		t.Fatal(err, wrong)
	}
	defer r.close()
	if got := r.under(""); !maps.Equal(got, want) || r.epoch != "epoch" || r.number != w.number || r.end != w.end {
		t.Errorf("it reads %v, want %v; %q, entry %d of %d, at %d of %d", got, want, r.epoch, r.number, w.number, r.end, w.end)
	}
	for key, revision := range want {
		value, at, found, err := r.get(key)
		if err != nil || !found || at != revision || !strings.HasSuffix(string(value), fmt.Sprint("x", revision)) {
			t.Errorf("%s: revision %d of %d, %v", key, at, revision, err)
		}
	}
	if err := r.put("k.new", value, 601); err != nil {
		t.Error(err)
	}
	// Each file that is gone is missed.
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if gone, wrong, err := loadTwin(dir); err == nil && len(wrong) == 0 {
			t.Errorf("without %s nothing is wrong", name)
			gone.close()
		}
		if err := os.WriteFile(name, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// lose has the server forget a record, as one that it cannot read.
func lose(t *testing.T, s *Store, key string) {
	t.Helper()
	js, err := jetstream.New(s.conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "KV_"+bucketName)
	if err == nil {
		err = stream.Purge(t.Context(), jetstream.WithPurgeSubject("$KV."+bucketName+"."+key))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestDamageWhileReading: a record that the server has no longer is read from the second
// copy, and is in every list.
func TestDamageWhileReading(t *testing.T) {
	s, err := Open(t.Context(), &Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 5 {
		if _, err := s.Put(t.Context(), fmt.Sprintf("log.%d", i), fmt.Append(nil, i), 0); err != nil {
			t.Fatal(err)
		}
	}
	lose(t, s, "log.2")
	r, err := s.Get(t.Context(), "log.2")
	if err != nil || string(r.Value) != "2" {
		t.Errorf("Get = %s, %v", r.Value, err)
	}
	if _, err := s.Put(t.Context(), "log.2", []byte("2"), r.Revision); err != nil {
		t.Errorf("what was restored cannot be replaced: %v", err)
	}
	lose(t, s, "log.4")
	records, err := fleet.List(t.Context(), s, "log.")
	if err != nil || len(records) != 5 {
		t.Errorf("List = %v, %v", records, err)
	}
	if found := s.Damage(); len(found) != 2 || !strings.Contains(found[0], "log.2") || !strings.Contains(found[1], "log.4") {
		t.Errorf("said: %v", found)
	}
	if _, err := s.Get(t.Context(), "log.9"); !errors.Is(err, fleet.ErrNotFound) {
		t.Errorf("Get of what never was = %v", err)
	}
}

// TestOldTwin: what was written without the second copy, as by an earlier version, counts,
// and what was deleted then does not come back.
func TestOldTwin(t *testing.T) {
	dir := t.TempDir()
	open := func() *Store {
		s, err := Open(t.Context(), &Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	var at uint64
	var err error
	for i := range 4 {
		if at, err = s.Put(t.Context(), fmt.Sprintf("a.%d", i), []byte("before"), 0); err != nil {
			t.Fatal(err)
		}
	}
	s.twin.close()
	s.twin = nil
	if err := s.bind(t.Context(), false, 1, ""); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "a.3", at); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), "a.5", []byte("after"), 0); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s = open()
	defer s.Close()
	if found := s.twin.under(""); len(found) != 4 || found["a.3"] > 0 || found["a.5"] == 0 || len(s.Damage()) > 0 {
		t.Errorf("the second copy has %v; said: %v", found, s.Damage())
	}
}
