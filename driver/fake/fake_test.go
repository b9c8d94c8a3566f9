package fake_test

import (
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// open opens a driver's browser and shows an address.
func open(t testing.TB, d driver.Driver, addr string) (driver.Browser, driver.Page) {
	t.Helper()
	return openWith(t, d, addr, &driver.BrowserOptions{})
}

func openWith(t testing.TB, d driver.Driver, addr string, opts *driver.BrowserOptions) (driver.Browser, driver.Page) {
	t.Helper()
	b, err := d.Open(t.Context(), opts)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	p := b.Pages()[0]
	if addr != "" {
		if _, err := p.Navigate(t.Context(), addr, nil); err != nil {
			t.Fatalf("Navigate(%q): %v", addr, err)
		}
	}
	return b, p
}

func find(t testing.TB, p driver.Page, sel string) driver.NodeRef {
	t.Helper()
	refs, err := p.Find(t.Context(), driver.NodeRef{}, driver.Selector{Text: sel})
	if err != nil || len(refs) == 0 {
		t.Fatalf("Find(%q) = %v, %v, want an element", sel, refs, err)
	}
	return refs[0]
}

func click(t testing.TB, p driver.Page, sel string) {
	t.Helper()
	clickRef(t, p, find(t, p, sel))
}

func clickRef(t testing.TB, p driver.Page, ref driver.NodeRef) {
	t.Helper()
	loc, err := p.Locate(t.Context(), ref, &driver.LocateOptions{Scroll: true})
	if err != nil {
		t.Fatalf("Locate: %v", err)
	}
	if !loc.Visible || !loc.Reached {
		t.Fatalf("Locate = %+v, want visible and reached", loc)
	}
	if err := p.Input(t.Context(), driver.MouseMove{At: loc.At}, driver.MouseDown{At: loc.At, Clicks: 1}, driver.MouseUp{At: loc.At, Clicks: 1}); err != nil {
		t.Fatalf("Input: %v", err)
	}
}

func keys(t testing.TB, p driver.Page, names ...string) {
	t.Helper()
	for _, k := range names {
		if err := p.Input(t.Context(), driver.KeyDown{Key: k}, driver.KeyUp{Key: k}); err != nil {
			t.Fatalf("Input(%q): %v", k, err)
		}
	}
}

func state(t testing.TB, p driver.Page, sel string) *driver.State {
	t.Helper()
	s, err := p.State(t.Context(), find(t, p, sel))
	if err != nil {
		t.Fatalf("State(%q): %v", sel, err)
	}
	return s
}

func capture(t testing.TB, p driver.Page) *driver.Capture {
	t.Helper()
	c, err := p.Capture(t.Context())
	if err != nil {
		t.Fatalf("Capture: %v", err)
	}
	return c
}

// shown is the text that a capture shows, document by document.
func shown(c *driver.Capture) string {
	var sb strings.Builder
	for _, d := range c.Documents {
		for i := range d.Nodes {
			if d.Nodes[i].Shown != "" && strings.TrimSpace(d.Nodes[i].Shown) != "" {
				sb.WriteString(strings.Join(strings.Fields(d.Nodes[i].Shown), " "))
				sb.WriteByte('|')
			}
		}
	}
	return sb.String()
}

func address(t testing.TB, p driver.Page) string {
	t.Helper()
	return p.Frames()[0].URL
}

func TestLinksFormsAndHistory(t *testing.T) {
	web := fake.Web{
		"https://shop.test/":         `<title>Shop</title><h1>Shop</h1><a href=/cart>Cart</a><form action=/search><input name=q><button>Go</button></form>`,
		"https://shop.test/cart":     `<h1>Cart</h1>`,
		"https://shop.test/search":   `<h1>Results</h1>`,
		"https://shop.test/old":      "HTTP/1.1 302 Found\nLocation: /cart\n\n",
		"https://shop.test/gone":     "HTTP/1.1 404 Not Found\n\n<h1>Gone</h1>",
		"https://shop.test/longlink": `<p>x`,
	}
	b, p := open(t, web, "https://shop.test/")
	var events []driver.Event
	b.Listen(func(e driver.Event) { events = append(events, e) })
	click(t, p, "a")
	if got := address(t, p); got != "https://shop.test/cart" {
		t.Errorf("after the link: %s", got)
	}
	if len(events) != 6 {
		t.Errorf("events of a click on a link = %#v", events)
	}
	if _, err := p.Back(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	click(t, p, "input")
	if err := p.Input(t.Context(), driver.InsertText{Text: "green tea & more"}); err != nil {
		t.Fatal(err)
	}
	if got := state(t, p, "input").Value; got != "green tea & more" {
		t.Errorf("typed value = %q", got)
	}
	keys(t, p, "Enter")
	if got := address(t, p); got != "https://shop.test/search?q=green+tea+%26+more" {
		t.Errorf("after Enter: %s", got)
	}
	res, err := p.Navigate(t.Context(), "https://shop.test/old", nil)
	if err != nil || res.Status != 200 || res.URL != "https://shop.test/cart" {
		t.Errorf("redirect = %+v, %v", res, err)
	}
	res, err = p.Navigate(t.Context(), "https://shop.test/gone", nil)
	if err != nil || res.Status != 404 || shown(capture(t, p)) != "Gone|" {
		t.Errorf("404 = %+v, %v, shows %q", res, err, shown(capture(t, p)))
	}
}
