//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
)

// TestInterrupt: Ctrl-C ends the program and the browser that it started. The
// browser is started through a script that writes its process number down.
func TestInterrupt(t *testing.T) {
	needChrome(t)
	chrome, err := cdp.Find()
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		<-r.Context().Done() // never answers
	}))
	t.Cleanup(server.Close)
	folder := t.TempDir()
	number, script := filepath.Join(folder, "pid"), filepath.Join(folder, "chrome")
	source := fmt.Sprintf("#!/bin/sh\necho $$ >'%s'\nexec '%s' \"$@\"\n", number, chrome)
	if err := os.WriteFile(script, []byte(source), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "act", server.URL, "click Cart")
	temporary, err := os.MkdirTemp("", "wf-") // short: Chrome's socket has its path below it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(temporary) })
	cmd.Env = environment("WAYFINDER_CHROME="+script, "TMPDIR="+temporary)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-asked: // the browser runs and waits for the page
	case err := <-ended:
		t.Fatalf("it ended before it was interrupted: %v\n%s", err, errs.String())
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := <-ended; !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("after an interrupt: %v, want exit %d", err, exitInterrupted)
	}
	if !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("standard error = %q, want interrupted", errs.String())
	}
	data, err := os.ReadFile(number)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the browser (process %d) outlived the program: %v", pid, err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) != 0 {
		t.Errorf("the browser's profile was left behind: %v, %v", left, err)
	}
}

// TestInterruptInMemory: the same where no browser has to be ended.
func TestInterruptInMemory(t *testing.T) {
	asked := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	cmd := exec.CommandContext(t.Context(), program, "extract", server.URL, "--driver", "memory", "--json")
	cmd.Env = environment()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-asked:
	case err := <-ended:
		t.Fatalf("it ended before it was interrupted: %v\n%s", err, errs.String())
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := <-ended; !errors.As(err, &exit) || exit.ExitCode() != exitTerminated || errs.String() != "wayfinder: interrupted\n" ||
		out.String() != `{"error":{"kind":"canceled","message":"interrupted","exitCode":143},"success":false}`+"\n" {
		t.Errorf("after SIGTERM: %v, want exit %d and a word about it\n%s%s", err, exitTerminated, out.String(), errs.String())
	}
}
