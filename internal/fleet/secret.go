package fleet

import (
	"context"
	"errors"
	"fmt"
)

// Secret returns what belongs to a job and is erased once that is over; ErrNotFound
// from then on, and where there was none.
func (q *Queue) Secret(ctx context.Context, id string) ([]byte, error) {
	var record jobRecord
	if _, err := getJSON(ctx, q.store, q.key("job", id), &record); err != nil {
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
	for _, r := range records {
		if err == nil {
			err = q.remove(ctx, r.Key, r.Revision)
		}
	}
	return err
}

// remove deletes a record, unless it has changed.
func (q *Queue) remove(ctx context.Context, key string, revision uint64) error {
	if err := q.store.Delete(ctx, key, revision); err != nil && !errors.Is(err, ErrConflict) && !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
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
		if err := q.remove(ctx, key, l.revision); err != nil {
			return err
		}
	}
	return nil
}
