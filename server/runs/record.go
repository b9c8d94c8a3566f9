package runs

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	logs "github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// longestPart is how many bytes of an agent's record stand in one line.
const longestPart = 256 << 10

// A line is an entry of a run's log that is no event: a part of a record of its
// agent's.
type line struct {
	Part   string `json:"part"`             // of the record as JSON, without what makes it larger
	At     *int   `json:"at,omitempty"`     // how many bytes of the record stand before it; not in earlier versions
	More   bool   `json:"more,omitempty"`   // the next line has the rest
	Sealed bool   `json:"sealed,omitempty"` // the record is encrypted, and in base64
}

// errSealed is a log, or a secret, that cannot be read here.
var errSealed = errors.New("runs: it is encrypted with a key that this process was not given, or damaged")

// A record is the log of one run's agent, in the log of the run's job: what the
// agent writes before each effect is refused once the claim is lost.
type record struct {
	claim *fleet.Claim
	past  []logs.Record
	keys  *server.SealingKeys // nil: the log is written as it is

	crashes int // browsers that have ended
}

var _ logs.Store = (*record)(nil)

// read takes the agent's records out of a job's log. What was written twice
// counts once, and what was not written to its end is left out, where it is the last
// thing that its writer wrote: else the error is [fleet.ErrDamaged].
func (s *record) read(lines []fleet.LogLine) (begun bool, _ error) {
	part, last := "", ""
	attempt := 0
	for _, l := range lines {
		var kind struct {
			Type   string  `json:"type"`
			Part   *string `json:"part"`
			At     *int    `json:"at"`
			More   bool    `json:"more"`
			Sealed bool    `json:"sealed"`

			Crashed bool `json:"crashed"` // written where the browser has ended
		}
		if json.Unmarshal(l.Data, &kind) != nil {
			continue
		}
		begun = begun || kind.Type == "begun"
		if kind.Crashed {
			s.crashes++
		}
		if kind.Part == nil {
			continue
		}
		if l.Attempt != attempt {
			part, last, attempt = "", "", l.Attempt // its writer died in the middle
		}
		if kind.Sealed && *kind.Part == last {
			continue // no two seals are the same: it was written again
		}
		if kind.At != nil && *kind.At != len(part) {
			if *kind.Part == last {
				continue // it was written again
			}
			return begun, fmt.Errorf("%w: a part of record %d of the agent's is not there", fleet.ErrDamaged, len(s.past)+1)
		}
		last = *kind.Part
		part += *kind.Part
		if kind.More {
			continue
		}
		raw := []byte(part)
		part = ""
		if kind.Sealed {
			var err error
			if raw, err = s.open(raw); err != nil {
				if len(s.past) == 0 {
					return begun, err
				}
				continue // it was not written to its end
			}
		}
		var r logs.Record
		if json.Unmarshal(raw, &r) != nil || r.Revision <= len(s.past) {
			continue
		}
		if r.Revision > len(s.past)+1 {
			return begun, fmt.Errorf("%w: record %d of the agent's is followed by record %d", fleet.ErrDamaged, len(s.past), r.Revision)
		}
		s.past = append(s.past, r)
	}
	return begun, nil
}

// open is what seal has made.
func (s *record) open(text []byte) ([]byte, error) {
	sealed, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil || s.keys == nil {
		return nil, errSealed
	}
	plain, err := s.keys.Open(sealed, "run", s.claim.Job.ID)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSealed, err)
	}
	return plain, nil
}

func (s *record) seal(plain []byte) ([]byte, error) {
	sealed, err := s.keys.Seal(plain, "run", s.claim.Job.ID)
	return []byte(base64.StdEncoding.EncodeToString(sealed)), err
}

// Append implements [logs.Store]. A store that cannot be reached for a while is
// waited for, as long as the claim holds.
func (s *record) Append(ctx context.Context, run string, r logs.Record) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if s.keys != nil {
		if raw, err = s.seal(raw); err != nil {
			return err
		}
	}
	for at := 0; ; {
		n := min(len(raw), longestPart)
		for n < len(raw) && raw[n]&0xc0 == 0x80 { // not within a letter
			n++
		}
		l, err := json.Marshal(line{Part: string(raw[:n]), At: &at, More: n < len(raw), Sealed: s.keys != nil})
		if err != nil {
			return err
		}
		if err := insist(ctx, s.claim, l); err != nil {
			return fmt.Errorf("%w: run %s: %w", conflictOf(err), run, err)
		}
		at += n
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
		if !errors.Is(err, fleet.ErrUnavailable) && !errors.Is(err, fleet.ErrNotFound) || c.Held() != nil || !pause.For(ctx, retryStore) {
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

// saved is what the claims before have done of a run; nil if that is nothing.
func (s *record) saved(ctx context.Context, run *wire.RunCreate) (server.Saved, error) {
	if len(s.past) == 0 {
		return nil, nil
	}
	if run.Script != nil {
		saved, err := script.Load(ctx, s, s.claim.Job.ID)
		if err != nil {
			return nil, err
		}
		return saved, nil
	}
	saved, err := agent.Load(ctx, s, s.claim.Job.ID)
	if err != nil {
		return nil, err
	}
	return saved, nil
}
