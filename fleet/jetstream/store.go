package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// A Store keeps a fleet's records in a key-value bucket of JetStream. It may be
// used by any number of goroutines.
type Store struct {
	conn    *nats.Conn
	bucket  jetstream.KeyValue
	changes nats.JetStreamContext // for watches
	limit   time.Duration         // of an answer
	log     *slog.Logger
	alone   bool
	end     func()          // ends the server, if it is ours
	reading <-chan struct{} // closed when a server that was given up has read its files; nil without one

	twin    *twin      // nil where others have the records, too, or none are kept
	writing sync.Mutex // held while a record is written, where there is a twin; protects unsure
	unsure  []string   // keys of which it is not known what was written

	asking sync.Mutex // held by Ready; protects asked and answer
	asked  time.Time
	answer error

	health struct {
		sync.Mutex
		damaged []string // what was found
		doubt   bool
	}

	closing sync.Once
}

var _ fleet.Store = (*Store)(nil)

// Alone reports that no other process can have the records: they are in a directory
// that is locked for this one.
func (s *Store) Alone() bool { return s.alone }

const (
	bucketName = "wayfinder"
	// deletedFor is how long it is known that a record was deleted: longer than
	// any caller goes by an old reading.
	deletedFor = time.Hour
	// again is how soon a cluster is asked again that is not ready.
	again = 100 * time.Millisecond
	// answerLimit is how long an answer may take. What was on its way to a leader
	// that dies is lost without a word, so no call waits for as long as its
	// context allows: see TestLostRequest.
	answerLimit = 2 * time.Second
	// Within one process nothing is lost, and a busy machine may take its time.
	ownAnswerLimit = 20 * time.Second
	// heartbeat is how often the server says that a watch is idle. When two are
	// missing, the watch begins anew at another node, from where it was.
	heartbeat = time.Second
)

// configuration is what the bucket is made with.
func configuration(memory bool, replicas int) jetstream.KeyValueConfig {
	config := jetstream.KeyValueConfig{Bucket: bucketName, Description: "records of Wayfinder", MaxValueSize: fleet.MaxValue + 4<<10, // with its headers
		Replicas: replicas, LimitMarkerTTL: deletedFor}
	if memory {
		config.Storage = jetstream.MemoryStorage
	}
	return config
}

const (
	mostReplicas = 3
	// placeLimit is how long a cluster may take to know of enough servers.
	placeLimit = 10 * time.Second
	// notClustered is the code of servers that keep no second copy.
	notClustered = 10074
)

// replicas returns how many of the servers that run already keep the records: as
// the bucket was made, or is made now.
func (s *Store) replicas(ctx context.Context) (int, error) {
	js, err := jetstream.New(s.conn)
	if err != nil {
		return 0, fmt.Errorf("jetstream: %w", err)
	}
	for begun := time.Now(); ; {
		asked, cancel := context.WithTimeout(ctx, answerLimit)
		stream, err := js.Stream(asked, "KV_"+bucketName)
		missing := errors.Is(err, jetstream.ErrStreamNotFound)
		if missing {
			_, err = js.CreateKeyValue(asked, configuration(false, mostReplicas))
		}
		cancel()
		var api *jetstream.APIError
		refused := errors.As(err, &api)
		switch {
		case err == nil && missing:
			return mostReplicas, nil
		case err == nil:
			return stream.CachedInfo().Config.Replicas, nil
		case missing && refused && api.ErrorCode == notClustered:
			return 1, nil
		case missing && refused && time.Since(begun) > placeLimit:
			s.log.Warn("one server of NATS keeps the records: there is no place for three copies", "err", err)
			return 1, nil
		case missing && refused, errors.Is(err, jetstream.ErrBucketExists), errors.Is(err, context.DeadlineExceeded), refused && api.Code == 503:
			// Not all servers are there yet, or they have no leader, or another node was first.
		default:
			return 0, fmt.Errorf("jetstream: %w: %w", fleet.ErrUnavailable, err)
		}
		timer := time.NewTimer(again)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return 0, fmt.Errorf("jetstream: %w: %w; the servers: %w", fleet.ErrUnavailable, context.Cause(ctx), err)
		}
	}
}

