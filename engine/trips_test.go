package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// trips is a driver that writes down the calls which reach a page's process, and holds
// back the answers of looks: a busy machine does so.
type trips struct {
	engine.Driver
	lag  time.Duration
	list []string
}

func (d *trips) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	b, err := d.Driver.Open(ctx, opts)
	return tripsBrowser{b, d}, err
}

type tripsBrowser struct {
	driver.Browser
	trips *trips
}

func (b tripsBrowser) Unwrap() driver.Browser { return b.Browser }

func (b tripsBrowser) Pages() []driver.Page {
	pages := b.Browser.Pages()
	for i, p := range pages {
		pages[i] = tripsPage{p, p.(driver.Glancer), b.trips}
	}
	return pages
}

type tripsPage struct {
	driver.Page
	driver.Glancer
	trips *trips
}

func (p tripsPage) Unwrap() driver.Page { return p.Page }

func (p tripsPage) Glance(ctx context.Context, at driver.GlanceOptions) (*driver.Glance, error) {
	p.trips.list = append(p.trips.list, "look")
	g, err := p.Glancer.Glance(ctx, at)
	time.Sleep(p.trips.lag)
	return g, err
}

func (p tripsPage) GlanceAfter(ctx context.Context, node driver.NodeRef) (*driver.Glance, error) {
	p.trips.list = append(p.trips.list, "answer")
	return p.Glancer.GlanceAfter(ctx, node)
}

func (p tripsPage) Input(ctx context.Context, events ...driver.InputEvent) error {
	p.trips.list = append(p.trips.list, "input")
	return p.Page.Input(ctx, events...)
}

func (p tripsPage) Activity(ctx context.Context) (*driver.Activity, error) {
	p.trips.list = append(p.trips.list, "activity")
	return p.Page.Activity(ctx)
}

func (p tripsPage) Revision(ctx context.Context) (driver.Revision, error) {
	p.trips.list = append(p.trips.list, "revision")
	return p.Page.Revision(ctx)
}

func (p tripsPage) Capture(ctx context.Context) (*driver.Capture, error) {
	p.trips.list = append(p.trips.list, "reading")
	return p.Page.Capture(ctx)
}

func (p tripsPage) Find(ctx context.Context, root driver.NodeRef, s driver.Selector) ([]driver.NodeRef, error) {
	p.trips.list = append(p.trips.list, "find")
	return p.Page.Find(ctx, root, s)
}

// Actions back to back cost a look, the input and what came of it, also where the
// answer to the look is slow, as it is on a large page or a busy machine.
func TestTripsBackToBack(t *testing.T) {
	t.Parallel()
	d := &trips{Driver: chrome(t), lag: 20 * time.Millisecond}
	server := startServer(t, write(`<title>Trips</title><style>button:hover{color:red}</style><button id=go onclick="this.dataset.n = (this.dataset.n | 0) + 1">Go</button>
<button id=still>Still</button><input id=field><input id=box type=checkbox>`+strings.Repeat(`<p>Item <a href=/x>Link</a> <i hidden>none</i></p>`, 300)))
	t.Cleanup(server.Close)
	session, err := engine.Open(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	page := session.Page()
	if _, err := page.Navigate(t.Context(), server.URL, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		action engine.Action
		other  string // that takes turns
	}{
		{engine.Action{Selector: "#go"}, ""},
		{engine.Action{Selector: "#field", Method: engine.Press, Arguments: []string{"a"}}, ""},
		{engine.Action{Selector: "#go", Method: engine.Hover}, "#still"},
	} {
		const acts = 12
		cheap := 0
		var last string
		for i := range acts {
			action := c.action
			if c.other != "" && i%2 == 1 {
				action.Selector = c.other
			}
			d.list = nil
			if _, err := page.Do(t.Context(), action, nil); err != nil {
				t.Fatal(err)
			}
			if last = strings.Join(d.list, " "); last == "look input answer" {
				cheap++
			}
		}
		if cheap < acts-3 { // the first on a page settles, and gives an element the focus
			t.Errorf("%s: %d of %d took three round trips; the last: %s", fmt.Sprint(c.action.Method, " ", c.action.Selector), cheap, acts, last)
		}
	}
}

// A hover on a page with frames, of this process and another, reads it only where styles
// have shown something.
func TestHoverWithFrames(t *testing.T) {
	t.Parallel()
	d := &trips{Driver: chrome(t)}
	frame := startServer(t, write(`<button>inside</button>`))
	t.Cleanup(frame.Close)
	other := strings.Replace(frame.URL, "127.0.0.1", "localhost", 1)
	server := startServer(t, write(`<title>Frames</title><style>button { display: block } #menu:hover + p { display: block } p { display: none }</style>
<button id=still>Still</button><button id=plain>Plain</button><button id=menu>Menu</button><p>Items</p><iframe src="`+frame.URL+`"></iframe><iframe src="`+other+`"></iframe>`))
	t.Cleanup(server.Close)
	session, err := engine.Open(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	page := session.Page()
	if _, err := page.Navigate(t.Context(), server.URL, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := page.Snapshot(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	hover := func(selector string, want engine.Effect) (calls string) {
		t.Helper()
		d.list = nil
		r, err := page.Do(t.Context(), engine.Action{Selector: selector, Method: engine.Hover}, nil)
		if err != nil || r.Evidence.Effect != want {
			t.Errorf("hover %s: %+v, %v, want the effect %s", selector, r, err, want)
		}
		return strings.Join(d.list, " ")
	}
	const enough, most = 4, 60 // a frame that answers late on a busy machine is asked again
	cheap, last := 0, ""
	for i := 0; i < most && cheap < enough; i++ {
		if last = hover([]string{"#still", "#plain"}[i%2], engine.EffectNone); last == "look input answer" {
			cheap++
		}
	}
	if cheap < enough {
		t.Errorf("%d of %d hovers took three round trips; the last: %s", cheap, most, last)
	}
	hover("#menu", engine.EffectPage)
	hover("#still", engine.EffectPage)
}
