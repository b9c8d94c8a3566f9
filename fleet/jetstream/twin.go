package jetstream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/files"
)

// A twin is the second copy of the records of a single node, in files of its own:
// what is damaged in one of the two is restored from the other. It is a log in
// segments of one size, each filled with zeros to its end, so that a cut shows; each
// entry has its number and a checksum, so that a gap and a changed byte show. Of the
// entries of a key the last one counts.
type twin struct {
	dir   string
	epoch string // names it, and stands in the store's own settings

	mu       sync.Mutex // protects what follows
	index    map[string]spot
	segments []int // that are there, the oldest first
	current  *os.File
	end      int64       // of what was written to current
	number   uint64      // of the last entry
	newest   uint64      // the highest revision
	marked   uint64      // the highest revision that the mark has; 0 if it has none
	mark     *os.File    // nil before the first write
	live     int64       // bytes of the records that count
	total    int64       // of all entries
	unsynced *time.Timer // set while something is not on the disk
	failed   error       // why nothing was written the last time
	bad      error       // an entry that cannot be read: nothing is cleaned away any more
}

// A spot is where the entry is that counts for a key.
type spot struct {
	segment  int
	offset   int64
	size     int64 // of the entry
	revision uint64
	deleted  bool
}

// The kinds of entries.
const (
	entryHead   = 1 + iota // begins a segment: key is the epoch, revision the oldest segment that is there
	entryPut               // a record
	entryDelete            // a record of that revision, or an older one, is gone
	entryEnd               // ends a segment: there is another
	entryOldest            // the oldest segment that is there is now that of the revision
)

const (
	entryMagic  = "wfr1"
	entryHeader = 4 + 1 + 8 + 8 + 2 + 4 + 4 // magic, kind, number, revision, lengths of key and value, checksum
)

// segmentSize is what is read at once to clean a segment, and the size of the smallest
// twin: twenty of the largest records. A test that opens many twins makes it smaller.
var segmentSize int64 = 16 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errTwin is a twin that is not as it was written.
var errTwin = errors.New("jetstream: the second copy is damaged")

func (t *twin) path(segment int) string {
	return filepath.Join(t.dir, fmt.Sprintf("%08d.log", segment))
}

// encodeEntry makes the bytes of an entry.
func encodeEntry(kind byte, number, revision uint64, key string, value []byte) []byte {
	b := make([]byte, 0, entryHeader+len(key)+len(value))
	b = append(append(b, entryMagic...), kind)
	b = binary.BigEndian.AppendUint64(b, number)
	b = binary.BigEndian.AppendUint64(b, revision)
	b = binary.BigEndian.AppendUint16(b, uint16(len(key)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(value)))
	b = append(append(append(b, 0, 0, 0, 0), key...), value...)
	binary.BigEndian.PutUint32(b[entryHeader-4:], checksum(b))
	return b
}

// checksum is that of an entry, but for the four bytes that it stands in.
func checksum(b []byte) uint32 {
	return crc32.Update(crc32.Checksum(b[:entryHeader-4], castagnoli), castagnoli, b[entryHeader:])
}

// An entry is one as it was read.
type entry struct {
	kind             byte
	number, revision uint64
	key              string
	value            []byte
	size             int64
}

// decodeEntry reads the entry that b begins with; nil, nil is the end of a segment.
func decodeEntry(b []byte) (*entry, error) {
	if len(b) < entryHeader || b[0] == 0 {
		if bytes.Count(b, []byte{0}) < len(b) {
			return nil, errTwin
		}
		return nil, nil
	}
	keyed, valued := int(binary.BigEndian.Uint16(b[21:])), int(binary.BigEndian.Uint32(b[23:]))
	size := entryHeader + keyed + valued
	if string(b[:4]) != entryMagic || valued > len(b) || size > len(b) || checksum(b[:size]) != binary.BigEndian.Uint32(b[entryHeader-4:]) {
		return nil, errTwin
	}
	return &entry{
		kind: b[4], number: binary.BigEndian.Uint64(b[5:]), revision: binary.BigEndian.Uint64(b[13:]),
		key: string(b[entryHeader : entryHeader+keyed]), value: b[entryHeader+keyed : size], size: int64(size),
	}, nil
}

// newTwin makes an empty one in a directory that is not there.
func newTwin(dir, epoch string) (*twin, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	t := &twin{dir: dir, epoch: epoch, index: map[string]spot{}}
	return t, t.begin(1)
}

