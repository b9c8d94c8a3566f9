// Package htmlcapture makes captures from HTML by the browser in memory, for tests that
// state what a layout would have to bring about.
package htmlcapture

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

const address = "https://shop.test/dir/page.html"

// Of captures a page. What a test wants of an element without a layout for it stands in
// attributes that the capture leaves out: data-clickable for a listener,
// data-scroll="y,max", data-size="w,h" and data-invalid.
func Of(t testing.TB, source string) *driver.Capture {
	t.Helper()
	d := fake.New(fake.Options{Web: fake.Web{address: source}, Scripts: map[string]func(*fake.Document){"*": func(d *fake.Document) {
		for _, e := range d.FindAll("[data-clickable]") {
			e.On("click", func(*fake.Event) {})
		}
	}}})
	b, err := d.Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.Pages()[0].Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	c, err := b.Pages()[0].Capture(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Documents {
		c.Documents[i].Content = c.Viewport // none scrolls
		for j := range c.Documents[i].Nodes {
			state(&c.Documents[i].Nodes[j])
		}
	}
	return c
}

// state brings about what a node's attributes say, and takes them out.
func state(n *driver.Node) {
	if size, ok := n.Attr("data-size"); ok {
		n.Box.Width, n.Box.Height = pair(size)
	}
	if scroll, ok := n.Attr("data-scroll"); ok {
		y, most := pair(scroll)
		n.Rare = &driver.Rare{Scroll: &driver.ScrollState{Y: y, MaxY: most}}
	}
	if invalid, ok := n.Attr("data-invalid"); ok {
		n.Rare = &driver.Rare{Invalid: invalid}
	}
	n.Attrs = slices.DeleteFunc(n.Attrs, func(a driver.Attr) bool { return strings.HasPrefix(a.Name, "data-") })
}

func pair(s string) (a, b float64) {
	first, second, _ := strings.Cut(s, ",")
	a, _ = strconv.ParseFloat(first, 64) // a test's own text
	b, _ = strconv.ParseFloat(second, 64)
	return a, b
}
