package fake_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// shop is a page of about n elements: navigation, a form, and a table of wares.
func shop(n int) string {
	var sb strings.Builder
	sb.WriteString(`<!doctype html><html lang=en><title>Shop</title><style>.row:hover{color:red}.hidden{display:none}nav a{padding:4px}</style>
<nav><a href=/>Home</a><a href=/cart>Cart</a></nav><form action=/search><label>Search <input name=q></label><button>Go</button></form><table>`)
	for i := 0; i < (n-12)/5; i++ {
		fmt.Fprintf(&sb, `<tr class=row><td>Ware %d<td><span class=price>%d.00</span><td><a href="/ware/%d">Details</a>`, i, i, i)
	}
	sb.WriteString(`</table>`)
	return sb.String()
}

// BenchmarkSession opens a page of 1,000 elements, reads it, clicks, looks at
// the effect, and closes.
func BenchmarkSession(b *testing.B) {
	d := fake.New(fake.Options{
		Web: fake.Web{"https://shop.test/": shop(1000), "https://shop.test/search": "<h1>Found</h1>"},
	})
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		br, err := d.Open(ctx, &driver.BrowserOptions{})
		if err != nil {
			b.Fatal(err)
		}
		p := br.Pages()[0]
		if _, err := p.Navigate(ctx, "https://shop.test/", nil); err != nil {
			b.Fatal(err)
		}
		c, err := p.Capture(ctx)
		if err != nil || len(c.Documents[0].Nodes) < 1000 {
			b.Fatal(err, len(c.Documents[0].Nodes))
		}
		refs, err := p.Find(ctx, driver.NodeRef{}, driver.Selector{Text: "button"})
		if err != nil {
			b.Fatal(err)
		}
		loc, err := p.Locate(ctx, refs[0], &driver.LocateOptions{Scroll: true})
		if err != nil {
			b.Fatal(err)
		}
		if err := p.Input(ctx, driver.MouseMove{At: loc.At}, driver.MouseDown{At: loc.At, Clicks: 1}, driver.MouseUp{At: loc.At, Clicks: 1}); err != nil {
			b.Fatal(err)
		}
		if _, err := p.Revision(ctx); err != nil {
			b.Fatal(err)
		}
		if _, err := p.Activity(ctx); err != nil {
			b.Fatal(err)
		}
		if p.Frames()[0].URL != "https://shop.test/search?q=" {
			b.Fatal(p.Frames()[0].URL)
		}
		if err := br.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCapture reads pages of several sizes anew each time.
func BenchmarkCapture(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			_, p := open(b, fake.Web{"https://shop.test/": shop(n)}, "https://shop.test/")
			b.ReportAllocs()
			for b.Loop() {
				if err := fake.Change(b.Context(), p, func(d *fake.Document) { d.Body().SetAttr("class", "x") }); err != nil {
					b.Fatal(err)
				}
				if _, err := p.Capture(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSessionsMemory reports what a session holds that has shown and read
// a page of 100 elements, and that waits.
func BenchmarkSessionsMemory(b *testing.B) {
	d := fake.Web{"https://shop.test/": shop(100)}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for b.Loop() {
		const sessions = 2000
		before := heap()
		all := make([]driver.Browser, sessions)
		for i := range all {
			br, p := open(b, d, "https://shop.test/")
			if _, err := p.Capture(b.Context()); err != nil {
				b.Fatal(err)
			}
			all[i] = br
		}
		b.ReportMetric(float64(heap()-before)/sessions, "B/session")
		b.ReportMetric(float64(runtime.NumGoroutine())/sessions, "goroutines/session")
		for _, br := range all {
			if err := br.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
}
