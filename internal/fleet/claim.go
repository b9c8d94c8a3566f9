package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A Claim is the right to do a job, until it is finished, given up or lost. It
// may be used by any number of goroutines.
type Claim struct {
	*lease // its mu is below queue.mu

	// Job is the job as it was claimed. Its Attempt tells this claim from
	// others.
	Job Job

	queue *Queue

	writing sync.Mutex // held while the job is written; above queue.mu and mu
	lines   sync.Mutex // held while a line is appended; protects line
	line    int        // the last one of the log; -1: not known yet

	// Protected by the lease's mu.
	record   jobRecord
	revision uint64
	ending   bool // Finish or GiveUp was called
}

// see takes what the queue saw of the job. The queue's mutex is held.
func (c *Claim) see(r *jobRecord, deleted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ending && !deleted && r.Attempt == c.Job.Attempt: // it is ours
	case deleted || r.Attempt > c.Job.Attempt || r.Attempt == c.Job.Attempt && r.State != Running:
		c.lose(ErrLost)
		delete(c.queue.claims, c.Job.ID)
	case r.Cancel && r.Attempt == c.Job.Attempt:
		c.cancel(ErrCanceled)
	}
}

// end ends the claim on this side.
func (c *Claim) end(why error) {
	c.mu.Lock()
	c.lose(why)
	c.mu.Unlock()
	c.forget()
}

func (c *Claim) forget() {
	c.queue.mu.Lock()
	defer c.queue.mu.Unlock()
	if c.queue.claims[c.Job.ID] == c {
		delete(c.queue.claims, c.Job.ID)
	}
}

// KeepAlive extends the claim. It returns ErrLost where it was lost; after any
// other error the claim is as it was, and the caller tries again. See
// [Claim.Maintain], which does so.
func (c *Claim) KeepAlive(ctx context.Context) error {
	sent := c.queue.clock.Now()
	if err := c.write(ctx, func(r *jobRecord) { r.Beat++ }); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.held(); err != nil {
		return err // it came too late
	}
	c.renew(sent)
	if c.record.Cancel {
		c.cancel(ErrCanceled)
	}
	return nil
}

// Maintain keeps the claim alive until ctx ends, or it is over. It returns why.
func (c *Claim) Maintain(ctx context.Context) error {
	for {
		due, stop := after(c.queue.clock, c.queue.Interval())
		select {
		case <-due:
		case <-ctx.Done():
			stop()
			return context.Cause(ctx)
		}
		if err := c.KeepAlive(ctx); errors.Is(err, ErrLost) {
			return err
		} else if err != nil {
			c.queue.log.Warn("the claim was not kept alive", "queue", c.queue.name, "job", c.Job.ID, "err", err)
		}
	}
}

// write replaces the job's record while the claim holds.
func (c *Claim) write(ctx context.Context, edit func(*jobRecord)) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	for {
		c.mu.Lock()
		err := c.held()
		next, revision := c.record, c.revision
		c.mu.Unlock()
		if err != nil {
			return err
		}
		edit(&next)
		written, err := c.queue.put(ctx, c.Job.ID, next, revision)
		if err == nil {
			c.mu.Lock()
			c.record, c.revision = next, written
			c.mu.Unlock()
			return nil
		}
		if !errors.Is(err, ErrConflict) {
			return fmt.Errorf("fleet: job %s: %w", c.Job.ID, err)
		}
		// It was cancelled, or an answer to us was lost, or the claim is.
		now, found, err := c.queue.record(ctx, c.Job.ID)
		switch {
		case err == nil && found <= revision:
			return fmt.Errorf("fleet: job %s: %w: its record reads as an old one", c.Job.ID, ErrUnavailable)
		case err == nil && now.State != Running && now.State == next.State && now.Nonce == next.Nonce:
			c.mu.Lock()
			c.record, c.revision = now, found
			c.mu.Unlock()
			return nil // it is what was to be written
		case errors.Is(err, ErrNotFound), err == nil && (now.State != Running || now.Nonce != next.Nonce):
			c.end(ErrLost)
			return fmt.Errorf("%w: job %s was given to another", ErrLost, c.Job.ID)
		case err != nil:
			return fmt.Errorf("fleet: job %s: %w", c.Job.ID, err)
		}
		c.mu.Lock()
		c.record, c.revision = now, found
		c.mu.Unlock()
	}
}

// Finish ends the job with its result. A job that was cancelled is Canceled, and
// keeps the result all the same. After an error that leaves the outcome open,
// Finish is called again.
func (c *Claim) Finish(ctx context.Context, result []byte) error {
	return c.Conclude(ctx, "", result)
}

