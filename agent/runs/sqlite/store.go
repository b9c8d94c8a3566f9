package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite" // also the driver that database/sql knows as sqlite

	"github.com/wayfinder-engine/wayfinder/agent/runs"
)

// A Store is a file with the logs of runs. It is safe for concurrent use, also by
// several processes of one machine.
//
// A call waits for those of others until its context ends, and for half a minute
// at most: a process that stands still in the middle of its own is an error.
type Store struct {
	path string
	db   *sql.DB
}

var _ runs.Store = (*Store)(nil)

// What the file says of itself: whose it is, and which tables it has.
const (
	application = 0x57466e72
	format      = 1
)

// The position is the order in which all records were written.
const schema = `CREATE TABLE records (
	position INTEGER PRIMARY KEY,
	run      TEXT NOT NULL,
	revision INTEGER NOT NULL,
	kind     TEXT NOT NULL,
	time     TEXT NOT NULL,
	data     TEXT,
	UNIQUE (run, revision)
)`

// patience bounds the wait for other processes.
const patience = 30 * time.Second

// creating is held while a file is made: SQLite's locks are gone as soon as anything
// in the process closes the file.
var creating sync.Mutex

// Open opens a file, which is made if it is not there. The error wraps
// [runs.ErrFormat] where the file is another program's or a later version's, which
// is left as it is, and [runs.ErrDamaged] where it cannot be read.
func Open(ctx context.Context, path string) (*Store, error) {
	if path == "" {
		return nil, errors.New("runs: the path of the database is empty")
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	if err := create(full); err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	db, err := sql.Open("sqlite", address(full))
	if err != nil {
		return nil, fmt.Errorf("runs: %s: %w", path, err)
	}
	// Calls of one process wait for each other here, where they are woken up, and
	// not in SQLite, which looks again from time to time.
	db.SetMaxOpenConns(1)
	s := &Store{path: path, db: db}
	if err := s.begin(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// create makes the file, so that nobody else can read it from the beginning on.
func create(path string) error {
	creating.Lock()
	defer creating.Unlock()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// address is the file's for the driver, with what holds for each connection.
func address(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive of Windows
	}
	settings := url.Values{"_pragma": {
		fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds()),
		"synchronous(full)", // what was answered outlives a power failure
		"secure_delete(on)", // what is removed is overwritten
	}}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode()}).String()
}

// begin holds the file against what it must be, and writes an empty one. Until it
// is known whose the file is nothing is written.
func (s *Store) begin(ctx context.Context) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return s.failed(err)
	}
	defer func() { _ = conn.Close() }() // it goes back to the pool
	empty, err := s.judge(ctx, conn)
	if err != nil {
		return err
	}
	if empty {
		if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
			return s.failed(err)
		}
		if empty, err = s.judge(ctx, conn); err == nil && empty { // nobody else was first
			_, err = conn.ExecContext(ctx, fmt.Sprintf("%s; PRAGMA application_id = %d; PRAGMA user_version = %d", schema, application, format))
			err = s.failed(err)
		}
		end := "COMMIT"
		if err != nil {
			end = "ROLLBACK"
		}
		if _, failed := conn.ExecContext(context.WithoutCancel(ctx), end); err != nil || failed != nil {
			return errors.Join(err, s.failed(failed))
		}
	}
	return s.failed(keepWAL(ctx, conn))
}

