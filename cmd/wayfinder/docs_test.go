package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocsNameCommands: every command that the pages of docs/ show is one, with
// flags that it has.
func TestDocsNameCommands(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("docs/*.md: %v, %v", pages, err)
	}
	commandLine := regexp.MustCompile("(?m)(?:^|`)wayfinder ([a-z]+)([^`\n]*)")
	flag := regexp.MustCompile(`--([a-z-]+)`)
	seen := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range commandLine.FindAllStringSubmatch(string(text), -1) {
			root := newRoot(streams{strings.NewReader(""), io.Discard, io.Discard})
			cmd, _, err := root.Find([]string{m[1]})
			if err != nil || cmd == root {
				t.Errorf("%s: there is no command %q", page, m[1])
				continue
			}
			seen++
			for _, f := range flag.FindAllStringSubmatch(m[2], -1) {
				if cmd.Flags().Lookup(f[1]) == nil && root.PersistentFlags().Lookup(f[1]) == nil {
					t.Errorf("%s: %s has no flag --%s", page, m[1], f[1])
				}
			}
		}
	}
	if seen < 5 {
		t.Errorf("%d commands were found in docs/, which are too few to be all", seen)
	}
}