// Conclude is Finish with a word on how the job ended, which is in its own record: it is
// known where the result can't be read.
func (c *Claim) Conclude(ctx context.Context, outcome string, result []byte) error {
	if len(result) > 0 {
		_, err := c.queue.store.Put(ctx, c.queue.resultKey(c.Job.ID, c.Job.Attempt), result, 0)
		if err != nil && !errors.Is(err, ErrConflict) { // a conflict is a call before this one
			return fmt.Errorf("fleet: job %s: finish: %w", c.Job.ID, err)
		}
	}
	return c.leave(ctx, func(r *jobRecord) {
		r.State, r.Ended, r.Outcome = Finished, c.queue.clock.Now().UTC(), outcome
		if r.Cancel {
			r.State = Canceled
		}
	})
}

// GiveUp returns the job to those that wait, not to be claimed before after has
// passed. A job that was cancelled is over.
func (c *Claim) GiveUp(ctx context.Context, after time.Duration) error {
	return c.leave(ctx, func(r *jobRecord) {
		now := c.queue.clock.Now().UTC()
		r.State, r.After = Waiting, time.Time{}
		if after > 0 {
			r.After = now.Add(after)
		}
		if r.Cancel {
			r.State, r.Ended = Canceled, now
		}
	})
}

// leave ends the claim by a last write. If the outcome of that stays open, what
// the queue sees of the job may be this write, and no loss: the next call finds
// out.
func (c *Claim) leave(ctx context.Context, edit func(*jobRecord)) error {
	c.mu.Lock()
	c.ending = true
	c.mu.Unlock()
	err := c.write(ctx, edit)
	if err == nil {
		c.end(context.Canceled)
		c.mu.Lock()
		record := c.record
		c.mu.Unlock()
		c.queue.ended(ctx, c.Job.ID, &record)
	}
	return err
}

// Append writes a line of JSON to the job's log and returns its number. The log is
// fenced: the first line of a later claim comes after all lines of those before it,
// for which Append returns ErrLost from then on. So a claimer that reads the log
// first, by [Claim.Log], and writes a line before each effect does none twice.
func (c *Claim) Append(ctx context.Context, data json.RawMessage) (int, error) {
	c.lines.Lock()
	defer c.lines.Unlock()
	if c.line < 0 {
		return 0, fmt.Errorf("fleet: job %s: append: attempt %d has not read the log of those before it", c.Job.ID, c.Job.Attempt)
	}
	return c.append(ctx, data)
}

func (c *Claim) append(ctx context.Context, data json.RawMessage) (int, error) {
	if err := c.Held(); err != nil {
		return 0, err
	}
	line := LogLine{Number: c.line + 1, Attempt: c.Job.Attempt, Nonce: newID(), Data: data}
	key := jobLog{c.queue, c.Job.ID}.key(line.Number)
	_, err := putJSON(ctx, c.queue.store, key, line, 0)
	if err != nil {
		var there LogLine
		_, again := getJSON(ctx, c.queue.store, key, &there)
		switch {
		case again == nil && there.Nonce == line.Nonce: // the answer was lost
		case again == nil && there.Attempt == line.Attempt:
			c.line++ // that of a call before, whose outcome was open
			return c.append(ctx, data)
		case again == nil:
			c.end(ErrLost)
			return 0, fmt.Errorf("%w: job %s: another writes its log", ErrLost, c.Job.ID)
		default:
			return 0, fmt.Errorf("fleet: job %s: append: %w", c.Job.ID, err)
		}
	}
	c.line++
	return c.line, nil
}

// Log returns what was written by the claims before this one, and closes the log
// to them: seal, which can be nil, is the line that does so. A first claim has
// nothing to read and writes no seal.
func (c *Claim) Log(ctx context.Context, seal json.RawMessage) ([]LogLine, error) {
	c.lines.Lock()
	defer c.lines.Unlock()
	if c.line == 0 {
		return nil, nil
	}
	if seal == nil {
		seal = json.RawMessage("null")
	}
	for {
		lines, err := jobLog{c.queue, c.Job.ID}.read(ctx)
		if err != nil {
			return nil, err
		}
		c.line = 0
		if n := len(lines); n > 0 {
			c.line = lines[n-1].Number
			if lines[n-1].Attempt > c.Job.Attempt {
				c.end(ErrLost)
				return nil, fmt.Errorf("%w: job %s: another writes its log", ErrLost, c.Job.ID)
			}
		}
		if err := c.Held(); err != nil {
			return nil, err
		}
		line := LogLine{Number: c.line + 1, Attempt: c.Job.Attempt, Nonce: newID(), Data: seal}
		_, err = putJSON(ctx, c.queue.store, jobLog{c.queue, c.Job.ID}.key(line.Number), line, 0)
		switch {
		case err == nil:
			c.line++
			return lines, nil
		case !errors.Is(err, ErrConflict): // read again: it may be there
			c.line = -1
			return nil, fmt.Errorf("fleet: job %s: log: %w", c.Job.ID, err)
		}
		// One of the old ones was quicker: it is read, too.
	}
}
