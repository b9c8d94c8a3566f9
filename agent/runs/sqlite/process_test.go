package sqlite_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/agent/runs/sqlite"
)

// writerVariable has a child's file and the number of records that it is to add.
const writerVariable = "WAYFINDER_TEST_WRITER"

// TestWriter is the process that adds records, each time the next one of the log,
// and says which of them are its own.
func TestWriter(t *testing.T) {
	count, path, ok := strings.Cut(os.Getenv(writerVariable), " ")
	if !ok {
		t.Skip("it is for the other tests to start")
	}
	records, err := strconv.Atoi(count)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("READY")
	if _, err := io.ReadAll(os.Stdin); err != nil { // until all of them are there
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= records; n++ {
		switch err := s.Append(t.Context(), "r", rec(n)); {
		case err == nil:
			fmt.Println("WROTE", n)
		case !errors.Is(err, runs.ErrConflict):
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// A writer is such a process.
type writer struct {
	*exec.Cmd
	lines *bufio.Scanner
	begin io.Closer
	said  []string // beside the records
}

func start(t *testing.T, path string, records int) *writer {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWriter$", "-test.v")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s", writerVariable, records, path))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &writer{Cmd: cmd, lines: bufio.NewScanner(out), begin: in}
	for w.lines.Scan() && w.lines.Text() != "READY" {
	}
	return w
}

// next returns the next record that it has written; 0 is its end.
func (w *writer) next(t *testing.T) int {
	t.Helper()
	for w.lines.Scan() {
		if number, ok := strings.CutPrefix(w.lines.Text(), "WROTE "); ok {
			n, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		w.said = append(w.said, w.lines.Text())
	}
	return 0
}

// TestProcesses: several processes begin at once, with a file that is not there,
// and each record has one author.
func TestProcesses(t *testing.T) {
	const records = 25
	path := filepath.Join(t.TempDir(), "runs.db")
	var writers []*writer
	for range 4 {
		writers = append(writers, start(t, path, records))
	}
	for _, w := range writers {
		if err := w.begin.Close(); err != nil {
			t.Fatal(err)
		}
	}
	authors := map[int]int{}
	for _, w := range writers {
		for n := w.next(t); n > 0; n = w.next(t) {
			authors[n]++
		}
		if err := w.Wait(); err != nil {
			t.Fatalf("%v: %q", err, w.said)
		}
	}
	for n := 1; n <= records; n++ {
		if authors[n] != 1 {
			t.Errorf("record %d has %d authors, want one", n, authors[n])
		}
	}
	if log, err := open(t, path).Load(t.Context(), "r"); err != nil || len(log) != records {
		t.Errorf("Load = %d records, %v, want %d", len(log), err, records)
	}
}

// TestKilled: when a process is killed while it writes, each record that Append has
// acknowledged is there, and at most one more.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	has := 0
	for _, after := range []int{1, 2, 9} {
		w := start(t, path, 1_000_000)
		if err := w.begin.Close(); err != nil {
			t.Fatal(err)
		}
		last := 0
		for range after {
			last = w.next(t)
		}
		if last != has+after {
			t.Fatalf("the process went on with record %d, want %d", last-after+1, has+1)
		}
		if err := w.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for n := w.next(t); n > 0; n = w.next(t) { // what it had said by then
			last = n
		}
		_ = w.Wait() // it was killed
		s := open(t, path)
		log, err := s.Load(t.Context(), "r")
		if err != nil || len(log) != last && len(log) != last+1 {
			t.Fatalf("Load = %d records, %v, want %d or one more", len(log), err, last)
		}
		has = len(log) + 1
		if err := s.Append(t.Context(), "r", rec(has)); err != nil {
			t.Fatal(err)
		}
	}
}