// begin makes the next segment, and then notes it in the one before. t.mu is held, or
// t is not shared yet.
func (t *twin) begin(segment int) error {
	file, err := os.OpenFile(t.path(segment), os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	before, end, number := t.current, t.end, t.number
	oldest := segment
	if len(t.segments) > 0 {
		oldest = t.segments[0]
	}
	if before != nil {
		number++ // the end of the one before stands before its head
	}
	head := encodeEntry(entryHead, number+1, uint64(oldest), t.epoch, nil)
	err = file.Truncate(segmentSize)
	if err == nil {
		_, err = file.WriteAt(head, 0)
	}
	if err == nil {
		err = file.Sync()
	}
	if err == nil && before != nil {
		if _, err = before.WriteAt(encodeEntry(entryEnd, number, 0, "", nil), end); err == nil {
			err = before.Sync()
		}
	}
	if err != nil {
		_ = file.Close() // it is made anew
		_ = os.Remove(file.Name())
		return err
	}
	if before != nil {
		_ = before.Close() // it was synced
	}
	t.segments = append(t.segments, segment)
	t.current, t.end, t.number = file, int64(len(head)), number+1
	return files.SyncDir(t.dir)
}

// loadTwin reads the twin of a directory, and what is wrong in it: then it has what
// could be read, and cannot be written to. Without any it returns fs.ErrNotExist.
func loadTwin(dir string) (_ *twin, wrong []string, _ error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if _, missing := os.Stat(dir); missing != nil {
		return nil, nil, missing
	}
	if err != nil {
		return nil, nil, err
	}
	t := &twin{dir: dir, index: map[string]spot{}, marked: readMark(dir)}
	var found []int
	for _, name := range names {
		var n int
		if _, err := fmt.Sscanf(filepath.Base(name), "%08d.log", &n); err == nil {
			found = append(found, n)
		}
	}
	slices.Sort(found)
	oldest, sealed := 0, true
	for _, n := range found {
		raw, err := os.ReadFile(t.path(n))
		if err != nil {
			return nil, nil, err
		}
		r := t.read(n, raw)
		wrong = append(wrong, r.wrong...)
		oldest, sealed = max(oldest, r.oldest), r.sealed
		t.segments = append(t.segments, n)
		t.end = r.end
	}
	if sealed && len(wrong) == 0 {
		wrong = append(wrong, fmt.Sprintf("%s: the file after the last one is gone", dir))
	}
	for i, n := range t.segments {
		switch {
		case n < oldest: // what was about to be removed
		case i == 0 && n > oldest, i > 0 && t.segments[i-1] >= oldest && t.segments[i-1] != n-1:
			wrong = append(wrong, fmt.Sprintf("%s: a file before it is gone", t.path(n)))
		}
	}
	if len(wrong) > 0 {
		return t, wrong, nil
	}
	for len(t.segments) > 0 && t.segments[0] < oldest {
		if err := os.Remove(t.path(t.segments[0])); err != nil {
			return nil, nil, err
		}
		t.segments = t.segments[1:]
	}
	t.current, err = os.OpenFile(t.path(t.segments[len(t.segments)-1]), os.O_RDWR, 0o600)
	return t, nil, err
}

// A reading is what a segment said of itself.
type reading struct {
	wrong  []string
	oldest int
	sealed bool
	end    int64
}

// read takes in the bytes of a segment, as far as they can be read.
func (t *twin) read(segment int, raw []byte) (r reading) {
	complain := func(format string, args ...any) {
		r.wrong = append(r.wrong, t.path(segment)+": "+fmt.Sprintf(format, args...))
	}
	if int64(len(raw)) != segmentSize {
		complain("it has %d bytes, and had %d", len(raw), segmentSize)
	}
	for r.end < int64(len(raw)) && !r.sealed {
		e, err := decodeEntry(raw[r.end:])
		if err != nil {
			complain("the entry at byte %d is not as it was written", r.end)
			next := bytes.Index(raw[r.end+1:], []byte(entryMagic))
			if next < 0 {
				break
			}
			r.end += int64(next) + 1
			continue
		}
		if e == nil {
			break
		}
		switch {
		case r.end == 0 && (e.kind != entryHead || t.epoch != "" && e.key != t.epoch):
			complain("it does not belong to the others")
		case r.end == 0 && e.number == t.number+2: // the one before was about to say that it has ended
		case t.number > 0 && e.number != t.number+1 && len(r.wrong) == 0:
			complain("entries before byte %d are gone", r.end)
		}
		t.number = e.number
		switch e.kind {
		case entryHead:
			t.epoch, r.oldest = e.key, int(e.revision)
		case entryOldest:
			r.oldest = int(e.revision)
		case entryEnd:
			r.sealed = true
		case entryPut, entryDelete:
			t.note(e.key, spot{segment, r.end, e.size, e.revision, e.kind == entryDelete})
		}
		r.end += e.size
	}
	return r
}

// note takes an entry in that was written.
func (t *twin) note(key string, s spot) {
	if was, ok := t.index[key]; ok {
		if was.revision > s.revision {
			t.total += s.size
			return
		}
		if !was.deleted {
			t.live -= was.size
		}
	}
	t.index[key] = s
	if !s.deleted {
		t.live += s.size
	}
	t.total += s.size
	t.newest = max(t.newest, s.revision)
}

// put writes a record that the store has taken under a revision.
func (t *twin) put(key string, value []byte, revision uint64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.index[key].revision > revision {
		return nil // a later one is known
	}
	return t.append(entryPut, key, value, revision)
}

// remove writes that the record of a revision is about to be deleted. It is on the disk
// when remove returns: else what was deleted would come back from here.
func (t *twin) remove(key string, revision uint64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.index[key].revision > revision {
		return nil
	}
	if err := t.append(entryDelete, key, nil, revision); err != nil {
		return err
	}
	return t.syncNow()
}

// append writes an entry. t.mu is held.
func (t *twin) append(kind byte, key string, value []byte, revision uint64) (err error) {
	defer func() { t.failed = err }()
	s, err := t.write(kind, key, value, revision)
	if err != nil {
		return fmt.Errorf("jetstream: the second copy in %s: %w", t.dir, err)
	}
	t.note(key, s)
	if err := t.setMark(); err != nil {
		return fmt.Errorf("jetstream: the second copy in %s: %w", t.dir, err)
	}
	// The log is at most twice as long as what counts in it, and one segment more.
	for t.bad == nil && len(t.segments) > 1 && t.total > 2*t.live+segmentSize {
		if err := t.clean(); err != nil {
			return fmt.Errorf("jetstream: the second copy in %s: %w", t.dir, err)
		}
	}
	return nil
}

// markName is the file of the mark: the highest revision that the twin has ever had,
// and a checksum. Where both copies have lost their ends, neither shows it: the store's
// files are shortened without a word, and a twin that was cut has nothing later. The
// mark does. It is not brought to the disk at each write: after a loss of power it may
// be old, and says less.
const markName = "mark"

// setMark writes the mark, if there is a higher revision. t.mu is held.
func (t *twin) setMark() error {
	if t.newest <= t.marked {
		return nil
	}
	if t.mark == nil {
		var err error
		if t.mark, err = os.OpenFile(filepath.Join(t.dir, markName), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
			return err
		}
	}
	raw := binary.BigEndian.AppendUint64(nil, t.newest)
	if _, err := t.mark.WriteAt(binary.BigEndian.AppendUint32(raw, crc32.Checksum(raw, castagnoli)), 0); err != nil {
		return err
	}
	t.marked = t.newest
	return nil
}

// readMark returns the mark of a directory; 0: there is none, or none that can be read.
func readMark(dir string) uint64 {
	raw, err := os.ReadFile(filepath.Join(dir, markName))
	if err != nil || len(raw) != 12 || crc32.Checksum(raw[:8], castagnoli) != binary.BigEndian.Uint32(raw[8:]) {
		return 0
	}
	return binary.BigEndian.Uint64(raw)
}

// write writes an entry to the last segment, or to a new one where it has no room.
func (t *twin) write(kind byte, key string, value []byte, revision uint64) (spot, error) {
	size := int64(entryHeader + len(key) + len(value))
	if t.end+size+entryHeader > segmentSize { // with the entry that ends it
		if err := t.begin(t.segments[len(t.segments)-1] + 1); err != nil {
			return spot{}, err
		}
	}
	raw := encodeEntry(kind, t.number+1, revision, key, value)
	if _, err := t.current.WriteAt(raw, t.end); err != nil {
		// What was written of it must not look like an entry that was changed.
		if cut := t.current.Truncate(t.end); cut == nil {
			_ = t.current.Truncate(segmentSize) // else the next write makes it longer
		}
		return spot{}, err
	}
	s := spot{t.segments[len(t.segments)-1], t.end, size, revision, kind == entryDelete}
	t.end += size
	t.number++
	t.syncSoon()
	return s, nil
}

// clean writes anew what counts in the oldest segment, and removes it. What it says
// of deletions is left out: nothing older is left that would have to be deleted.
func (t *twin) clean() error {
	oldest := t.segments[0]
	raw, err := os.ReadFile(t.path(oldest))
	if err != nil {
		return err
	}
	for at := int64(0); at < int64(len(raw)); {
		e, err := decodeEntry(raw[at:])
		if err != nil {
			t.bad = fmt.Errorf("%w: %s at byte %d", err, t.path(oldest), at)
			return nil
		}
		if e == nil {
			break
		}
		if e.kind == entryPut || e.kind == entryDelete {
			t.total -= e.size
			if s := t.index[e.key]; s.segment == oldest && s.offset == at {
				delete(t.index, e.key)
				if e.kind == entryPut {
					t.live -= s.size
					s, err := t.write(entryPut, e.key, e.value, e.revision)
					if err != nil {
						return err
					}
					t.note(e.key, s)
				}
			}
		}
		at += e.size
		if e.kind == entryEnd {
			break
		}
	}
	if _, err := t.write(entryOldest, "", nil, uint64(t.segments[1])); err != nil {
		return err
	}
	if err := t.syncNow(); err != nil {
		return err
	}
	t.segments = t.segments[1:]
	return os.Remove(t.path(oldest))
}

// get returns a record; found is false for one that was deleted or never was.
func (t *twin) get(key string) (value []byte, revision uint64, found bool, _ error) {
	t.mu.Lock()
	s, ok := t.index[key]
	if !ok || s.deleted {
		t.mu.Unlock()
		return nil, 0, false, nil
	}
	raw := make([]byte, s.size)
	file, err := os.Open(t.path(s.segment))
	t.mu.Unlock()
	if err != nil {
		return nil, 0, true, err
	}
	defer file.Close()
	if _, err := file.ReadAt(raw, s.offset); err != nil {
		return nil, 0, true, err
	}
	e, err := decodeEntry(raw)
	if err == nil && (e == nil || e.key != key || e.revision != s.revision) {
		err = errTwin
	}
	if err != nil {
		return nil, 0, true, err
	}
	return e.value, e.revision, true, nil
}

// under returns the revisions of the records below a prefix.
func (t *twin) under(prefix string) map[string]uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := map[string]uint64{}
	for key, s := range t.index {
		if !s.deleted && strings.HasPrefix(key, prefix) {
			all[key] = s.revision
		}
	}
	return all
}

