package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestRecordsCheck: what is damaged in a service's directory is named, by an exit code
// too; with both copies damaged the service does not start, and with --accept-loss it
// does, and says so.
func TestRecordsCheck(t *testing.T) {
	dir := t.TempDir()
	serveAndKill := func() {
		t.Helper()
		v := serveProcess(t, nil, "--driver", "memory", "--data", dir)
		for range 3 {
			resp, err := http.Post(v.address+"/v1/runs", "application/json", strings.NewReader(`{"task":"open Mail","model":"offline","url":"https://nowhere.invalid/"}`))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
		if err := v.cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		<-v.ended
	}
	check := func(code int, says string) {
		t.Helper()
		got := wayfinder(t, "records", "check", dir)
		if got.code != code || !strings.Contains(got.out+got.err, says) {
			t.Errorf("records check: exit %d, want %d with %q\n%s%s", got.code, code, says, got.out, got.err)
		}
	}
	cut := func(pattern string) {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(found) != 1 {
			t.Fatal(pattern, found, err)
		}
		raw, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(found[0], raw[:len(bytes.TrimRight(raw, "\x00"))/2], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := wayfinder(t, "records", "check", filepath.Join(dir, "none")); got.code != exitEnvironment {
		t.Errorf("of no directory: exit %d, %s", got.code, got.err)
	}
	serveAndKill()
	check(exitDone, "nothing is damaged")
	cut("copy/*.log")
	check(exitNotDone, "from their other copy")
	serveAndKill() // it has restored the copy
	check(exitDone, "nothing is damaged")

	cut("copy/*.log")
	cut("jetstream/*/streams/*/msgs/1.blk")
	check(exitNotDone, "--accept-loss")
	var report recordsReport
	got := wayfinder(t, "records", "check", dir, "--json")
	if err := json.Unmarshal([]byte(got.out), &report); err != nil || report.Restorable || len(report.Damaged) == 0 {
		t.Errorf("as JSON: %s, %v", got.out, err)
	}
	v := startService(t, nil, "--driver", "memory", "--data", dir)
	<-v.ended
	if code := v.cmd.ProcessState.ExitCode(); code != exitEnvironment || !strings.Contains(v.logged(), "--accept-loss") {
		t.Errorf("the service ended with %d, want %d and what to do:\n%s", code, exitEnvironment, v.logged())
	}
	v = serveProcess(t, nil, "--driver", "memory", "--data", dir, "--accept-loss")
	resp, err := http.Get(v.address + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(resp.Body); err != nil || resp.StatusCode != 200 || !strings.Contains(body.String(), "some are lost") {
		t.Errorf("/readyz: %d %s, %v", resp.StatusCode, body.String(), err)
	}
}