// bind makes the bucket, or finds it. Its settings name the twin that has all that
// was written there. A process that writes without a twin removes the name.
func (s *Store) bind(ctx context.Context, memory bool, replicas int, twin string) error {
	js, err := jetstream.New(s.conn)
	if err != nil {
		return fmt.Errorf("jetstream: %w", err)
	}
	if s.changes, err = s.conn.JetStream(nats.MaxWait(s.limit)); err != nil {
		return fmt.Errorf("jetstream: %w", err)
	}
	config := configuration(memory, replicas)
	if twin != "" {
		config.Metadata = map[string]string{twinSetting: twin}
	}
	for {
		// Without a leader the call gets no answer; a server of this process is only
		// slow.
		limit := answerLimit
		if replicas == 1 {
			limit = max(limit, s.limit)
		}
		asked, cancel := context.WithTimeout(ctx, limit)
		s.bucket, err = js.CreateOrUpdateKeyValue(asked, config)
		cancel()
		if err == nil {
			return nil
		}
		if replicas == 1 || context.Cause(ctx) != nil {
			return fmt.Errorf("jetstream: %w: %w", fleet.ErrUnavailable, err)
		}
		// Not enough nodes are there yet.
		timer := time.NewTimer(again)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("jetstream: %w: %w; the cluster: %w", fleet.ErrUnavailable, context.Cause(ctx), err)
		}
	}
}

// catchUp waits until the node of a name has all records, if it keeps any.
func (s *Store) catchUp(ctx context.Context, name string) error {
	js, err := jetstream.New(s.conn)
	if err != nil {
		return fmt.Errorf("jetstream: %w", err)
	}
	for {
		asked, cancel := context.WithTimeout(ctx, answerLimit)
		stream, err := js.Stream(asked, "KV_"+bucketName) // asks the leader
		cancel()
		if err == nil {
			if c := stream.CachedInfo().Cluster; c != nil && current(c, name) {
				return nil
			}
		}
		timer := time.NewTimer(again)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("jetstream: %w: %w: this node has not all records", fleet.ErrUnavailable, context.Cause(ctx))
		}
	}
}

// Leader returns the name of the node that leads the records: all writes go through
// it. It is empty where there is no cluster, or no leader at the moment.
func (s *Store) Leader(ctx context.Context) (string, error) {
	js, err := jetstream.New(s.conn)
	if err != nil {
		return "", fmt.Errorf("jetstream: %w", err)
	}
	asked, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	stream, err := js.Stream(asked, "KV_"+bucketName)
	if err != nil {
		return "", failed(bucketName, err)
	}
	if c := stream.CachedInfo().Cluster; c != nil {
		return c.Leader, nil
	}
	return "", nil
}

// current reports whether a node lacks nothing.
func current(c *jetstream.ClusterInfo, name string) bool {
	if c.Leader == "" {
		return false
	}
	for _, r := range c.Replicas {
		if r.Name == name {
			return r.Current && r.Lag == 0 && !r.Offline
		}
	}
	return true // the leader, or one that keeps no records
}

// Close ends the connection, and the server if [Open] has started it. It may be
// called again.
func (s *Store) Close() {
	s.closing.Do(func() {
		s.writing.Lock() // what is being written is written to both
		defer s.writing.Unlock()
		if s.conn != nil {
			s.conn.Close()
		}
		s.end()
		if s.twin != nil {
			s.twin.close()
		}
	})
}

// failed maps errors to those of a fleet.Store.
func failed(key string, err error) error {
	var api *jetstream.APIError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return fmt.Errorf("%w: %s", fleet.ErrNotFound, key)
	case errors.Is(err, jetstream.ErrKeyExists), errors.Is(err, jetstream.ErrKeyRevisionMismatch),
		errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant):
		return fmt.Errorf("%w: %s", fleet.ErrConflict, key)
	case errors.Is(err, context.Canceled):
		return err
	}
	return fmt.Errorf("%w: %s: %w", fleet.ErrUnavailable, key, err)
}

