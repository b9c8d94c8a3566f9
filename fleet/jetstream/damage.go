package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrDamaged: the directory's records and their second copy are both damaged, so that
// neither can restore the other. [Options.AcceptLoss] opens it with what is left.
var ErrDamaged = errors.New("jetstream: records are damaged, and so is their second copy")

const (
	serverDir   = "jetstream" // of the NATS server, below the directory
	twinDir     = "copy"      // so is this one
	twinSetting = "wayfinder" // of the bucket: the name of its twin
)

// A difference is what the twin and the servers do not have in common, by its keys.
type difference struct {
	lost    []string // in the store, or older there
	older   []string // of those: the ones that are there, older
	back    []string // in the store, and deleted
	fresh   []string // in the store alone, or later there
	deleted []string // in the store, and about to be deleted when the process ended
}

// compare holds what the servers have against the twin.
func compare(have map[string]uint64, t *twin) (d difference) {
	for key, s := range t.index {
		r, there := have[key]
		switch {
		case there && r > s.revision:
			d.fresh = append(d.fresh, key)
		case s.deleted && there && r == s.revision:
			d.deleted = append(d.deleted, key)
		case s.deleted && there:
			d.back = append(d.back, key)
		case s.deleted:
		case !there:
			d.lost = append(d.lost, key)
		case r < s.revision:
			d.lost = append(d.lost, key)
			d.older = append(d.older, key)
		}
	}
	for key, r := range have {
		if _, known := t.index[key]; known {
			continue
		}
		// The twin is written after each record, before the next one: what it lacks is
		// later than all that it has, or was deleted so long ago that it forgot.
		if r > t.newest {
			d.fresh = append(d.fresh, key)
		} else {
			d.back = append(d.back, key)
		}
	}
	return d
}

// forgetIndexes removes what the server has noted of its own files beside them. With those
// notes it believes the files, and what was changed in one shows when a record is asked for:
// a changed sequence has it fill a list with all numbers up to that one. Without them it
// reads all records at its start, as after a kill, and leaves out what fails its checksum.
func forgetIndexes(dir string) error {
	found, err := filepath.Glob(filepath.Join(dir, serverDir, "*", "streams", "*", "msgs", "*.db"))
	if err != nil {
		return fmt.Errorf("jetstream: %w", err)
	}
	for _, path := range found {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("jetstream: %w", err)
		}
	}
	return nil
}

// Check says what is wrong in a directory of records, and changes nothing in it: it opens
// a copy, which needs as much room as the records.
func Check(ctx context.Context, dir string) (damage []string, err error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	release, err := take(dir)
	if err != nil {
		return nil, err
	}
	defer release()
	temporary, err := os.MkdirTemp("", "wayfinder-records-")
	if err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	defer os.RemoveAll(temporary)
	for _, part := range []string{serverDir, twinDir} {
		if _, err := os.Stat(filepath.Join(dir, part)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.CopyFS(filepath.Join(temporary, part), os.DirFS(filepath.Join(dir, part))); err != nil {
			return nil, fmt.Errorf("jetstream: %w", err)
		}
	}
	s, err := Open(ctx, &Options{Dir: temporary})
	here := func(found []string) []string {
		for i := range found {
			found[i] = strings.ReplaceAll(found[i], temporary, dir)
		}
		return found
	}
	if err != nil {
		var damaged *DamagedError
		var unread *UnreadError
		switch {
		case errors.As(err, &damaged):
			err = &DamagedError{Found: here(damaged.Found)}
		case errors.As(err, &unread):
			err = &UnreadError{here([]string{unread.Dir})[0], unread.After}
		}
		return nil, err
	}
	defer s.Close()
	return here(s.Damage()), nil
}

// A DamagedError is [ErrDamaged] with what was found.
type DamagedError struct{ Found []string }

func (e *DamagedError) Error() string { return ErrDamaged.Error() + ": " + strings.Join(e.Found, "; ") }

// Unwrap returns ErrDamaged.
func (e *DamagedError) Unwrap() error { return ErrDamaged }
