package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
)

// records are the bucket of a fleet's records, as the servers have it.
type records struct {
	conn    *nats.Conn
	js      jetstream.JetStream
	bucket  jetstream.KeyValue
	changes nats.JetStreamContext // for watches
	limit   time.Duration         // of an answer
	log     *slog.Logger
}

const (
	bucketName = "wayfinder"
	streamName = "KV_" + bucketName // below the bucket
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

// connect takes a connection to servers.
func (r *records) connect(conn *nats.Conn) (err error) {
	r.conn = conn
	if r.js, err = jetstream.New(conn); err != nil {
		return fmt.Errorf("jetstream: %w", err)
	}
	if r.changes, err = conn.JetStream(nats.MaxWait(r.limit)); err != nil {
		return fmt.Errorf("jetstream: %w", err)
	}
	return nil
}

// stream asks the leader about the records' stream, for as long as limit.
func (r *records) stream(ctx context.Context, limit time.Duration) (*jetstream.StreamInfo, error) {
	asked, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	stream, err := r.js.Stream(asked, streamName)
	if err != nil {
		return nil, err
	}
	return stream.CachedInfo(), nil
}

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
func (r *records) replicas(ctx context.Context) (int, error) {
	for begun := time.Now(); ; {
		asked, cancel := context.WithTimeout(ctx, answerLimit)
		about, err := r.stream(asked, answerLimit)
		missing := errors.Is(err, jetstream.ErrStreamNotFound)
		if missing {
			_, err = r.js.CreateKeyValue(asked, configuration(false, mostReplicas))
		}
		cancel()
		var api *jetstream.APIError
		refused := errors.As(err, &api)
		switch {
		case err == nil && missing:
			return mostReplicas, nil
		case err == nil:
			return about.Config.Replicas, nil
		case missing && refused && api.ErrorCode == notClustered:
			return 1, nil
		case missing && refused && time.Since(begun) > placeLimit:
			r.log.Warn("one server of NATS keeps the records: there is no place for three copies", "err", err)
			return 1, nil
		case missing && refused, errors.Is(err, jetstream.ErrBucketExists), errors.Is(err, context.DeadlineExceeded), refused && api.Code == 503:
			// Not all servers are there yet, or they have no leader, or another node was first.
		default:
			return 0, fmt.Errorf("jetstream: %w: %w", fleet.ErrUnavailable, err)
		}
		if !pause.For(ctx, again) {
			return 0, fmt.Errorf("jetstream: %w: %w; the servers: %w", fleet.ErrUnavailable, context.Cause(ctx), err)
		}
	}
}

// bind makes the bucket, or finds it. Its settings name the twin that has all that
// was written there. A process that writes without a twin removes the name.
func (r *records) bind(ctx context.Context, memory bool, replicas int, twin string) (err error) {
	config := configuration(memory, replicas)
	if twin != "" {
		config.Metadata = map[string]string{twinSetting: twin}
	}
	for {
		// Without a leader the call gets no answer; a server of this process is only
		// slow.
		limit := answerLimit
		if replicas == 1 {
			limit = max(limit, r.limit)
		}
		asked, cancel := context.WithTimeout(ctx, limit)
		r.bucket, err = r.js.CreateOrUpdateKeyValue(asked, config)
		cancel()
		if err == nil {
			return nil
		}
		if replicas == 1 || context.Cause(ctx) != nil {
			return fmt.Errorf("jetstream: %w: %w", fleet.ErrUnavailable, err)
		}
		// Not enough nodes are there yet.
		if !pause.For(ctx, again) {
			return fmt.Errorf("jetstream: %w: %w; the cluster: %w", fleet.ErrUnavailable, context.Cause(ctx), err)
		}
	}
}

// catchUp waits until the node of a name has all records, if it keeps any.
func (r *records) catchUp(ctx context.Context, name string) error {
	for {
		if about, err := r.stream(ctx, answerLimit); err == nil && about.Cluster != nil && current(about.Cluster, name) {
			return nil
		}
		if !pause.For(ctx, again) {
			return fmt.Errorf("jetstream: %w: %w: this node has not all records", fleet.ErrUnavailable, context.Cause(ctx))
		}
	}
}

// Leader returns the name of the node that leads the records: all writes go through
// it. It is empty where there is no cluster, or no leader at the moment.
func (r *records) Leader(ctx context.Context) (string, error) {
	about, err := r.stream(ctx, answerLimit)
	if err != nil {
		return "", failed(bucketName, err)
	}
	if c := about.Cluster; c != nil {
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

// named returns the name of the twin that the bucket has, and the last revision; 0 where
// there is no bucket.
func (r *records) named(ctx context.Context) (name string, last uint64, _ error) {
	info, err := r.stream(ctx, r.limit)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return "", 0, nil
	}
	if err != nil {
		return "", 0, failed(bucketName, err)
	}
	return info.Config.Metadata[twinSetting], info.State.LastSeq, nil
}

// revisions returns the revisions of all records that the servers can read, and the
// highest of them and of the marks of deleted records. whole is false where the
// servers did not report all.
func (r *records) revisions(ctx context.Context) (have map[string]uint64, newest uint64, whole bool, _ error) {
	have = map[string]uint64{}
	subjects := "$KV." + bucketName + "."
	sub, err := r.changes.SubscribeSync(subjects+">", nats.BindStream(streamName), nats.OrderedConsumer(), nats.DeliverLastPerSubject(), nats.HeadersOnly())
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

// read reads a record from the servers.
func (r *records) read(ctx context.Context, key string) (fleet.Record, error) {
	asked, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	e, err := r.bucket.Get(asked, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return r.getAtLeader(asked, key)
	}
	if err != nil {
		return fleet.Record{}, failed(key, err)
	}
	return fleet.Record{Key: key, Value: e.Value(), Revision: e.Revision()}, nil
}

// getAtLeader reads a record from the node that leads the records: one of the
// others, which answer the rest, may not have what was written a moment ago. See
// TestReadOthersWrites.
func (r *records) getAtLeader(ctx context.Context, key string) (fleet.Record, error) {
	m, err := r.changes.GetLastMsg(streamName, "$KV."+bucketName+"."+key, nats.Context(ctx))
	switch {
	case errors.Is(err, nats.ErrMsgNotFound), err == nil && isDeletion(m.Header):
		return fleet.Record{}, fmt.Errorf("%w: %s", fleet.ErrNotFound, key)
	case err != nil:
		return fleet.Record{}, failed(key, err)
	}
	return fleet.Record{Key: key, Value: m.Data, Revision: m.Sequence}, nil
}

func (r *records) put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	asked, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	var written uint64
	var err error
	if revision == 0 {
		written, err = r.bucket.Create(asked, key, value)
	} else {
		written, err = r.bucket.Update(asked, key, value, revision)
	}
	return written, failed(key, err)
}

func (r *records) delete(ctx context.Context, key string, revision uint64) error {
	asked, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	return failed(key, r.bucket.Purge(asked, key, jetstream.LastRevision(revision), jetstream.PurgeTTL(deletedFor)))
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

// isDeletion tells the mark of a deleted record: an operation is that of a client,
// a reason that of the server.
func isDeletion(h nats.Header) bool {
	return h.Get("KV-Operation") != "" || h.Get(jetstream.MarkerReasonHeader) != ""
}
