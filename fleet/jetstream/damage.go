package jetstream

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// ErrDamaged: the directory's records and their second copy are both damaged, so that
// neither can restore the other. [Options.AcceptLoss] opens it with what is left.
var ErrDamaged = errors.New("jetstream: records are damaged, and so is their second copy")

const (
	serverDir   = "jetstream" // of the NATS server, below the directory
	twinDir     = "copy"      // so is this one
	twinSetting = "wayfinder" // of the bucket: the name of its twin
)

// A difference is what the twin and the servers do not have in common, by its keys.
type difference struct {
	lost    []string // in the store, or older there
	older   []string // of those: the ones that are there, older
	back    []string // in the store, and deleted
	fresh   []string // in the store alone, or later there
	deleted []string // in the store, and about to be deleted when the process ended
}

// compare holds what the servers have against the twin.
func compare(have map[string]uint64, t *twin) (d difference) {
	for key, s := range t.index {
		r, there := have[key]
		switch {
		case there && r > s.revision:
			d.fresh = append(d.fresh, key)
		case s.deleted && there && r == s.revision:
			d.deleted = append(d.deleted, key)
		case s.deleted && there:
			d.back = append(d.back, key)
		case s.deleted:
		case !there:
			d.lost = append(d.lost, key)
		case r < s.revision:
			d.lost = append(d.lost, key)
			d.older = append(d.older, key)
		}
	}
	for key, r := range have {
		if _, known := t.index[key]; known {
			continue
		}
		// The twin is written after each record, before the next one: what it lacks is
		// later than all that it has, or was deleted so long ago that it forgot.
		if r > t.newest {
			d.fresh = append(d.fresh, key)
		} else {
			d.back = append(d.back, key)
		}
	}
	return d
}

// within reports that the servers, whose highest revision is newest, have all that a
// damaged twin ever had.
func (t *twin) within(d *difference, newest uint64) bool {
	return len(d.older) == 0 && t.marked > 0 && t.newest <= t.marked && t.marked <= newest
}

// forgetIndexes removes what the server has noted of its own files beside them. With those
// notes it believes the files, and what was changed in one shows when a record is asked for:
// a changed sequence has it fill a list with all numbers up to that one. Without them it
// reads all records at its start, as after a kill, and leaves out what fails its checksum.
func forgetIndexes(dir string) error {
	found, err := filepath.Glob(filepath.Join(dir, serverDir, "*", "streams", "*", "msgs", "*.db"))
	if err != nil {
		return fmt.Errorf("jetstream: %w", err)
	}
	for _, path := range found {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("jetstream: %w", err)
		}
	}
	return nil
}

// restoreAll has the server begin anew with what the twin has, where its own files are
// damaged and the twin has all that they had. A server does not read such files.
func (s *Store) restoreAll(ctx context.Context, settings *server.Options) (done bool, _ error) {
	var damage string
	var newest uint64
	var err error
	late := s.inTime(ctx, settings, func() { damage, newest, err = readBlocks(settings.StoreDir) })
	if late != nil {
		return false, late // the variables are the reading's yet
	}
	if err != nil || damage == "" {
		return false, err
	}
	if s.twin = settledTwin(settings.StoreDir, newest); s.twin == nil {
		return false, nil
	}
	s.found(damage)
	return true, s.rebuild(ctx, settings)
}

