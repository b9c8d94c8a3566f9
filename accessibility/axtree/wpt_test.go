package axtree_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// A vector is one accessible name and role from web-platform-tests, with what
// Chromium makes of it.
type vector struct {
	ID       string `json:"id"`
	HTML     string `json:"html"`
	Selector string `json:"selector"`

	// Needs names what a browser must have for the page beyond HTML: "css",
	// "shadow".
	Needs []string `json:"needs"`

	Name        string         `json:"chromium_name"`
	Role        string         `json:"chromium_role"`
	ARIARole    string         `json:"chromium_aria_role"`
	Ignored     bool           `json:"chromium_ignored"`
	Description string         `json:"chromium_description"`
	Value       any            `json:"chromium_value"`
	Props       map[string]any `json:"chromium_props"`
}

// leastAgreement is the share of the vectors in which role, name and
// visibility must all be Chromium's.
const leastAgreement = 0.99

// TestWebPlatformTests captures the page of every vector in Chrome, computes
// its tree, and compares one element with Chromium's own result. Known
// differences are listed in testdata/wpt-exceptions.txt with their reasons: a
// new one fails the test, and so does one that is gone.
func TestWebPlatformTests(t *testing.T) {
	vectors := readVectors(t)
	known := readExceptions(t, "testdata/wpt-exceptions.txt")
	if raceDetector {
		vectors, known = sample(vectors, known)
	}
	browser := openChrome(t)
	judge(t, vectors, captureAll(t, browser, vectors, write), known, measure(t, browser, leastAgreement))
}

// write puts a vector's page in place of the document, which takes Chrome a
// tenth of what a navigation does. No vector has a script that would notice.
func write(ctx context.Context, page driver.Page, v *vector) error {
	source, err := json.Marshal(v.HTML)
	if err != nil {
		return err
	}
	_, err = page.Evaluate(ctx, "document.open(), document.write("+string(source)+"), document.close()", nil)
	return err
}

// judge compares the objects of the vectors with Chromium's, and checks the list
// of exceptions against both.
func judge(t *testing.T, vectors []vector, objects []*axtree.Object, known map[string]string, by yardstick) {
	t.Helper()
	agreed := 0
	states := tally{}
	for n := range vectors {
		v := &vectors[n]
		o := objects[n]
		states.compare(o, v)
		diff := v.diff(o)
		reason, listed := known[v.ID]
		switch {
		case diff == "" && listed:
			by.report("%s: listed as an exception (%s), and agrees", v.ID, reason)
		case diff != "" && !listed:
			by.report("%s: %s", v.ID, diff)
		}
		if diff == "" {
			agreed++
		}
		delete(known, v.ID)
	}
	for id := range known {
		t.Errorf("%s is listed as an exception, and is no vector", id)
	}
	t.Logf("role, name and visibility agree in %d of %d vectors (%.2f %%)", agreed, len(vectors), 100*float64(agreed)/float64(len(vectors)))
	if float64(agreed) < by.least*float64(len(vectors)) {
		t.Errorf("that is less than %v", by.least)
	}
	states.check(t)
}

// sample takes every twentieth vector, and their exceptions: enough for the race
// detector.
func sample(vectors []vector, known map[string]string) ([]vector, map[string]string) {
	var some []vector
	exceptions := map[string]string{}
	for n := 0; n < len(vectors); n += 20 {
		some = append(some, vectors[n])
		if reason, ok := known[vectors[n].ID]; ok {
			exceptions[vectors[n].ID] = reason
		}
	}
	return some, exceptions
}

// readVectors reads the vectors, and skips the test where there are none.
func readVectors(t *testing.T) []vector {
	dir := os.Getenv("WAYFINDER_VECTORS")
	if dir == "" {
		t.Skip("WAYFINDER_VECTORS does not name the folder of public test vectors")
	}
	f, err := os.Open(filepath.Join(dir, "a11y", "wpt.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []vector
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// openChrome starts a Chrome, and skips the test where there is none, unless
// WAYFINDER_REQUIRE_CHROME is set.
func openChrome(t testing.TB) driver.Browser {
	t.Helper()
	chrometest.Long(t)
	_, err := cdp.Find()
	chrometest.Need(t, err)
	b, err := cdp.Launch{}.Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// captureAll computes the object of every vector, in a few pages at once,
// and has load put the page of a vector into one.
func captureAll(t *testing.T, browser driver.Browser, vectors []vector, load func(context.Context, driver.Page, *vector) error) []*axtree.Object {
	t.Helper()
	objects := make([]*axtree.Object, len(vectors))
	var next atomic.Int64
	work, ctx := errgroup.WithContext(t.Context())
	for range 4 {
		page, err := browser.NewPage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		work.Go(func() error {
			if err := page.Emulate(ctx, &driver.Emulation{Viewport: driver.Size{Width: 1000, Height: 800}}); err != nil {
				return err
			}
			for n := int(next.Add(1)) - 1; n < len(vectors); n = int(next.Add(1)) - 1 {
				v := &vectors[n]
				err := load(ctx, page, v)
				if err == nil {
					objects[n], err = object(ctx, page, v.Selector)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", v.ID, err)
				}
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		t.Fatal(err)
	}
	return objects
}

// object computes the object of the element of a page that a selector names;
// " >>> " leads into the shadow root of the element before it.
func object(ctx context.Context, page driver.Page, selector string) (*axtree.Object, error) {
	capture, err := page.Capture(ctx)
	if err != nil {
		return nil, err
	}
	var at driver.NodeRef
	for step := range strings.SplitSeq(selector, " >>> ") {
		found, err := page.Find(ctx, at, driver.Selector{Kind: driver.CSS, Text: step})
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("nothing matches %q", step)
		}
		at = found[0]
	}
	tree := axtree.Compute(capture)
	for i := range tree.Objects {
		o := &tree.Objects[i]
		if d := &capture.Documents[o.Doc]; d.Ref(o.Node) == at {
			return o, nil
		}
	}
	return nil, fmt.Errorf("%v is not in the tree", at)
}

// diff describes how an object differs from Chromium's; "" if it does not.
func (v *vector) diff(o *axtree.Object) string {
	var diff []string
	if o.Ignored != v.Ignored {
		diff = append(diff, fmt.Sprintf("ignored = %v, want %v", o.Ignored, v.Ignored))
	}
	if role := chromiumRole(v.Role); o.Role != role && string(o.Role) != v.ARIARole && !v.Ignored {
		diff = append(diff, fmt.Sprintf("role = %q, want %q", o.Role, role))
	}
	if o.Name != v.Name {
		diff = append(diff, fmt.Sprintf("name = %q, want %q", o.Name, v.Name))
	}
	return strings.Join(diff, "; ")
}

// chromiumRole translates Chromium's word for a role.
func chromiumRole(s string) axtree.Role {
	switch s {
	case "StaticText":
		return "text"
	case "DisclosureTriangleGrouped":
		return "disclosuretriangle"
	}
	return axtree.Role(strings.ToLower(s))
}

// readExceptions reads lines of an id, a tab and a reason. It skips empty lines and
// those that begin with #.
func readExceptions(t *testing.T, path string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		id, reason, ok := strings.Cut(line, "\t")
		if !ok || reason == "" {
			t.Fatalf("%s: %q has no reason", path, line)
		}
		list[id] = reason
	}
	return list
}
