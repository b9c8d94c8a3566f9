package accessibility_test

import (
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// meaningPages are pages of which each holds one kind of thing that carries meaning,
// with their reviewed outlines: testdata/meaning/*.html and *.txt. Those in
// scripted need scripts, which there are in Chrome alone.
func meaningPages(t *testing.T, scripted bool) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/meaning/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data", err)
	}
	if scripted {
		more, err := filepath.Glob("testdata/meaning/scripted/*.html")
		if err != nil || len(more) == 0 {
			t.Fatal("no test data", err)
		}
		files = append(files, more...)
	}
	return files
}

// TestMeaningInMemory compares what the pages' outlines are in memory.
func TestMeaningInMemory(t *testing.T) {
	web := fake.Web{}
	files := meaningPages(t, false)
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		web["https://meaning.test/"+filepath.Base(file)] = string(source)
	}
	browser, err := web.Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	for _, file := range files {
		compareMeaning(t, browser.Pages()[0], "https://meaning.test/"+filepath.Base(file), file)
	}
}

// openChrome opens a page of Chrome for a test, and skips it where there is none
// and none is demanded.
func openChrome(t *testing.T) driver.Page {
	t.Helper()
	if _, err := cdp.Find(); err != nil {
		if os.Getenv("WAYFINDER_REQUIRE_CHROME") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	browser, err := cdp.Launch{}.Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := browser.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return browser.Pages()[0]
}

// TestMeaningInChrome compares what they are in Chrome: the same, but for refs.
func TestMeaningInChrome(t *testing.T) {
	page := openChrome(t)
	site := httptest.NewServer(http.FileServer(http.Dir("testdata/meaning")))
	defer site.Close()
	for _, file := range meaningPages(t, true) {
		compareMeaning(t, page, site.URL+strings.TrimPrefix(filepath.ToSlash(file), "testdata/meaning"), file)
	}
}

var anyRef = regexp.MustCompile(`(?m)^( *)\[\d+-\d+\] `)

// compareMeaning compares the outline of one page with the reviewed one.
func compareMeaning(t *testing.T, page driver.Page, address, file string) {
	t.Helper()
	if _, err := page.Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	capture, err := page.Capture(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	outline := accessibility.Build(capture, nil).Outline()
	if _, err := accessibility.ParseOutline(outline); err != nil {
		t.Errorf("ParseOutline(outline of %s): %v", file, err)
	}
	got := anyRef.ReplaceAllString(outline, "$1")
	golden := strings.TrimSuffix(file, ".html") + ".txt"
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("outline of %s =\n%s\nwant\n%s", address, got, want)
	}
}
