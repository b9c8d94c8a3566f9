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

// openStore opens the store that --store names. The function that it returns closes
// it.
func openStore(ctx context.Context, place string) (store runStore, end func(), err error) {
	end = func() {}
	if file, ok := databaseAt(place); ok {
		var db *sqlite.Store
		if db, err = sqlite.Open(ctx, file); err == nil {
			store, end = db, func() { _ = db.Close() } // each record is on the disk
		}
	} else {
		store, err = runs.NewDir(place)
	}
	if err != nil {
		return nil, end, usage("--store: %v", err)
	}
	return store, end, nil
}

// openThere opens one that is there, for the run that --resume names, and puts the
// run's name in the place of "last".
func openThere(ctx context.Context, place string, run *string) (store runStore, end func(), err error) {
	end = func() {}
	if place == "" {
		return nil, end, usage("--resume %s: say by --store where the run is", *run)
	}
	file, _ := databaseAt(place)
	if _, err := os.Stat(file); err != nil {
		return nil, end, usage("--store: %v", err)
	}
	if store, end, err = openStore(ctx, place); err != nil {
		return nil, end, err
	}
	if *run == "last" {
		if *run, err = store.Newest(ctx); err != nil {
			end()
			return nil, func() {}, usage("--resume last: %v", err)
		}
	}
	return store, end, nil
}
