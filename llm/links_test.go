package llm_test

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/wayfinder-engine/wayfinder/"

// sdks are the vendors' modules, by the beginning of their packages' paths.
var sdks = []string{
	"github.com/openai/openai-go/",
	"github.com/anthropics/anthropic-sdk-go",
	"google.golang.org/genai",
	"google.golang.org/grpc",
	"cloud.google.com/go/",
	"github.com/aws/",
	"github.com/Azure/",
}

// links are the packages that a program may import to reach a model, with the
// SDKs and adapters that it links then. All others link none.
var links = map[string][]string{
	"llm/openai":    {"github.com/openai/openai-go/"},
	"llm/azure":     {"github.com/openai/openai-go/", "llm/openai"},
	"llm/microsoft": {"github.com/openai/openai-go/", "llm/openai"},
	"llm/anthropic": {"github.com/anthropics/anthropic-sdk-go"},
	"llm/google":    {"google.golang.org/genai", "google.golang.org/grpc", "cloud.google.com/go/"},
	"llm/vertex":    {"google.golang.org/genai", "google.golang.org/grpc", "cloud.google.com/go/", "github.com/anthropics/anthropic-sdk-go", "llm/anthropic"},
	"llm/bedrock":   {"github.com/aws/"},
	"llm/offline":   nil,
	"llm/llmtest":   nil,
	"llm":           nil,
	"engine":        nil,
}

// TestLinks holds what a program links by importing one adapter against the
// table: no other vendor's SDK, and no other adapter.
func TestLinks(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Deps", "./...", "../engine")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var pkg struct {
			ImportPath string
			Deps       []string
		}
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(pkg.ImportPath, module)
		if strings.Contains(name, "/internal/") {
			continue
		}
		want, known := links[name]
		if !known {
			t.Errorf("the table does not say what %s links", name)
		}
		seen[name] = true
		want = slices.Sorted(slices.Values(want))
		if got := linked(name, pkg.Deps); !slices.Equal(got, want) {
			t.Errorf("%s links %q, want %q", name, got, want)
		}
	}
	for name := range links {
		if !seen[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

// linked returns the SDKs and the adapters among a package's dependencies.
func linked(name string, deps []string) []string {
	found := map[string]bool{}
	for _, dep := range deps {
		for _, sdk := range sdks {
			if strings.HasPrefix(dep, sdk) {
				found[sdk] = true
			}
		}
		ours, ok := strings.CutPrefix(dep, module)
		if adapter := links[ours]; ok && adapter != nil && ours != name {
			found[ours] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}
