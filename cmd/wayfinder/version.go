package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
)

// A build says what the program was built from.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Time     string `json:"time,omitempty"` // of the commit
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	System   string `json:"system"`
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
