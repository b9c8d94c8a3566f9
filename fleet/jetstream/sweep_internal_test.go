package jetstream

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

var (
	sweepAll  = flag.Bool("sweep.all", false, "start a server for each place at which its reader notices nothing, not for some")
	sweepFrom = flag.Int("sweep.from", 0, "where such a sweep goes on: the first of its places")
)

// A change is what happened to a file at one place.
type change struct {
	what string
	do   func(raw []byte, at int) []byte
}

// changes are a cut, a byte that is gone, and so many bits that are others.
func changes(bits int) []change {
	all := []change{
		{"cut", func(raw []byte, at int) []byte { return raw[:at] }},
		{"gone", func(raw []byte, at int) []byte { return slices.Concat(raw[:at], raw[at+1:]) }},
	}
	for bit := 4; bit < 4+bits; bit++ {
		all = append(all, change{fmt.Sprintf("bit %d", bit%8), func(raw []byte, at int) []byte {
			changed := bytes.Clone(raw)
			changed[at] ^= 1 << (bit % 8)
			return changed
		}})
	}
	return all
}

// recorded fills a directory with records that were replaced, deleted and kept, and returns
// what is kept. The last that is done is a deletion, or a record.
func recorded(t *testing.T, dir string, jobs, pad int, deletes bool) map[string]string {
	t.Helper()
	s, err := Open(t.Context(), &Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	kept := map[string]string{}
	for i := range jobs {
		key := fmt.Sprintf("runs.job.%d", i)
		var at uint64
		for _, state := range []string{"waiting", "running", "finished"} {
			value := fmt.Sprintf(`{"s":%q,"pad":%q}`, state, strings.Repeat("x", i*pad))
			if at, err = s.Put(t.Context(), key, []byte(value), at); err != nil {
				t.Fatal(err)
			}
			kept[key] = value
		}
		if i%5 == 0 || deletes && i == jobs-1 {
			if err := s.Delete(t.Context(), key, at); err != nil {
				t.Fatal(err)
			}
			delete(kept, key)
		}
	}
	return kept
}

// smallSegments has twins of a test take little room.
func smallSegments(t *testing.T, size int64) {
	was := segmentSize
	segmentSize = size
	t.Cleanup(func() { segmentSize = was })
}

// fileOf reads the one file of a directory that fits a pattern.
func fileOf(t *testing.T, dir, pattern string) (name string, raw []byte) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) != 1 {
		t.Fatal(pattern, found, err)
	}
	if raw, err = os.ReadFile(found[0]); err != nil {
		t.Fatal(err)
	}
	return found[0][len(dir)+1:], raw
}