// Get implements fleet.Store.
func (s *Store) Get(ctx context.Context, key string) (fleet.Record, error) {
	if err := check(ctx, key); err != nil {
		return fleet.Record{}, err
	}
	r, err := s.read(ctx, key)
	if err != nil && s.twin != nil && s.twin.has(key) && context.Cause(ctx) == nil {
		return s.restore(ctx, key)
	}
	return r, err
}

// read reads a record from the servers.
func (s *Store) read(ctx context.Context, key string) (fleet.Record, error) {
	asked, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	e, err := s.bucket.Get(asked, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return s.getAtLeader(asked, key)
	}
	if err != nil {
		return fleet.Record{}, failed(key, err)
	}
	return fleet.Record{Key: key, Value: e.Value(), Revision: e.Revision()}, nil
}

// getAtLeader reads a record from the node that leads the records: one of the
// others, which answer the rest, may not have what was written a moment ago. See
// TestReadOthersWrites.
func (s *Store) getAtLeader(ctx context.Context, key string) (fleet.Record, error) {
	m, err := s.changes.GetLastMsg("KV_"+bucketName, "$KV."+bucketName+"."+key, nats.Context(ctx))
	switch {
	case errors.Is(err, nats.ErrMsgNotFound), err == nil && isDeletion(m.Header):
		return fleet.Record{}, fmt.Errorf("%w: %s", fleet.ErrNotFound, key)
	case err != nil:
		return fleet.Record{}, failed(key, err)
	}
	return fleet.Record{Key: key, Value: m.Data, Revision: m.Sequence}, nil
}

// Put implements fleet.Store.
func (s *Store) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if err := check(ctx, key); err != nil {
		return 0, err
	}
	if len(value) > fleet.MaxValue {
		return 0, fmt.Errorf("jetstream: %s: %d bytes are more than the %d of a record", key, len(value), fleet.MaxValue)
	}
	if s.twin != nil {
		return s.putTwice(ctx, key, value, revision)
	}
	return s.put(ctx, key, value, revision)
}

func (s *Store) put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	asked, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	var written uint64
	var err error
	if revision == 0 {
		written, err = s.bucket.Create(asked, key, value)
	} else {
		written, err = s.bucket.Update(asked, key, value, revision)
	}
	return written, failed(key, err)
}

// Delete implements fleet.Store.
func (s *Store) Delete(ctx context.Context, key string, revision uint64) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	if revision == 0 {
		return fmt.Errorf("%w: %s", fleet.ErrConflict, key)
	}
	if s.twin != nil {
		return s.deleteTwice(ctx, key, revision)
	}
	return s.delete(ctx, key, revision)
}

func (s *Store) delete(ctx context.Context, key string, revision uint64) error {
	asked, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	return failed(key, s.bucket.Purge(asked, key, jetstream.LastRevision(revision), jetstream.PurgeTTL(deletedFor)))
}

