package ledger

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/server/internal/records"
)

// A Ledger is one process's part of what keys use, and what it knows of the others'.
// It may be used by any number of goroutines.
type Ledger struct {
	store fleet.Store
	log   *slog.Logger
	life  string // of this process
	stop  func() // ends the watch

	writing sync.Mutex // held while records are written; it protects their revisions and failed
	failed  bool       // the last time

	mu       sync.Mutex // protects what follows; the store is not called under it
	accounts map[string]*account
}

// An account is what one caller uses on one day.
type account struct {
	budget *middleware.Budget // with this process's part; nil: it has none
	others map[string]part    // by the lives of their processes

	written  part // of this process's; writing protects it
	revision uint64
}

// A part is the record of what one process has used. Only that process writes it.
type part struct {
	Tokens  int     `json:"tokens"` // in and out
	Dollars float64 `json:"dollars"`
}

// Keys of records: "usage.DAY.CALLER.LIFE", with the day as 20060102.
const (
	prefix    = "usage."
	dayLayout = "20060102"
)

// Open reads what was used before. log may be nil. The caller has the ledger written
// by Run, and closes it.
func Open(ctx context.Context, s fleet.Store, log *slog.Logger) (*Ledger, error) {
	l := &Ledger{store: s, log: cmp.Or(log, slog.New(slog.DiscardHandler)), life: strings.ToLower(rand.Text()), accounts: map[string]*account{}}
	var err error
	if l.stop, err = s.Watch(ctx, prefix, l.changed); err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	return l, nil
}

// Budget returns what a caller may use on a day, which is a moment of it. Its limits
// are the callers' to set; what it counts is recorded. Callers are as the server
// names them.
func (l *Ledger) Budget(caller string, day time.Time) *middleware.Budget {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.account(day.UTC().Format(dayLayout) + "." + caller)
	if a.budget == nil {
		a.budget = new(middleware.Budget)
		a.count()
	}
	return a.budget
}

// account returns the one of "DAY.CALLER". l.mu is held.
func (l *Ledger) account(name string) *account {
	a := l.accounts[name]
	if a == nil {
		a = &account{others: map[string]part{}}
		l.accounts[name] = a
	}
	return a
}

// count has the budget know what others have used. The ledger's mu is held.
func (a *account) count() {
	if a.budget == nil {
		return
	}
	var sum part
	for _, p := range a.others {
		sum.Tokens += p.Tokens
		sum.Dollars += p.Dollars
	}
	a.budget.SetOthers(sum.Tokens, sum.Dollars)
}

// changed takes note of a record.
func (l *Ledger) changed(r fleet.Record) {
	name := strings.TrimPrefix(r.Key, prefix)
	end := strings.LastIndexByte(name, '.')
	if end < 0 || name[end+1:] == l.life {
		return
	}
	name, life := name[:end], name[end+1:]
	var p part
	if !r.Deleted && (json.Unmarshal(r.Value, &p) != nil || p.Tokens < 0 || p.Dollars < 0) {
		l.log.Warn("what a key has used at one node cannot be read, and does not count", "record", r.Key)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.Deleted && l.accounts[name] == nil {
		return // its day is over
	}
	a := l.account(name)
	a.others[life] = p
	if r.Deleted {
		delete(a.others, life)
	}
	a.count()
}

const (
	writeEvery = time.Second
	writeTime  = 5 * time.Second // that the store may take
	cleanEvery = time.Hour
	// keepDays is how many days are kept before today, so that nodes whose clocks
	// differ do not remove what counts for the others.
	keepDays = 2
)

// Run writes what was used, and removes what is of days that are over, until ctx
// ends.
func (l *Ledger) Run(ctx context.Context) {
	records.Maintain(ctx, writeEvery, cleanEvery, l.flush, l.clean, func(err error) {
		l.log.Warn("what keys have used on other days is still there", "err", err)
	})
}

// Close writes what is to be written, and hears of the others no more. Run has
// returned by then.
func (l *Ledger) Close(ctx context.Context) {
	l.flush(ctx)
	l.stop()
}

// flush writes what has changed. What the store does not take stays for the next
// time.
func (l *Ledger) flush(ctx context.Context) {
	l.writing.Lock()
	defer l.writing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	l.mu.Lock()
	own := map[string]*account{}
	for name, a := range l.accounts {
		if a.budget != nil {
			own[name] = a
		}
	}
	l.mu.Unlock()
	var failed error
	for name, a := range own {
		if err := l.write(ctx, name, a); err != nil {
			failed = err
			if ctx.Err() != nil {
				break
			}
		}
	}
	if failed != nil && !l.failed {
		l.log.Warn("what keys have used is not written, and is tried again", "err", failed)
	}
	l.failed = failed != nil
}

// write writes one record, if it has changed. l.writing is held.
func (l *Ledger) write(ctx context.Context, name string, a *account) error {
	used, dollars := a.budget.Spent()
	now := part{Tokens: used.Input + used.Output, Dollars: dollars}
	if now == a.written {
		return nil
	}
	revision, err := records.Put(ctx, l.store, prefix+name+"."+l.life, now, a.revision)
	if err != nil {
		return err
	}
	a.written, a.revision = now, revision
	return nil
}

// clean removes what is of days that are over. Any node calls it.
func (l *Ledger) clean(ctx context.Context) error {
	first := time.Now().UTC().AddDate(0, 0, -keepDays).Format(dayLayout)
	l.mu.Lock()
	for name := range l.accounts {
		if day, _, _ := strings.Cut(name, "."); day < first {
			delete(l.accounts, name)
		}
	}
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, cleanEvery)
	defer cancel()
	return records.Sweep(ctx, l.store, prefix, func(r fleet.Record) bool {
		day, _, _ := strings.Cut(strings.TrimPrefix(r.Key, prefix), ".")
		return day < first
	})
}
