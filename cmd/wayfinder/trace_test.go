package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// What a command did is one file, which is shown, played again and turned into
// the other format; values are not in it.
func TestTrace(t *testing.T) {
	const value = "xyzzy 42 & more"
	for name, browser := range browsers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path := filepath.Join(folder, "run.html")
			site := pages(t)
			args := append([]string{"act", site.URL + "/find?of=what-nobody-may-see", "type %pw% into Word", "click Send", "--trace", path, "--var-env", "pw=THE_PASSWORD"}, browser...)
			got := wayfinderIn(t, []string{"THE_PASSWORD=" + value, "SOME_TOKEN=what-nobody-may-see"}, args...)
			site.Close()
			if got.code != exitDone || !strings.Contains(got.err, "wrote "+path) {
				t.Fatalf("exit %d, want 0\n%s%s", got.code, got.out, got.err)
			}
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, hidden := range []string{value, "xyzzy", "what-nobody-may-see"} {
				if bytes.Contains(file, []byte(hidden)) {
					t.Errorf("%q is in the trace", hidden)
				}
			}
			if pictures := bytes.Contains(file, []byte(`src="data:image/jpeg;base64,`)); pictures != (name != "memory") {
				t.Errorf("the trace has pictures: %t", pictures)
			}
			wayfindertest.Replay(t, path)
			if got := wayfinder(t, "replay", path); got.code != exitDone || !strings.Contains(got.err, "all as recorded") {
				t.Errorf("replay: exit %d, want 0\n%s%s", got.code, got.out, got.err)
			}
			if got := wayfinder(t, "trace", path); got.code != exitUsage {
				t.Errorf("a trace over itself: exit %d, want 2\n%s", got.code, got.err)
			}
			if got := wayfinder(t, "trace", path, "-o", filepath.Join(folder, "again.html")); got.code != exitDone {
				t.Errorf("trace: exit %d, want 0\n%s", got.code, got.err)
			}
			if got := wayfinder(t, "trace", path, "--format", "playwright"); got.code != exitDone || !strings.Contains(got.err, "run.zip") {
				t.Errorf("trace: exit %d, want 0\n%s", got.code, got.err)
			}
			zip, err := os.ReadFile(filepath.Join(folder, "run.zip"))
			if err != nil || !bytes.HasPrefix(zip, []byte("PK")) {
				t.Errorf("run.zip begins with %q, %v", zip[:min(len(zip), 4)], err)
			}
		})
	}
}

// An agent's run is played again from its trace; what failed has one, too; and
// a file that cannot be written is said before anything is done.
func TestTraceOfTheAgent(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "run.html")
	site := pages(t)
	got := wayfinder(t, "agent", site.URL+"/find", "type hello into Word, click Send", "--driver", "memory", "--trace", path)
	if !strings.Contains(got.err, "wrote "+path) {
		t.Fatalf("exit %d\n%s%s", got.code, got.out, got.err)
	}
	checked := filepath.Join(folder, "checked.html")
	if got := wayfinder(t, "agent", site.URL+"/find", "type hello into Word, click Send", "--driver", "memory", "--check", "shown=No such text", "--trace", checked); got.code != exitNotDone || !strings.Contains(got.err, "wrote "+checked) {
		t.Fatalf("exit %d, want 1 and a trace\n%s%s", got.code, got.out, got.err)
	}
	failed := filepath.Join(folder, "failed.html")
	if got := wayfinder(t, "act", site.URL+"/find", "click Purchase", "--driver", "memory", "--trace", failed); got.code != exitNotDone || !strings.Contains(got.err, "wrote "+failed) {
		t.Errorf("exit %d, want 1 and a trace\n%s%s", got.code, got.out, got.err)
	}
	if got := wayfinder(t, "act", site.URL+"/find", "click Send", "--driver", "memory", "--trace", filepath.Join(folder, "nowhere", "run.html")); got.code != exitUsage || !strings.Contains(got.err, "there is no folder") {
		t.Errorf("exit %d, want 2\n%s%s", got.code, got.out, got.err)
	}
	taken := filepath.Join(folder, "taken.html")
	if err := os.MkdirAll(filepath.Join(taken, "by a folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := wayfinder(t, "act", site.URL+"/find", "click Send", "--driver", "memory", "--trace", taken); got.code == exitDone || !strings.Contains(got.err, "the trace was not written") {
		t.Errorf("a trace that cannot be written: exit %d\n%s%s", got.code, got.out, got.err)
	}
	if got := wayfinder(t, "act", site.URL+"/find", "click Send", "--driver", "memory", "--trace-format", "pdf"); got.code != exitUsage {
		t.Errorf("exit %d, want 2\n%s%s", got.code, got.out, got.err)
	}
	site.Close()
	for _, path := range []string{path, checked, failed} {
		if got := wayfinder(t, "replay", path); got.code != exitDone || !strings.Contains(got.err, "all as recorded") {
			t.Errorf("replay %s: exit %d, want 0\n%s%s", path, got.code, got.out, got.err)
		}
	}
	if got := wayfinder(t, "trace", filepath.Join(folder, "none.html")); got.code != exitUsage {
		t.Errorf("exit %d, want 2\n%s%s", got.code, got.out, got.err)
	}
}
