package fleet

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A JobState is where a job stands.
type JobState string

// The states. The last three are final.
const (
	Waiting   JobState = "waiting"
	Running   JobState = "running"
	Finished  JobState = "finished"  // its result says how
	Canceled  JobState = "canceled"  // with a result if it had begun
	Abandoned JobState = "abandoned" // too many of those that claimed it were lost
)

// Over reports a final state.
func (s JobState) Over() bool { return s == Finished || s == Canceled || s == Abandoned }

// A Job is a piece of work as the queue knows it. What is to be done is its
// payload, which [Queue.Payload] reads.
type Job struct {
	ID       string
	Owner    string // whose it is: owners take turns
	Priority int    // among the owner's jobs, higher first
	State    JobState
	Attempt  int  // how often it was claimed
	Losses   int  // how often its claimer has fallen silent
	Cancel   bool // it shall end
	Damaged  bool // it was ended by [Queue.Distrust]

	// Outcome is what [Claim.Conclude] was given: it is known without the result.
	Outcome string

	Enqueued time.Time
	Started  time.Time // when it was claimed last
	Ended    time.Time
	After    time.Time // it is not claimed before

	revision uint64
}

// A Request is a job to be done.
type Request struct {
	Owner    string
	Priority int
	After    time.Time // not before; zero is at once
	Payload  []byte    // up to MaxValue bytes

	// Secret belongs to the payload, and is erased once the job is over: up to
	// MaxValue bytes, which the caller has encrypted. [Queue.Secret] reads it.
	Secret []byte

	// Key makes the request idempotent: of all requests of an owner with the
	// same key, one job is made. It may be any text.
	Key string
	// Identity is what requests with the same key have in common, where payload and
	// secret differ each time, as what is encrypted does. A digest of it is kept. nil
	// is the payload.
	Identity []byte
}

// The errors of a Queue.
var (
	// ErrEmpty: no job can be claimed at the moment.
	ErrEmpty = errors.New("fleet: no job is waiting")
	// ErrFull: the owner has as many jobs as it may have.
	ErrFull = errors.New("fleet: the owner has too many jobs waiting")
	// ErrMismatch: the key was used for another request.
	ErrMismatch = errors.New("fleet: the idempotency key belongs to another job")
	// ErrDamaged: lines of the job's log are missing, so that it cannot be continued.
	ErrDamaged = errors.New("fleet: lines of the job's log are missing")
	// ErrCanceled: the job was cancelled. It is the cause of its claim's context.
	ErrCanceled = errors.New("fleet: the job was cancelled")
)

// jobRecord is a job as the store has it. Every change of it counts as a sign of life
// of its claimer.
type jobRecord struct {
	Owner    string    `json:"o,omitempty"`
	Priority int       `json:"p,omitempty"`
	State    JobState  `json:"s"`
	Attempt  int       `json:"a,omitempty"`
	Losses   int       `json:"l,omitempty"`
	Nonce    string    `json:"n,omitempty"` // of the claim
	From     uint64    `json:"r,omitempty"` // the revision that the claim replaced
	Beat     uint64    `json:"b,omitempty"`
	TermMs   int64     `json:"m,omitempty"`
	Cancel   bool      `json:"c,omitempty"`
	Digest   string    `json:"d"` // of the request's identity
	Secret   bool      `json:"x,omitempty"`
	Outcome  string    `json:"u,omitempty"`
	Damaged  bool      `json:"w,omitempty"`
	Enqueued time.Time `json:"e"`
	Started  time.Time `json:"f,omitzero"`
	Ended    time.Time `json:"g,omitzero"`
	After    time.Time `json:"t,omitzero"`
}

func (r *jobRecord) job(id string, revision uint64) Job {
	return Job{
		ID: id, Owner: r.Owner, Priority: r.Priority, State: r.State, Attempt: r.Attempt, Losses: r.Losses, Cancel: r.Cancel, Damaged: r.Damaged, Outcome: r.Outcome,
		Enqueued: r.Enqueued, Started: r.Started, Ended: r.Ended, After: r.After, revision: revision,
	}
}

