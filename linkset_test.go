package wayfinder_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
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

// linked says which vendors' code a program links that imports a package, and nothing
// else of this module. Packages below llm link what the house lets them import.
var linked = map[string][]string{
	"engine":        {},
	"driver/cdp":    {},
	"driver/fake":   {},
	"wayfindertest": {},
	"cmd/demo":      {}, // it is compiled in half a minute
	"server":        {},
	"llm":           {},

	"agent":             {},
	"agent/runs":        {},
	"agent/runs/sqlite": {"sqlite"},

	"internal/fleet":  {},
	"fleet/jetstream": {"nats"},
}

// TestLinkSet holds what a program links, through all modules, against the
// table. The parser of TestImports can't see into other modules.
func TestLinkSet(t *testing.T) {
	readAll(t)
	linked := maps.Clone(linked)
	for folder := range house {
		if strings.HasPrefix(folder, "llm/") && !strings.Contains(folder, "/internal/") {
			linked[folder] = vendorsOf(folder)
		}
	}
	imports := dependencies(t, linked)
	for folder, want := range linked {
		t.Run(folder, func(t *testing.T) {
			got := map[string]string{}
			for path := range closure(imports, module+"/"+folder) {
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
}

// vendorsOf says whose code a folder may import, itself or by another package of llm.
func vendorsOf(folder string) []string {
	var all []string
	for vendor, prefixes := range vendorCode {
		if slices.ContainsFunc(house[folder].third, func(m string) bool {
			return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(m+"/", p) })
		}) {
			all = append(all, vendor)
		}
	}
	for _, own := range house[folder].own {
		if strings.HasPrefix(own, "llm/") {
			all = append(all, vendorsOf(own)...)
		}
	}
	return all
}

// dependencies lists what each package imports of those that the table's folders
// link, by one call of go list.
func dependencies(t *testing.T, linked map[string][]string) map[string][]string {
	t.Helper()
	args := []string{"list", "-deps", "-json=ImportPath,Imports"}
	for folder := range linked {
		args = append(args, "./"+folder)
	}
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	imports := map[string][]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		imports[p.ImportPath] = p.Imports
	}
	return imports
}

// closure is a package with all that it links.
func closure(imports map[string][]string, path string) map[string]bool {
	seen := map[string]bool{path: true}
	for next := []string{path}; len(next) > 0; {
		list := imports[next[0]]
		next = next[1:]
		for _, p := range list {
			if !seen[p] {
				seen[p] = true
				next = append(next, p)
			}
		}
	}
	return seen
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
		case strings.HasSuffix(path, ".go"), filepath.Base(path) == "go.mod", filepath.Base(path) == "go.sum", path == "go.work":
			_, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
