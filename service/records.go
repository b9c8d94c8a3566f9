package service

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server"
)

// ErrDamaged is a directory whose records and whose second copy are damaged both.
// [Config].AcceptLoss opens it with what is left.
var ErrDamaged = jetstream.ErrDamaged

// joinTime is how long the records of several nodes wait for enough of them.
const joinTime = 5 * time.Minute

// openRecords opens the records, those from before if there is a directory.
func (s *Service) openRecords(ctx context.Context) (err error) {
	c := s.config.Cluster
	if c == nil && s.config.Dir == "" {
		s.store = new(fleet.Memory)
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	switch {
	case c == nil:
		// A run that is continued relies on what was written before each effect, also
		// after the machine lost its power. Of several nodes, the others have it.
		s.records, err = jetstream.Open(ctx, &jetstream.Options{Dir: s.config.Dir, Sync: -1, AcceptLoss: s.config.AcceptLoss, Logger: s.log})
	case c.NATS != "":
		s.records, err = jetstream.Connect(ctx, c.NATS, s.log)
	default:
		s.log.Info("waiting for the other nodes", "peers", c.Peers)
		s.records, err = jetstream.Open(ctx, &jetstream.Options{Dir: s.config.Dir, Logger: s.log, Cluster: &jetstream.Cluster{
			Name: strings.NewReplacer(".", "-", ":", "-", "[", "", "]", "").Replace(c.Listen), Listen: c.Listen, Peers: c.Peers, Secret: c.Secret, Nodes: min(3, len(c.Peers)),
		}})
	}
	if err != nil {
		s.records = nil
		return fmt.Errorf("the records cannot be opened: %w", err)
	}
	s.store = s.records
	s.closers = append(s.closers, s.records.Close)
	return nil
}

// setReady has /readyz tell whether records can be written, which a session and a run
// begin with, and what of them was lost.
func (s *Service) setReady(o *server.Options) {
	if s.records == nil {
		return
	}
	others, warnings := o.Probes.Ready, o.Probes.Warnings
	o.Probes.Ready = func(ctx context.Context) error {
		if err := s.records.Ready(ctx); err != nil {
			s.log.Warn("the records cannot be written", "err", err)
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
		case len(s.records.Damage()) == 0:
			return all
		case s.records.Doubt():
			return append(all, "records were damaged and some are lost, which the start accepted; the log says which")
		}
		return append(all, "records were damaged, and restored from their other copy; the log says which")
	}
}

// keep opens what is kept of sessions beyond their end. What is in memory alone is gone
// with the process anyhow.
func (s *Service) keep(ctx context.Context, o *server.Options) (err error) {
	kept := server.KeepOptions{Node: s.node, Keys: s.config.Keys, TraceDir: s.config.TraceDir, Trace: s.config.Trace, Logger: s.log}
	if s.records != nil {
		kept.Store = s.records
	}
	if s.config.Dir != "" {
		kept.ProfileDir = filepath.Join(s.config.Dir, "profiles")
	}
	if o.Parts.Kept, err = server.OpenKept(ctx, kept); err != nil {
		return err
	}
	s.closers = append(s.closers, o.Parts.Kept.Close)
	return nil
}
