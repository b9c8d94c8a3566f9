package main

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/wayfinder-engine/wayfinder/server/client"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// TestServeBrowserCrash: a Chrome that is killed takes the sessions that it has,
// and no others; the next session has a new one.
func TestServeBrowserCrash(t *testing.T) {
	needChrome(t)
	_, site := shop(t)
	v := serveProcess(t, nil, "--driver", "chrome", "--allow-private", "127.0.0.1", "--sessions-per-browser", "2")
	var all []*client.Session
	for range 4 {
		all = append(all, v.session("", site))
	}
	browsers := chromesOf(t, v)
	if len(browsers) != 2 {
		t.Fatalf("four sessions have %d Chromes, want 2", len(browsers))
	}
	if err := syscall.Kill(browsers[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, func() bool { return startOf(browsers[0]) == "" })
	gone := 0
	for _, s := range all {
		act, err := s.Act(t.Context(), client.Say("type compass into the search field"))
		var failed *client.Error
		switch {
		case errors.As(err, &failed) && failed.Code == wire.BrowserUnavailable:
			gone++
		case err != nil || !act.Result.Success:
			t.Errorf("a session of the other Chrome: %+v, %v", act, err)
		}
	}
	if gone != 2 {
		t.Errorf("%d sessions are gone, want the 2 of the Chrome that was killed", gone)
	}
	for range 2 {
		v.session("", site)
	}
	if now := chromesOf(t, v); len(now) != 2 {
		t.Errorf("there are %d Chromes, want 2 again", len(now))
	}
}

// chromesOf returns the browsers that a service has started: the processes below
// it whose parent is no browser.
func chromesOf(t *testing.T, v *served) []int {
	t.Helper()
	var all []int
	for pid := range descendants(t, v.cmd.Process.Pid) {
		line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err == nil && strings.Contains(string(line), "--remote-debugging-pipe") && !strings.Contains(string(line), "--type=") {
			all = append(all, pid)
		}
	}
	return all
}

// TestServeKeepsTraces: with a directory, a session that asks for it leaves a trace
// there, encrypted where there is a key; without one it is refused.
func TestServeKeepsTraces(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "traces")
	asking := &wire.SessionStart{ModelName: "offline", Trace: true}
	v := serveProcess(t, []string{"WAYFINDER_PROFILE_KEY=" + strings.Repeat("5a", 32)}, "--driver", "memory", "--keep-traces", dir)
	s, err := v.client("").Start(t.Context(), asking)
	if err != nil {
		t.Fatal(err)
	}
	if status, body := v.get("/v1/sessions/" + s.ID() + "/trace"); status != http.StatusOK || !strings.Contains(body, "Wayfinder trace") {
		t.Errorf("while it is open: %d, %.200s", status, body)
	}
	if err := s.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(filepath.Join(dir, s.ID()+".trace")); err != nil || len(raw) == 0 || strings.Contains(string(raw), "Wayfinder") {
		t.Errorf("the file has %d bytes, %v, want it encrypted", len(raw), err)
	}
	if status, body := v.get("/v1/sessions/" + s.ID() + "/trace"); status != http.StatusOK || !strings.Contains(body, "Wayfinder trace") {
		t.Errorf("after its end: %d, %.200s", status, body)
	}
	var refused *client.Error
	if _, err := serveProcess(t, nil, "--driver", "memory").client("").Start(t.Context(), asking); !errors.As(err, &refused) || refused.Code != wire.NotImplemented {
		t.Errorf("without a directory: %v, want it refused", err)
	}
}
