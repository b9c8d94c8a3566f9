package wayfinder_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// vendorCode is where each vendor's own code lives.
var vendorCode = map[string][]string{
	"openai":    {"github.com/openai/"},
	"anthropic": {"github.com/anthropics/"},
	"google":    {"google.golang.org/genai", "google.golang.org/grpc", "cloud.google.com/go/"},
	"amazon":    {"github.com/aws/"},
	"microsoft": {"github.com/Azure/", "github.com/AzureAD/"},
	"nats":      {"github.com/nats-io/"},
	"sqlite":    {"modernc.org/"},
}

// linked says which vendors' code a program links that imports a package, and
// nothing else of this module.
var linked = map[string][]string{
	"engine":         {},
	"driver/cdp":     {},
	"driver/fake":    {},
	"wayfindertest":  {},
	"cmd/demo":       {}, // it is compiled in half a minute
	"server":         {},
	"llm":            {},
	"llm/config":     {},
	"llm/middleware": {},
	"llm/llmtest":    {},
	"llm/offline":    {},
	"llm/openai":     {"openai"},
	"llm/azure":      {"openai"}, // the same wire format
	"llm/microsoft":  {"openai"},
	"llm/anthropic":  {"anthropic"},
	"llm/google":     {"google"},
	"llm/vertex":     {"google", "anthropic"}, // it serves both
	"llm/bedrock":    {"amazon"},

	"agent":             {},
	"agent/runs":        {},
	"agent/runs/sqlite": {"sqlite"},

	"fleet":           {},
	"fleet/jetstream": {"nats"},
}

// TestLinkSet holds what a program links, through all modules, against the
// table. The parser of TestImports can't see into other modules.
func TestLinkSet(t *testing.T) {
	readAll(t)
	for folder, want := range linked {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "./"+folder).Output()
			if err != nil {
				t.Fatalf("go list: %v", err)
			}
			got := map[string]string{}
			for path := range strings.Lines(string(out)) {
				path = strings.TrimSpace(path)
				for vendor, prefixes := range vendorCode {
					if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(path, p) }) {
						got[vendor] = path
					}
				}
				inside, own := strings.CutPrefix(path, module+"/")
				if folder == "engine" && own && inside != "driver/internal/listen" && (strings.HasPrefix(inside, "driver/") || strings.HasPrefix(inside, "llm/")) {
					t.Errorf("engine links %s: drivers and models are plugged in", inside)
				}
			}
			for vendor, path := range got {
				if !slices.Contains(want, vendor) {
					t.Errorf("%s links %s, by %s", folder, vendor, path)
				}
			}
			for _, vendor := range want {
				if got[vendor] == "" {
					t.Errorf("%s does not link %s: the table is out of date", folder, vendor)
				}
			}
		})
	}
	// A provider that is not in the table would be checked by nobody.
	for folder := range house {
		if strings.HasPrefix(folder, "llm/") && !strings.Contains(folder, "/internal/") {
			if _, listed := linked[folder]; !listed {
				t.Errorf("the table does not list %s", folder)
			}
		}
	}
}

// readAll reads what go list depends on, so that the test cache knows of it: a
// result that was served from there would be stale.
func readAll(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || path != "." && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || strings.HasSuffix(path, "_test.go"):
			return nil
		case strings.HasSuffix(path, ".go"), path == "go.mod", path == "go.sum":
			_, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
