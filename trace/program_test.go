package trace_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoTestCompiles has the compiler read the test that a trace gives.
func TestGoTestCompiles(t *testing.T) {
	tr, _ := written(t, inMemory(t))
	source := tr.GoTest()
	for _, want := range []string{`open("https://shop.test/")`, `"pass": {Value: os.Getenv("PASS")}`, `, "navigation")`, `TextShown("2 teapots are on their way")`, `%pass%`} {
		if !strings.Contains(strings.ReplaceAll(source, "`", `"`), want) {
			t.Errorf("the test has no %s", want)
		}
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "run_test.go")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, "runofatrace", "run_test.go"): file}})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-overlay", list, "-c", "-o", filepath.Join(folder, "run.test"), "./runofatrace").CombinedOutput(); err != nil {
		t.Errorf("go test: %v\n%s\n%s", err, out, source)
	}
	if out, err := exec.CommandContext(t.Context(), "gofmt", "-l", file).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("gofmt: %v\n%s\n%s", err, out, source)
	}
}

// TestScriptIsOneOfTheShell has a shell read the script, and call what it calls.
func TestScriptIsOneOfTheShell(t *testing.T) {
	tr, _ := written(t, inMemory(t))
	folder := t.TempDir()
	fake := "#!/bin/sh\nfor a in \"$@\"; do printf '%s\\n' \"$a\"; done\n"
	if err := os.WriteFile(filepath.Join(folder, "wayfinder"), []byte(fake), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", tr.Script())
	cmd.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "PASS=hush")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Skipf("sh: %v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) < 6 || lines[0] != "act" || lines[1] != "https://shop.test/" || strings.Contains(string(out), "hush") {
		t.Errorf("the script calls wayfinder with\n%s", out)
	}
	actions := 0
	for i, line := range lines {
		if line == "--action" {
			actions++
			if !json.Valid([]byte(lines[i+1])) {
				t.Errorf("%s is no JSON", lines[i+1])
			}
		}
	}
	if actions != 5 {
		t.Errorf("the script has %d actions, want 5", actions)
	}
}
