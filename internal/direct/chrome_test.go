package direct_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/gold"
)

// TestGoldChrome is TestGold with the captures of Chrome, for one page of each
// kind: a navigation there takes as long as all of TestGold.
func TestGoldChrome(t *testing.T) {
	chrometest.Long(t)
	cases := map[string]gold.Case{}
	for _, c := range gold.Cases() {
		cases[c.Name+".test"] = c
	}
	// Chrome gets all hosts from here, without encryption.
	open := func(text string) string { return strings.ReplaceAll(text, "https://", "http://") }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := cases[r.Host].Web["https://"+r.Host+r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, open(page))
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	browser, err := cdp.Launch{Args: []string{"--host-resolver-rules=MAP * " + server.Listener.Addr().String(), "--disable-features=HttpsUpgrades"}}.
		Open(ctx, &driver.BrowserOptions{})
	chrometest.Need(t, err)
	defer browser.Close()
	share, pages, seen := 0.0, 0, map[string]bool{}
	for _, c := range gold.Cases() {
		if seen[c.Kind] {
			continue
		}
		seen[c.Kind] = true
		if _, err := browser.Pages()[0].Navigate(ctx, open(c.URL), nil); err != nil {
			t.Fatal(err)
		}
		capture, err := browser.Pages()[0].Capture(ctx)
		if err != nil {
			t.Fatal(err)
		}
		result := extract(t, accessibility.Build(capture, nil), c.Schema, c.Instruction)
		s := compare(t, result.Data, json.RawMessage(open(string(c.Gold))))
		for _, wrong := range s.wrong[:min(len(s.wrong), 5)] {
			t.Errorf("%s: %s", c.Name, wrong)
		}
		if c.Name == "product-metadata" && s.right < s.all-1 {
			t.Errorf("%s: %d of %d, want all but one: the capture lacks metadata", c.Name, s.right, s.all)
		}
		if s.all > 0 {
			share += float64(s.right) / float64(s.all)
			pages++
		}
		t.Logf("%-26s %5d of %5d filled, %d wrong", c.Name, s.right, s.all, len(s.wrong))
	}
	t.Logf("%.1f %% of a page's leaves filled", 100*share/float64(pages))
	if share < 0.3*float64(pages) {
		t.Errorf("%.1f %% of a page's leaves filled, want at least 30 %%", 100*share/float64(pages))
	}
}
