package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

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
