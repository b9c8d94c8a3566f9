package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// What is quick is done in silence, and leaves nothing behind.
func TestProgressOfQuickWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		done := showProgress(&b, "looking")
		time.Sleep(progressAfter - time.Millisecond)
		done()
		done() // may be called again
		if b.Len() != 0 {
			t.Errorf("progress of less than a second = %q, want silence", b.String())
		}
	})
}

func TestProgressOfSlowWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		done := showProgress(&b, "looking")
		time.Sleep(2*progressAfter + time.Millisecond)
		synctest.Wait()
		const shown = "\r\x1b[Klooking … 1 s\r\x1b[Klooking … 2 s"
		if b.String() != shown {
			t.Errorf("progress after two seconds = %q, want %q", b.String(), shown)
		}
		done()
		if want := shown + "\r\x1b[K"; b.String() != want {
			t.Errorf("progress at its end = %q, want %q, which clears the line", b.String(), want)
		}
	})
}

// Where no terminal is, nothing is shown however long it takes.
func TestProgressWithoutTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		s := &settings{streams: streams{err: &b}}
		done := s.progress("looking")
		time.Sleep(time.Minute)
		synctest.Wait()
		done()
		if b.Len() != 0 {
			t.Errorf("progress without a terminal = %q, want none", b.String())
		}
	})
}
