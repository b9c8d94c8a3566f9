package jetstream

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/wayfinder-engine/wayfinder/internal/files"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// Options are how a store is kept. The zero value is a store in memory, alone.
type Options struct {
	// Dir is the directory of the records, made if need be; one process at a
	// time uses it. Empty keeps them in memory.
	Dir string
	// Sync is how often what was written is brought to the disk; 0 is 1 s,
	// negative is with each write.
	Sync time.Duration
	// Cluster, if not nil, has the store shared with other nodes.
	Cluster *Cluster
	// AcceptLoss opens a directory in which records are damaged that no copy has: see
	// [ErrDamaged].
	AcceptLoss bool
	Logger     *slog.Logger // nil is silence
}

// A Cluster is a number of nodes that keep one store together. The first that is
// opened sets how soon NATS servers of this process notice that their leader is
// gone, those that the program runs for itself among them: the server has no option
// for it.
type Cluster struct {
	Name   string   // of this node: unique, and the same after a restart
	Listen string   // host:port at which the other nodes reach it
	Peers  []string // host:port of the nodes, with or without this one
	Secret string   // shared by all nodes; empty: every client that reaches the port is let in
	Nodes  int      // that keep each record; 0 is 3
}

// ready is how long a server may take to start, beside the reading of its files; a
// cluster waits as long as the caller does for enough of its nodes.
var ready = 30 * time.Second

// slowest is how many bytes of its files a server reads in a second, at least: a memory
// card, on a machine that is busy with other things.
const slowest = 1 << 20

// Open starts a server in this process and returns the store that it keeps.
// With a cluster it returns once enough nodes are there, and this one has what the
// others have: then another one can end. The caller closes it.
func Open(ctx context.Context, opts *Options) (*Store, error) {
	opts = cmp.Or(opts, &Options{})
	settings, replicas, err := opts.settings()
	if err != nil {
		return nil, err
	}
	remove, err := opts.directory(settings)
	if err != nil {
		return nil, err
	}
	s := &Store{alone: files.Locks && opts.Cluster == nil}
	s.log, s.limit = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)), ownAnswerLimit
	if replicas > 1 {
		s.limit = answerLimit
	}
	o := &opening{Store: s, opts: opts, settings: settings, replicas: replicas}
	err = o.begin(ctx)
	o.endWith(remove)
	if err == nil && replicas > 1 {
		err = s.catchUp(ctx, opts.Cluster.Name)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// settings are the server's, and how many nodes keep each record.
func (o *Options) settings() (settings *server.Options, replicas int, _ error) {
	settings = &server.Options{
		ServerName: "wayfinder", DontListen: true, JetStream: true, NoSigs: true, DisableJetStreamBanner: true,
		StoreDir: o.Dir, SyncInterval: cmp.Or(max(o.Sync, 0), time.Second), SyncAlways: o.Sync < 0,
		NoSystemAccount: o.Cluster == nil,
	}
	c := o.Cluster
	if c == nil {
		return settings, 1, nil
	}
	if err := c.apply(settings); err != nil {
		return nil, 0, err
	}
	// The server begins with its routes once it listens to clients. None
	// but this process knows the password.
	hasten()
	settings.DontListen, settings.Host, settings.Port = false, "127.0.0.1", server.RANDOM_PORT
	settings.Username, settings.Password = "self", rand.Text()
	return settings, cmp.Or(c.Nodes, 3), nil
}

// directory makes the records' directory this process's own, or a temporary one where
// they are kept in memory. remove gives it up.
func (o *Options) directory(settings *server.Options) (remove func(), err error) {
	if o.Dir != "" {
		return take(o.Dir)
	}
	dir, err := os.MkdirTemp("", "wayfinder-fleet-")
	if err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	settings.StoreDir = dir
	return func() { os.RemoveAll(dir) }, nil // what stays is the system's to clean
}

// An UnreadError is a server that did not come to the end of its files in time. It reads
// on until the process ends, and keeps the directory until then.
type UnreadError struct {
	Dir   string        // of the files
	After time.Duration // that it had
}

func (e *UnreadError) Error() string {
	return fmt.Sprintf("jetstream: the server did not come to the end of its files in %s within %v: the disk does not answer, or a file is damaged; to have a single node restore its records from their second copy, end this process, move that directory away and start again", e.Dir, e.After)
}

// errTaken is a directory that another process has.
var errTaken = errors.New("another process uses the directory")

// take makes a directory this process's own, until release.
func take(dir string) (release func(), _ error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	path := filepath.Join(dir, "owner.lock")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil && files.Locks { // else two processes on one directory are not noticed
		if err = files.TryLock(file); errors.Is(err, files.ErrTaken) {
			err = errTaken
		}
	}
	if err != nil {
		if file != nil {
			_ = file.Close() // nothing was written
		}
		return nil, fmt.Errorf("jetstream: %s: %w", path, err)
	}
	return func() { _ = file.Close() }, nil
}

// apply puts the cluster into a server's settings.
func (c *Cluster) apply(o *server.Options) error {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("jetstream: the cluster's address %q: write host:port", c.Listen)
	}
	number, err := strconv.Atoi(port)
	if err != nil || number <= 0 || number > 65535 {
		return fmt.Errorf("jetstream: the cluster's address %q: the port is a number", c.Listen)
	}
	if c.Name == "" {
		return errors.New("jetstream: a node of a cluster needs a name of its own")
	}
	o.ServerName = c.Name
	o.Cluster = server.ClusterOpts{Name: "wayfinder", Host: host, Port: number, Username: "", NoAdvertise: true}
	if c.Secret != "" {
		o.Cluster.Username, o.Cluster.Password = "node", c.Secret
	}
	for _, peer := range c.Peers {
		if _, _, err := net.SplitHostPort(peer); err != nil {
			return fmt.Errorf("jetstream: the peer %q: write host:port", peer)
		}
		if peer == c.Listen {
			continue
		}
		u := &url.URL{Scheme: "nats-route", Host: peer}
		if c.Secret != "" {
			u.User = url.UserPassword("node", c.Secret)
		}
		o.Routes = append(o.Routes, u)
	}
	return nil
}

