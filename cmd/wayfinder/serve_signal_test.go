//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/server/client"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// TestServeReloadsKeys: SIGHUP reads the keys anew. A file that is broken
// changes nothing: nobody gets in, and nobody is locked out.
func TestServeReloadsKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(sha256Of("one") + " alice\n")
	v := serveProcess(t, nil, "--driver", "memory", "--keys-file", file)
	status := func(key string) int {
		_, err := v.client(key).Start(t.Context(), &wire.SessionStart{ModelName: "offline"})
		var e *client.Error
		if errors.As(err, &e) {
			return e.Status
		}
		return 200
	}
	reload := func(text, told string) {
		t.Helper()
		write(text)
		before := strings.Count(v.logged(), told)
		if err := v.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		waitUntil(t, func() bool { return strings.Count(v.logged(), told) > before })
	}
	if got := [2]int{status("one"), status("two")}; got != [2]int{200, 401} {
		t.Fatalf("before: %v", got)
	}
	reload(sha256Of("two")+" bob\n", "keys were read anew")
	if got := [2]int{status("one"), status("two")}; got != [2]int{401, 200} {
		t.Errorf("after: %v", got)
	}
	for _, broken := range []string{"", "not a digest\n"} {
		reload(broken, "keys were not read anew")
		if got := [2]int{status(""), status("two")}; got != [2]int{401, 200} {
			t.Errorf("after a broken file: %v", got)
		}
	}
}

// TestServeDrains: SIGTERM lets work under way finish, and takes no new one.
func TestServeDrains(t *testing.T) {
	asked, answer := make(chan struct{}, 1), make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-answer
	}))
	t.Cleanup(site.Close)
	v := serveProcess(t, nil, "--driver", "memory", "--allow-private", "127.0.0.1")
	s, err := v.client("").Start(t.Context(), &wire.SessionStart{ModelName: "offline"})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := s.Navigate(t.Context(), &wire.NavigateRequest{URL: site.URL})
		done <- err
	}()
	<-asked
	if err := v.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, func() bool { status, _ := v.get("/readyz"); return status == 503 })
	var e *client.Error
	if _, err := v.client("").Start(t.Context(), &wire.SessionStart{ModelName: "offline"}); !errors.As(err, &e) || e.Code != wire.Draining {
		t.Errorf("a session while draining: %v", err)
	}
	close(answer)
	if err := <-done; err != nil {
		t.Errorf("the work under way: %v", err)
	}
	<-v.ended
	if v.err != nil {
		t.Errorf("it ended with %v", v.err)
	}
}

// TestServeKilled: SIGKILL, while ten sessions are at work in Chrome, leaves no
// browser behind.
func TestServeKilled(t *testing.T) {
	needChrome(t)
	asked := make(chan struct{}, 100)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done() // never answers
	}))
	t.Cleanup(site.Close)
	v := serveProcess(t, nil, "--driver", "chrome", "--allow-private", "127.0.0.1")
	const sessions = 10
	for range sessions {
		s, err := v.client("").Start(t.Context(), &wire.SessionStart{ModelName: "offline"})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = s.Navigate(context.WithoutCancel(t.Context()), &wire.NavigateRequest{URL: site.URL}) // it is killed meanwhile
		}()
	}
	for range sessions {
		<-asked
	}
	family := descendants(t, v.cmd.Process.Pid)
	if len(family) < 3 {
		t.Fatalf("the service has %d processes below it, and no Chrome", len(family))
	}
	if err := v.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-v.ended
	waitUntil(t, func() bool {
		for pid, began := range family {
			if began == startOf(pid) {
				return false
			}
		}
		return true
	})
}

