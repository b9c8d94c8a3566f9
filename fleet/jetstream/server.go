package jetstream

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

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
	if opts == nil {
		opts = &Options{}
	}
	log := cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	settings := &server.Options{
		ServerName: "wayfinder", DontListen: true, JetStream: true, NoSigs: true, DisableJetStreamBanner: true,
		StoreDir: opts.Dir, SyncInterval: cmp.Or(opts.Sync, time.Second), SyncAlways: opts.Sync < 0,
		NoSystemAccount: opts.Cluster == nil,
	}
	if opts.Sync < 0 {
		settings.SyncInterval = time.Second
	}
	replicas := 1
	if c := opts.Cluster; c != nil {
		if err := c.apply(settings); err != nil {
			return nil, err
		}
		replicas = cmp.Or(c.Nodes, 3)
	}
	if opts.Cluster != nil {
		// The server begins with its routes once it listens to clients. None
		// but this process knows the password.
		hasten()
		settings.DontListen, settings.Host, settings.Port = false, "127.0.0.1", server.RANDOM_PORT
		settings.Username, settings.Password = "self", rand.Text()
	}
	var remove func()
	if settings.StoreDir == "" {
		dir, err := os.MkdirTemp("", "wayfinder-fleet-")
		if err != nil {
			return nil, fmt.Errorf("jetstream: %w", err)
		}
		settings.StoreDir, remove = dir, func() { os.RemoveAll(dir) } // what stays is the system's to clean
	} else {
		release, err := take(opts.Dir)
		if err != nil {
			return nil, err
		}
		remove = release
	}
	s := &Store{log: log, limit: ownAnswerLimit, alone: locks && opts.Cluster == nil}
	if replicas > 1 {
		s.limit = answerLimit
	}
	twice := opts.Dir != "" && opts.Cluster == nil
	restored := false
	var err error
	if twice {
		if err = forgetIndexes(opts.Dir); err == nil {
			restored, err = s.restoreAll(ctx, settings)
		}
	}
	if err == nil && !restored {
		err = s.launch(ctx, settings)
	}
	switch {
	case err != nil, restored:
	case twice:
		err = s.openTwice(ctx, settings, opts.AcceptLoss)
	default:
		if opts.Dir != "" { // what is written from here on is not in it
			err = os.RemoveAll(filepath.Join(opts.Dir, twinDir))
		}
		if err == nil {
			err = s.bind(ctx, opts.Dir == "", replicas, "")
		}
	}
	if stop := s.end; stop != nil { // of the server that runs by now
		s.end = func() { stop(); remove() }
	} else {
		s.end = remove
	}
	if s.reading != nil { // it cannot be stopped, and the directory is its own until then
		stop := s.end
		s.end = func() { go func() { <-s.reading; stop() }() }
	}
	if err == nil && replicas > 1 {
		err = s.catchUp(ctx, opts.Cluster.Name)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// launch starts a server, and connects to it.
func (s *Store) launch(ctx context.Context, settings *server.Options) error {
	running, err := server.NewServer(settings.Clone())
	if err != nil {
		return fmt.Errorf("jetstream: %w", err)
	}
	running.SetLogger(lines{s.log}, false, false)
	s.end = func() {
		running.Shutdown()
		running.WaitForShutdown()
	}
	if err := s.inTime(ctx, settings, running.Start); err != nil { // it reads all files
		return err
	}
	if !running.ReadyForConnections(ready) {
		return fmt.Errorf("jetstream: the server in %s did not start within %v", settings.StoreDir, ready)
	}
	if s.conn, err = dial(s.log, "", nats.InProcessServer(running), nats.UserInfo(settings.Username, settings.Password), nats.Timeout(ownAnswerLimit)); err != nil {
		return fmt.Errorf("jetstream: %w", err)
	}
	return nil
}

// inTime waits for the reading of the server's files. One that takes too long cannot be
// stopped: s.reading is closed when it has come to its end.
func (s *Store) inTime(ctx context.Context, settings *server.Options, read func()) error {
	begun := make(chan struct{})
	go func() {
		defer close(begun)
		read()
	}()
	limit := readLimit(settings.StoreDir)
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-begun:
	case <-late.C:
		s.reading = begun
		return &UnreadError{filepath.Join(settings.StoreDir, serverDir), limit}
	case <-ctx.Done():
		s.reading = begun
		return fmt.Errorf("jetstream: the records in %s are not read yet: %w", settings.StoreDir, context.Cause(ctx))
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
	if err == nil {
		err = lock(file)
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
	s := &Store{conn: conn, limit: answerLimit, log: log, end: func() {}}
	replicas, err := s.replicas(ctx)
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