// noticed reports whether the reader calls a block damaged that is the last one.
func noticed(t *testing.T, raw []byte) bool {
	t.Helper()
	sum, err := blockHash("KV_"+bucketName, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, end, whole := readBlock(raw, sum)
	return end < len(raw) && !whole
}

// TestSweepOfReaders: at whichever place the server's file of records is changed, its reader
// notices, and all is taken from the second copy; but for what looks like the end of a file
// that was written when the process was killed (TestSweepOfStarts). At whichever place the
// second copy is changed, its reader notices, and it is made anew from the servers' records.
func TestSweepOfReaders(t *testing.T) {
	smallSegments(t, 64<<10)
	dir := t.TempDir()
	jobs, bits := 6, 1
	if *sweepAll {
		jobs, bits = 30, 8
	}
	recorded(t, dir, jobs, 10, false)

	_, raw := fileOf(t, dir, "jetstream/*/streams/*/msgs/1.blk")
	starts := map[int]bool{len(raw): true}
	for at := 0; at < len(raw); at += int(binary.LittleEndian.Uint32(raw[at:]) &^ withHeaders) {
		starts[at] = true
	}
	tried, begin := 0, 0
	for at := range raw {
		if starts[at] {
			begin = at
		}
		if at%chrometest.Thin(5) != 0 {
			continue
		}
		for _, c := range changes(bits) {
			tried++
			changed := c.do(raw[begin:], at-begin) // the records before it are as they were
			// The first record that is another; a byte that is gone may be as the one behind it.
			first := begin
			for first-begin < len(changed) && changed[first-begin] == raw[first] {
				first++
			}
			for !starts[first] {
				first--
			}
			rest := changed[first-begin:]
			torn := c.what == "cut" || int(binary.LittleEndian.Uint32(append(rest, 0, 0, 0, 0))&^withHeaders) > len(rest)
			if got := noticed(t, changed); got == torn {
				t.Errorf("block, byte %d, %s: noticed %v, want %v", at, c.what, got, !torn)
			}
		}
	}
	t.Logf("%d changes of the server's file", tried)

	_, raw = fileOf(t, dir, "copy/*.log")
	whole, wrong, err := loadTwin(filepath.Join(dir, twinDir))
	if err != nil || len(wrong) > 0 {
		t.Fatal(wrong, err)
	}
	defer whole.close()
	have := whole.under("")
	tried = 0
	for at := 0; at <= len(bytes.TrimRight(raw, "\x00")); at += chrometest.Thin(5) {
		for _, c := range changes(bits) {
			tried++
			changed := &twin{dir: whole.dir, index: map[string]spot{}, marked: whole.marked}
			r := changed.read(1, c.do(raw, at))
			d := compare(have, changed)
			if len(r.wrong) == 0 || changed.epoch != "" && changed.epoch != whole.epoch || !changed.within(&d, whole.newest) {
				t.Errorf("copy, byte %d, %s: said %v; epoch %q, %+v", at, c.what, r.wrong, changed.epoch, d)
			}
		}
	}
	t.Logf("%d changes of the second copy", tried)
}

// A damage is a directory's file as it may be.
type damage struct {
	what, name string
	content    []byte
}

// unnoticed are the changes of a directory's files that no reader of ours notices before
// the server starts, and each change of files that it does not read.
func unnoticed(t *testing.T, dir string) (all []damage) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, dir+"/")
		// Those files are locked, removed at each start, and swept by the readers.
		if err != nil || !d.Type().IsRegular() || name == "owner.lock" || filepath.Ext(name) == ".db" || filepath.Ext(name) == ".log" {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for at := range raw {
			for _, c := range changes(1) {
				if changed := c.do(raw, at); filepath.Ext(name) != ".blk" || !noticed(t, changed) {
					all = append(all, damage{fmt.Sprintf("%s, byte %d, %s", name, at, c.what), name, changed})
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestSweepOfStarts: after each change that is left for the server to find, all records are
// there, none is old, and none is back that was deleted.
func TestSweepOfStarts(t *testing.T) {
	smallSegments(t, 16<<10)
	for last, deletes := range map[string]bool{"a record": false, "a deletion": true} {
		t.Run(last, func(t *testing.T) { sweepStarts(t, deletes) })
	}
}

// sweepStarts does so with a directory whose last change was a deletion, or was none.
func sweepStarts(t *testing.T, deletes bool) {
	dir := t.TempDir()
	kept := recorded(t, dir, 7, 3, deletes)
	all := unnoticed(t, dir)
	step := 211 * chrometest.Thin(3)
	if *sweepAll {
		step = 1
	}
	work := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range work {
				if err := startsWith(t, dir, &all[i], kept); err != nil {
					t.Errorf("%d of %d: %s: %v", i, len(all), all[i].what, err)
				}
			}
		})
	}
	starts := 0
	for i := *sweepFrom; i < len(all); i += step {
		work <- i
		if starts++; starts%500 == 0 {
			t.Logf("%d starts, to %d of %d", starts, i, len(all))
		}
	}
	close(work)
	workers.Wait()
	t.Logf("%d starts, for %d changes", starts, len(all))
}

// startsWith opens a copy of a directory with one file as it may be.
func startsWith(t *testing.T, whole string, d *damage, kept map[string]string) error {
	dir, err := os.MkdirTemp(t.TempDir(), "records")
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, d.name), d.content, 0o600); err != nil {
		return err
	}
	s, err := Open(t.Context(), &Options{Dir: dir})
	if err != nil {
		return err // a server may be reading there yet: the directory stays until the test ends
	}
	defer os.RemoveAll(dir)
	defer s.Close()
	records, err := fleet.List(t.Context(), s, "runs.")
	if err != nil {
		return err
	}
	found := map[string]string{}
	for _, r := range records {
		found[r.Key] = string(r.Value)
	}
	if !maps.Equal(found, kept) || s.Doubt() {
		return fmt.Errorf("%d records, want %d: %v; doubt %v; said: %v", len(found), len(kept), slices.Sorted(maps.Keys(found)), s.Doubt(), s.Damage())
	}
	return nil
}
