package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// A pair is the servers' records and their second copy, which every write reaches. What
// is damaged in one of the two is taken from the other.
type pair struct {
	records

	twin    *twin      // nil where others have the records, too, or none are kept
	writing sync.Mutex // held while a record is written, where there is a twin; protects unsure
	unsure  []string   // keys of which it is not known what was written

	health struct {
		sync.Mutex
		damaged []string // what was found
		doubt   bool
	}
}

// found notes damage, and says so in the log.
func (p *pair) found(what string) {
	p.health.Lock()
	p.health.damaged = append(p.health.damaged, what)
	p.health.Unlock()
	p.log.Error("records are damaged", "found", what)
}

// Damage returns what was found to be damaged in the files since the store was opened.
func (p *pair) Damage() []string {
	p.health.Lock()
	defer p.health.Unlock()
	return slices.Clone(p.health.damaged)
}

// Doubt reports that records may be missing, or be old, by [Options.AcceptLoss].
func (p *pair) Doubt() bool {
	p.health.Lock()
	defer p.health.Unlock()
	return p.health.doubt
}

// writeAnew writes a record that the servers have lost.
func (p *pair) writeAnew(ctx context.Context, key string, value []byte) error {
	asked, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.limit)
	defer cancel()
	revision, err := p.bucket.Put(asked, key, value)
	if err != nil {
		return failed(key, err)
	}
	return p.twin.put(key, value, revision)
}

// putTwice writes a record, and then its copy, before anything else is written: what
// the twin lacks is the last write at most.
func (p *pair) putTwice(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	// A caller that leaves early leaves no write behind that the twin does not know.
	ctx = context.WithoutCancel(ctx)
	if err := p.settle(ctx, nil); err != nil {
		return 0, err
	}
	written, err := p.put(ctx, key, value, revision)
	switch {
	case errors.Is(err, fleet.ErrConflict):
		return 0, err
	case err == nil:
		err = p.twin.put(key, value, written)
	}
	if err != nil {
		p.unsure = append(p.unsure, key)
		return 0, unavailable(key, err)
	}
	return written, nil
}

// deleteTwice deletes a record: first in the twin, so that it has none that is gone.
func (p *pair) deleteTwice(ctx context.Context, key string, revision uint64) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	ctx = context.WithoutCancel(ctx)
	if err := p.settle(ctx, nil); err != nil {
		return err
	}
	if known := p.twin.at(key); known.deleted || known.revision != revision {
		return fmt.Errorf("%w: %s", fleet.ErrConflict, key)
	}
	err := p.twin.remove(key, revision)
	if err == nil {
		err = p.delete(ctx, key, revision)
	}
	if err != nil {
		p.unsure = append(p.unsure, key)
		return unavailable(key, err)
	}
	return nil
}

// settle tells the twin what the servers have of some keys, and of those that were
// unsure. p.writing is held, or p is not shared yet.
func (p *pair) settle(ctx context.Context, keys []string) error {
	p.unsure = append(p.unsure, keys...)
	for len(p.unsure) > 0 {
		if err := p.adopt(ctx, p.unsure[0]); err != nil {
			return err
		}
		p.unsure = p.unsure[1:]
	}
	return nil
}

// adopt tells the twin what the servers have of a key. A record that the twin has as
// deleted is deleted.
func (p *pair) adopt(ctx context.Context, key string) error {
	known := p.twin.at(key)
	r, err := p.read(ctx, key)
	switch {
	case errors.Is(err, fleet.ErrNotFound):
		return nil
	case err != nil:
		return err
	case known.deleted && r.Revision <= known.revision:
		err := p.delete(ctx, key, r.Revision)
		if errors.Is(err, fleet.ErrConflict) || errors.Is(err, fleet.ErrNotFound) {
			return nil
		}
		return err
	case r.Revision == known.revision:
		return nil
	}
	return p.twin.put(key, r.Value, r.Revision)
}

// restore reads a record that the servers could not read, from the twin if it has it,
// and writes it anew.
func (p *pair) restore(ctx context.Context, key string) (fleet.Record, error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	r, err := p.read(ctx, key)
	if err == nil || context.Cause(ctx) != nil {
		return r, err
	}
	value, revision, found, bad := p.twin.get(key)
	if !found || slices.Contains(p.unsure, key) {
		return r, err
	}
	if bad != nil {
		p.found(fmt.Sprintf("the record %s cannot be read in either copy: %v; %v", key, err, bad))
		return r, err
	}
	if !errors.Is(err, fleet.ErrNotFound) && !p.conn.IsConnected() {
		return r, err // it is the server that is gone
	}
	p.found(fmt.Sprintf("the record %s was restored from the second copy: %v", key, err))
	if err := p.writeAnew(ctx, key, value); err != nil {
		return fleet.Record{Key: key, Value: value, Revision: revision}, nil // it is written the next time
	}
	return p.read(ctx, key)
}

// unavailable is a write of which it is not known what came of it.
func unavailable(key string, err error) error {
	if errors.Is(err, fleet.ErrUnavailable) || errors.Is(err, fleet.ErrConflict) {
		return err
	}
	return fmt.Errorf("%w: %s: %w", fleet.ErrUnavailable, key, err)
}
