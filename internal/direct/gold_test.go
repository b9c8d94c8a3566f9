package direct_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/internal/direct"
	"github.com/wayfinder-engine/wayfinder/internal/gold"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// TestGold extracts every page of the corpus: none of the leaves is wrong, and what the
// pages' markup structures is filled. Most of the rest stands beside labels in running
// text, under classes, or under words that the schema has others for.
func TestGold(t *testing.T) {
	filled, all, share, pages := 0, 0, 0.0, 0
	for _, c := range gold.Cases() {
		result := extract(t, read(t, c.Web, c.URL), c.Schema, c.Instruction)
		s := compare(t, result.Data, c.Gold)
		filled, all = filled+s.right, all+s.all
		if s.all > 0 && s.all < 1000 { // a generated page would weigh as much as all others
			share += float64(s.right) / float64(s.all)
			pages++
		}
		t.Logf("%-26s %5d of %5d filled, %d wrong", c.Name, s.right, s.all, len(s.wrong))
		for _, wrong := range s.wrong[:min(len(s.wrong), 10)] {
			t.Errorf("%s: %s", c.Name, wrong)
		}
		for _, missing := range s.missing[:min(len(s.missing), 6)] {
			t.Logf("    not filled: %s", missing)
		}
	}
	t.Logf("%d of %d leaves filled, %.1f %%; %.1f %% of a page on average, generated pages apart", filled, all, 100*float64(filled)/float64(all), 100*share/float64(pages))
	if share < 0.38*float64(pages) {
		t.Errorf("%.1f %% of a page's leaves filled, want at least 38 %%", 100*share/float64(pages))
	}
}

// read opens a page in the in-memory browser and captures it.
func read(t testing.TB, web map[string]string, url string) *accessibility.Snapshot {
	t.Helper()
	ctx := t.Context()
	browser, err := fake.Web(web).Open(ctx, &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	page, err := browser.NewPage(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := page.Navigate(ctx, url, nil); err != nil {
		t.Fatal(err)
	}
	capture, err := page.Capture(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return accessibility.Build(capture, nil)
}

func extract(t testing.TB, snap *accessibility.Snapshot, form json.RawMessage, instruction string) *direct.Result {
	t.Helper()
	s, err := schema.Parse(form)
	if err != nil {
		t.Fatal(err)
	}
	result, err := direct.Extract(snap, s, instruction)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Unfilled) == 0 {
		if err := s.Validate(result.Data); err != nil {
			t.Errorf("nothing unfilled, but the data are not valid: %v", err)
		}
	}
	leaves, err := gold.Leaves(result.Data)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range leaves {
		if _, ok := result.Sources[l.Pointer]; !ok {
			t.Errorf("%s = %v has no source", l.Pointer, l.Value)
		}
	}
	return result
}

// A comparison of extracted data with the gold.
type comparison struct {
	right, all     int
	wrong, missing []string
}

func compare(t testing.TB, got, want json.RawMessage) comparison {
	t.Helper()
	var s comparison
	have := map[string]any{}
	leaves, err := gold.Leaves(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range leaves {
		have[l.Pointer] = l.Value
	}
	expected, err := gold.Leaves(want)
	if err != nil {
		t.Fatal(err)
	}
	s.all = len(expected)
	for _, l := range expected {
		v, ok := have[l.Pointer]
		delete(have, l.Pointer)
		switch {
		case !ok:
			s.missing = append(s.missing, fmt.Sprintf("%s = %v", l.Pointer, l.Value))
		case same(v, l.Value):
			s.right++
		default:
			s.wrong = append(s.wrong, fmt.Sprintf("%s = %q, want %q", l.Pointer, fmt.Sprint(v), fmt.Sprint(l.Value)))
		}
	}
	for pointer, v := range have {
		s.wrong = append(s.wrong, fmt.Sprintf("%s = %q, want nothing", pointer, fmt.Sprint(v)))
	}
	return s
}

func same(a, b any) bool {
	x, ok := a.(json.Number)
	y, also := b.(json.Number)
	if !ok || !also {
		return a == b
	}
	f, err := x.Float64()
	g, err2 := y.Float64()
	return err == nil && err2 == nil && f == g
}
