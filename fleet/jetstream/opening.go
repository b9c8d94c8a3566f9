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
)

// An opening opens a store of this process: it starts the server, and holds the records
// of a directory against their second copy.
type opening struct {
	*Store
	opts     *Options
	settings *server.Options
	replicas int
	reading  <-chan struct{} // closed when a server that was given up has read its files; nil without one
}

// begin starts the server, and binds the records.
func (o *opening) begin(ctx context.Context) error {
	if o.opts.Dir == "" || o.opts.Cluster != nil {
		if err := o.launch(ctx); err != nil {
			return err
		}
		if o.opts.Dir != "" { // it would miss what we write from now on
			if err := os.RemoveAll(filepath.Join(o.opts.Dir, twinDir)); err != nil {
				return err
			}
		}
		return o.bind(ctx, o.opts.Dir == "", o.replicas, "")
	}
	if err := forgetIndexes(o.opts.Dir); err != nil {
		return err
	}
	if restored, err := o.restoreAll(ctx); restored || err != nil {
		return err
	}
	if err := o.launch(ctx); err != nil {
		return err
	}
	return o.openTwice(ctx)
}

// endWith has the store end its server, and then give up its directory.
func (o *opening) endWith(remove func()) {
	stop := o.end // of the server that runs by now; nil where none does
	end := func() {
		if stop != nil {
			stop()
		}
		remove()
	}
	o.end = end
	if reading := o.reading; reading != nil { // it cannot be stopped, and the directory is its own until then
		o.end = func() { go func() { <-reading; end() }() }
	}
}

// launch starts a server, and connects to it.
func (o *opening) launch(ctx context.Context) error {
	running, err := server.NewServer(o.settings.Clone())
	if err != nil {
		return fmt.Errorf("jetstream: %w", err)
	}
	running.SetLogger(lines{o.log}, false, false)
	o.end = func() {
		running.Shutdown()
		running.WaitForShutdown()
	}
	if err := o.inTime(ctx, running.Start); err != nil { // it reads all files
		return err
	}
	if !running.ReadyForConnections(ready) {
		return fmt.Errorf("jetstream: the server in %s did not start within %v", o.settings.StoreDir, ready)
	}
	conn, err := dial(o.log, "", nats.InProcessServer(running), nats.UserInfo(o.settings.Username, o.settings.Password), nats.Timeout(ownAnswerLimit))
	if err != nil {
		return fmt.Errorf("jetstream: %w", err)
	}
	return o.connect(conn)
}

// inTime waits for the reading of the server's files. One that takes too long cannot be
// stopped: o.reading is closed when it has come to its end.
func (o *opening) inTime(ctx context.Context, read func()) error {
	begun := make(chan struct{})
	go func() {
		defer close(begun)
		read()
	}()
	limit := readLimit(o.settings.StoreDir)
	select {
	case <-begun:
	case <-time.After(limit):
		o.reading = begun
		return &UnreadError{filepath.Join(o.settings.StoreDir, serverDir), limit}
	case <-ctx.Done():
		o.reading = begun
		return fmt.Errorf("jetstream: the records in %s are not read yet: %w", o.settings.StoreDir, context.Cause(ctx))
	}
	return nil
}

// readLimit is how long a server may take to read its files.
func readLimit(dir string) time.Duration {
	size := int64(0)
	_ = filepath.WalkDir(filepath.Join(dir, serverDir), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil // what cannot be read is for the server to say
	})
	return ready + time.Duration(size/slowest)*time.Second
}

// restoreAll has the server begin anew with what the twin has, where its own files are
// damaged and the twin has all that they had. A server does not read such files.
func (o *opening) restoreAll(ctx context.Context) (done bool, _ error) {
	var damage string
	var newest uint64
	var err error
	late := o.inTime(ctx, func() { damage, newest, err = readBlocks(o.settings.StoreDir) })
	if late != nil {
		return false, late // the variables are the reading'o yet
	}
	if err != nil || damage == "" {
		return false, err
	}
	if o.twin = settledTwin(o.settings.StoreDir, newest); o.twin == nil {
		return false, nil
	}
	o.found(damage)
	return true, o.rebuild(ctx)
}

// openTwice binds the records of a directory, and holds them against their second copy.
// What is damaged in one of the two is taken from the other.
func (o *opening) openTwice(ctx context.Context) error {
	dir := filepath.Join(o.settings.StoreDir, twinDir)
	name, last, err := o.named(ctx)
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
			o.found(fmt.Sprintf("%s: the second copy is gone; it is made anew", dir))
		}
		return o.copyAll(ctx, dir)
	case err != nil:
		return fmt.Errorf("jetstream: %w", err)
	case last > 0 && t.epoch != "" && name != t.epoch:
		o.log.Info("the records were written without their second copy; it is made anew", "dir", dir)
		t.close()
		return o.copyAll(ctx, dir)
	}
	if name == "" {
		name = t.epoch
	}
	if err := o.bind(ctx, false, 1, name); err != nil {
		t.close()
		return err
	}
	return o.reconcile(ctx, t, wrong, last)
}