// openTwice binds the records of a directory, and holds them against their second copy.
// What is damaged in one of the two is taken from the other.
func (s *Store) openTwice(ctx context.Context, settings *server.Options, acceptLoss bool) error {
	dir := filepath.Join(settings.StoreDir, twinDir)
	name, last, err := s.named(ctx)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir + ".new"); err != nil { // one that was not finished
		return fmt.Errorf("jetstream: %w", err)
	}
	t, wrong, err := loadTwin(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if name != "" {
			s.found(fmt.Sprintf("%s: the second copy is gone; it is made anew", dir))
		}
		return s.copyAll(ctx, dir, acceptLoss)
	case err != nil:
		return fmt.Errorf("jetstream: %w", err)
	case last > 0 && t.epoch != "" && name != t.epoch:
		s.log.Info("the records were written without their second copy; it is made anew", "dir", dir)
		t.close()
		return s.copyAll(ctx, dir, acceptLoss)
	}
	if name == "" {
		name = t.epoch
	}
	if err := s.bind(ctx, false, 1, name); err != nil {
		t.close()
		return err
	}
	have, newest, whole, err := s.revisions(ctx)
	if err != nil {
		t.close()
		return err
	}
	d := compare(have, t)
	for _, w := range wrong {
		s.found(w)
	}
	ends := t.marked > max(t.newest, last)
	if ends {
		s.found(fmt.Sprintf("%s: records up to revision %d were written, and both copies end at %d", settings.StoreDir, t.marked, max(t.newest, last)))
	}
	switch {
	case ends:
	case len(wrong) == 0 && whole && len(d.lost)+len(d.back) == 0:
		s.twin = t
		return s.settle(ctx, append(d.fresh, d.deleted...))
	case len(wrong) == 0:
		s.tell(settings.StoreDir, whole, &d)
		s.twin = t
		for _, key := range d.fresh {
			if err := s.adopt(ctx, key); err != nil {
				s.found(fmt.Sprintf("the record %s cannot be read: %v", key, err))
				if !acceptLoss {
					return &DamagedError{s.Damage()}
				}
				s.health.doubt = true
			}
		}
		return s.rebuild(ctx, settings)
	case whole && t.within(&d, newest):
		t.close()
		return s.copyAll(ctx, dir, acceptLoss)
	}
	s.tell(settings.StoreDir, whole, &d)
	if !acceptLoss {
		t.close()
		return &DamagedError{s.Damage()}
	}
	s.health.doubt = true
	merged, err := s.merge(ctx, t, dir, have)
	if err != nil {
		return err
	}
	s.twin = merged
	return s.rebuild(ctx, settings)
}

// tell says what the records lack.
func (s *Store) tell(dir string, whole bool, d *difference) {
	dir = filepath.Join(dir, serverDir)
	if !whole {
		s.found(dir + ": the records cannot be read to their end")
	}
	for _, one := range []struct {
		keys []string
		what string
	}{{d.lost, "are gone, or older than they were"}, {d.back, "are back that were deleted"}} {
		if n := len(one.keys); n > 0 {
			slices.Sort(one.keys)
			s.found(fmt.Sprintf("%s: %d records %s: %s", dir, n, one.what, shortList(one.keys)))
		}
	}
}

// shortList is some of the keys, as a log has room for.
func shortList(keys []string) string {
	const most = 20
	if len(keys) <= most {
		return strings.Join(keys, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(keys[:most], ", "), len(keys)-most)
}

// found notes damage, and says so in the log.
func (s *Store) found(what string) {
	s.health.Lock()
	s.health.damaged = append(s.health.damaged, what)
	s.health.Unlock()
	s.log.Error("records are damaged", "found", what)
}

// Damage returns what was found to be damaged in the files since the store was opened.
func (s *Store) Damage() []string {
	s.health.Lock()
	defer s.health.Unlock()
	return slices.Clone(s.health.damaged)
}

// Doubt reports that records may be missing, or be old, by [Options.AcceptLoss].
func (s *Store) Doubt() bool {
	s.health.Lock()
	defer s.health.Unlock()
	return s.health.doubt
}

// named returns the name of the twin that the bucket has, and the last revision; 0 where
// there is no bucket.
func (s *Store) named(ctx context.Context) (name string, last uint64, _ error) {
	js, err := jetstream.New(s.conn)
	if err != nil {
		return "", 0, fmt.Errorf("jetstream: %w", err)
	}
	asked, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	stream, err := js.Stream(asked, "KV_"+bucketName)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return "", 0, nil
	}
	if err != nil {
		return "", 0, failed(bucketName, err)
	}
	info := stream.CachedInfo()
	return info.Config.Metadata[twinSetting], info.State.LastSeq, nil
}

