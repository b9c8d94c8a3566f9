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
	cmd.Env = environment("WAYFINDER_CHROME=" + script)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked // the browser runs and waits for the page
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitNotDone {
		t.Errorf("after an interrupt: %v, want exit %d", err, exitNotDone)
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
}
