package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// writeJSON writes a value on a line of its own.
func (s *settings) writeJSON(v any) error {
	encoder := json.NewEncoder(s.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// describeAction is one action on a line, for people.
func describeAction(a engine.Action) string {
	line := a.Description
	if line == "" {
		line = fmt.Sprintf("%s %s", a.Method, a.Fingerprint)
	}
	for _, arg := range a.Arguments {
		line += fmt.Sprintf(" %q", arg)
	}
	return line
}

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

// progressAfter is how long something may take in silence.
const progressAfter = time.Second

// progress says on a terminal what is going on, if it takes longer than a
// second, and returns the function that ends it and leaves no trace.
func (s *settings) progress(what string) (done func()) {
	if !isTerminal(s.err) {
		return func() {}
	}
	return showProgress(s.err, what)
}

// isTerminal reports a reader or a writer that is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func showProgress(w io.Writer, what string) (done func()) {
	stop := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		ticker := time.NewTicker(progressAfter)
		defer ticker.Stop()
		start := time.Now()
		shown := false
		for {
			select {
			case <-ticker.C:
				fmt.Fprintf(w, "\r\x1b[K%s … %d s", what, int(time.Since(start).Seconds()))
				shown = true
			case <-stop:
				if shown {
					fmt.Fprint(w, "\r\x1b[K")
				}
				return
			}
		}
	})
	return sync.OnceFunc(func() { close(stop); wait.Wait() })
}
