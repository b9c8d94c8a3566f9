package main

import (
	"context"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// noteHooks say on standard error what a browser could not read of the pages
// that are looked at, each thing once: that a page needs scripts, which are not
// run in memory, above all.
func (s *settings) noteHooks() *engine.Hooks {
	said := map[string]bool{}
	return &engine.Hooks{Looked: func(_ context.Context, l engine.Look) {
		for _, note := range l.Notes {
			if !said[note] {
				said[note] = true
				fmt.Fprintln(s.err, "note:", note)
			}
		}
	}}
}

// lookForNotes reads a page that was opened in memory, also for a command that
// would not: what it does then would be hard to understand.
func (s *settings) lookForNotes(ctx context.Context, page *engine.Page) {
	if s.driver == "memory" {
		page.Snapshot(ctx, nil) // for the hook; the command itself meets what is wrong
	}
}
