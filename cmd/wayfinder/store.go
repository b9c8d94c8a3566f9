package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/agent/runs/sqlite"
)

// A runStore is a store that knows which of its runs was written to last.
type runStore interface {
	runs.Store
	Newest(context.Context) (string, error)
}

// databaseAt returns the file of a store that is one; ok is false for a directory.
func databaseAt(place string) (file string, ok bool) {
	if file, ok := strings.CutPrefix(place, "sqlite:"); ok {
		return file, true
	}
	info, err := os.Stat(place)
	return place, filepath.Ext(place) == ".db" && (err != nil || !info.IsDir())
}

// A runLog is where a run is kept, so that another process can continue it: the flags
// --store and --resume.
type runLog struct {
	place  string   // a directory or a database; empty: nowhere
	resume string   // the run that is continued; empty is none
	store  runStore // nil before open, and without a place
}

// open opens the store, which is there for a run that is continued, and puts the run's
// name in the place of "last". The caller calls end, also after an error.
func (l *runLog) open(ctx context.Context) (end func(), err error) {
	end = func() {}
	switch {
	case l.place == "" && l.resume != "":
		return end, usage("--resume %s: say by --store where the run is", l.resume)
	case l.place == "":
		return end, nil
	}
	file, database := databaseAt(l.place)
	if _, err := os.Stat(file); err != nil && l.resume != "" {
		return end, usage("--store: %v", err)
	}
	if database {
		var db *sqlite.Store
		if db, err = sqlite.Open(ctx, file); err == nil {
			l.store, end = db, func() { _ = db.Close() } // each record is on the disk
		}
	} else {
		l.store, err = runs.NewDir(l.place)
	}
	if err != nil {
		return end, usage("--store: %v", err)
	}
	if l.resume == "last" {
		if l.resume, err = l.store.Newest(ctx); err != nil {
			return end, usage("--resume last: %v", err)
		}
	}
	return end, nil
}

// remove removes the log of a run that has ended by itself: it holds the cookies of its
// browser, and is of no further use.
func (l *runLog) remove(ctx context.Context, run string) error {
	return l.store.Remove(context.WithoutCancel(ctx), run)
}

// cutShort is the error of a run that a command can continue.
func (l *runLog) cutShort(err error, command, run string) error {
	return &advisedError{err, "continue it: wayfinder " + command + " --store " + l.place + " --resume " + run}
}
