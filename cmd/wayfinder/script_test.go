package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
