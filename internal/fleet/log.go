package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// A LogLine is one entry of a job's log.
type LogLine struct {
	Number  int             `json:"-"` // from 1
	Attempt int             `json:"a"` // whose it is
	Nonce   string          `json:"n"`
	Data    json.RawMessage `json:"d"`
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
	key := c.queue.lineKey(c.Job.ID, line.Number)
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
		lines, err := c.queue.readLog(ctx, c.Job.ID)
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
		_, err = putJSON(ctx, c.queue.store, c.queue.lineKey(c.Job.ID, line.Number), line, 0)
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

func (q *Queue) lineKey(id string, number int) string {
	return q.key("log", fmt.Sprintf("%s.%08d", id, number))
}

// readLog reads a job's log as it is now.
func (q *Queue) readLog(ctx context.Context, id string) ([]LogLine, error) {
	records, err := List(ctx, q.store, q.key("log", id)+".")
	if err != nil {
		return nil, fmt.Errorf("fleet: job %s: log: %w", id, err)
	}
	// A line that was written anew is reported later than those after it.
	slices.SortFunc(records, func(a, b Record) int { return cmp.Compare(a.Key, b.Key) })
	lines := make([]LogLine, 0, len(records))
	for _, r := range records {
		line, err := readLine(r)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	for i, line := range lines {
		if line.Number != i+1 {
			return nil, fmt.Errorf("%w: job %s: line %d is not there, and line %d is", ErrDamaged, id, i+1, line.Number)
		}
	}
	return lines, nil
}

func readLine(r Record) (LogLine, error) {
	var line LogLine
	if err := json.Unmarshal(r.Value, &line); err != nil {
		return LogLine{}, fmt.Errorf("fleet: record %s: %w", r.Key, err)
	}
	number, err := strconv.Atoi(r.Key[len(r.Key)-8:])
	line.Number = number
	return line, err
}

// LogLine returns one line of a job's log, or ErrNotFound.
func (q *Queue) LogLine(ctx context.Context, id string, number int) (LogLine, error) {
	if err := CheckKey(id); err != nil {
		return LogLine{}, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	r, err := q.store.Get(ctx, q.lineKey(id, number))
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
	return q.store.Watch(ctx, q.key("log", id)+".", func(r Record) {
		if r.Deleted {
			return
		}
		if line, err := readLine(r); err == nil && line.Number > after {
			after = line.Number
			read(line)
		}
	})
}
