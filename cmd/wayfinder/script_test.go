package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// TestScript: a run becomes a script, which is replayed on the site and proved;
// on another page it is refused, and says what was expected and found.
func TestScript(t *testing.T) {
	folder := t.TempDir()
	bundle, program := filepath.Join(folder, "run.wayfinder"), filepath.Join(folder, "run.json")
	site := pages(t)
	memory := []string{"--driver", "memory"}
	do := func(code int, args ...string) ending {
		t.Helper()
		got := wayfinder(t, append(args, memory...)...)
		if got.code != code {
			t.Errorf("wayfinder %q: exit %d, want %d\n%s%s", args, got.code, code, got.out, got.err)
		}
		return got
	}
	do(exitDone, "record", site.URL+"/find", "-o", bundle, "--act", "type Ada into Word", "--act", "click Send")
	do(exitDone, "trace", bundle, "--format", "script", "-o", program)
	text, err := os.ReadFile(program)
	if err != nil || !strings.Contains(string(text), `"name": "Send"`) {
		t.Fatalf("the script: %v\n%s", err, text)
	}
	if got := do(exitDone, "replay", program); !strings.Contains(got.out, `textbox "Word": unchanged`) || !strings.Contains(got.err, "all proved; 0 healed") {
		t.Errorf("replay says\n%s%s", got.out, got.err)
	}
	if got := do(exitDone, "replay", program, "--json"); !strings.Contains(got.out, `"outcome":"unchanged"`) || !strings.Contains(got.out, `"diff":""`) {
		t.Errorf("replay --json says\n%s", got.out)
	}
	changed := filepath.Join(folder, "changed.json")
	if err := os.WriteFile(changed, []byte(strings.ReplaceAll(string(text), `"name": "Word"`, `"name": "Term"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := do(exitNotDone, "replay", changed); !strings.Contains(got.out+got.err, `expected fill textbox "Term"`) || !strings.Contains(got.out+got.err, `"Word"`) {
		t.Errorf("replay of another script says\n%s%s", got.out, got.err)
	}
	if err := os.WriteFile(changed, []byte(`{"wayfinder": "script"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	do(exitUsage, "replay", changed)

	if got := do(exitDone, "test", bundle, "--dir", folder, "--name", "find"); !strings.Contains(got.err, filepath.Join(folder, "find_test.go")) {
		t.Errorf("test says\n%s", got.err)
	}
	if source, err := os.ReadFile(filepath.Join(folder, "find_test.go")); err != nil || !strings.Contains(string(source), `wayfindertest.Replay(t, "testdata/find.wayfinder")`) {
		t.Errorf("the test: %v\n%s", err, source)
	}
	do(exitUsage, "test", bundle, "--dir", folder, "--name", "find")
	do(exitUsage, "test", program)
}

// TestTestIsRun: the command that `test` prints runs the test that it wrote, wherever
// that is: here, below, in a module of another folder, which has a space in its name.
func TestTestIsRun(t *testing.T) {
	chrometest.Long(t) // it compiles a module
	folder := t.TempDir()
	module := filepath.Join(folder, "Ann's shop") // a module may be in such a folder, and its packages may not
	if err := os.Mkdir(module, 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	requires, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	_, needs, _ := strings.Cut(string(requires), "\ngo ")
	needs, _, _ = strings.Cut(needs, "\ntool ")
	needs += "\nrequire github.com/wayfinder-engine/wayfinder v0.0.0\n\nreplace github.com/wayfinder-engine/wayfinder => " + root + "\n"
	for name, text := range map[string]string{"go.mod": "module example.test/shop\n\ngo " + needs, "go.sum": string(sums)} {
		if err := os.WriteFile(filepath.Join(module, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	site, bundle := pages(t), filepath.Join(folder, "run.wayfinder")
	if got := wayfinder(t, "record", site.URL+"/find", "-o", bundle, "--act", "click Send", "--driver", "memory"); got.code != exitDone {
		t.Fatalf("record: exit %d\n%s", got.code, got.err)
	}
	for where, dirs := range map[string][]string{module: {".", "sub"}, folder: {module + "/other"}} {
		t.Chdir(where)
		for _, dir := range dirs {
			got := wayfinder(t, "test", bundle, "--dir", dir, "--name", "again")
			_, command, printed := strings.Cut(got.err, "run it with: ")
			if got.code != exitDone || !printed {
				t.Errorf("--dir %s: exit %d\n%s", dir, got.code, got.err)
				continue
			}
			sh := exec.CommandContext(t.Context(), "sh", "-c", command)
			sh.Env = append(os.Environ(), "GOFLAGS=-mod=mod -vet=off", "GOPROXY=off", "GOWORK=off")
			if out, err := sh.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "ok ") {
				t.Errorf("--dir %s: %s%v\n%s", dir, command, err, out)
			}
		}
	}
}

// TestReplayResume: a replay whose process has died goes on from its log, and the
// log of one that is over is removed.
func TestReplayResume(t *testing.T) {
	site, dir := pages(t), t.TempDir()
	program := filepath.Join(dir, "send.json")
	text := fmt.Sprintf(`{"wayfinder": "script", "version": 1, "start": %q, "variables": ["w"], "steps": [
		{"step": "1", "do": "fill", "target": {"role": "textbox", "name": "Word"}, "arguments": ["%%w%%"], "expect": {"effect": "value"}},
		{"step": "2", "do": "click", "target": {"role": "button", "name": "Send"}, "expect": {"requests": ["POST /send"]}}]}`, site.URL)
	if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := script.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	logs := filepath.Join(dir, "logs")
	store, err := runs.NewDir(logs)
	if err != nil {
		t.Fatal(err)
	}
	session, err := engine.Open(t.Context(), fake.Network(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, die := context.WithCancel(t.Context())
	if _, err := script.Replay(ctx, session.Page(), s, &script.Options{
		Variables: map[string]engine.Variable{"w": {Value: "tea"}}, Store: store, Run: "r1", Stepped: func(script.StepResult) { die() },
	}); err == nil {
		t.Fatal("the replay did not end after its first step")
	}
	if err := session.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--resume", "last", "--var", "w=tea"}, "say by --store"},
		{[]string{"--resume", "r2", "--store", logs, "--var", "w=tea"}, "there is no such run"},
		{[]string{"--resume", "last", "--store", logs}, "w"},
		{[]string{"--resume", "last", "--store", logs, "--var", "w=tea", "--start", "https://other.test/"}, "it began at"},
	} {
		if got := wayfinder(t, append([]string{"replay", program, "--driver", "memory"}, c.args...)...); got.code != exitUsage || !strings.Contains(got.err, c.says) {
			t.Errorf("%q: exit %d, want %d and %q\n%s", c.args, got.code, exitUsage, c.says, got.err)
		}
	}
	got := wayfinder(t, "replay", program, "--driver", "memory", "--resume", "last", "--store", logs, "--var", "w=tea")
	if got.code != exitDone || !cmp.Equal(site.received(), []string{"tea"}) || !strings.Contains(got.err, "2 steps, all proved") {
		t.Errorf("exit %d, sent %q\n%s%s", got.code, site.received(), got.out, got.err)
	}
	got = wayfinder(t, "replay", program, "--driver", "memory", "--store", logs, "--var", "w=milk")
	if got.code != exitDone || !cmp.Equal(site.received(), []string{"tea", "milk"}) {
		t.Errorf("exit %d, sent %q\n%s%s", got.code, site.received(), got.out, got.err)
	}
	if names, err := store.Runs(t.Context()); err != nil || len(names) > 0 {
		t.Errorf("the logs are %q, %v, want none", names, err)
	}
}
