package fleet

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"sync"
	"time"
)

// QueueOptions are how a queue works. The zero value is usable.
type QueueOptions struct {
	// Term is how long a claim holds without being kept alive; 0 is 10 s.
	Term time.Duration
	// Waiting is how many jobs an owner may have waiting; 0 is 10,000.
	Waiting int
	// Running is how many jobs of one owner run at once; 0 is no limit. It is one
	// limit for all nodes, which set it alike: none that claims can exceed it, not at
	// the same moment nor by what it has not heard yet. Each claim costs one write
	// more.
	Running int
	// Losses is how often a job may lose its claimer before it is abandoned; 0 is 3.
	Losses int
	// Alone says that no other process has the store, as none can have a directory
	// that is locked: claims that stand there when the queue begins are those of
	// processes that have ended, and are lost at the first Sweep.
	Alone  bool
	Clock  Clock        // nil is System
	Logger *slog.Logger // nil is silence
}

// A Queue holds jobs for all nodes of a fleet, until one of them has done them.
// Each node has one, on the store that they share; queues of different names
// know nothing of each other. It may be used by any number of goroutines.
//
// What it guarantees: a job that Enqueue has accepted is claimed by at most one
// at a time, and again if that one is not heard of, until it is over. So a job
// may be begun more than once. That no effect of it happens twice is for its log
// to say: [Claim.Append] writes one line of it before the effect, and the store
// takes no line of a claim that is lost.
type Queue struct {
	store Store
	clock Clock
	opts  QueueOptions
	log   *slog.Logger
	name  string
	stop  func()

	mu      sync.Mutex // protects what follows; the store is not called under it
	jobs    map[string]*entry
	index   index
	places  places
	jobless map[string]bool   // keys of secrets that had no job at the last Clean
	claims  map[string]*Claim // of this queue
	age     age
	changed chan struct{} // closed and replaced when a job changes
}

// NewQueue returns the queue of a name, as a key's segment, with the jobs that
// the store has. opts may be nil. The caller closes it.
func NewQueue(ctx context.Context, s Store, name string, opts *QueueOptions) (*Queue, error) {
	opts = cmp.Or(opts, &QueueOptions{})
	if err := CheckKey(name); err != nil {
		return nil, fmt.Errorf("fleet: queue: %w", err)
	}
	q := &Queue{
		store: s, name: name, clock: clockOr(opts.Clock), opts: *opts, log: cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)),
		jobs: map[string]*entry{}, index: index{owners: map[string]*owner{}, running: map[string]*entry{}}, claims: map[string]*Claim{}, changed: make(chan struct{}),
	}
	q.places = places{queue: q, known: map[string]*taken{}}
	q.opts.Term = cmp.Or(opts.Term, 10*time.Second)
	q.opts.Waiting = cmp.Or(opts.Waiting, 10_000)
	q.opts.Losses = cmp.Or(opts.Losses, 3)
	q.age.bound = q.Interval()
	var err error
	if q.stop, err = s.Watch(ctx, q.key("job", ""), q.see); err != nil {
		return nil, fmt.Errorf("fleet: queue %s: %w", name, err)
	}
	if opts.Alone {
		q.mu.Lock()
		for _, e := range q.index.running {
			e.unseen = forever
		}
		q.mu.Unlock()
	}
	if q.opts.Running > 0 {
		jobs := q.stop
		places, err := s.Watch(ctx, q.key("places", ""), q.places.see)
		if err != nil {
			jobs()
			return nil, fmt.Errorf("fleet: queue %s: %w", name, err)
		}
		q.stop = func() { jobs(); places() }
	}
	return q, nil
}

// forever is for how long a claim of a process that has ended was not kept alive.
const forever = time.Duration(math.MaxInt64 / 2)

// Close ends the queue; claims that are under way are lost.
func (q *Queue) Close() {
	q.stop()
	q.mu.Lock()
	claims := slices.Collect(maps.Values(q.claims))
	q.mu.Unlock()
	for _, c := range claims {
		c.end(ErrLost)
	}
}