// TestServeData: a service with --data is killed (SIGKILL) and started again. What
// was done in its session can be read, the login that its profile has is there, and
// no file has it in clear; under another key the profile is left as it is.
func TestServeData(t *testing.T) {
	const secret = "c00kie-4711-not-to-be-found"
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		known := "nobody"
		if c, err := r.Cookie("login"); err == nil && c.Value == secret {
			known = "ann"
		}
		http.SetCookie(w, &http.Cookie{Name: "login", Value: secret, Path: "/"})
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<p>Hello %s</p>", known)
	}))
	t.Cleanup(site.Close)
	dir := t.TempDir()
	start := func(letter string) *served {
		return serveProcess(t, []string{"WAYFINDER_PROFILE_KEY=" + fmt.Sprintf("%x", strings.Repeat(letter, 32))}, "--driver", "memory", "--allow-private", "127.0.0.1", "--data", dir)
	}
	open := func(v *served) (*client.Session, error) {
		return v.client("").Start(t.Context(), &wire.SessionStart{ModelName: "offline", Browser: &wire.Browser{Profile: "ann"}})
	}
	visit := func(v *served) (*client.Session, string) {
		t.Helper()
		s, err := open(v)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Navigate(t.Context(), &wire.NavigateRequest{URL: site.URL}); err != nil {
			t.Fatal(err)
		}
		text, err := s.Extract(t.Context(), &wire.ExtractRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return s, string(text.Result)
	}
	v := start("k")
	made, err := v.client("").PutProfile(t.Context(), "ann", nil)
	if err != nil {
		t.Fatal(err)
	}
	first, text := visit(v)
	if !strings.Contains(text, "nobody") {
		t.Errorf("the page says %s", text)
	}
	waitUntil(t, func() bool { // what is written besides the work
		now, err := v.client("").Profile(t.Context(), "ann")
		return err == nil && now.Saved.After(made.Saved) && strings.Contains(dirText(t, dir), `"method":"extract","parameters"`)
	})
	if strings.Contains(dirText(t, dir), secret[:12]) {
		t.Error("a file has the cookie in clear")
	}
	_ = v.cmd.Process.Kill()
	<-v.ended

	v = start("x")
	var refused *client.Error
	if _, err := open(v); !errors.As(err, &refused) || refused.Code != wire.ProfileUnreadable {
		t.Errorf("under another key: %v", err)
	}
	_ = v.cmd.Process.Kill()
	<-v.ended

	v = start("k")
	if kept, err := v.client("").Session(first.ID()).Replay(t.Context()); err != nil || len(kept.Pages) == 0 || kept.Pages[len(kept.Pages)-1].Actions[0].Method != "navigate" {
		t.Errorf("what was done in the session is %+v, %v", kept, err)
	}
	second, text := visit(v) // at once: the process that had it is gone
	if !strings.Contains(text, "ann") {
		t.Errorf("the page says %s", text)
	}
	if _, err := open(v); !errors.As(err, &refused) || refused.Code != wire.ProfileInUse {
		t.Errorf("a second session: %v", err)
	}
	if err := second.End(t.Context()); err != nil {
		t.Error(err)
	}
	if strings.Contains(dirText(t, dir), secret[:12]) {
		t.Error("a file has the cookie in clear")
	}
}

// TestServeKeyTokens: what a key has used of its day's tokens counts after SIGKILL
// and after SIGTERM, for a service with the same --data.
func TestServeKeyTokens(t *testing.T) {
	site := pages(t)
	model := chat(t, func(request string) (int, string) {
		field := wordField.FindStringSubmatch(request)
		if field == nil {
			return http.StatusBadRequest, "the request shows no field Word"
		}
		return http.StatusOK, fmt.Sprintf(`{"found":true,"ref":%q,"method":"fill","arguments":["tea"],"description":"fill Word","reason":"","more":false}`, field[1])
	})
	dir := t.TempDir()
	start := func() (v *served, act func() error) {
		v = serveProcess(t, []string{"OPENAI_API_KEY=k", "WAYFINDER_KEYS=" + sha256Of("one") + " alice"}, "--driver", "memory", "--allow-private", "127.0.0.1",
			"--data", dir, "--key-tokens", "6000", "--model", "openai/local", "--base-url", model.URL+"/v1")
		s, err := v.client("one").Start(t.Context(), &wire.SessionStart{ModelName: "openai/local"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Navigate(t.Context(), &wire.NavigateRequest{URL: site.URL}); err != nil {
			t.Fatal(err)
		}
		return v, func() error {
			_, err := s.Act(t.Context(), client.Say("whisper tea to it"))
			return err
		}
	}
	wantRefused := func(when string, err error) {
		t.Helper()
		var refused *client.Error
		if !errors.As(err, &refused) || refused.Status != http.StatusTooManyRequests || !strings.Contains(refused.Message, "6000 tokens are used") {
			t.Errorf("%s: %v, want the key's tokens used up", when, err)
		}
	}
	v, act := start()
	served, err := 0, act()
	for ; err == nil; err = act() {
		if served++; served > 100 {
			t.Fatal("there is no end of it")
		}
	}
	if served == 0 {
		t.Error("nothing was served before the tokens were used up")
	}
	wantRefused("at first", err)
	used := fmt.Sprintf(`{"tokens":%d,`, served*222)
	waitUntil(t, func() bool { return strings.Contains(dirText(t, dir), used) })
	_ = v.cmd.Process.Kill()
	<-v.ended

	v, act = start()
	wantRefused("after SIGKILL", act())
	if err := v.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-v.ended

	_, act = start()
	wantRefused("after SIGTERM", act())
}

// dirText is all that the files below a directory hold.
func dirText(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			raw, _ := os.ReadFile(path) // it may be gone by now
			all.Write(raw)
		}
		return nil // as may a directory
	})
	if err != nil || all.Len() == 0 {
		t.Fatalf("%s has nothing, %v", dir, err)
	}
	return all.String()
}

