//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A leftover is a folder for a program's temporary files, in which nothing may
// be left, and a Chrome that says when it has been run.
type leftover struct {
	temporary, chrome, ran string
}

// watchLeftover makes one whose Chrome is run by a line of shell.
func watchLeftover(t *testing.T, line string) *leftover {
	t.Helper()
	temporary, err := os.MkdirTemp("", "wf-") // short: Chrome's socket has its path below it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(temporary) })
	folder := t.TempDir()
	l := &leftover{temporary, filepath.Join(folder, "chrome"), filepath.Join(folder, "ran")}
	source := fmt.Sprintf("#!/bin/sh\necho $$ >'%s'\n%s\n", l.ran, line)
	if err := os.WriteFile(l.chrome, []byte(source), 0o755); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *leftover) variables() []string {
	return []string{"WAYFINDER_CHROME=" + l.chrome, "TMPDIR=" + l.temporary}
}

// awaitRun waits until Chrome is run.
func (l *leftover) awaitRun(t *testing.T) {
	t.Helper()
	waitUntil(t, func() bool { data, err := os.ReadFile(l.ran); return err == nil && len(data) > 0 })
}

// judge holds what a program left that has ended against nothing.
func (l *leftover) judge(t *testing.T, family map[int]string) {
	t.Helper()
	entries, err := os.ReadDir(l.temporary)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("it left %s", e.Name())
	}
	if len(family) == 0 {
		t.Error("there was no Chrome")
	}
	waitUntil(t, func() bool {
		for pid, began := range family {
			if began == startOf(pid) {
				return false
			}
		}
		return true
	})
}

// hangs is a Chrome that never answers, and does not look at its pipe.
const hangs = "exec sleep 1000"

// TestTermWhileStarting: SIGTERM while Chrome starts leaves no directory and no
// process, whatever the command.
func TestTermWhileStarting(t *testing.T) {
	for name, args := range map[string][]string{
		"snapshot": {"snapshot", "http://127.0.0.1:1/"},
		"act":      {"act", "http://127.0.0.1:1/", "click Cart"},
		"record":   {"record", "--output", filepath.Join(t.TempDir(), "run"), "http://127.0.0.1:1/"},
		"doctor":   {"doctor"},
		"demo":     {"demo"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := watchLeftover(t, hangs)
			cmd := exec.CommandContext(t.Context(), program, args...)
			cmd.Env = environment(l.variables()...)
			var said bytes.Buffer
			cmd.Stdout, cmd.Stderr = &said, &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			l.awaitRun(t)
			family := descendants(t, cmd.Process.Pid)
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // its exit code is the business of other tests
			l.judge(t, family)
			if t.Failed() {
				t.Logf("it said:\n%s", said.String())
			}
		})
	}
}

// TestServeTermLeavesNothing: SIGTERM ends the service's Chromes and removes
// their directories, those too that are being started.
func TestServeTermLeavesNothing(t *testing.T) {
	own := &wire.LaunchOptions{Args: []string{"--mute-audio"}} // has a Chrome of its own
	for name, start := range map[string]wire.SessionStart{
		"shared": {ModelName: "offline"},
		"own":    {ModelName: "offline", Browser: &wire.Browser{LaunchOptions: own}},
	} {
		t.Run(name+"/starting", func(t *testing.T) {
			t.Parallel()
			l := watchLeftover(t, hangs)
			v := serveProcess(t, l.variables(), "--driver", "chrome", "--allow-client", "args", "--drain", "1ms")
			answered := make(chan struct{})
			go func() {
				defer close(answered)
				_, _ = v.client("").Start(context.WithoutCancel(t.Context()), &start) // it is ended meanwhile
			}()
			l.awaitRun(t)
			family := descendants(t, v.cmd.Process.Pid)
			v.term(t)
			<-answered
			l.judge(t, family)
		})
		t.Run(name+"/working", func(t *testing.T) {
			needChrome(t)
			chrome, err := cdp.Find()
			if err != nil {
				t.Fatal(err)
			}
			asked := make(chan struct{}, 1)
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				select {
				case asked <- struct{}{}:
				default:
				}
				<-r.Context().Done() // never answers
			}))
			t.Cleanup(site.Close)
			l := watchLeftover(t, fmt.Sprintf(`exec '%s' "$@"`, chrome))
			v := serveProcess(t, l.variables(), "--driver", "chrome", "--allow-client", "args", "--drain", "1ms", "--allow-private", "127.0.0.1")
			s, err := v.client("").Start(t.Context(), &start)
			if err != nil {
				t.Fatal(err)
			}
			answered := make(chan struct{})
			go func() {
				defer close(answered)
				_, _ = s.Navigate(context.WithoutCancel(t.Context()), &wire.NavigateRequest{URL: site.URL}) // it is ended meanwhile
			}()
			<-asked
			family := descendants(t, v.cmd.Process.Pid)
			v.term(t)
			<-answered
			l.judge(t, family)
		})
	}
}

// managerLimit is less than a start of Chrome may take, and of the order of what
// service managers wait before they kill.
const managerLimit = 20 * time.Second

// term ends the service as a service manager does.
func (v *served) term(t *testing.T) {
	t.Helper()
	if err := v.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-v.ended:
	case <-time.After(managerLimit):
		t.Error("it still runs when a service manager would kill it")
		<-v.ended
	}
	if v.err != nil {
		t.Errorf("it ended with %v", v.err)
	}
}