// Watch implements fleet.Store.
func (s *Store) Watch(ctx context.Context, prefix string, changed func(fleet.Record)) (stop func(), err error) {
	if err := check(ctx, strings.TrimSuffix(prefix, ".")); err != nil {
		return nil, err
	}
	w := &watch{changed: changed, subjects: "$KV." + bucketName + ".", caughtUp: make(chan struct{}), ended: make(chan struct{})}
	var known map[string]uint64
	if s.twin != nil {
		known, w.seen = s.twin.under(prefix), map[string]bool{}
	}
	w.mu.Lock() // nothing is reported before it is known how much was there
	sub, err := s.changes.Subscribe(w.subjects+prefix+">", w.report, nats.BindStream("KV_"+bucketName), nats.OrderedConsumer(), nats.DeliverLastPerSubject(), nats.IdleHeartbeat(heartbeat))
	if err == nil {
		ended := sync.OnceFunc(func() { close(w.ended) })
		sub.SetClosedHandler(func(string) { ended() })
		if !sub.IsValid() { // before the handler was there
			ended()
		}
		w.present, err = sub.InitialConsumerPending()
	}
	if err == nil && w.present == 0 {
		w.catchUp()
	}
	w.mu.Unlock()
	stop = sync.OnceFunc(func() {
		if sub == nil {
			return
		}
		if err := sub.Unsubscribe(); err != nil && !errors.Is(err, nats.ErrBadSubscription) && !errors.Is(err, nats.ErrConnectionClosed) {
			s.log.Debug("a watch did not end cleanly", "prefix", prefix, "err", err)
		}
		<-w.ended
	})
	if err != nil {
		stop()
		return nil, failed(prefix, err)
	}
	for {
		// A record that the server cannot read is not reported, and the server waits
		// for it to be.
		stalled := time.NewTimer(stallLimit)
		reported := w.count()
		caughtUp := false
		select {
		case <-w.caughtUp:
			caughtUp = true
		case <-stalled.C:
		case <-w.ended:
			err = fmt.Errorf("%w: the watch of %s ended", fleet.ErrUnavailable, prefix)
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		stalled.Stop()
		if err == nil && known != nil && (caughtUp || w.count() == reported) {
			caughtUp = true
			err = s.complete(ctx, w, known)
		}
		switch {
		case err != nil:
			stop()
			return nil, err
		case caughtUp:
			return stop, nil
		}
	}
}

// stallLimit is after how much silence a watch no longer expects what is missing: the
// server is of this process, and reports thousands of records a second.
const stallLimit = 5 * time.Second

// complete reports to a watch what the twin has and the server did not report.
func (s *Store) complete(ctx context.Context, w *watch, known map[string]uint64) error {
	for key := range known {
		if w.has(key) {
			continue
		}
		r, err := s.Get(ctx, key)
		switch {
		case errors.Is(err, fleet.ErrNotFound): // deleted meanwhile
		case err != nil:
			return err
		default:
			w.mu.Lock()
			w.changed(r)
			w.mu.Unlock()
		}
	}
	w.mu.Lock()
	w.seen = nil
	w.mu.Unlock()
	return nil
}

// A watch is one call to Watch.
type watch struct {
	changed  func(fleet.Record)
	subjects string        // what stands before a key
	caughtUp chan struct{} // closed when what was there has been reported
	ended    chan struct{} // closed after the last report

	mu       sync.Mutex // protects what follows
	present  uint64     // records that were there
	reported uint64
	current  bool            // caughtUp is closed
	seen     map[string]bool // keys that were reported, while that is of interest
}

func (w *watch) count() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.reported
}

func (w *watch) has(key string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen[key]
}

// catchUp says that all that was there has been reported. w.mu is held.
func (w *watch) catchUp() {
	if !w.current {
		w.current = true
		close(w.caughtUp)
	}
}

// report takes one record from the server. Calls do not overlap.
func (w *watch) report(m *nats.Msg) {
	about, err := m.Metadata()
	if err != nil || len(m.Subject) <= len(w.subjects) {
		return // it is no record
	}
	r := fleet.Record{Key: m.Subject[len(w.subjects):], Value: m.Data, Revision: about.Sequence.Stream}
	if isDeletion(m.Header) {
		r.Value, r.Deleted = nil, true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changed(r)
	if w.seen != nil {
		w.seen[r.Key] = true
	}
	// One that was replaced meanwhile comes later, or not at all.
	if w.reported++; w.reported >= w.present || about.NumPending == 0 {
		w.catchUp()
	}
}

// isDeletion tells the mark of a deleted record: an operation is that of a client,
// a reason that of the server.
func isDeletion(h nats.Header) bool {
	return h.Get("KV-Operation") != "" || h.Get(jetstream.MarkerReasonHeader) != ""
}

func check(ctx context.Context, key string) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return fleet.CheckKey(key)
}