// reconcile repairs each copy from the other. wrong lists the damaged records of the twin,
// and last is the servers' last revision.
func (o *opening) reconcile(ctx context.Context, t *twin, wrong []string, last uint64) error {
	dir := filepath.Join(o.settings.StoreDir, twinDir)
	have, newest, whole, err := o.revisions(ctx)
	if err != nil {
		t.close()
		return err
	}
	d := compare(have, t)
	for _, w := range wrong {
		o.found(w)
	}
	ends := t.marked > max(t.newest, last)
	if ends {
		o.found(fmt.Sprintf("%s: records up to revision %d were written, and both copies end at %d", o.settings.StoreDir, t.marked, max(t.newest, last)))
	}
	switch {
	case ends:
	case len(wrong) == 0 && whole && len(d.lost)+len(d.back) == 0:
		o.twin = t
		return o.settle(ctx, append(d.fresh, d.deleted...))
	case len(wrong) == 0:
		o.tell(whole, &d)
		o.twin = t
		for _, key := range d.fresh {
			if err := o.adopt(ctx, key); err != nil {
				o.found(fmt.Sprintf("the record %s cannot be read: %v", key, err))
				if !o.opts.AcceptLoss {
					return &DamagedError{o.Damage()}
				}
				o.health.doubt = true
			}
		}
		return o.rebuild(ctx)
	case whole && t.within(&d, newest):
		t.close()
		return o.copyAll(ctx, dir)
	}
	o.tell(whole, &d)
	if !o.opts.AcceptLoss {
		t.close()
		return &DamagedError{o.Damage()}
	}
	o.health.doubt = true
	merged, err := o.merge(ctx, t, dir, have)
	if err != nil {
		return err
	}
	o.twin = merged
	return o.rebuild(ctx)
}

// tell says what the records lack.
func (o *opening) tell(whole bool, d *difference) {
	dir := filepath.Join(o.settings.StoreDir, serverDir)
	if !whole {
		o.found(dir + ": the records cannot be read to their end")
	}
	for _, one := range []struct {
		keys []string
		what string
	}{{d.lost, "are gone, or older than they were"}, {d.back, "are back that were deleted"}} {
		if n := len(one.keys); n > 0 {
			slices.Sort(one.keys)
			o.found(fmt.Sprintf("%s: %d records %s: %s", dir, n, one.what, shortList(one.keys)))
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

// copyAll makes the twin anew from what the servers have.
func (o *opening) copyAll(ctx context.Context, dir string) error {
	name := rand.Text()
	if err := o.bind(ctx, false, 1, ""); err != nil {
		return err
	}
	have, _, whole, err := o.revisions(ctx)
	if err != nil {
		return err
	}
	t, err := newTwin(dir+".new", name)
	if err != nil {
		return fmt.Errorf("jetstream: %w", err)
	}
	defer t.close()
	for _, key := range slices.SortedFunc(maps.Keys(have), func(a, b string) int { return int(have[a]) - int(have[b]) }) {
		r, err := o.read(ctx, key)
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
		o.found(fmt.Sprintf("the record %s cannot be read: %v", key, err))
	}
	if !whole {
		if !o.opts.AcceptLoss {
			return &DamagedError{o.Damage()}
		}
		o.health.doubt = true
	}
	if o.twin, err = replaceTwin(dir, t); err != nil {
		return err
	}
	return o.bind(ctx, false, 1, name)
}

// merge makes a twin of the latest that either has of each record.
func (o *opening) merge(ctx context.Context, old *twin, dir string, have map[string]uint64) (*twin, error) {
	t, err := newTwin(dir+".new", rand.Text())
	if err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	for key, revision := range have {
		if old.index[key].revision > revision {
			continue
		}
		r, err := o.read(ctx, key)
		if err != nil {
			o.found(fmt.Sprintf("the record %s cannot be read: %v", key, err))
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
func (o *opening) rebuild(ctx context.Context) error {
	if o.conn != nil {
		o.conn.Close()
		o.end()
		o.end = nil
	}
	aside := filepath.Join(o.settings.StoreDir, "damaged-"+time.Now().UTC().Format("20060102T150405.000Z"))
	if err := os.Rename(filepath.Join(o.settings.StoreDir, serverDir), aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("jetstream: %w", err)
	}
	if err := o.launch(ctx); err != nil {
		return err
	}
	if err := o.bind(ctx, false, 1, o.twin.epoch); err != nil {
		return err
	}
	// New revisions are above all that there were.
	asked, cancel := context.WithTimeout(ctx, o.limit)
	stream, err := o.js.Stream(asked, streamName)
	if err == nil {
		err = stream.Purge(asked, jetstream.WithPurgeSequence(o.twin.newest+1))
	}
	cancel()
	if err != nil {
		return fmt.Errorf("jetstream: %w", err)
	}
	known := o.twin.under("")
	for _, key := range slices.SortedFunc(maps.Keys(known), func(a, b string) int { return int(known[a]) - int(known[b]) }) {
		value, _, _, err := o.twin.get(key)
		if err != nil {
			return fmt.Errorf("jetstream: %s: %w", key, err)
		}
		if err := o.writeAnew(ctx, key, value); err != nil {
			return err
		}
	}
	o.log.Warn("the records were restored from their second copy", "records", len(known), "aside", aside)
	return nil
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
