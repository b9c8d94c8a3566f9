package server

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/internal/profiles"
)

// A keeper keeps the profile of a session; nil is that of one without.
type keeper struct {
	hold    *profiles.Hold
	log     *slog.Logger
	browser driver.Browser // nil before it is open, when nothing can be left
	keeping sync.WaitGroup
	lost    error // why it was not saved at the end; set by save
}

const (
	leaveLimit = 500 * time.Millisecond // for a browser to say what it remembers, before a page is left
	readLimit  = 5 * time.Second        // for a browser to say what it remembers, at its end
	saveLimit  = 10 * time.Second       // for the store to take it
)

// keep begins to save what a browser remembers, which began with state, until ctx
// ends.
func (k *keeper) keep(ctx context.Context, b driver.Browser, state *driver.StorageState) *keeper {
	if k == nil {
		return nil
	}
	k.hold.Set(state)
	k.browser = b
	k.keeping.Go(func() { k.hold.Keep(ctx, b) })
	return k
}

// touch notes that another client works in the browser.
func (k *keeper) touch() {
	if k != nil {
		k.hold.Touch()
	}
}

// beforeLeaving reads the storage of pages that an operation may leave: it cannot
// be read afterwards.
func (k *keeper) beforeLeaving(ctx context.Context, op engine.Operation) {
	switch op {
	case engine.OperationAct, engine.OperationDo, engine.OperationNavigate, engine.OperationBack, engine.OperationForward, engine.OperationReload, engine.OperationCallTool:
	default:
		return
	}
	if k.browser == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, leaveLimit)
	defer cancel()
	if err := k.hold.Read(ctx, k.browser); err != nil {
		k.log.Debug("a browser does not say what it remembers", "err", err)
	}
}

// read asks the browser for the last time what it remembers. Where it does not
// say so any more, what it said last counts.
func (k *keeper) read() {
	if k == nil {
		return
	}
	k.keeping.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), readLimit)
	defer cancel()
	if err := k.hold.Read(ctx, k.browser); err != nil {
		k.log.Warn("a browser did not say what it remembers at its end", "err", err)
	}
}

// save writes the profile, and gives it back.
func (k *keeper) save() {
	if k == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), saveLimit)
	defer cancel()
	if k.lost = k.hold.Close(ctx); k.lost != nil {
		k.log.Warn("a profile was not saved", "err", k.lost)
	}
}