// revisions returns the revisions of all records that the servers can read, and the
// highest of them and of the marks of deleted records. whole is false where the
// servers did not report all.
func (s *Store) revisions(ctx context.Context) (have map[string]uint64, newest uint64, whole bool, _ error) {
	have = map[string]uint64{}
	subjects := "$KV." + bucketName + "."
	sub, err := s.changes.SubscribeSync(subjects+">", nats.BindStream("KV_"+bucketName), nats.OrderedConsumer(), nats.DeliverLastPerSubject(), nats.HeadersOnly())
	if err != nil {
		return nil, 0, false, failed(bucketName, err)
	}
	defer sub.Unsubscribe()
	pending, err := sub.InitialConsumerPending()
	if err != nil {
		return nil, 0, false, failed(bucketName, err)
	}
	for n := uint64(0); n < pending; n++ {
		asked, cancel := context.WithTimeout(ctx, stallLimit)
		m, err := sub.NextMsgWithContext(asked)
		cancel()
		if context.Cause(ctx) != nil {
			return nil, 0, false, context.Cause(ctx)
		}
		if err != nil {
			return have, newest, false, nil
		}
		about, err := m.Metadata()
		if err != nil {
			return nil, 0, false, failed(bucketName, err)
		}
		newest = max(newest, about.Sequence.Stream)
		if !isDeletion(m.Header) {
			have[m.Subject[len(subjects):]] = about.Sequence.Stream
		}
		if about.NumPending == 0 {
			return have, newest, n+1 == pending, nil
		}
	}
	return have, newest, true, nil
}

// copyAll makes the twin anew from what the servers have.
func (s *Store) copyAll(ctx context.Context, dir string, acceptLoss bool) error {
	name := rand.Text()
	if err := s.bind(ctx, false, 1, ""); err != nil {
		return err
	}
	have, _, whole, err := s.revisions(ctx)
	if err != nil {
		return err
	}
	t, err := newTwin(dir+".new", name)
	if err != nil {
		return fmt.Errorf("jetstream: %w", err)
	}
	defer t.close()
	for _, key := range slices.SortedFunc(maps.Keys(have), func(a, b string) int { return int(have[a]) - int(have[b]) }) {
		r, err := s.read(ctx, key)
		if context.Cause(ctx) != nil {
			return context.Cause(ctx)
		}
		if err == nil {
			err = t.put(key, r.Value, r.Revision)
			if err != nil {
				return err
			}
			continue
		}
		whole = false
		s.found(fmt.Sprintf("the record %s cannot be read: %v", key, err))
	}
	if !whole {
		if !acceptLoss {
			return &DamagedError{s.Damage()}
		}
		s.health.doubt = true
	}
	if s.twin, err = replaceTwin(dir, t); err != nil {
		return err
	}
	return s.bind(ctx, false, 1, name)
}

// replaceTwin puts a new twin in the place of the one of a directory, if there is one.
func replaceTwin(dir string, t *twin) (*twin, error) {
	t.close()
	if err := os.RemoveAll(dir); err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	if err := os.Rename(t.dir, dir); err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	t, wrong, err := loadTwin(dir)
	if err == nil && len(wrong) > 0 {
		err = fmt.Errorf("%w: %s", errTwin, wrong[0])
	}
	return t, err
}

// merge makes a twin of the latest that either has of each record.
func (s *Store) merge(ctx context.Context, old *twin, dir string, have map[string]uint64) (*twin, error) {
	t, err := newTwin(dir+".new", rand.Text())
	if err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	for key, revision := range have {
		if old.index[key].revision > revision {
			continue
		}
		r, err := s.read(ctx, key)
		if err != nil {
			s.found(fmt.Sprintf("the record %s cannot be read: %v", key, err))
			continue
		}
		if err := t.put(key, r.Value, r.Revision); err != nil {
			return nil, err
		}
	}
	for key := range old.under("") {
		value, revision, _, err := old.get(key)
		if err == nil && revision > have[key] {
			err = t.put(key, value, revision)
			if err != nil {
				return nil, err
			}
		}
	}
	return replaceTwin(dir, t)
}

