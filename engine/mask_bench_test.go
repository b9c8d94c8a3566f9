package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// BenchmarkMaskOutline writes the outline of a page of some 7,000 lines whose
// texts are of all kinds, with the values of three variables kept out of it.
func BenchmarkMaskOutline(b *testing.B) {
	var page strings.Builder
	page.WriteString("<!DOCTYPE html><title>Bench</title>")
	for i := range 1000 {
		fmt.Fprintf(&page, `<h3>Item %d &amp; its parts</h3><p>A description of item %d with <b>some</b> words – and “quotes”.</p>
<table><tr><td>Price</td><td>1,%d.50</td></tr></table><label>Count <input type="number" value="1"></label>
<a href="/item/%d?from=list%%20view&amp;page=2">More about item %d</a>`, i, i, 100+i%900, i, i)
	}
	browser, err := fake.Web{"https://a.test/": page.String()}.Open(b.Context(), &driver.BrowserOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { browser.Close() })
	tab := browser.Pages()[0]
	if _, err := tab.Navigate(b.Context(), "https://a.test/", nil); err != nil {
		b.Fatal(err)
	}
	capture, err := tab.Capture(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	snap := accessibility.Build(capture, nil)
	var s secrets
	s.add(map[string]Variable{"mail": {Value: "Ann.Miller@example.com"}, "pass": {Value: "correct horse"}, "card": {Value: "4111111111111111"}})
	for _, kind := range []struct {
		name string
		opts accessibility.Options
	}{{"bare", accessibility.Options{URLs: true}}, {"masked", accessibility.Options{URLs: true, Mask: s.hide}}} {
		b.Run(kind.name, func(b *testing.B) {
			b.SetBytes(int64(len(snap.With(kind.opts).Outline())))
			for b.Loop() {
				snap.With(kind.opts).Outline()
			}
		})
	}
}
