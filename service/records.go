package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
	"github.com/wayfinder-engine/wayfinder/server"
)

// ErrDamaged is a directory whose records and whose second copy are damaged both.
// [Config].AcceptLoss opens it with what is left.
var ErrDamaged = jetstream.ErrDamaged

// joinTime is how long the records of several nodes wait for enough of them.
const joinTime = 5 * time.Minute

// openRecords opens the records, those from before if there is a directory; nil where
// they are in memory.
func openRecords(ctx context.Context, config *Config) (records *jetstream.Store, err error) {
	c, log := config.Cluster, config.Server.Logger
	if c == nil && config.Dir == "" {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	switch {
	case c == nil:
		// A run that is continued relies on what was written before each effect, also
		// after the machine lost its power. Of several nodes, the others have it.
		records, err = jetstream.Open(ctx, &jetstream.Options{Dir: config.Dir, Sync: -1, AcceptLoss: config.AcceptLoss, Logger: log})
	case c.NATS != "":
		records, err = jetstream.Connect(ctx, c.NATS, log)
	default:
		log.Info("waiting for the other nodes", "peers", c.Peers)
		records, err = jetstream.Open(ctx, &jetstream.Options{Dir: config.Dir, Logger: log, Cluster: &jetstream.Cluster{
			Name: strings.NewReplacer(".", "-", ":", "-", "[", "", "]", "").Replace(c.Listen), Listen: c.Listen, Peers: c.Peers, Secret: c.Secret, Nodes: min(3, len(c.Peers)),
		}})
	}
	if err != nil {
		return nil, fmt.Errorf("the records cannot be opened: %w", err)
	}
	return records, nil
}

// setReady has /readyz tell whether records can be written, which a session and a run
// begin with, and what of them was lost.
func setReady(o *server.Options, records *jetstream.Store) {
	others, warnings := o.Probes.Ready, o.Probes.Warnings
	o.Probes.Ready = func(ctx context.Context) error {
		if err := records.Ready(ctx); err != nil {
			o.Logger.Warn("the records cannot be written", "err", err)
			return errors.New("the records cannot be written: the disk is full, or the other nodes are not reached; the log says which")
		}
		if others != nil {
			return others(ctx)
		}
		return nil
	}
	o.Probes.Warnings = func() []string {
		var all []string
		if warnings != nil {
			all = warnings()
		}
		switch {
		case len(records.Damage()) == 0:
			return all
		case records.Doubt():
			return append(all, "records were damaged and some are lost, which the start accepted; the log says which")
		}
		return append(all, "records were damaged, and restored from their other copy; the log says which")
	}
}