// rebuild puts the servers' files aside, and has them begin anew with what the twin has.
func (s *Store) rebuild(ctx context.Context, settings *server.Options) error {
	if s.conn != nil {
		s.conn.Close()
		s.end()
		s.end = nil
	}
	aside := filepath.Join(settings.StoreDir, "damaged-"+time.Now().UTC().Format("20060102T150405.000Z"))
	if err := os.Rename(filepath.Join(settings.StoreDir, serverDir), aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("jetstream: %w", err)
	}
	if err := s.launch(ctx, settings); err != nil {
		return err
	}
	if err := s.bind(ctx, false, 1, s.twin.epoch); err != nil {
		return err
	}
	// New revisions are above all that there were.
	js, err := jetstream.New(s.conn)
	if err == nil {
		asked, cancel := context.WithTimeout(ctx, s.limit)
		var stream jetstream.Stream
		if stream, err = js.Stream(asked, "KV_"+bucketName); err == nil {
			err = stream.Purge(asked, jetstream.WithPurgeSequence(s.twin.newest+1))
		}
		cancel()
	}
	if err != nil {
		return fmt.Errorf("jetstream: %w", err)
	}
	known := s.twin.under("")
	for _, key := range slices.SortedFunc(maps.Keys(known), func(a, b string) int { return int(known[a]) - int(known[b]) }) {
		value, _, _, err := s.twin.get(key)
		if err != nil {
			return fmt.Errorf("jetstream: %s: %w", key, err)
		}
		if err := s.writeAnew(ctx, key, value); err != nil {
			return err
		}
	}
	s.log.Warn("the records were restored from their second copy", "records", len(known), "aside", aside)
	return nil
}

// writeAnew writes a record that the servers have lost.
func (s *Store) writeAnew(ctx context.Context, key string, value []byte) error {
	asked, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.limit)
	defer cancel()
	revision, err := s.bucket.Put(asked, key, value)
	if err != nil {
		return failed(key, err)
	}
	return s.twin.put(key, value, revision)
}

// putTwice writes a record, and then its copy, before anything else is written: what
// the twin lacks is the last write at most.
func (s *Store) putTwice(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	// A caller that leaves early leaves no write behind that the twin does not know.
	ctx = context.WithoutCancel(ctx)
	if err := s.settle(ctx, nil); err != nil {
		return 0, err
	}
	written, err := s.put(ctx, key, value, revision)
	switch {
	case errors.Is(err, fleet.ErrConflict):
		return 0, err
	case err == nil:
		err = s.twin.put(key, value, written)
	}
	if err != nil {
		s.unsure = append(s.unsure, key)
		return 0, unavailable(key, err)
	}
	return written, nil
}

// deleteTwice deletes a record: first in the twin, so that it has none that is gone.
func (s *Store) deleteTwice(ctx context.Context, key string, revision uint64) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	ctx = context.WithoutCancel(ctx)
	if err := s.settle(ctx, nil); err != nil {
		return err
	}
	if known := s.twin.at(key); known.deleted || known.revision != revision {
		return fmt.Errorf("%w: %s", fleet.ErrConflict, key)
	}
	err := s.twin.remove(key, revision)
	if err == nil {
		err = s.delete(ctx, key, revision)
	}
	if err != nil {
		s.unsure = append(s.unsure, key)
		return unavailable(key, err)
	}
	return nil
}

// unavailable is a write of which it is not known what came of it.
func unavailable(key string, err error) error {
	if errors.Is(err, fleet.ErrUnavailable) || errors.Is(err, fleet.ErrConflict) {
		return err
	}
	return fmt.Errorf("%w: %s: %w", fleet.ErrUnavailable, key, err)
}

// settle tells the twin what the servers have of some keys, and of those that were
// unsure. s.writing is held, or s is not shared yet.
func (s *Store) settle(ctx context.Context, keys []string) error {
	s.unsure = append(s.unsure, keys...)
	for len(s.unsure) > 0 {
		if err := s.adopt(ctx, s.unsure[0]); err != nil {
			return err
		}
		s.unsure = s.unsure[1:]
	}
	return nil
}