// jobID is the ID of a request's job: with a key always the same.
func (r *Request) jobID() string {
	if r.Key == "" {
		return newID() + newID()
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s%s", len(r.Owner), r.Owner, r.Key))
	return hex.EncodeToString(sum[:12])
}

// An index holds the jobs that wait and run, and says which is next. It is not
// safe for concurrent use.
type index struct {
	owners  map[string]*owner
	running map[string]*entry
	delayed []*entry // by when they may be claimed
	turn    uint64   // counts what was taken
}

// An owner is whose jobs are in an index.
type owner struct {
	waiting []*entry // next first
	delayed int
	running int
	served  uint64 // the turn at which it was served last
}

// An entry is a job as a queue knows it.
type entry struct {
	id       string
	record   jobRecord
	revision uint64
	unseen   time.Duration // since a running job last changed
}

// order puts the entries of one owner in their order.
func order(a, b *entry) int {
	return cmp.Or(cmp.Compare(b.record.Priority, a.record.Priority), a.record.Enqueued.Compare(b.record.Enqueued), cmp.Compare(a.id, b.id))
}

func byTime(a, b *entry) int {
	return cmp.Or(a.record.After.Compare(b.record.After), cmp.Compare(a.id, b.id))
}

// of returns the place of an owner.
func (x *index) of(name string) *owner {
	one := x.owners[name]
	if one == nil {
		one = &owner{}
		x.owners[name] = one
	}
	return one
}

// add takes a job in, where it waits or runs.
func (x *index) add(e *entry) {
	switch one := x.of(e.record.Owner); {
	case e.record.State == Running:
		one.running++
		x.running[e.id] = e
	case e.record.State != Waiting:
	case !e.record.After.IsZero():
		one.delayed++
		x.delayed = insert(x.delayed, e, byTime)
	default:
		one.waiting = insert(one.waiting, e, order)
	}
}

// remove takes a job out that add took in, with the record that it had then.
func (x *index) remove(e *entry) {
	one := x.of(e.record.Owner)
	switch e.record.State {
	case Running:
		one.running--
		delete(x.running, e.id)
	case Waiting:
		var found bool
		if one.waiting, found = drop(one.waiting, e, order); !found {
			x.delayed, _ = drop(x.delayed, e, byTime)
			one.delayed--
		}
	}
	if one.running == 0 && one.delayed == 0 && len(one.waiting) == 0 {
		delete(x.owners, e.record.Owner)
	}
}

func insert(list []*entry, e *entry, by func(a, b *entry) int) []*entry {
	at, _ := slices.BinarySearchFunc(list, e, by)
	return slices.Insert(list, at, e)
}

func drop(list []*entry, e *entry, by func(a, b *entry) int) ([]*entry, bool) {
	at, found := slices.BinarySearchFunc(list, e, by)
	if !found || list[at] != e {
		return list, false
	}
	return slices.Delete(list, at, at+1), true
}

// next returns the job to claim next; nil if there is none. Owners take turns: first
// the one with the fewest jobs running, then the one served longest ago. allowed
// returns which job of an owner that is, nil if it has as many at work as it may.
func (x *index) next(now time.Time, allowed func(name string, o *owner) *entry) *entry {
	for len(x.delayed) > 0 && !x.delayed[0].record.After.After(now) {
		e := x.delayed[0]
		x.delayed = slices.Delete(x.delayed, 0, 1)
		one := x.of(e.record.Owner)
		one.delayed--
		one.waiting = insert(one.waiting, e, order)
	}
	var best *owner
	var chosen *entry
	for name, one := range x.owners {
		if len(one.waiting) == 0 || best != nil && !one.before(best) {
			continue
		}
		if e := allowed(name, one); e != nil {
			best, chosen = one, e
		}
	}
	if best == nil {
		return nil
	}
	x.turn++
	best.served = x.turn
	return chosen
}

func (o *owner) before(b *owner) bool {
	return cmp.Or(cmp.Compare(o.running, b.running), cmp.Compare(o.served, b.served), order(o.waiting[0], b.waiting[0])) < 0
}