// descendants returns the processes that run below one, with when they began.
func descendants(t *testing.T, root int) map[int]string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	children := map[int][]int{}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if fields := statOf(pid); len(fields) > 1 {
				parent, _ := strconv.Atoi(fields[1]) // the kernel writes a number
				children[parent] = append(children[parent], pid)
			}
		}
	}
	family := map[int]string{}
	for next := children[root]; len(next) > 0; {
		pid := next[0]
		next = append(next[1:], children[pid]...)
		if began := startOf(pid); began != "" {
			family[pid] = began
		}
	}
	return family
}

// statOf returns the fields of /proc/PID/stat behind the name: state, parent, …
func statOf(pid int) []string {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return nil // it has ended
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	return strings.Fields(rest)
}

// startOf tells when a process began; empty if it has ended. A zombie has.
func startOf(pid int) string {
	fields := statOf(pid)
	if len(fields) < 20 || fields[0] == "Z" {
		return ""
	}
	return fields[19]
}

// waitUntil waits for something that another process does, which gives no sign.
func waitUntil(t *testing.T, done func() bool) {
	t.Helper()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	limit := time.After(time.Minute)
	for !done() {
		select {
		case <-look.C:
		case <-limit:
			t.Fatal("it did not happen within a minute")
		}
	}
}

// TestServeRunValues: a run with a variable is refused without a key, and says what to
// set. With one it goes on with its value after SIGKILL; no file and no line of the log
// has that in clear.
func TestServeRunValues(t *testing.T) {
	const secret = "quokka-4711-not-to-be-found"
	var typed atomic.Value
	var asked atomic.Int32
	first := make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if value := r.FormValue("password"); value != "" {
			typed.Store(value)
		}
		if r.URL.Path == "/" && asked.Add(1) == 1 {
			close(first)
			<-r.Context().Done() // until the process is gone
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<form action=/in><input name=password aria-label=Password><button>Sign in</button></form>`)
	}))
	t.Cleanup(site.Close)
	request := &wire.RunCreate{
		Task: "type %password% into the password field, then click Sign in", URL: site.URL, Model: "offline",
		Variables: map[string]wire.Variable{"password": {Value: secret}},
	}
	arguments := []string{"--driver", "memory", "--allow-private", "127.0.0.1", "--log-level", "debug"}
	var refused *client.Error
	if _, err := serveProcess(t, nil, arguments...).client("").StartRun(t.Context(), request, "1"); !errors.As(err, &refused) || refused.Code != wire.NotImplemented || !strings.Contains(refused.Message, "WAYFINDER_PROFILE_KEY") {
		t.Errorf("without a key: %v", err)
	}
	dir := t.TempDir()
	start := func() *served {
		return serveProcess(t, []string{"WAYFINDER_PROFILE_KEY=" + strings.Repeat("5a", 32)}, append(arguments, "--data", dir)...)
	}
	v := start()
	run, err := v.client("").StartRun(t.Context(), request, "1")
	if err != nil {
		t.Fatal(err)
	}
	<-first
	_ = v.cmd.Process.Kill()
	<-v.ended
	again := start()
	var last client.RunEvent
	for e, err := range again.client("").RunEvents(t.Context(), run.ID, 0) {
		if err != nil {
			t.Fatal(err)
		}
		last = e
	}
	if typed.Load() != secret {
		t.Errorf("the site got %v, and the run ended as %+v", typed.Load(), last.Run)
	}
	for name, text := range map[string]string{"the files": dirText(t, dir), "a log": v.logged() + again.logged(), "the run": fmt.Sprintf("%+v %s", last.Run, last.Run.Result)} {
		if strings.Contains(text, secret[:11]) {
			t.Errorf("%s: the value is there in clear", name)
		}
	}
}