// Interval is how often a claim is kept alive, and the lost are looked for.
func (q *Queue) Interval() time.Duration { return q.opts.Term / beatsPerTerm }

// key is the key of a part of a job: the job itself, its task, result, or log.
func (q *Queue) key(part, id string) string { return q.name + "." + part + "." + id }

// see takes a job's record from the store.
func (q *Queue) see(r Record) {
	id := r.Key[len(q.key("job", "")):]
	var record jobRecord
	if !r.Deleted && !decode(r.Value, &record) {
		return // of a later version: it is not for us
	}
	q.note(id, record, r.Revision, r.Deleted)
}

// put writes a job's record, and shows it to this queue at once.
func (q *Queue) put(ctx context.Context, id string, record jobRecord, revision uint64) (uint64, error) {
	written, err := putJSON(ctx, q.store, q.key("job", id), record, revision)
	if err == nil {
		q.note(id, record, written, false)
	}
	return written, err
}

// note takes in what the store has of a job, unless something later is known.
func (q *Queue) note(id string, record jobRecord, revision uint64, deleted bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.jobs[id]
	if e != nil {
		if e.revision >= revision {
			return
		}
		q.index.remove(e)
	} else {
		e = &entry{id: id}
	}
	e.record, e.revision, e.unseen = record, revision, 0
	if deleted {
		delete(q.jobs, id)
	} else {
		q.jobs[id] = e
		q.index.add(e)
	}
	if c := q.claims[id]; c != nil {
		c.see(&e.record, deleted)
	}
	q.wake()
}

// wake has the waiters for a change look again. q.mu is held.
func (q *Queue) wake() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// Enqueue adds a job, and reports whether it is new: with a key that was used
// for the same request before, it returns that job. After an error that leaves
// the outcome open, a request with a key is sent again.
func (q *Queue) Enqueue(ctx context.Context, r Request) (_ Job, created bool, _ error) {
	id := r.jobID()
	identity := r.Identity
	if identity == nil {
		identity = r.Payload
	}
	sum := sha256.Sum256(identity)
	record := jobRecord{
		Owner: r.Owner, Priority: r.Priority, State: Waiting, Digest: hex.EncodeToString(sum[:]), Secret: len(r.Secret) > 0,
		Enqueued: q.clock.Now().UTC(), After: r.After,
	}
	if r.Key != "" {
		if job, err := q.known(ctx, id, &record); !errors.Is(err, ErrNotFound) {
			return job, false, err
		}
	}
	q.mu.Lock()
	full := false
	if one := q.index.owners[r.Owner]; one != nil {
		full = len(one.waiting)+one.delayed >= q.opts.Waiting
	}
	q.mu.Unlock()
	if full {
		return Job{}, false, fmt.Errorf("%w: %d", ErrFull, q.opts.Waiting)
	}
	// The task goes first, so that it is there for every reader of the job. Two
	// requests with one key may both write it, each under a name of its own digest.
	_, err := q.store.Put(ctx, q.taskKey(id, &record), r.Payload, 0)
	if record.Secret && (err == nil || errors.Is(err, ErrConflict)) {
		_, err = q.store.Put(ctx, q.secretKey(id, &record), r.Secret, 0)
	}
	if err != nil && !errors.Is(err, ErrConflict) {
		return Job{}, false, fmt.Errorf("fleet: queue %s: enqueue: %w", q.name, err)
	}
	revision, err := q.put(ctx, id, record, 0)
	switch {
	case errors.Is(err, ErrConflict):
		job, err := q.known(ctx, id, &record)
		return job, false, err
	case err != nil:
		return Job{}, false, fmt.Errorf("fleet: queue %s: enqueue: %w", q.name, err)
	}
	return record.job(id, revision), true, nil
}

// record reads a job's record.
func (q *Queue) record(ctx context.Context, id string) (r jobRecord, revision uint64, err error) {
	revision, err = getJSON(ctx, q.store, q.key("job", id), &r)
	return r, revision, err
}

