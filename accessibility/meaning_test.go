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
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// meaningPages are pages of which each holds one kind of thing that carries meaning,
// with their reviewed outlines: testdata/meaning/*.html and *.txt. Those in
// scripted have scripts; meaningScripts stand for them in memory.
func meaningPages(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/meaning/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data", err)
	}
	for _, name := range []string{"bounds", "edits", "spans"} { // theirs have refs, which are left out here
		files = append(files, "testdata/outline/"+name+".html")
	}
	more, err := filepath.Glob("testdata/meaning/scripted/*.html")
	if err != nil || len(more) == 0 {
		t.Fatal("no test data", err)
	}
	files = append(files, more...)
	return files
}

// meaningScripts do in memory what the scripts of these pages do in Chrome.
var meaningScripts = map[string]func(*fake.Document){
	"https://meaning.test/scripted/modal.html": func(d *fake.Document) { d.Find("dialog").ShowModal() },
	"https://meaning.test/scripted/internals.html": func(d *fake.Document) {
		for selector, said := range map[string][]string{
			"#a": {"role", "switch", "aria-checked", "true"}, "#w": {"role", "switch", "aria-checked", "true"},
			"[role5]": {"role", "button", "aria-label", "Fifth", "aria-expanded", "false"},
			"x-c":     {"role", "button", "aria-label", "Press", "aria-pressed", "true"},
			"x-d":     {"role", "slider", "aria-valuenow", "5", "aria-valuemin", "1", "aria-valuemax", "9", "aria-label", "Slide"},
			"x-e":     {"role", "tab", "aria-selected", "true"},
			"x-f":     {"role", "combobox", "aria-expanded", "true", "aria-haspopup", "listbox", "aria-label", "Combo", "aria-required", "true", "aria-invalid", "true"},
			"x-g":     {"role", "option", "aria-selected", "true"}, "x-h": {"role", "heading", "aria-level", "5"},
			"x-m": {"role", "dialog", "aria-modal", "true", "aria-label", "Modal"}, "x-i": {"role", "button", "aria-disabled", "true"},
		} {
			for i := 0; i < len(said); i += 2 {
				d.Find(selector).SetInternal(said[i], said[i+1])
			}
		}
		d.Find("#a").SetFormAssociated(true)
		d.Find("#w").SetFormAssociated(true)
	},
}

// TestMeaningInMemory compares what the pages' outlines are in memory.
func TestMeaningInMemory(t *testing.T) {
	web := fake.Web{}
	files := meaningPages(t)
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		web[inMemory(file)] = string(source)
	}
	browser, err := fake.New(fake.Options{Web: web, Scripts: meaningScripts}).Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	for _, file := range files {
		compareMeaning(t, browser.Pages()[0], inMemory(file), file)
	}
}

// inMemory is the address of a page there.
func inMemory(file string) string {
	return "https://meaning.test/" + strings.TrimPrefix(strings.TrimPrefix(filepath.ToSlash(file), "testdata/"), "meaning/")
}

// openChrome opens a page of Chrome for a test, and skips it where there is none
// and none is demanded.
func openChrome(t *testing.T) driver.Page {
	t.Helper()
	chrometest.Long(t)
	_, err := cdp.Find()
	chrometest.Need(t, err)
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
	site := httptest.NewServer(http.FileServer(http.Dir("testdata")))
	defer site.Close()
	for _, file := range meaningPages(t) {
		compareMeaning(t, page, site.URL+strings.TrimPrefix(filepath.ToSlash(file), "testdata"), file)
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
	if flag.Lookup("update").Value.String() == "true" && !strings.HasPrefix(file, "testdata/outline/") {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if want := anyRef.ReplaceAllString(string(want), "$1"); got != want {
		t.Errorf("outline of %s =\n%s\nwant\n%s", address, got, want)
	}
}
