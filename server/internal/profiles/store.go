package profiles

import (
	"cmp"
	"context"
	"crypto/rand"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// A Store keeps records for all processes that share profiles, and knows which
// of these live. [Dir] is a directory, [Shared] a fleet's store.
//
// Get, Put and Delete are those of [fleet.Store], with its errors: at most one
// call with the same key and revision succeeds. Keys are in lower case. All
// methods may be called at once.
type Store interface {
	Get(ctx context.Context, key string) (fleet.Record, error)
	Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)
	Delete(ctx context.Context, key string, revision uint64) error

	// List returns the records whose keys begin with prefix, which ends with a
	// dot.
	List(ctx context.Context, prefix string) ([]fleet.Record, error)

	// Life names the present life of this process: another begins when it
	// is started again, or was taken for dead.
	Life() string

	// Ended reports whether a life is over. It answers false where that is not
	// known yet, for as long as a lease lasts.
	Ended(ctx context.Context, life string) (bool, error)
}

// A Node is a process's place among others: see package nodes.
type Node interface {
	Life() string
	Ended(ctx context.Context, life string) (bool, error)
}

// Shared returns the profiles' side of a fleet's store. A nil node says that no
// other process uses the store.
func Shared(s fleet.Store, node Node) Store {
	if node == nil {
		node = alone(rand.Text())
	}
	return shared{s, node}
}

type shared struct {
	fleet.Store
	Node
}

func (s shared) List(ctx context.Context, prefix string) ([]fleet.Record, error) {
	return fleet.List(ctx, s.Store, prefix)
}

// alone is the life of a process that shares its store with no other.
type alone string

func (a alone) Life() string { return string(a) }

func (a alone) Ended(_ context.Context, life string) (bool, error) { return life != string(a), nil }

// Keys of records: "profile.OWNER.NAME", and the parts of one that is too large
// for a record, "profilepart.OWNER.NAME.WRITE.0" and so on.
const (
	headPrefix = "profile."
	partPrefix = "profilepart."
)

// ownerPrefix is where the heads of an owner's profiles are. Owners are digits and
// letters in lower case; the empty one is written as a dash.
func ownerPrefix(owner string) string { return headPrefix + cmp.Or(owner, "-") + "." }
