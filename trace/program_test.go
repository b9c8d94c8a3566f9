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
