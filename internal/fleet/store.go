package fleet

import (
	"context"
	"errors"
	"strconv"
)

// A Store keeps small records under keys for all nodes of a fleet. It is the
// only part of this package that differs between one process and many machines:
// [Placer] and [Queue] are written once, on this contract.
//
// All methods may be called at once by any number of goroutines. A key is made
// of segments of letters, digits, '-', '_' and '=', with dots between them, as
// "node.n1-x8". Values have up to [MaxValue] bytes; the store keeps none of the
// slices that it is given, and the caller may change those that it returns.
//
// An error that is neither [ErrNotFound] nor [ErrConflict] leaves open whether
// the call had its effect: an answer can be lost after the write.
// Every caller in this package allows for that.
type Store interface {
	// Get returns the record at key, or ErrNotFound. The record may be of a
	// moment ago: what another node has just changed need not show yet. A
	// decision that a stale record would make wrong goes through Put with the
	// record's revision. A record that was made before the call is found.
	Get(ctx context.Context, key string) (Record, error)

	// Put writes value at key if the record there still has the given
	// revision; 0 means that there is no record. Of any number of calls with
	// the same key and revision, at most one succeeds, whichever nodes they
	// come from. The others, and every later one, return ErrConflict and have
	// written nothing. The new revision is greater than all that the key has
	// had, those of deleted records included.
	Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)

	// Delete removes the record at key under the same condition.
	Delete(ctx context.Context, key string, revision uint64) error

	// Watch calls changed for every record whose key begins with prefix, which
	// is one or more whole segments with their dot, and then for each change,
	// in the order of the writes. It may skip a state that another has
	// replaced, and it may report the same one twice. Watch returns once all
	// records that were there at the call have been reported. Calls never
	// overlap; changed must not call the store, or stop. A connection that is
	// lost for a while is the store's to restore; no change is missed.
	//
	// ctx bounds the call to Watch alone. stop ends the watch, and returns when
	// no call is under way any more; it may be called again.
	Watch(ctx context.Context, prefix string, changed func(Record)) (stop func(), err error)
}

// A Record is what a store has at a key.
type Record struct {
	Key      string
	Value    []byte
	Revision uint64
	Deleted  bool // of a watch: the record is gone, and Value is nil
}

// MaxValue is how many bytes a record may have.
const MaxValue = 768 << 10

// The errors of a Store.
var (
	// ErrNotFound: the store has no record of that name. It was never written, or has expired.
	ErrNotFound = errors.New("fleet: there is no such record")
	// ErrConflict: another process changed the record after it was read. Nothing was written.
	ErrConflict = errors.New("fleet: the record has changed")
	// ErrUnavailable: the node does not reach the store. The error wraps the cause; callers try again.
	ErrUnavailable = errors.New("fleet: the store cannot be reached")
)

// CheckKey returns an error for what is no key of a Store.
func CheckKey(key string) error {
	begun := false // a segment
	for i := range len(key) {
		switch c := key[i]; {
		case c == '.' && begun:
			begun = false
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '=':
			begun = true
		default:
			return &KeyError{key}
		}
	}
	if !begun || len(key) > 512 {
		return &KeyError{key}
	}
	return nil
}

// CheckCall is what a store's methods begin with: it returns why the context has ended, or
// [CheckKey]'s error.
func CheckCall(ctx context.Context, key string) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return CheckKey(key)
}

// A KeyError is a key that a store does not take.
type KeyError struct{ Key string }

func (e *KeyError) Error() string {
	return "fleet: " + strconv.Quote(e.Key) + " is no key: write up to 512 letters, digits, '-', '_' and '=', with single dots between them"
}

// A Deleter is what Remove needs of a store.
type Deleter interface {
	Delete(ctx context.Context, key string, revision uint64) error
}

// Remove removes records as they were read. What another has removed or written meanwhile
// is left to it, so that all nodes may clean at once.
func Remove(ctx context.Context, s Deleter, all ...Record) error {
	for _, r := range all {
		if err := s.Delete(ctx, r.Key, r.Revision); err != nil && !errors.Is(err, ErrConflict) && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	return nil
}

// List returns the records under a prefix, as [Store.Watch] takes it.
func List(ctx context.Context, s Store, prefix string) ([]Record, error) {
	var all []Record
	stop, err := s.Watch(ctx, prefix, func(r Record) {
		if !r.Deleted {
			all = append(all, r)
		}
	})
	if err != nil {
		return nil, err
	}
	stop()
	// A record that changed meanwhile is there twice: the last one counts.
	last := map[string]int{}
	for i, r := range all {
		last[r.Key] = i
	}
	kept := all[:0]
	for i, r := range all {
		if last[r.Key] == i {
			kept = append(kept, r)
		}
	}
	return kept, nil
}
