//go:build linux

package cdp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/process"
)

// TestHelperLaunch is the program that TestKilledProgram kills.
func TestHelperLaunch(t *testing.T) {
	port, run := os.LookupEnv("CDP_TEST_LAUNCH")
	if !run {
		return
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Launch{Port: n}.Open(context.Background(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Pages()[0].Navigate(context.Background(), "data:text/html,<title>x</title>", nil); err != nil {
		t.Fatal(err)
	}
	fmt.Println("chrome", b.(*browser).chrome.process.Pid())
	select {} // until it is killed
}

// Chrome ends, with all its processes, when the program that started it is
// killed; its directory goes at the next start.
func TestKilledProgram(t *testing.T) {
	testChrome(t)
	for name, port := range map[string]string{"pipe": "0", "port": "-1"} {
		t.Run(name, func(t *testing.T) {
			dir := shortDir(t)
			program := exec.Command(os.Args[0], "-test.run=^TestHelperLaunch$")
			program.Env = append(os.Environ(), "CDP_TEST_LAUNCH="+port, "TMPDIR="+dir)
			out, err := program.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := program.Start(); err != nil {
				t.Fatal(err)
			}
			group := 0
			for lines := bufio.NewScanner(out); group == 0 && lines.Scan(); {
				if pid, ok := strings.CutPrefix(lines.Text(), "chrome "); ok {
					if group, err = strconv.Atoi(pid); err != nil {
						t.Fatal(err)
					}
				}
			}
			if len(inGroup(t, group)) < 3 {
				t.Fatalf("the group %d of Chrome has the processes %v", group, inGroup(t, group))
			}
			if err := program.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = program.Wait() // it was killed, as its error says
			awaitGroupGone(t, group)

			left := filepath.Join(dir, process.Prefix+"*")
			if found, err := filepath.Glob(left); err != nil || len(found) != 1 {
				t.Fatalf("the killed program left %v, %v, want its directory", found, err)
			}
			process.Reap(dir)
			if found, err := filepath.Glob(left); err != nil || len(found) != 0 {
				t.Errorf("Reap left %v, %v", found, err)
			}
		})
	}
}

// TestHelperStart is the program that TestKilledWhileStarting kills.
func TestHelperStart(t *testing.T) {
	path, run := os.LookupEnv("CDP_TEST_START")
	if !run {
		return
	}
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelDebug}))
	_, err := Start(context.Background(), Launch{ExecutablePath: path, Logger: log})
	t.Fatal(err)
}

// A program that is killed while its Chrome starts leaves none behind, even one
// that does not look at its pipe.
func TestKilledWhileStarting(t *testing.T) {
	dir := shortDir(t)
	script := filepath.Join(dir, "chrome")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec sleep 1000\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	program := exec.Command(os.Args[0], "-test.run=^TestHelperStart$")
	program.Env = append(os.Environ(), "CDP_TEST_START="+script, "TMPDIR="+dir)
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	group := 0
	for lines := bufio.NewScanner(out); group == 0 && lines.Scan(); {
		if _, rest, ok := strings.Cut(lines.Text(), " pid="); ok && strings.Contains(lines.Text(), "cdp: started") {
			if group, err = strconv.Atoi(strings.Fields(rest)[0]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if group == 0 {
		t.Fatal("the program did not start its Chrome")
	}
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = program.Wait() // it was killed, as its error says
	awaitGroupGone(t, group)
}

// A Chrome that does not react holds nobody up, and is ended all the same.
func TestHungChrome(t *testing.T) {
	b := launch(t, Launch{})
	b.chrome.process.Patience = 50 * time.Millisecond
	group := b.chrome.process.Pid()
	if err := syscall.Kill(-group, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	p := b.Pages()[0]
	for what, err := range map[string]error{
		"Navigate": second(p.Navigate(ctx, "about:blank", nil)),
		"NewPage":  second(b.NewPage(ctx)),
		"Cookies":  second(b.Cookies(ctx)),
		"Close":    p.Close(ctx),
	} {
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s = %v, want the context's error", what, err)
		}
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	awaitGroupGone(t, group)
	if got := entries(t, os.Getenv("TMPDIR")); len(got) != 0 {
		t.Errorf("left %v", got)
	}
}

// inGroup returns the processes of a group that still run.
func inGroup(t *testing.T, group int) []string {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// pid (name) state ppid pgrp …; the name may hold anything.
		f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
		if f[2] == strconv.Itoa(group) && f[0] != "Z" {
			list = append(list, path)
		}
	}
	return list
}

func awaitGroupGone(t *testing.T, group int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), conn.CommandLimit)
	defer cancel()
	for len(inGroup(t, group)) > 0 {
		if ctx.Err() != nil {
			left := inGroup(t, group)
			_ = syscall.Kill(-group, syscall.SIGKILL) // leave nothing behind
			t.Fatalf("processes %v of the group %d still run", left, group)
		}
	}
}

// A Chrome that answers nothing any more is ended, and what its browsers do fails. One
// that answers late is left alone.
func TestSilentChrome(t *testing.T) {
	b := launch(t, Launch{AnswerLimit: 100 * time.Hour}) // the test asks
	c, group := b.chrome, b.chrome.process.Pid()
	gone := make(chan error, 1)
	b.Listen(func(e driver.Event) {
		if g, ok := e.(driver.BrowserGone); ok {
			gone <- g.Err
		}
	})
	if err := syscall.Kill(-group, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	heard := c.ask(-1) // what came before
	for range mostOwed {
		if heard = c.ask(heard); c.owed.Load() > mostOwed {
			t.Fatalf("%d questions", c.owed.Load())
		}
	}
	if !c.Silent() {
		t.Error("it is not said to be silent")
	}
	if err := syscall.Kill(-group, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for c.Silent() { // until it has answered
		time.Sleep(time.Millisecond)
	}
	if _, err := b.Pages()[0].Navigate(t.Context(), "about:blank", nil); err != nil {
		t.Fatalf("after it answered late: %v", err)
	}

	if err := syscall.Kill(-group, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() { failed <- second(b.NewPage(context.WithoutCancel(t.Context()))) }()
	heard = c.ask(-1)
	for range mostOwed + 1 {
		heard = c.ask(heard)
	}
	for what, err := range map[string]error{"NewPage": <-failed, "the event": <-gone, "a later call": second(b.NewPage(t.Context()))} {
		if !errors.Is(err, driver.ErrCrashed) || !errors.Is(err, errSilent) {
			t.Errorf("%s = %v, want that Chrome answered nothing", what, err)
		}
	}
	awaitGroupGone(t, group)
	if c.Silent() {
		t.Error("what is gone is silent")
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if got := entries(t, os.Getenv("TMPDIR")); len(got) != 0 {
		t.Errorf("left %v", got)
	}
}