func (q *Queue) taskKey(id string, r *jobRecord) string {
	return q.key("task", id+"."+r.Digest[:16])
}

// known returns the job of an ID if it is that of the same request.
func (q *Queue) known(ctx context.Context, id string, want *jobRecord) (Job, error) {
	record, revision, err := q.record(ctx, id)
	if err != nil {
		return Job{}, err
	}
	if record.Digest != want.Digest {
		return Job{}, fmt.Errorf("%w: %s", ErrMismatch, id)
	}
	return record.job(id, revision), nil
}

// Get returns a job, or ErrNotFound.
func (q *Queue) Get(ctx context.Context, id string) (Job, error) {
	if err := CheckKey(id); err != nil {
		return Job{}, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	record, revision, err := q.record(ctx, id)
	if err != nil {
		return Job{}, err
	}
	return record.job(id, revision), nil
}

// Payload returns what a job is about.
func (q *Queue) Payload(ctx context.Context, id string) ([]byte, error) {
	record, _, err := q.record(ctx, id)
	if err != nil {
		return nil, err
	}
	r, err := q.store.Get(ctx, q.taskKey(id, &record))
	return r.Value, err
}

// Result returns what Finish was given; ErrNotFound before, and where there was
// none.
func (q *Queue) Result(ctx context.Context, id string) ([]byte, error) {
	job, err := q.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if !job.State.Over() {
		return nil, fmt.Errorf("%w: job %s is %s", ErrNotFound, id, job.State)
	}
	r, err := q.store.Get(ctx, q.resultKey(id, job.Attempt))
	return r.Value, err
}

func (q *Queue) resultKey(id string, attempt int) string {
	return q.key("result", fmt.Sprintf("%s.%d", id, attempt))
}

// List returns the jobs of an owner as this queue has seen them, the latest
// first.
func (q *Queue) List(owner string) []Job {
	return q.list(func(r *jobRecord) bool { return r.Owner == owner })
}

// ListAll returns the jobs of all owners, as List does.
func (q *Queue) ListAll() []Job { return q.list(func(*jobRecord) bool { return true }) }

func (q *Queue) list(wanted func(*jobRecord) bool) []Job {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []Job
	for id, e := range q.jobs {
		if wanted(&e.record) {
			all = append(all, e.record.job(id, e.revision))
		}
	}
	slices.SortFunc(all, func(a, b Job) int { return cmp.Or(b.Enqueued.Compare(a.Enqueued), cmp.Compare(a.ID, b.ID)) })
	return all
}

// Counts returns how many jobs wait and run.
func (q *Queue) Counts() (waiting, running int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting = len(q.index.delayed)
	for _, one := range q.index.owners {
		waiting += len(one.waiting)
	}
	return waiting, len(q.index.running)
}

// Await returns a job once ok is true of it, or ctx has ended. ErrNotFound is a
// job that is gone.
func (q *Queue) Await(ctx context.Context, id string, ok func(Job) bool) (Job, error) {
	job, err := q.Get(ctx, id)
	if err != nil {
		return Job{}, err
	}
	for seen := false; ; {
		q.mu.Lock()
		e, changed := q.jobs[id], q.changed
		gone := e == nil && seen
		if e != nil && e.revision >= job.revision {
			job, seen = e.record.job(id, e.revision), true
		}
		q.mu.Unlock()
		switch {
		case gone:
			return Job{}, fmt.Errorf("%w: job %s", ErrNotFound, id)
		case ok(job):
			return job, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return job, context.Cause(ctx)
		}
	}
}

// Cancel ends a job: at once if it waits, else by its claimer's context. A job that
// is over stays as it is.
func (q *Queue) Cancel(ctx context.Context, id string) (Job, error) {
	return q.change(ctx, id, func(r *jobRecord) bool {
		if r.State.Over() || r.Cancel {
			return false
		}
		r.Cancel = true
		if r.State == Waiting {
			r.State, r.Ended = Canceled, q.clock.Now().UTC()
		}
		return true
	})
}

// change replaces a job's record; edit returns false to leave it.
func (q *Queue) change(ctx context.Context, id string, edit func(*jobRecord) bool) (Job, error) {
	for {
		record, revision, err := q.record(ctx, id)
		if err != nil {
			return Job{}, err
		}
		if !edit(&record) {
			return record.job(id, revision), nil
		}
		revision, err = q.put(ctx, id, record, revision)
		if err == nil {
			q.ended(ctx, id, &record)
		}
		if !errors.Is(err, ErrConflict) {
			return record.job(id, revision), err
		}
		if err := context.Cause(ctx); err != nil {
			return Job{}, err
		}
	}
}

// Distrust ends the jobs that are not over as Abandoned and Damaged, and returns
// their IDs. Call it on a store in which records may be missing, or be older than
// they were. The effects of such a job are unknown, and it is not done again.
func (q *Queue) Distrust(ctx context.Context) ([]string, error) {
	var open []entry
	q.mu.Lock()
	for _, e := range q.jobs {
		if !e.record.State.Over() {
			open = append(open, *e)
		}
	}
	q.mu.Unlock()
	slices.SortFunc(open, func(a, b entry) int { return cmp.Compare(a.id, b.id) })
	var ended []string
	for _, e := range open {
		job, err := q.change(ctx, e.id, func(r *jobRecord) bool {
			if r.State.Over() {
				return false
			}
			r.State, r.Ended, r.Damaged = Abandoned, q.clock.Now().UTC(), true
			return true
		})
		if err != nil {
			return ended, fmt.Errorf("fleet: queue %s: distrust: %w", q.name, err)
		}
		if job.Damaged {
			ended = append(ended, e.id)
		}
	}
	return ended, nil
}

// Sweep looks for claims that were not kept alive, and has their jobs wait
// again. It returns the IDs of those. Every node calls it at each
// [Queue.Interval].
func (q *Queue) Sweep(ctx context.Context) ([]string, error) {
	var suspects []entry
	q.mu.Lock()
	passed := q.age.step(q.clock.Now())
	for _, e := range q.index.running {
		e.unseen += passed
		if e.unseen > time.Duration(e.record.TermMs)*time.Millisecond+slackBeats*q.Interval() {
			suspects = append(suspects, *e)
		}
	}
	q.mu.Unlock()
	var lost []string
	for _, s := range suspects {
		r := s.record
		r.Losses++
		switch {
		case r.Cancel:
			r.State, r.Ended = Canceled, q.clock.Now().UTC()
		case r.Losses >= q.opts.Losses:
			r.State, r.Ended = Abandoned, q.clock.Now().UTC()
		default:
			r.State = Waiting
		}
		_, err := q.put(ctx, s.id, r, s.revision)
		switch {
		case err == nil:
			lost = append(lost, s.id)
			q.ended(ctx, s.id, &r)
			q.log.Warn("a claim was lost", "queue", q.name, "job", s.id, "state", string(r.State))
		case !errors.Is(err, ErrConflict):
			return lost, fmt.Errorf("fleet: queue %s: sweep: %w", q.name, err)
		}
	}
	return lost, nil
}

// Clean removes jobs that were over before a time, with all that belongs to
// them, and what is left of their owners' places and of secrets. It returns how many jobs. Any node
// calls it, now and then.
func (q *Queue) Clean(ctx context.Context, before time.Time) (int, error) {
	if err := q.places.tidy(ctx); err != nil {
		return 0, err
	}
	if err := q.eraseLeft(ctx); err != nil {
		return 0, err
	}
	var old []entry
	q.mu.Lock()
	for _, e := range q.jobs {
		if e.record.State.Over() && e.record.Ended.Before(before) && !q.places.placed(e) {
			old = append(old, *e)
		}
	}
	q.mu.Unlock()
	for i, e := range old {
		for _, part := range []string{"log", "result", "task", "secret"} {
			if err := q.erase(ctx, q.key(part, e.id)+"."); err != nil {
				return i, err
			}
		}
		// Last: what is left after a failure is found again by it.
		if err := Remove(ctx, q.store, Record{Key: q.key("job", e.id), Revision: e.revision}); err != nil {
			return i, err
		}
	}
	return len(old), nil
}

// Secret returns what belongs to a job and is erased once that is over; ErrNotFound
// from then on, and where there was none.
func (q *Queue) Secret(ctx context.Context, id string) ([]byte, error) {
	record, _, err := q.record(ctx, id)
	if err != nil {
		return nil, err
	}
	if !record.Secret {
		return nil, fmt.Errorf("%w: job %s has no secret", ErrNotFound, id)
	}
	r, err := q.store.Get(ctx, q.secretKey(id, &record))
	return r.Value, err
}

func (q *Queue) secretKey(id string, r *jobRecord) string {
	return q.key("secret", id+"."+r.Digest[:16])
}

// ended erases the secret of a job that is over. If that fails, Clean does it.
func (q *Queue) ended(ctx context.Context, id string, r *jobRecord) {
	if !r.Secret || !r.State.Over() {
		return
	}
	if err := q.erase(ctx, q.key("secret", id)+"."); err != nil {
		q.log.Warn("the secret of a job that is over is not erased yet", "queue", q.name, "job", id, "err", err)
	}
}

// erase deletes the records under a prefix.
func (q *Queue) erase(ctx context.Context, prefix string) error {
	records, err := List(ctx, q.store, prefix)
	if err != nil {
		return err
	}
	return Remove(ctx, q.store, records...)
}

// eraseLeft erases the secrets whose jobs are over, or never came to be: those were
// without a job at the call before, too.
func (q *Queue) eraseLeft(ctx context.Context) error {
	type left struct {
		job      string
		revision uint64
	}
	found := map[string]left{}
	prefix := q.key("secret", "")
	stop, err := q.store.Watch(ctx, prefix, func(r Record) {
		if delete(found, r.Key); !r.Deleted && len(r.Key) > len(prefix)+17 {
			found[r.Key] = left{r.Key[len(prefix) : len(r.Key)-17], r.Revision} // a dot and the digest
		}
	})
	if err != nil {
		return err
	}
	stop()
	q.mu.Lock()
	before := q.jobless
	q.jobless = map[string]bool{}
	for key, l := range found {
		switch e := q.jobs[l.job]; {
		case e == nil && !before[key]:
			q.jobless[key] = true
			delete(found, key)
		case e != nil && !e.record.State.Over():
			delete(found, key)
		}
	}
	q.mu.Unlock()
	for key, l := range found {
		if err := Remove(ctx, q.store, Record{Key: key, Revision: l.revision}); err != nil {
			return err
		}
	}
	return nil
}

// Claim waits for a job and claims it. who is the claimer's name in logs.
func (q *Queue) Claim(ctx context.Context, who string) (*Claim, error) {
	for {
		q.mu.Lock()
		changed := q.changed
		q.mu.Unlock()
		c, err := q.TryClaim(ctx, who)
		if !errors.Is(err, ErrEmpty) {
			return c, err
		}
		due, stop := q.nextDue()
		select {
		case <-changed:
		case <-due:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		stop()
		if !errors.Is(err, ErrEmpty) {
			return nil, err
		}
	}
}

// nextDue is when the next delayed job may be claimed; never, if there is none.
func (q *Queue) nextDue() (due <-chan struct{}, stop func() bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delayed := q.index.delayed
	if len(delayed) == 0 {
		return nil, func() bool { return true }
	}
	return after(q.clock, max(delayed[0].record.After.Sub(q.clock.Now()), 0))
}

// TryClaim claims the job that is next, or returns ErrEmpty.
func (q *Queue) TryClaim(ctx context.Context, who string) (*Claim, error) {
	for {
		q.mu.Lock()
		e := q.index.next(q.clock.Now(), q.places.allowed)
		if e == nil {
			q.mu.Unlock()
			return nil, ErrEmpty
		}
		id, record, revision := e.id, e.record, e.revision
		places, place := q.places.placing(e)
		q.mu.Unlock()
		if place != nil {
			if err := q.places.take(ctx, places, place); errors.Is(err, ErrConflict) {
				continue // others have claimed jobs of this owner
			} else if err != nil {
				return nil, fmt.Errorf("fleet: queue %s: claim %s: its place: %w", q.name, id, err)
			}
		}
		c, err := q.claim(ctx, id, record, revision)
		if err == nil {
			q.log.Debug("job claimed", "queue", q.name, "job", id, "by", who, "attempt", c.Job.Attempt)
			return c, nil
		}
		if !errors.Is(err, ErrConflict) {
			return nil, fmt.Errorf("fleet: queue %s: claim %s: %w", q.name, id, err)
		}
		// Somebody else was first. The watch may not have said so yet: what the
		// store has counts.
		if err := q.look(ctx, id, revision); err != nil {
			return nil, fmt.Errorf("fleet: queue %s: claim %s: %w", q.name, id, err)
		}
	}
}

// claim takes a job that has the given record and revision.
func (q *Queue) claim(ctx context.Context, id string, r jobRecord, revision uint64) (*Claim, error) {
	sent := q.clock.Now()
	r.State, r.Started, r.TermMs, r.Nonce = Running, sent.UTC(), q.opts.Term.Milliseconds(), newID()
	r.Attempt++
	r.Beat++
	r.From = revision
	written, err := q.put(ctx, id, r, revision)
	if err != nil && !errors.Is(err, ErrConflict) {
		// The answer may have been lost, and the write not.
		if now, found, again := q.record(ctx, id); again == nil && now.Nonce == r.Nonce {
			r, written, err = now, found, nil
		}
	}
	if err != nil {
		return nil, err
	}
	c := &Claim{lease: newLease("job "+id, q.clock, q.opts.Term), Job: r.job(id, written), queue: q, record: r, revision: written, line: -1}
	if r.Attempt == 1 {
		c.line = 0 // the log is empty
	}
	c.lapsed = c.forget
	c.mu.Lock()
	c.renew(sent)
	c.mu.Unlock()
	q.mu.Lock()
	q.claims[id] = c
	if e := q.jobs[id]; e != nil && e.revision > written {
		c.see(&e.record, false) // it was seen before it was known
	}
	q.mu.Unlock()
	return c, nil
}

// look takes the record of a job from the store, where the watch is behind.
func (q *Queue) look(ctx context.Context, id string, than uint64) error {
	r, err := q.store.Get(ctx, q.key("job", id))
	switch {
	case errors.Is(err, ErrNotFound):
		q.mu.Lock()
		if e := q.jobs[id]; e != nil && e.revision == than {
			q.index.remove(e)
			delete(q.jobs, id)
		}
		q.mu.Unlock()
		return nil
	case err != nil:
		return err
	}
	q.see(r)
	if r.Revision <= than {
		return fmt.Errorf("%w: the record reads as an old one", ErrUnavailable)
	}
	return nil
}

// LogLine returns one line of a job's log, or ErrNotFound.
func (q *Queue) LogLine(ctx context.Context, id string, number int) (LogLine, error) {
	if err := CheckKey(id); err != nil {
		return LogLine{}, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	r, err := q.store.Get(ctx, jobLog{q, id}.key(number))
	if err != nil {
		return LogLine{}, fmt.Errorf("fleet: job %s: log: %w", id, err)
	}
	return readLine(r)
}

// Follow calls read for the lines of a job's log, in their order and from the
// one after a number on, those that are there and those that come. stop ends it.
// read must not call the queue, nor wait: it holds up the store.
func (q *Queue) Follow(ctx context.Context, id string, after int, read func(LogLine)) (stop func(), err error) {
	if err := CheckKey(id); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return q.store.Watch(ctx, jobLog{q, id}.prefix(), func(r Record) {
		if r.Deleted {
			return
		}
		if line, err := readLine(r); err == nil && line.Number > after {
			after = line.Number
			read(line)
		}
	})
}
