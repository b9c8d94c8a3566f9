package main

import (
	"path/filepath"
	"testing"
)

// TestCompleteAddress: people write hosts and files without a scheme.
func TestCompleteAddress(t *testing.T) {
	file, err := filepath.Abs("tea.html")
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"example.com":         "https://example.com",
		"localhost:8080/x":    "http://localhost:8080/x",
		"about:blank":         "about:blank",
		"./tea.html":          "file://" + filepath.ToSlash(file),
		"/srv/a page.html":    "file:///srv/a%20page.html",
		"file:///srv/a.html":  "file:///srv/a.html",
		"http://[::1]:80/tea": "http://[::1]:80/tea",
	} {
		if got, err := completeAddress(address); err != nil || got != want {
			t.Errorf("completeAddress(%q) = %q, %v, want %q", address, got, err, want)
		}
	}
}
