package drivertest

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

var emulateCases = []Case{{
	Name:  "emulate/viewport",
	fresh: true,
	Rule:  "Emulate changes the viewport of the page from now on: layout and capture follow.",
	Doc:   "Page.Emulate",
	pages: pages{"/": `<div id=d>x</div><div id=end style="position: fixed; right: 0; bottom: 0; width: 10px; height: 10px"></div>`},
	check: func(t *trial) {
		t.open("/")
		t.ok("Emulate", t.page.Emulate(t.ctx, &driver.Emulation{Viewport: driver.Size{Width: 500, Height: 400}}))
		t.later("the new viewport", func() bool { return t.capture().Viewport == driver.Size{Width: 500, Height: 400} })
		t.equal("width of a block", t.capture().element("d").Box.Width, 500.0)
		t.equal("Box of what is fixed", t.location("#end").Box, driver.Rect{X: 490, Y: 390, Width: 10, Height: 10})
		t.open("/")
		t.equal("Viewport after a navigation", t.capture().Viewport, driver.Size{Width: 500, Height: 400})
	},
}, {
	Name:  "emulate/options",
	fresh: true,
	Rule:  "BrowserOptions.Emulation is what every page starts with, those that are opened later included.",
	Doc:   "BrowserOptions",
	pages: pages{"/": "<p>x"},
	options: func(_ *trial, o *driver.BrowserOptions) {
		o.Viewport, o.Scale = driver.Size{Width: 640, Height: 480}, 2
		o.UserAgent, o.Headers = "Conformance/1", map[string]string{"X-Probe": "yes"}
	},
	check: func(t *trial) {
		for _, p := range []driver.Page{t.page, t.newPage()} {
			t.page = p
			t.open("/")
			v := t.capture()
			t.equal("Viewport", v.Viewport, driver.Size{Width: 640, Height: 480})
			t.equal("Scale", v.Scale, 2.0)
			t.equal("User-Agent", t.request("/").Header.Get("User-Agent"), "Conformance/1")
			t.equal("X-Probe", t.request("/").Header.Get("X-Probe"), "yes")
		}
	},
}, {
	Name:  "emulate/zero",
	fresh: true,
	Rule:  "Zero fields of an Emulation stay as they are.",
	Doc:   "Emulation",
	pages: pages{"/": "<p>x"},
	check: func(t *trial) {
		t.ok("Emulate", t.page.Emulate(t.ctx, &driver.Emulation{Viewport: driver.Size{Width: 500, Height: 400}, UserAgent: "Conformance/1"}))
		t.ok("Emulate", t.page.Emulate(t.ctx, &driver.Emulation{Scale: 3}))
		t.open("/")
		v := t.capture()
		t.equal("Viewport", v.Viewport, driver.Size{Width: 500, Height: 400})
		t.equal("Scale", v.Scale, 3.0)
		t.equal("User-Agent", t.request("/").Header.Get("User-Agent"), "Conformance/1")
	},
}, {
	Name:  "emulate/page",
	fresh: true,
	Rule:  "Emulate is a page's own.",
	Doc:   "Page.Emulate",
	pages: pages{"/": "<p>x"},
	check: func(t *trial) {
		other := t.newPage()
		t.ok("Emulate", other.Emulate(t.ctx, &driver.Emulation{Viewport: driver.Size{Width: 500, Height: 400}, UserAgent: "Conformance/1"}))
		t.ok("Activate", t.page.Activate(t.ctx))
		t.open("/")
		t.equal("Viewport", t.capture().Viewport, driver.Size{Width: 1280, Height: 720})
		t.must(t.request("/").Header.Get("User-Agent") != "Conformance/1", "the other page sends the User-Agent, too")
	},
}, {
	Name:  "emulate/headers",
	fresh: true,
	Rule:  "Headers are sent with every request of the page, its frames' included.",
	Doc:   "Emulation.Headers",
	pages: pages{"/": `<iframe src=/in></iframe><iframe src="{{other}}/in2"></iframe>`, "/in": "<p>in", "/in2": "<p>in"},
	check: func(t *trial) {
		t.ok("Emulate", t.page.Emulate(t.ctx, &driver.Emulation{Headers: map[string]string{"X-Probe": "yes"}}))
		t.open("/")
		for _, path := range []string{"/", "/in", "/in2"} {
			t.equal("X-Probe of "+path, t.request(path).Header.Get("X-Probe"), "yes")
		}
	},
}, {
	Name:  "emulate/locale",
	fresh: true,
	Rule:  "The locale is sent as the preferred language.",
	Doc:   "Emulation.Locale",
	pages: pages{"/": "<p>x"},
	check: func(t *trial) {
		t.ok("Emulate", t.page.Emulate(t.ctx, &driver.Emulation{Locale: "de-CH"}))
		t.open("/")
		got := t.request("/").Header.Get("Accept-Language")
		t.must(strings.HasPrefix(got, "de-CH"), "Accept-Language = %q, want it to begin with de-CH", got)
	},
}, {
	Name:  "emulate/media",
	fresh: true,
	Rule:  "Style sheets follow the viewport.",
	Doc:   "Page.Emulate",
	pages: pages{"/": `<style>@media (max-width: 600px) { #p { display: none } }</style><p id=p>x</p>`},
	check: func(t *trial) {
		t.open("/")
		t.equal("Visible in 1280", t.location("#p").Visible, true)
		t.ok("Emulate", t.page.Emulate(t.ctx, &driver.Emulation{Viewport: driver.Size{Width: 500, Height: 400}}))
		t.later("the narrow layout", func() bool { return !t.location("#p").Visible })
	},
}}
