package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
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

// TestDialogAnswer: without the flag a dialog is the engine's to answer, which says no.
func TestDialogAnswer(t *testing.T) {
	if (&settings{}).dialogAnswer() != nil {
		t.Error("without --accept-dialogs the command answers dialogs")
	}
	if got := (&settings{dialogs: true}).dialogAnswer()(engine.Dialog{Default: "7"}); !got.Accept || got.Text != "7" {
		t.Errorf("with --accept-dialogs the answer is %+v", got)
	}
}

// TestNextPage: an instruction works on the page that the one before it has opened.
func TestNextPage(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "text/html")
		if r.URL.Path == "/two" {
			fmt.Fprint(w, `<title>Two</title><a href="/three">Inside</a>`)
			return
		}
		fmt.Fprint(w, `<title>One</title><a href="/two" target="_blank">Open</a>`)
	}))
	defer site.Close()
	if got := wayfinder(t, "act", site.URL, "click Open", "click Inside", "--driver", "memory"); got.code != exitDone {
		t.Errorf("exit %d, want 0\n%s%s", got.code, got.out, got.err)
	}
}
