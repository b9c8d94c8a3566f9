package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"
)

var (
	// ErrConflict: the log has grown since it was read: another process continues
	// the run. Nothing was written.
	ErrConflict = errors.New("another process has continued this run")

	// ErrNotFound: the store has no log of that run.
	ErrNotFound = errors.New("there is no such run")

	// ErrDamaged: a record before the last one cannot be read. What can be lost in a
	// crash is the last record alone, so that something else has changed the log.
	ErrDamaged = errors.New("the log is damaged")

	// ErrFormat: the log has a format that this version cannot read.
	ErrFormat = errors.New("the log has another format")
)

// A Record is an entry of a run's log.
type Record struct {
	Revision int             `json:"revision"` // from 1, without gaps
	Kind     string          `json:"kind"`     // what it tells of
	Time     time.Time       `json:"time"`
	Data     json.RawMessage `json:"data,omitempty"`
}

// A Store keeps the logs of runs. It is safe for concurrent use, also by several
// processes where it says so.
//
// Runs are named by 1 to 64 letters, digits, _ and -; any other name is an error.
type Store interface {
	// Append adds a record to the log of a run. Its Revision is one more than that
	// of the log's last record, and 1 begins a log; any other is an error that wraps
	// [ErrConflict], and nothing is written. When Append returns without an error, the
	// record outlives the process, and in a store on disk also a power failure. After
	// any other error it is not known whether the record is there. The store keeps
	// nothing of rec.
	Append(ctx context.Context, run string, rec Record) error

	// Load returns the log of a run, or an error that wraps [ErrNotFound]. A last
	// record that was not written to its end is left out. The caller owns what is
	// returned.
	Load(ctx context.Context, run string) ([]Record, error)

	// Runs lists the runs that have a log, sorted by name.
	Runs(ctx context.Context) ([]string, error)

	// Remove deletes the log of a run. That there is none is no error.
	Remove(ctx context.Context, run string) error
}

var validName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// CheckName says what is wrong with the name of a run.
func CheckName(run string) error {
	if !validName.MatchString(run) {
		return fmt.Errorf("runs: %q is no name of a run; it has 1 to 64 letters, digits, _ and -", run)
	}
	return nil
}

// Conflict is the error of a record that does not follow a log's last one, which
// has the revision have.
func Conflict(run string, rec Record, have int) error {
	return fmt.Errorf("run %s: %w: record %d was to be written, and the log has %d", run, ErrConflict, rec.Revision, have)
}