// syncNow brings what was written to the disk. t.mu is held.
func (t *twin) syncNow() error {
	if t.unsynced == nil {
		return nil
	}
	t.unsynced.Stop()
	t.unsynced = nil
	return t.current.Sync()
}

// syncSoon does so within a second: what a loss of power takes from the twin, the store
// has, which brings each write to the disk where it is asked to. t.mu is held.
func (t *twin) syncSoon() {
	if t.unsynced != nil {
		return
	}
	t.unsynced = time.AfterFunc(time.Second, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.current == nil {
			return
		}
		if err := t.syncNow(); err != nil {
			t.failed = err
		}
	})
}

// at returns what is known of a key; the zero spot is nothing.
func (t *twin) at(key string) spot {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.index[key]
}

// has reports whether there is a record, as far as the twin knows.
func (t *twin) has(key string) bool {
	s := t.at(key)
	return s.revision > 0 && !s.deleted
}

// state returns why the twin cannot be relied on; nil if it can.
func (t *twin) state() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return errors.Join(t.failed, t.bad)
}

func (t *twin) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current == nil {
		return
	}
	_ = t.syncNow() // else the store has it
	_ = t.current.Close()
	if t.mark != nil {
		_ = t.mark.Close() // the next opening reads what is there
		t.mark = nil
	}
	t.current = nil
}

// within reports that the servers, whose highest revision is newest, have all that a
// damaged twin ever had.
func (t *twin) within(d *difference, newest uint64) bool {
	return len(d.older) == 0 && t.marked > 0 && t.newest <= t.marked && t.marked <= newest
}
