package server

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server/internal/ledger"
	"github.com/wayfinder-engine/wayfinder/server/internal/profiles"
	"github.com/wayfinder-engine/wayfinder/server/internal/replays"
	"github.com/wayfinder-engine/wayfinder/server/internal/traces"
)

// KeepOptions say what is kept, and where. The zero value keeps nothing.
type KeepOptions struct {
	// Store has replays and the use of keys, and profiles where ProfileDir is empty.
	// nil: replays and the use of keys are gone with the process, and profiles are in
	// memory.
	Store fleet.Store

	// Node is this process's place among those that share Store; nil: no other does.
	Node *Node

	// Keys encrypt profiles and traces. nil: there are no profiles, and traces are files
	// in the clear.
	Keys *SealingKeys

	// ProfileDir is the directory of profiles where no other node shares them.
	ProfileDir string

	// TraceDir is the directory of traces of sessions that ask for one. Empty: such
	// sessions are refused. OpenKept sets Keys and Logger of Trace.
	TraceDir string
	Trace    TraceOptions

	Logger *slog.Logger // nil is silence
}

// Kept is what is kept of sessions beyond their end. Its Profiles may be held by the
// program itself, too, for a session of package engine's:
//
//	hold, err := kept.Profiles.Hold(ctx, "", "ann", "the nightly order")
//	session, err := engine.Open(ctx, cdp.Launch{}, &engine.Options{
//		Browser: engine.BrowserOptions{StorageState: hold.State()},
//	})
//	… // hold.Read after a step keeps the storage of pages that are left
//	err = hold.Read(ctx, session.Browser())
//	err = hold.Close(ctx)
//
// A part is nil where it is not kept.
type Kept struct {
	Profiles *profiles.Profiles // what browsers remember, by names
	Replays  *replays.Replays   // what was done in sessions
	Traces   *traces.Traces     // recordings of sessions that ask for it
	Ledger   *ledger.Ledger     // what keys have used of a day's tokens and dollars

	closers []func() // called from the last to the first
}

// readTime is how long what keys have used may take to be read at the start, and
// flushTime the last of what is kept to be written.
const (
	readTime  = time.Minute
	flushTime = 5 * time.Second
)

// OpenKept opens what is kept, and writes and sweeps it until its Close. ctx bounds the
// reading alone. Nothing stays open after an error.
func OpenKept(ctx context.Context, o KeepOptions) (_ *Kept, err error) {
	k := &Kept{}
	defer func() {
		if err != nil {
			k.Close()
		}
	}()
	if err := k.openTraces(ctx, &o); err != nil {
		return nil, err
	}
	if err := k.openProfiles(&o); err != nil {
		return nil, err
	}
	if o.Store == nil {
		return k, nil
	}
	k.Replays = replays.New(o.Store, &replays.Options{Logger: o.Logger})
	k.during(ctx, k.Replays.Run, k.Replays.Flush)
	reading, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	if k.Ledger, err = ledger.Open(reading, o.Store, o.Logger); err != nil {
		return nil, fmt.Errorf("what keys have used cannot be read: %w", err)
	}
	k.during(ctx, k.Ledger.Run, k.Ledger.Close)
	return k, nil
}

// during runs a keeper until Close, and then has it write what is left. The end of ctx
// does not end it: sessions end after that.
func (k *Kept) during(ctx context.Context, run, last func(context.Context)) {
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	var all sync.WaitGroup
	all.Go(func() { run(keeping) })
	k.closers = append(k.closers, func() {
		stop()
		all.Wait()
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTime)
		defer cancel()
		last(bounded)
	})
}

// openProfiles opens the profiles that there are from before, if there is a key for
// them: of several nodes those that all share.
func (k *Kept) openProfiles(o *KeepOptions) error {
	if o.Keys == nil {
		return nil
	}
	var store profiles.Store
	switch {
	case o.Node != nil:
		store = profiles.Shared(o.Store, o.Node)
	case o.ProfileDir != "":
		dir, err := profiles.OpenDir(o.ProfileDir)
		if err != nil {
			return fmt.Errorf("the profiles cannot be opened: %w", err)
		}
		k.closers = append(k.closers, func() { _ = dir.Close() }) // the process's end does so, too
		store = dir
	case o.Store != nil:
		store = profiles.Shared(o.Store, nil)
	default:
		store = profiles.Shared(new(fleet.Memory), nil)
	}
	k.Profiles = profiles.New(store, o.Keys, &profiles.Options{Logger: o.Logger})
	return nil
}

// openTraces opens what is recorded of sessions, if it is said where.
func (k *Kept) openTraces(ctx context.Context, o *KeepOptions) (err error) {
	if o.TraceDir == "" {
		return nil
	}
	opts := o.Trace
	opts.Keys, opts.Logger = o.Keys, o.Logger
	if k.Traces, err = traces.Open(o.TraceDir, &opts); err != nil {
		return fmt.Errorf("traces cannot be kept in %s: %w", o.TraceDir, err)
	}
	k.during(ctx, k.Traces.Run, func(context.Context) {})
	return nil
}

// Close writes what is left, and ends what OpenKept has begun. Sessions have ended by then.
func (k *Kept) Close() {
	for i := len(k.closers) - 1; i >= 0; i-- {
		k.closers[i]()
	}
	k.closers = nil
}

// TraceOptions bound what is kept of traces.
type TraceOptions = traces.Options

// SealingKeys encrypt what is kept: see [ParseSealingKeys].
type SealingKeys = profiles.Keys

// ParseSealingKeys reads keys, one a line or with commas between them, each 32 random
// bytes in base64 or in hexadecimal digits, as openssl rand -base64 32 writes one. New
// seals are made with the first key; the others open what was sealed before it took its
// place.
func ParseSealingKeys(r io.Reader) (*SealingKeys, error) { return profiles.ParseKeys(r) }