// Connect returns a store that servers of NATS keep which run already, at
// addresses as nats://host:4222, with commas. Three of them keep each record where
// they are a cluster of as many, unless the bucket was made otherwise. The caller
// closes it.
func Connect(ctx context.Context, addresses string, log *slog.Logger) (*Store, error) {
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	conn, err := dial(log, addresses)
	if err != nil {
		return nil, fmt.Errorf("jetstream: connect: %w: %w", fleet.ErrUnavailable, err)
	}
	s := &Store{end: func() {}}
	s.limit, s.log = answerLimit, log
	replicas := 0
	if err = s.connect(conn); err == nil {
		replicas, err = s.replicas(ctx)
	}
	if err == nil {
		err = s.bind(ctx, false, replicas, "")
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// dial connects to servers. A connection that is lost, or that answers nothing any
// more, is made anew within seconds, for ever; what is asked for meanwhile fails at
// once, and is not sent later, when its caller has long gone another way.
func dial(log *slog.Logger, addresses string, options ...nats.Option) (*nats.Conn, error) {
	return nats.Connect(addresses, append([]nats.Option{nats.Name("wayfinder"), nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond), nats.ReconnectJitter(50*time.Millisecond, 50*time.Millisecond), nats.Timeout(2 * time.Second),
		nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(2), nats.ReconnectBufSize(-1),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { log.Debug("nats: " + err.Error()) })}, options...)...)
}

// lines is a server's log.
type lines struct{ log *slog.Logger }

func (l lines) Noticef(format string, v ...any) { l.log.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l lines) Warnf(format string, v ...any)   { l.log.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l lines) Fatalf(format string, v ...any)  { l.log.Error("nats: " + fmt.Sprintf(format, v...)) }
func (l lines) Errorf(format string, v ...any)  { l.log.Warn("nats: " + fmt.Sprintf(format, v...)) }
func (l lines) Debugf(string, ...any)           {}
func (l lines) Tracef(string, ...any)           {}
