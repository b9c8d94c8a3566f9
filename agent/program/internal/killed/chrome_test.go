package killed_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// TestKillOnChrome: as in memory, with a Chrome for each process. The Chrome of
// one that is killed ends with it, and its profile can be used again, or not.
func TestKillOnChrome(t *testing.T) {
	chrometest.Long(t)
	_, err := cdp.Find()
	chrometest.Need(t, err)
	if *sweepAll {
		for _, batch := range []bool{false, true} {
			asked := unharmed(t, errand{Batch: batch, Chrome: t.TempDir()})
			for n := 1; !t.Failed() && (errand{Batch: batch, Chrome: t.TempDir()}).killedAt(t, n, asked); n++ {
			}
			for _, effect := range []string{"login", "add1", "add2", "order"} {
				errand{Batch: batch, Chrome: t.TempDir()}.killedIn(t, effect, asked)
			}
		}
		return
	}
	asked := unharmed(t, errand{Batch: true}) // in memory: Chrome is asked for no more
	if !(errand{Batch: true, Chrome: t.TempDir()}).killedAt(t, 60, asked) {
		t.Error("there is no point 60: take one within")
	}
	errand{Batch: true, Chrome: t.TempDir()}.killedIn(t, "order", asked)
}

// ended waits until no process is left whose profile is in a directory, and lets
// the next Chrome have it.
func ended(t *testing.T, profile string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return // nobody says here what a process was started with
	}
	limit := time.After(time.Minute)
	for again := time.Tick(10 * time.Millisecond); ; {
		left := 0
		files, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if line, err := os.ReadFile(file); err == nil && bytes.Contains(line, []byte(profile)) {
				left++
			}
		}
		if left == 0 {
			return
		}
		select {
		case <-again:
		case <-limit:
			t.Fatalf("%d processes of the killed one's Chrome are left", left)
		}
	}
}
