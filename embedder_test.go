package wayfinder_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mostModules is how many modules a program may get in its graph that embeds the
// core: the 36 that are there today, with the program's own and this one.
const mostModules = 40

// A program that embeds the core gets few modules, and none of those that it is
// likely to require itself in a version of its own.
func TestEmbedderGraph(t *testing.T) {
	readAll(t)
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module example.test/embedder\n\ngo 1.26.0\n\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + root + "\n",
		"go.sum":  string(sums),
		"main.go": "package main\n\nimport (\n\t_ \"" + module + "/agent\"\n\t_ \"" + module + "/driver/cdp\"\n\t_ \"" + module + "/driver/fake\"\n\t_ \"" + module + "/engine\"\n\t_ \"" + module + "/wayfindertest\"\n)\n\nfunc main() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "list", "-mod=mod", "-m", "-f", "{{.Path}}", "all")
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	var failed strings.Builder
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if strings.Contains(failed.String(), "dial tcp") {
		t.Skipf("no module proxy can be reached: %s", failed.String())
	}
	if err != nil {
		t.Fatalf("go list -m all: %v\n%s", err, failed.String())
	}
	modules := strings.Fields(string(out))
	if len(modules) > mostModules {
		t.Errorf("a program that embeds the core has %d modules in its graph, want %d at most:\n%s", len(modules), mostModules, out)
	}
	for _, m := range modules {
		for _, own := range []string{"google.golang.org/grpc", "google.golang.org/protobuf", "go.opentelemetry.io/", "github.com/prometheus/", "github.com/aws/", "github.com/Azure/", "github.com/nats-io/", "github.com/openai/"} {
			if strings.HasPrefix(m, own) {
				t.Errorf("the core requires %s: a program that embeds it may have another version", m)
			}
		}
	}
}