// adopt tells the twin what the servers have of a key. A record that the twin has as
// deleted is deleted.
func (s *Store) adopt(ctx context.Context, key string) error {
	known := s.twin.at(key)
	r, err := s.read(ctx, key)
	switch {
	case errors.Is(err, fleet.ErrNotFound):
		return nil
	case err != nil:
		return err
	case known.deleted && r.Revision <= known.revision:
		err := s.delete(ctx, key, r.Revision)
		if errors.Is(err, fleet.ErrConflict) || errors.Is(err, fleet.ErrNotFound) {
			return nil
		}
		return err
	case r.Revision == known.revision:
		return nil
	}
	return s.twin.put(key, r.Value, r.Revision)
}

// restore reads a record that the servers could not read, from the twin if it has it,
// and writes it anew.
func (s *Store) restore(ctx context.Context, key string) (fleet.Record, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	r, err := s.read(ctx, key)
	if err == nil || context.Cause(ctx) != nil {
		return r, err
	}
	value, revision, found, bad := s.twin.get(key)
	if !found || slices.Contains(s.unsure, key) {
		return r, err
	}
	if bad != nil {
		s.found(fmt.Sprintf("the record %s cannot be read in either copy: %v; %v", key, err, bad))
		return r, err
	}
	if !errors.Is(err, fleet.ErrNotFound) && !s.conn.IsConnected() {
		return r, err // it is the server that is gone
	}
	s.found(fmt.Sprintf("the record %s was restored from the second copy: %v", key, err))
	if err := s.writeAnew(ctx, key, value); err != nil {
		return fleet.Record{Key: key, Value: value, Revision: revision}, nil // it is written the next time
	}
	return s.read(ctx, key)
}

// askEvery bounds how often Ready writes. In between it repeats its last answer.
const askEvery = time.Second

const readyKey = "ready.probe"

// Ready writes a record, and returns why that cannot be done: the servers are not
// reached, too few of them are there, or a disk is full.
func (s *Store) Ready(ctx context.Context) error {
	s.asking.Lock()
	defer s.asking.Unlock()
	if time.Since(s.asked) < askEvery {
		return s.answer
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.limit)
	defer cancel()
	s.answer = s.probe(ctx)
	s.asked = time.Now()
	return s.answer
}

func (s *Store) probe(ctx context.Context) error {
	if s.twin == nil {
		_, err := s.bucket.Put(ctx, readyKey, nil)
		return failed(readyKey, err)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.settle(ctx, nil); err != nil {
		return err
	}
	if err := s.writeAnew(ctx, readyKey, nil); err != nil {
		s.unsure = append(s.unsure, readyKey)
		return unavailable(readyKey, err)
	}
	return s.twin.state()
}

// Check says what is wrong in a directory of records, and changes nothing in it: it opens
// a copy, which needs as much room as the records.
func Check(ctx context.Context, dir string) (damage []string, err error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	release, err := take(dir)
	if err != nil {
		return nil, err
	}
	defer release()
	temporary, err := os.MkdirTemp("", "wayfinder-records-")
	if err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	defer os.RemoveAll(temporary)
	for _, part := range []string{serverDir, twinDir} {
		if _, err := os.Stat(filepath.Join(dir, part)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.CopyFS(filepath.Join(temporary, part), os.DirFS(filepath.Join(dir, part))); err != nil {
			return nil, fmt.Errorf("jetstream: %w", err)
		}
	}
	s, err := Open(ctx, &Options{Dir: temporary})
	here := func(found []string) []string {
		for i := range found {
			found[i] = strings.ReplaceAll(found[i], temporary, dir)
		}
		return found
	}
	if err != nil {
		var damaged *DamagedError
		var unread *UnreadError
		switch {
		case errors.As(err, &damaged):
			err = &DamagedError{Found: here(damaged.Found)}
		case errors.As(err, &unread):
			err = &UnreadError{here([]string{unread.Dir})[0], unread.After}
		}
		return nil, err
	}
	defer s.Close()
	return here(s.Damage()), nil
}

// A DamagedError is [ErrDamaged] with what was found.
type DamagedError struct{ Found []string }

func (e *DamagedError) Error() string { return ErrDamaged.Error() + ": " + strings.Join(e.Found, "; ") }

// Unwrap returns ErrDamaged.
func (e *DamagedError) Unwrap() error { return ErrDamaged }