// keepWAL gives the file a journal with which readers and a writer do not wait for each
// other, and a record is one write to the disk. The file keeps that.
//
// SQLite itself does not wait for the lock that this takes: two who turn a reader's lock
// into it would wait for each other.
func keepWAL(ctx context.Context, conn *sql.Conn) error {
	for deadline := time.Now().Add(patience); ; {
		_, err := conn.ExecContext(ctx, "PRAGMA journal_mode = wal")
		var e *sqlite.Error
		if !errors.As(err, &e) || e.Code()&0xff != codeBusy || !time.Now().Before(deadline) {
			return err
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// judge says whose the file is. empty reports that it is nobody's.
func (s *Store) judge(ctx context.Context, conn *sql.Conn) (empty bool, _ error) {
	var owner, version, tables int64
	err := conn.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&owner, &version, &tables)
	switch {
	case err != nil:
		return false, s.failed(err)
	case owner == 0 && version == 0 && tables == 0:
		return true, nil
	case owner != application:
		return false, fmt.Errorf("runs: %s: %w: it is a database of another program; give another path", s.path, runs.ErrFormat)
	case version != format:
		return false, fmt.Errorf("runs: %s: %w: %d, and this version of Wayfinder reads %d; take the version that wrote it", s.path, runs.ErrFormat, version, format)
	}
	return false, nil
}

// Codes of SQLite, without what they are extended by.
const (
	codeBusy    = 5
	codeCorrupt = 11
	codeNotADB  = 26
)

// failed says of an error of the database what it means for runs; nil stays nil.
func (s *Store) failed(err error) error {
	if err == nil {
		return nil
	}
	var e *sqlite.Error
	if errors.As(err, &e) {
		switch e.Code() & 0xff {
		case codeBusy:
			return fmt.Errorf("runs: %s: another process has kept it locked for %v; end that one, or wait: %w", s.path, patience, err)
		case codeNotADB:
			return fmt.Errorf("runs: %s: %w: it is no database; give another path (%w)", s.path, runs.ErrFormat, err)
		case codeCorrupt:
			return fmt.Errorf("runs: %s: %w: %w", s.path, runs.ErrDamaged, err)
		}
	}
	return fmt.Errorf("runs: %s: %w", s.path, err)
}

// Close releases the file, once calls under way have ended.
func (s *Store) Close() error { return s.failed(s.db.Close()) }

// Append implements [runs.Store].
func (s *Store) Append(ctx context.Context, run string, rec runs.Record) error {
	if err := runs.CheckName(run); err != nil {
		return err
	}
	var data any
	if rec.Data != nil {
		if !json.Valid(rec.Data) {
			return fmt.Errorf("run %s: the data of record %d is no JSON", run, rec.Revision)
		}
		data = string(rec.Data)
	}
	// One statement is one transaction: it takes the lock of writers before it reads.
	const last = `(SELECT coalesce(max(revision), 0) FROM records WHERE run = ?1)`
	done, err := s.db.ExecContext(ctx, `INSERT INTO records (run, revision, kind, time, data) SELECT ?1, ?2, ?3, ?4, ?5 WHERE `+last+` = ?2 - 1`,
		run, rec.Revision, rec.Kind, rec.Time.Format(time.RFC3339Nano), data)
	if err != nil {
		return fmt.Errorf("run %s: %w", run, s.failed(err))
	}
	if n, err := done.RowsAffected(); err != nil || n == 1 {
		return err
	}
	var have int
	if err := s.db.QueryRowContext(ctx, `SELECT `+last, run).Scan(&have); err != nil {
		return fmt.Errorf("run %s: %w (%w)", run, runs.ErrConflict, s.failed(err))
	}
	return runs.Conflict(run, rec, have)
}

// Load implements [runs.Store].
func (s *Store) Load(ctx context.Context, run string) (log []runs.Record, err error) {
	if err := runs.CheckName(run); err != nil {
		return nil, err
	}
	rows, err := s.db.QueryContext(ctx, `SELECT revision, kind, time, data FROM records WHERE run = ? ORDER BY revision`, run)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", run, s.failed(err))
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var rec runs.Record
		var at string
		var data sql.NullString
		if err := rows.Scan(&rec.Revision, &rec.Kind, &at, &data); err != nil {
			return nil, fmt.Errorf("run %s: %w", run, s.failed(err))
		}
		if rec.Time, err = time.Parse(time.RFC3339Nano, at); err != nil || rec.Revision != len(log)+1 {
			return nil, fmt.Errorf("run %s: %s: %w: record %d cannot be read", run, s.path, runs.ErrDamaged, len(log)+1)
		}
		if data.Valid {
			rec.Data = json.RawMessage(data.String)
		}
		log = append(log, rec)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("run %s: %w", run, s.failed(err))
	}
	if len(log) == 0 {
		return nil, fmt.Errorf("run %s: %w in %s", run, runs.ErrNotFound, s.path)
	}
	return log, nil
}

// Runs implements [runs.Store].
func (s *Store) Runs(ctx context.Context) (names []string, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT DISTINCT run FROM records ORDER BY run`)
	if err != nil {
		return nil, s.failed(err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, s.failed(err)
		}
		names = append(names, name)
	}
	return names, s.failed(rows.Err())
}

// Newest returns the run whose log was written to last, or an error that wraps
// [runs.ErrNotFound].
func (s *Store) Newest(ctx context.Context) (run string, _ error) {
	err := s.db.QueryRowContext(ctx, `SELECT run FROM records ORDER BY position DESC LIMIT 1`).Scan(&run)
	if errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("%w in %s", runs.ErrNotFound, s.path)
	}
	return run, s.failed(err)
}

// Remove implements [runs.Store].
func (s *Store) Remove(ctx context.Context, run string) error {
	if err := runs.CheckName(run); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, `DELETE FROM records WHERE run = ?`, run); err != nil {
		return fmt.Errorf("run %s: %w", run, s.failed(err))
	}
	// The log of writes still has the records. Where another process reads at this
	// moment it is emptied later.
	if _, err := s.db.ExecContext(ctx, `PRAGMA wal_checkpoint(truncate)`); err != nil {
		return fmt.Errorf("run %s: it was removed, and %w", run, s.failed(err))
	}
	return nil
}
