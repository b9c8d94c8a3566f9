package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	logs "github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/fleet"
)

// longestPart is how many bytes of an agent's record stand in one line.
const longestPart = 256 << 10

// A line is an entry of a run's log that is no event: a part of a record of its
// agent's.
type line struct {
	Part string `json:"part"`           // of the record as JSON, without what makes it larger
	More bool   `json:"more,omitempty"` // the next line has the rest
}

// A record is the log of one run's agent, in the log of the run's job: what the
// agent writes before each effect is refused once the claim is lost.
type record struct {
	claim *fleet.Claim
	past  []logs.Record
}

var _ logs.Store = (*record)(nil)

// read takes the agent's records out of a job's log. What was written twice
// counts once, and what was not written to its end is left out.
func read(lines []fleet.Line) (past []logs.Record, begun bool) {
	part := ""
	attempt := 0
	for _, l := range lines {
		var kind struct {
			Type string  `json:"type"`
			Part *string `json:"part"`
			More bool    `json:"more"`
		}
		if json.Unmarshal(l.Data, &kind) != nil {
			continue
		}
		begun = begun || kind.Type == "begun"
		if kind.Part == nil {
			continue
		}
		if l.Attempt != attempt {
			part, attempt = "", l.Attempt // its writer died in the middle
		}
		part += *kind.Part
		if kind.More {
			continue
		}
		var r logs.Record
		if err := json.Unmarshal([]byte(part), &r); err == nil && r.Revision == len(past)+1 {
			past = append(past, r)
		}
		part = ""
	}
	return past, begun
}

// Append implements [logs.Store]. A store that cannot be reached for a while is
// waited for, as long as the claim holds.
func (s *record) Append(ctx context.Context, run string, r logs.Record) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	for {
		n := min(len(raw), longestPart)
		for n < len(raw) && raw[n]&0xc0 == 0x80 { // not within a letter
			n++
		}
		l, err := json.Marshal(line{Part: string(raw[:n]), More: n < len(raw)})
		if err != nil {
			return err
		}
		if err := insist(ctx, s.claim, l); err != nil {
			return fmt.Errorf("%w: run %s: %w", conflictOf(err), run, err)
		}
		if raw = raw[n:]; len(raw) == 0 {
			return nil
		}
	}
}

// conflictOf is what an agent calls an error of the job's log.
func conflictOf(err error) error {
	if errors.Is(err, fleet.ErrLost) {
		return logs.ErrConflict
	}
	return errors.New("the log cannot be written")
}

// insist appends a line, again while the store cannot be reached. A line whose
// first write was not answered may be there twice.
func insist(ctx context.Context, c *fleet.Claim, data json.RawMessage) error {
	return persist(ctx, c, func() error {
		_, err := c.Append(ctx, data)
		return err
	})
}

// persist asks a store again that cannot be reached, as long as the claim holds.
func persist(ctx context.Context, c *fleet.Claim, ask func() error) error {
	for {
		err := ask()
		// What belongs to a job was written before it: a reading without it is old.
		if !errors.Is(err, fleet.ErrUnavailable) && !errors.Is(err, fleet.ErrNotFound) || c.Held() != nil || !wait(ctx, retryStore) {
			return err
		}
	}
}

// retryStore is how soon a store is asked again that could not be reached.
const retryStore = 200 * time.Millisecond

// Load implements [logs.Store].
func (s *record) Load(_ context.Context, run string) ([]logs.Record, error) {
	if len(s.past) == 0 {
		return nil, fmt.Errorf("%w: %s", logs.ErrNotFound, run)
	}
	return s.past, nil
}

// Runs implements [logs.Store].
func (s *record) Runs(context.Context) ([]string, error) { return []string{s.claim.Job.ID}, nil }

// Remove implements [logs.Store]: the log goes with the job.
func (s *record) Remove(context.Context, string) error { return nil }

// saved is what the claims before have done; nil if that is nothing.
func (s *record) saved(ctx context.Context) (*agent.Saved, error) {
	if len(s.past) == 0 {
		return nil, nil
	}
	return agent.Load(ctx, s, s.claim.Job.ID)
}
