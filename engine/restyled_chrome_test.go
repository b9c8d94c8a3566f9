package engine_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A reading stays valid as long as the page's revision does. On testdata/restyled.html a
// change of one node hides, names or opens others, often without a mutation that an
// observer sees. After each random change an equal revision must mean an equal outline.
func TestRestyledOnChrome(t *testing.T) {
	t.Parallel()
	random := seed(t)
	page, base := openOnChrome(t, http.FileServer(http.Dir("testdata")), nil)
	p := page.Driver()
	const fresh = 150 // changes after which the page is loaded again: removals use it up
	var last *driver.Capture
	var outline string
	kept, changed := 0, 0
	for i := range acts(100) {
		if i%fresh == 0 {
			if _, err := page.Navigate(t.Context(), base+"/restyled.html", nil); err != nil {
				t.Fatal(err)
			}
			last = read(t, p)
			outline = outlineOf(last)
		}
		how, err := p.Evaluate(t.Context(), "(seed) => change(seed)", &driver.EvaluateOptions{World: driver.Main, Args: []any{random.Uint32()}})
		if err != nil {
			t.Fatal(err)
		}
		revision, err := p.Revision(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		now := read(t, p)
		is := outlineOf(now)
		if is != outline {
			changed++
		}
		if revision == last.Revision {
			kept++
			if is != outline {
				t.Errorf("change %d, %s: not noticed\n%s", i, how, cmp.Diff(strings.Split(outline, "\n"), strings.Split(is, "\n")))
			}
		}
		if now.Revision == last.Revision && is != outline {
			t.Errorf("change %d, %s: two readings of revision %d differ\n%s", i, how, now.Revision, cmp.Diff(strings.Split(outline, "\n"), strings.Split(is, "\n")))
		}
		last, outline = now, is
	}
	t.Logf("the outline changed %d times; the reading was kept %d times", changed, kept)
	if changed == 0 {
		t.Error("nothing changed")
	}
}

func read(t *testing.T, p driver.Page) *driver.Capture {
	t.Helper()
	c, err := p.Capture(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func outlineOf(c *driver.Capture) string { return accessibility.Build(c, nil).Outline() }
