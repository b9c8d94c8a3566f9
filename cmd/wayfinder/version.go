package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A build says what the program was built from.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Time     string `json:"time,omitempty"` // of the commit
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	System   string `json:"system"`
	// Modules are the project's own modules that the program links, by their paths.
	Modules map[string]string `json:"modules,omitempty"`
}

// project begins the paths of the project's modules.
const project = "github.com/wayfinder-engine/wayfinder"

// newVersionCommand says more than --version does: the module versions, too.
func newVersionCommand(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version, the commit and the versions of the modules",
		Long: `Version shows what this program was built from: its version, the commit, Go's version, and the version
of each module of the project in it. A build from a checkout has (devel) in the place of a version.`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(s.out, versionText(s.json))
			if s.json {
				return nil
			}
			modules := version().Modules
			for _, path := range slices.Sorted(maps.Keys(modules)) {
				fmt.Fprintf(s.out, "module    %s %s\n", path, modules[path])
			}
			return nil
		},
	}
}

// version reads what the Go command has left in the program.
func version() build {
	b := build{Version: "(devel)", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	b.Modules = map[string]string{}
	for _, m := range info.Deps {
		if m.Path != project && !strings.HasPrefix(m.Path, project+"/") {
			continue
		}
		b.Modules[m.Path] = m.Version
		if m.Replace != nil {
			b.Modules[m.Path] = "(devel)"
		}
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// versionText is what --version writes.
func versionText(asJSON bool) string {
	b := version()
	if asJSON {
		text, err := json.Marshal(b)
		if err == nil {
			return string(text)
		}
	}
	text := "wayfinder " + b.Version
	if b.Commit != "" {
		text += fmt.Sprintf("\ncommit    %s of %s", b.Commit, b.Time)
		if b.Modified {
			text += ", modified"
		}
	}
	return text + fmt.Sprintf("\ngo        %s\nsystem    %s", b.Go, b.System)
}
