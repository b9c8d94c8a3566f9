package jetstream_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/fleettest"
)

// TestDirectory: a store with a second copy is a store.
func TestDirectory(t *testing.T) {
	fleettest.Run(t, func(t *testing.T) fleet.Store {
		s, err := jetstream.Open(t.Context(), &jetstream.Options{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	})
}

// openDir opens the records of a directory.
func openDir(t *testing.T, dir string, accept bool) (*jetstream.Store, error) {
	t.Helper()
	s, err := jetstream.Open(t.Context(), &jetstream.Options{Dir: dir, AcceptLoss: accept})
	if err == nil {
		t.Cleanup(s.Close)
	}
	return s, err
}

// written fills a directory with records that were replaced, deleted and kept, and returns
// what is kept.
func written(t *testing.T, dir string) map[string]string {
	t.Helper()
	s, err := openDir(t, dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	kept := map[string]string{}
	for i := range 30 {
		key := fmt.Sprintf("runs.job.%d", i)
		var at uint64
		for _, state := range []string{"waiting", "running", "finished"} {
			value := fmt.Sprintf(`{"s":%q,"pad":%q}`, state, strings.Repeat("x", i*10))
			if at, err = s.Put(t.Context(), key, []byte(value), at); err != nil {
				t.Fatal(err)
			}
			kept[key] = value
		}
		if i%5 == 0 {
			if err := s.Delete(t.Context(), key, at); err != nil {
				t.Fatal(err)
			}
			delete(kept, key)
		}
	}
	return kept
}

// everything returns the records of a store, by Watch and by Get.
func everything(t *testing.T, s *jetstream.Store) map[string]string {
	t.Helper()
	records, err := fleet.List(t.Context(), s, "runs.")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, r := range records {
		found[r.Key] = string(r.Value)
		one, err := s.Get(t.Context(), r.Key)
		if err != nil || !bytes.Equal(one.Value, r.Value) {
			t.Errorf("Get %s = %s, %v; List says %s", r.Key, one.Value, err, r.Value)
		}
	}
	return found
}

// damages are what may happen to a file.
func damages(size int) map[string]func(path string) error {
	edit := func(change func(raw []byte) []byte) func(string) error {
		return func(path string) error {
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, change(raw), 0o600)
		}
	}
	all := map[string]func(string) error{"delete": os.Remove}
	parts := min(10, size)
	for part := range parts + 1 {
		at := size * part / max(parts, 1)
		if part < parts && part%2 == 0 {
			all[fmt.Sprintf("cut at %d", at)] = edit(func(raw []byte) []byte { return raw[:at] })
		}
		all[fmt.Sprintf("flip at %d", at)] = edit(func(raw []byte) []byte {
			if n := min(at, len(raw)-1); n >= 0 {
				raw[n] ^= 0x10
			}
			return raw
		})
	}
	return all
}

// TestDamage: whatever happens to one file of a directory, all records are there when it
// is opened, none is old, none is back that was deleted; and it is said what was found.
func TestDamage(t *testing.T) {
	whole := t.TempDir()
	kept := written(t, whole)
	var files []string
	used := map[string]int{}
	err := filepath.WalkDir(whole, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "owner.lock" {
			name, _ := filepath.Rel(whole, path)
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files = append(files, name)
			used[name] = len(bytes.TrimRight(raw, "\x00"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 4 {
		t.Fatalf("the directory has %v", files)
	}
	for _, name := range files {
		for what, do := range damages(used[name]) {
			t.Run(what+" of "+name, func(t *testing.T) {
				t.Parallel() // where nothing comes any more, it is waited for
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
					t.Fatal(err)
				}
				if err := do(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
				for n := range 2 { // what was restored stays so
					s, err := openDir(t, dir, false)
					if err != nil {
						t.Fatalf("Open %d = %v", n, err)
					}
					if got := everything(t, s); !maps.Equal(got, kept) {
						t.Errorf("open %d: %d records, want %d: %v; said: %v", n, len(got), len(kept), slices.Sorted(maps.Keys(got)), s.Damage())
					}
					if s.Doubt() || n == 1 && len(s.Damage()) > 0 {
						t.Errorf("open %d: doubt %v, %v", n, s.Doubt(), s.Damage())
					}
					s.Close()
				}
			})
		}
	}
}

// cutUsed leaves so many tenths of what is used of the one file that fits a pattern.
func cutUsed(t *testing.T, dir, pattern string, tenths int) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	raw, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(found[0], raw[:len(bytes.TrimRight(raw, "\x00"))*tenths/10], 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestDamageOfBoth: what neither copy has is not taken for what there was.
func TestDamageOfBoth(t *testing.T) {
	for tenth := 1; tenth < 10; tenth += 2 { // wherever the ends are cut: what both have lost, neither shows
		dir := t.TempDir()
		written(t, dir)
		for _, pattern := range []string{"jetstream/*/streams/*/msgs/1.blk", "copy/*.log"} {
			cutUsed(t, dir, pattern, tenth)
		}
		if damage, err := jetstream.Check(t.Context(), dir); !errors.Is(err, jetstream.ErrDamaged) {
			t.Errorf("cut at %d tenths: Check = %q, %v; want %v", tenth, damage, err, jetstream.ErrDamaged)
		}
		if s, err := openDir(t, dir, false); !errors.Is(err, jetstream.ErrDamaged) {
			t.Errorf("cut at %d tenths: Open = %v, %v; want %v", tenth, s, err, jetstream.ErrDamaged)
		}
	}
	dir := t.TempDir()
	written(t, dir)
	for _, pattern := range []string{"jetstream/*/streams/*/msgs/1.blk", "copy/*.log"} {
		cutUsed(t, dir, pattern, 5)
	}
	for range 2 {
		if s, err := openDir(t, dir, false); !errors.Is(err, jetstream.ErrDamaged) {
			t.Fatalf("Open = %v, %v; want %v", s, err, jetstream.ErrDamaged)
		}
	}
	s, err := openDir(t, dir, true)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Doubt() || len(s.Damage()) == 0 {
		t.Errorf("doubt %v, damage %v", s.Doubt(), s.Damage())
	}
}

// blockOf is the server's file in a directory whose records need one.
func blockOf(t *testing.T, dir string) (path string, raw []byte) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "jetstream/*/streams/*/msgs/1.blk"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	if raw, err = os.ReadFile(found[0]); err != nil {
		t.Fatal(err)
	}
	return found[0], raw
}

// headSize is that of a record's head in such a file: 4 bytes of its length, 8 of its
// sequence, 8 of its time, 2 of the length of its subject.
const headSize = 4 + 8 + 8 + 2

// heads are where the records of such a file begin.
func heads(t *testing.T, raw []byte) (all []int) {
	t.Helper()
	for at := 0; at < len(raw); {
		all = append(all, at)
		size := int(binary.LittleEndian.Uint32(raw[at:]) &^ (1 << 31)) // its highest bit: it has headers
		if size < headSize || at+size > len(raw) {
			t.Fatalf("the record at byte %d has %d bytes of %d", at, size, len(raw))
		}
		at += size
	}
	return all
}

// startMemory is what a start may take that restores the records: two servers, and the
// segments of the twin that are read, three of them.
const startMemory = 160 << 20

// TestDamageOfSequence: a sequence that is far above the others has the server neither
// count up to it nor keep a list of what is between. With its highest bit that takes
// minutes and all memory there is; with the one that is changed here it took 1.5 GB.
func TestDamageOfSequence(t *testing.T) {
	dir := t.TempDir()
	kept := written(t, dir)
	path, raw := blockOf(t, dir)
	all := heads(t, raw)
	raw[all[len(all)-1]+4+3] ^= 0x04
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := openDir(t, dir, false)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if got := everything(t, s); !maps.Equal(got, kept) || len(s.Damage()) == 0 || s.Doubt() {
		t.Errorf("%d records, want %d; said: %v", len(got), len(kept), s.Damage())
	}
	if made := after.TotalAlloc - before.TotalAlloc; made > startMemory {
		t.Errorf("the start took %d MB, want at most %d", made>>20, startMemory>>20)
	}
}

// TestTornEnd: what a killed process was writing is no damage, and neither is what the
// server itself writes when it begins anew.
func TestTornEnd(t *testing.T) {
	dir := t.TempDir()
	kept := written(t, dir)
	path, raw := blockOf(t, dir)
	last := raw[slices.Max(heads(t, raw)):]
	for _, torn := range [][]byte{last[:headSize/2], last[:headSize+9], last[:len(last)-1]} {
		if err := os.WriteFile(path, slices.Concat(raw, torn), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := openDir(t, dir, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := everything(t, s); !maps.Equal(got, kept) || len(s.Damage()) > 0 {
			t.Errorf("%d bytes of a record at the end: %d records, want %d; said: %v", len(torn), len(got), len(kept), s.Damage())
		}
		s.Close()
	}
}

// TestDamageOfHead: whichever byte of a record's head is changed, all records are there.
func TestDamageOfHead(t *testing.T) {
	whole := t.TempDir()
	kept := written(t, whole)
	path, raw := blockOf(t, whole)
	path = path[len(whole):]
	all := heads(t, raw)
	var places []int
	for i := range headSize {
		places = append(places, all[len(all)/2]+i)
	}
	for _, at := range []int{all[len(all)/2], all[len(all)-1]} { // the length of the headers, which no checksum covers
		headers := at + headSize + int(binary.LittleEndian.Uint16(raw[at+headSize-2:]))
		places = append(places, headers, headers+1, headers+2, headers+3)
	}
	for _, at := range places {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			changed := bytes.Clone(raw)
			changed[at] ^= 0x10
			if err := os.WriteFile(filepath.Join(dir, path), changed, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := openDir(t, dir, false)
			if err != nil {
				t.Fatal(err)
			}
			if got := everything(t, s); !maps.Equal(got, kept) || s.Doubt() {
				t.Errorf("%d records, want %d; doubt %v; said: %v", len(got), len(kept), s.Doubt(), s.Damage())
			}
			s.Close()
		})
	}
}
