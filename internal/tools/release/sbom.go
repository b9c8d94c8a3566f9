package main

import (
	"debug/buildinfo"
	"encoding/json"
	"strings"
	"time"
)

// A bom is a bill of materials, as CycloneDX 1.6 has it.
type bom struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   bomMetadata `json:"metadata"`
	Components []component `json:"components"`
}

type bomMetadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// sbomOf lists what a program was built from, as the program itself says.
func sbomOf(binary string, date time.Time) ([]byte, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	list := &bom{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: bomMetadata{
		Timestamp: date.UTC().Format(time.RFC3339),
		Component: describe("application", info.Main.Path, info.Main.Version, ""),
	}}
	list.Components = append(list.Components, describe("library", "std", strings.TrimPrefix(info.GoVersion, "go"), ""))
	for _, m := range info.Deps {
		list.Components = append(list.Components, describe("library", m.Path, m.Version, m.Sum))
	}
	data, err := json.MarshalIndent(list, "", "  ")
	return append(data, '\n'), err
}

// describe is a module of Go as a component. Its sum is that of go.sum.
func describe(kind, path, version, sum string) component {
	purl := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	c := component{Type: kind, Ref: purl, Name: path, Version: version, PURL: purl}
	if sum != "" {
		c.Properties = []property{{"go:sum", sum}}
	}
	return c
}
