package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
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
				if f[1] != "help" && cmd.Flags().Lookup(f[1]) == nil && root.PersistentFlags().Lookup(f[1]) == nil {
					t.Errorf("%s: %s has no flag --%s", page, m[1], f[1])
				}
			}
		}
	}
	if seen < 5 {
		t.Errorf("%d commands were found in docs/, which are too few to be all", seen)
	}
}

// TestReference: docs/commands.md is what the commands say of themselves.
func TestReference(t *testing.T) {
	for _, set := range os.Environ() {
		if name, _, _ := strings.Cut(set, "="); strings.HasPrefix(name, "WAYFINDER_") && name != "WAYFINDER_UPDATE" || strings.HasSuffix(name, "_API_KEY") {
			t.Setenv(name, "") // some defaults come from the environment
		}
	}
	const page = "../../docs/commands.md"
	want := reference(newRoot(streams{strings.NewReader(""), io.Discard, io.Discard}))
	if os.Getenv("WAYFINDER_UPDATE") != "" {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != want {
		t.Errorf("%s is not what the commands say of themselves (%v): WAYFINDER_UPDATE=1 go test ./cmd/wayfinder -run TestReference", page, err)
	}
}

// TestManualPages: each command has a page, in macros that a formatter knows.
func TestManualPages(t *testing.T) {
	dir := t.TempDir()
	if got := wayfinder(t, "man", dir, "--date", "2026-12-31"); got.code != 0 {
		t.Fatalf("man: exit %d\n%s", got.code, got.err)
	}
	for _, c := range documented(newRoot(streams{strings.NewReader(""), io.Discard, io.Discard})) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-")
		text, err := os.ReadFile(filepath.Join(dir, name+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, want := range []string{`.TH "` + strings.ToUpper(name) + `" 1 "2026-12-31"`, ".SH NAME\n", ".SH SYNOPSIS\n", ".SH EXIT STATUS\n"} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s.1 lacks %s", name, want)
			}
		}
		if c.Short == "" {
			t.Errorf("%s says nothing of itself", c.CommandPath())
		}
	}
}

// TestVersionNamesModules: the command says which modules of the project it links.
func TestVersionNamesModules(t *testing.T) {
	got := wayfinder(t, "version")
	for _, want := range []string{"wayfinder ", "module    " + project + " ", "module    " + project + "/llm/openai "} {
		if got.code != 0 || !strings.Contains(got.out, want) {
			t.Errorf("version: exit %d, lacks %q\n%s", got.code, want, got.out)
		}
	}
}

// reference is docs/commands.md: each command as its help describes it.
func reference(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# Commands\n\n<!-- generated from the command: WAYFINDER_UPDATE=1 go test ./cmd/wayfinder -run TestReference -->\n\n")
	for _, c := range documented(root) {
		if c != root {
			fmt.Fprintf(&b, "## %s\n\n", c.CommandPath())
		}
		fmt.Fprintf(&b, "%s.\n\n", strings.TrimSuffix(c.Short, "."))
		if c.Long != "" {
			fmt.Fprintf(&b, "```\n%s\n```\n\n", strings.TrimSpace(c.Long))
		}
		fmt.Fprintf(&b, "```\n%s\n```\n\n", c.UseLine())
		if own := c.NonInheritedFlags(); c == root {
			fmt.Fprintf(&b, "Flags of every command:\n\n```\n%s```\n\n", c.PersistentFlags().FlagUsages())
		} else if own.HasAvailableFlags() {
			fmt.Fprintf(&b, "```\n%s```\n\n", own.FlagUsages())
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
