package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// With --cache, an act is done again without its model, by another process if
// it must be, and the output says so.
func TestActCache(t *testing.T) {
	site := pages(t)
	dir := filepath.Join(t.TempDir(), "acts")
	args := func(more ...string) []string {
		return append([]string{"act", site.URL, "type %word% into Word", "click Send", "--var", "word=xyzzy", "--cache", dir, "--driver", "memory"}, more...)
	}
	first := wayfinder(t, args()...)
	if n := strings.Count(first.out, "[cache: miss, absent]"); first.code != exitDone || n != 2 {
		t.Fatalf("the first time: exit %d, want 0 and two misses\n%s%s", first.code, first.out, first.err)
	}
	// No model can be reached: there is no key.
	noKey := []string{"OPENAI_API_KEY="}
	second := wayfinderIn(t, noKey, args("--model", "openai/gpt-5")...)
	if n := strings.Count(second.out, "[cache: hit]"); second.code != exitDone || n != 2 {
		t.Errorf("the second time: exit %d, want 0 and two hits\n%s%s", second.code, second.out, second.err)
	}
	asJSON := wayfinder(t, args("--json")...)
	for line := range strings.Lines(asJSON.out) {
		var r engine.ActResult
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Cache == nil || r.Cache.Result != engine.CacheHit {
			t.Errorf("as JSON: %s, %v, want a hit", line, err)
		}
	}
	if got := site.received(); len(got) != 3 || got[2] != "xyzzy" {
		t.Errorf("the site got %q, want the word three times", got)
	}
	miss := wayfinderIn(t, noKey, "act", site.URL, "click something else", "--cache", dir, "--driver", "memory", "--model", "openai/gpt-5")
	if miss.code != exitEnvironment || !strings.Contains(miss.err, "OPENAI_API_KEY") {
		t.Errorf("a miss without a key: exit %d, want 3 and the name of the key\n%s", miss.code, miss.err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 2 {
		t.Errorf("files = %q, %v, want one for each act", files, err)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "xyzzy") {
			t.Errorf("%s holds the value, or cannot be read: %v\n%s", file, err, text)
		}
	}
	blocked := filepath.Join(dir, "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := wayfinder(t, "act", site.URL, "click Send", "--cache", blocked, "--driver", "memory"); got.code != exitUsage {
		t.Errorf("a cache that is a file: exit %d, want 2\n%s", got.code, got.err)
	}
}
