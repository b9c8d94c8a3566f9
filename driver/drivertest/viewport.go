package drivertest

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	_ "image/jpeg" // to read what a driver writes
	_ "image/png"
	"net/http"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// tall is a page of 3,000 by 4,000 pixels, with a container of 200 by 100
// pixels whose content is 500 by 900. There are no scroll bars, whose width
// is the platform's.
const tall = `<style>html, #d { scrollbar-width: none }</style><div id=d style="width: 200px; height: 100px; overflow: auto"><div style="width: 500px; height: 900px">x</div></div>
<p id=p>x</p><div style="` + at + `left: 0; top: 0; width: 3000px; height: 4000px; z-index: -1"></div>`

var scrollCases = rows(Case{Doc: "Actor.ScrollTo", pages: pages{"/": tall}},
	rule("scroll/page", "ScrollTo with a document node scrolls the page and returns where it is then, how far it goes, and how much is shown.").opens(func(t *trial) {
		t.equal("ScrollTo", t.scrollTo("", driver.ScrollTarget{X: 100, Y: 200}),
			driver.ScrollState{X: 100, Y: 200, MaxX: 3000 - 1280, MaxY: 4000 - 720, View: driver.Size{Width: 1280, Height: 720}})
		d := t.capture().Documents[0]
		t.equal("captured", []float64{d.ScrollX, d.ScrollY}, []float64{100, 200})
	}),
	rule("scroll/document-zero", "A reference with the node 0 is the document: the page scrolls.").at("NodeRef").opens(func(t *trial) {
		s, err := t.page.ScrollTo(t.ctx, driver.NodeRef{Frame: t.main().ID, Doc: t.doc()}, driver.ScrollTarget{Y: 70})
		t.ok("ScrollTo", err)
		t.equal("Y", s.Y, 70.0)
	}),
	rule("scroll/element", "ScrollTo with an element scrolls its content and not the page.").opens(func(t *trial) {
		want := driver.ScrollState{X: 10, Y: 20, MaxX: 300, MaxY: 800, View: driver.Size{Width: 200, Height: 100}}
		t.equal("ScrollTo", t.scrollTo("#d", driver.ScrollTarget{X: 10, Y: 20}), want)
		t.equal("State.Scroll", t.state("#d").Scroll, want)
		t.equal("ScrollY of the page", t.capture().Documents[0].ScrollY, 0.0)
	}),
	rule("scroll/clamped", "The content is scrolled as far as it goes, at both ends.").opens(func(t *trial) {
		s := t.scrollTo("#d", driver.ScrollTarget{X: 9999, Y: 9999})
		t.equal("at the end", []float64{s.X, s.Y}, []float64{300, 800})
		s = t.scrollTo("#d", driver.ScrollTarget{X: -50, Y: -50})
		t.equal("at the start", []float64{s.X, s.Y}, []float64{0, 0})
		s = t.scrollTo("", driver.ScrollTarget{Y: 1e6})
		t.equal("at the page's end", s.Y, s.MaxY)
	}),
	rule("scroll/by", "With By the offsets are added to the present ones.").at("ScrollTarget.By").opens(func(t *trial) {
		for _, selector := range []string{"", "#d"} {
			t.scrollTo(selector, driver.ScrollTarget{X: 10, Y: 100})
			s := t.scrollTo(selector, driver.ScrollTarget{X: 5, Y: -30, By: true})
			t.equal("position of "+selector, []float64{s.X, s.Y}, []float64{15, 70})
		}
	}),
	rule("scroll/percent", "Percent stands in place of Y: 0 is the top, 100 the end; what is beyond is clamped.").at("ScrollTarget.Percent").opens(func(t *trial) {
		for percent, want := range map[float64]float64{0: 0, 25: 200, 50: 400, 100: 800, 150: 800, -1: 0} {
			t.equal("Y", t.scrollTo("#d", driver.ScrollTarget{Percent: &percent}).Y, want)
		}
		half := 50.0
		t.equal("Y of the page", t.scrollTo("", driver.ScrollTarget{Percent: &half}).Y, 1640.0)
	}),
	rule("scroll/quirks", "A page without a doctype, whose body scrolls, shows no more at once than the viewport.").at("ScrollState.View").
		on(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte(`<html><title>quirks</title><body>` + tall)) // a reader that is gone is no matter of ours
		}).
		opens(func(t *trial) {
			s := t.scrollTo("", driver.ScrollTarget{Y: 720, By: true})
			t.equal("Y, MaxY", []float64{s.Y, s.MaxY}, []float64{720, 4000 - 720})
			t.equal("View", s.View, driver.Size{Width: 1280, Height: 720})
		}),
	rule("scroll/nothing", "What has nothing to scroll stays where it is; that is no error.").opens(func(t *trial) {
		s := t.scrollTo("#p", driver.ScrollTarget{Y: 50})
		t.equal("position and ends", []float64{s.X, s.Y, s.MaxX, s.MaxY}, []float64{0, 0, 0, 0})
		t.equal("ScrollY of the page", t.capture().Documents[0].ScrollY, 0.0)
	}),
	rule("scroll/at-once", "Scrolling is at once and without animation, though the page asks for one.").
		on(`<style>* { scroll-behavior: smooth }</style>`+tall).
		opens(func(t *trial) {
			t.equal("Y of the page", t.scrollTo("", driver.ScrollTarget{Y: 1500}).Y, 1500.0)
			t.equal("captured", t.capture().Documents[0].ScrollY, 1500.0)
			t.equal("Y of the container", t.scrollTo("#d", driver.ScrollTarget{Y: 300}).Y, 300.0)
		}),
	rule("scroll/hidden", "What hides its overflow can be scrolled by ScrollTo.").
		on(`<div id=d style="width: 100px; height: 100px; overflow: hidden"><div style="height: 500px">x</div></div>`).
		opens(func(t *trial) { t.equal("Y", t.scrollTo("#d", driver.ScrollTarget{Y: 250}).Y, 250.0) }),
	rule("scroll/fragment", "A navigation to a fragment scrolls to the element that it names.").at("Navigator.Navigate").
		on(tall+`<p id=far style="`+at+`top: 2000px; margin: 0">x</p>`).
		checks(func(t *trial) {
			t.open("/#far")
			t.later("the page's scroll position", func() bool { return t.capture().Documents[0].ScrollY == 2000 })
		}),
	rule("scroll/events", "The page sees scroll.").
		on(tall+`<p id=log></p>`).
		doing(on("scroll", "#d", Action{Kind: SetText, Target: "#log", Text: "scrolled"})).
		opens(func(t *trial) {
			t.scrollTo("#d", driver.ScrollTarget{Y: 100})
			t.later("the log", func() bool { return t.text("#log") == "scrolled" })
		}),
)

// painted is a page of 1,400 by 1,000 with a red square at (100, 900).
const painted = `<style>html { scrollbar-width: none; background: white } #d { position: absolute; left: 100px; top: 900px; width: 50px; height: 40px; background: rgb(255, 0, 0) }</style>
<div style="width: 1400px; height: 1000px"></div><div id=d></div>`

var screenshotCases = rows(Case{pages: pages{"/": painted}},
	rule("screenshot/viewport", "Without options a screenshot is the viewport as PNG, a pixel for each CSS pixel at scale 1.").at("Page.Screenshot").opens(func(t *trial) {
		m, format := picture(t, nil)
		t.equal("format", format, "png")
		t.equal("size", m.Bounds().Size(), image.Pt(1280, 720))
		t.scrollTo("", driver.ScrollTarget{Y: 280})
		m, _ = picture(t, nil)
		red(t, "scrolled", m, 110, 630)
	}),
	rule("screenshot/full-page", "FullPage pictures the whole scrollable page.").at("ScreenshotOptions.FullPage").opens(func(t *trial) {
		m, _ := picture(t, &driver.ScreenshotOptions{FullPage: true})
		t.equal("size", m.Bounds().Size(), image.Pt(1400, 1000))
		red(t, "the square", m, 110, 910)
		t.equal("ScrollY afterwards", t.capture().Documents[0].ScrollY, 0.0)
	}),
	rule("screenshot/clip", "Clip is in the coordinates of the page, not of the viewport.").at("ScreenshotOptions.Clip").opens(func(t *trial) {
		for _, y := range []float64{0, 280} {
			t.scrollTo("", driver.ScrollTarget{Y: y})
			m, _ := picture(t, &driver.ScreenshotOptions{Clip: &driver.Rect{X: 90, Y: 890, Width: 80, Height: 70}})
			t.equal("size", m.Bounds().Size(), image.Pt(80, 70))
			red(t, "the square", m, 15, 15)
		}
	}),
	rule("screenshot/node", "Node pictures an element, scrolled into view first.").at("ScreenshotOptions.Node").opens(func(t *trial) {
		m, _ := picture(t, &driver.ScreenshotOptions{Node: t.find("#d")})
		t.equal("size", m.Bounds().Size(), image.Pt(50, 40))
		red(t, "the upper left", m, 1, 1)
		red(t, "the lower right", m, 48, 38)
	}),
	rule("screenshot/format", "Format says how a screenshot is encoded.").at("ImageFormat").opens(func(t *trial) {
		_, format := picture(t, &driver.ScreenshotOptions{Format: driver.JPEG, Quality: 50})
		t.equal("format", format, "jpeg")
		data, err := t.page.Screenshot(t.ctx, &driver.ScreenshotOptions{Format: driver.WebP})
		t.ok("Screenshot", err)
		t.must(len(data) > 12 && string(data[8:12]) == "WEBP", "the WebP picture begins with %q", data[:min(12, len(data))])
	}),
	rule("screenshot/scale", "At scale 2 a screenshot has two pixels for each CSS pixel.").at("Emulation.Scale").
		under(func(_ *trial, o *driver.BrowserOptions) { o.Scale = 2 }).
		opens(func(t *trial) {
			m, _ := picture(t, &driver.ScreenshotOptions{Clip: &driver.Rect{X: 90, Y: 890, Width: 80, Height: 70}})
			t.equal("size", m.Bounds().Size(), image.Pt(160, 140))
		}),
	rule("screenshot/own-scale",
		"ScreenshotOptions.Scale says how many pixels a CSS pixel has in the picture, whatever the device's scale is; the viewport stays where it is scrolled to.").at("ScreenshotOptions.Scale").
		under(func(_ *trial, o *driver.BrowserOptions) { o.Scale = 2 }).
		opens(func(t *trial) {
			t.scrollTo("", driver.ScrollTarget{Y: 280})
			m, _ := picture(t, &driver.ScreenshotOptions{Scale: 1})
			t.equal("size", m.Bounds().Size(), image.Pt(1280, 720))
			red(t, "the square", m, 110, 630)
			m, _ = picture(t, &driver.ScreenshotOptions{Scale: 0.5})
			t.equal("size at half a pixel", m.Bounds().Size(), image.Pt(640, 360))
			red(t, "the square", m, 60, 320)
			t.equal("ScrollY afterwards", t.capture().Documents[0].ScrollY, 280.0)
		}),
	rule("screenshot/stale", "A Node of a document that is no longer shown gives ErrStale.").at("ErrStale").
		with(pages{"/": painted, "/two": painted}).
		opens(func(t *trial) {
			ref := t.find("#d")
			t.open("/two")
			t.failsAsOp("screenshot", errOf(t.page.Screenshot(t.ctx, &driver.ScreenshotOptions{Node: ref})), driver.ErrStale)
		}),
	rule("screenshot/pdf", "PDF prints the page.").at("Page.PDF").
		on("<p>x").
		opens(func(t *trial) {
			for _, opts := range []*driver.PDFOptions{nil, {Width: 4, Height: 6, Landscape: true, Background: true, Pages: "1"}} {
				printed, err := t.page.PDF(t.ctx, opts)
				t.ok("PDF", err)
				t.must(bytes.HasPrefix(printed, []byte("%PDF-")), "PDF gave %.20q", printed)
			}
		}),
)

// picture takes a screenshot and decodes it.
func picture(t *trial, opts *driver.ScreenshotOptions) (image.Image, string) {
	data, err := t.page.Screenshot(t.ctx, opts)
	t.ok("Screenshot", err)
	m, format, err := image.Decode(bytes.NewReader(data))
	t.ok("the picture", err)
	return m, format
}

// red records that a pixel is not red.
func red(t *trial, what string, m image.Image, x, y int) {
	got := color.RGBAModel.Convert(m.At(m.Bounds().Min.X+x, m.Bounds().Min.Y+y))
	t.equal("the color of "+what, got, color.Color(color.RGBA{R: 255, A: 255}))
}

var emulateCases = rows(Case{Doc: "Page.Emulate", pages: pages{"/": "<p>x"}, fresh: true},
	rule("emulate/viewport", "Emulate changes the viewport of the page from now on: layout and capture follow.").
		on(`<div id=d>x</div><div id=end style="position: fixed; right: 0; bottom: 0; width: 10px; height: 10px"></div>`).
		opens(func(t *trial) {
			t.ok("Emulate", t.page.Emulate(t.ctx, &driver.Emulation{Viewport: driver.Size{Width: 500, Height: 400}}))
			t.later("the new viewport", func() bool { return t.capture().Viewport == driver.Size{Width: 500, Height: 400} })
			t.equal("width of a block", t.capture().element("d").Box.Width, 500.0)
			t.equal("Box of what is fixed", t.location("#end").Box, driver.Rect{X: 490, Y: 390, Width: 10, Height: 10})
			t.open("/")
			t.equal("Viewport after a navigation", t.capture().Viewport, driver.Size{Width: 500, Height: 400})
		}),
	rule("emulate/options", "BrowserOptions.Emulation is what every page starts with, those that are opened later included.").at("BrowserOptions").
		under(func(_ *trial, o *driver.BrowserOptions) {
			o.Viewport, o.Scale = driver.Size{Width: 640, Height: 480}, 2
			o.UserAgent, o.Headers = "Conformance/1", map[string]string{"X-Probe": "yes"}
		}).
		checks(func(t *trial) {
			for _, p := range []driver.Page{t.page, t.newPage()} {
				t.page = p
				t.open("/")
				v := t.capture()
				t.equal("Viewport", v.Viewport, driver.Size{Width: 640, Height: 480})
				t.equal("Scale", v.Scale, 2.0)
				t.equal("User-Agent", t.request("/").Header.Get("User-Agent"), "Conformance/1")
				t.equal("X-Probe", t.request("/").Header.Get("X-Probe"), "yes")
			}
		}),
	rule("emulate/zero", "Zero fields of an Emulation stay as they are.").at("Emulation").checks(func(t *trial) {
		t.ok("Emulate", t.page.Emulate(t.ctx, &driver.Emulation{Viewport: driver.Size{Width: 500, Height: 400}, UserAgent: "Conformance/1"}))
		t.ok("Emulate", t.page.Emulate(t.ctx, &driver.Emulation{Scale: 3}))
		t.open("/")
		v := t.capture()
		t.equal("Viewport", v.Viewport, driver.Size{Width: 500, Height: 400})
		t.equal("Scale", v.Scale, 3.0)
		t.equal("User-Agent", t.request("/").Header.Get("User-Agent"), "Conformance/1")
	}),
	rule("emulate/page", "Emulate is a page's own.").checks(func(t *trial) {
		t.ok("Emulate", t.newPage().Emulate(t.ctx, &driver.Emulation{Viewport: driver.Size{Width: 500, Height: 400}, UserAgent: "Conformance/1"}))
		t.ok("Activate", t.page.Activate(t.ctx))
		t.open("/")
		t.equal("Viewport", t.capture().Viewport, driver.Size{Width: 1280, Height: 720})
		t.must(t.request("/").Header.Get("User-Agent") != "Conformance/1", "the other page sends the User-Agent, too")
	}),
	rule("emulate/headers", "Headers are sent with every request of the page, its frames' included.").at("Emulation.Headers").
		with(pages{"/": `<iframe src=/in></iframe><iframe src="{{other}}/in2"></iframe>`, "/in": "<p>in", "/in2": "<p>in"}).
		checks(func(t *trial) {
			t.ok("Emulate", t.page.Emulate(t.ctx, &driver.Emulation{Headers: map[string]string{"X-Probe": "yes"}}))
			t.open("/")
			for _, path := range []string{"/", "/in", "/in2"} {
				t.equal("X-Probe of "+path, t.request(path).Header.Get("X-Probe"), "yes")
			}
		}),
	rule("emulate/other-headers", "Headers take the place of those before; an empty map sends none.").at("Emulation.Headers").checks(func(t *trial) {
		for _, c := range []struct {
			headers        map[string]string
			first, another string // as they are sent
		}{
			{map[string]string{"X-First": "a"}, "a", ""},
			{nil, "a", ""},
			{map[string]string{"X-Another": "b"}, "", "b"},
			{map[string]string{}, "", ""},
		} {
			t.ok("Emulate", t.page.Emulate(t.ctx, &driver.Emulation{Headers: c.headers}))
			t.open("/")
			sent := t.request("/").Header
			t.equal("X-First", sent.Get("X-First"), c.first)
			t.equal("X-Another", sent.Get("X-Another"), c.another)
		}
	}),
	rule("emulate/locale", "The locale is sent as the preferred language.").at("Emulation.Locale").checks(func(t *trial) {
		t.ok("Emulate", t.page.Emulate(t.ctx, &driver.Emulation{Locale: "de-CH"}))
		t.open("/")
		got := t.request("/").Header.Get("Accept-Language")
		t.must(strings.HasPrefix(got, "de-CH"), "Accept-Language = %q, want it to begin with de-CH", got)
	}),
	rule("emulate/media", "Style sheets follow the viewport.").
		on(`<style>@media (max-width: 600px) { #p { display: none } }</style><p id=p>x</p>`).
		opens(func(t *trial) {
			t.equal("Visible in 1280", t.location("#p").Visible, true)
			t.ok("Emulate", t.page.Emulate(t.ctx, &driver.Emulation{Viewport: driver.Size{Width: 500, Height: 400}}))
			t.later("the narrow layout", func() bool { return !t.location("#p").Visible })
		}),
	rule("emulate/color-scheme", "Style sheets follow the color scheme.").at("Emulation.ColorScheme").
		on(`<style>@media (prefers-color-scheme: dark) { #p { display: none } }</style><p id=p>x</p>`).
		opens(func(t *trial) {
			t.equal("Visible by default", t.location("#p").Visible, true)
			t.ok("Emulate", t.page.Emulate(t.ctx, &driver.Emulation{ColorScheme: driver.DarkScheme}))
			t.later("the dark style", func() bool { return !t.location("#p").Visible })
			t.ok("Emulate", t.page.Emulate(t.ctx, &driver.Emulation{ColorScheme: driver.LightScheme}))
			t.later("the light style", func() bool { return t.location("#p").Visible })
		}),
	rule("emulate/offline", "Without a connection every request fails; with it they work again.").at("Emulation.Connection").
		with(pages{"/": `<p id=p>one`, "/two": `<p id=p>two`}).
		opens(func(t *trial) {
			t.ok("Emulate", t.page.Emulate(t.ctx, &driver.Emulation{Connection: driver.Offline}))
			_, err := t.page.Navigate(t.ctx, t.url("/two"), nil)
			var failed *driver.NavigationError
			t.must(errors.As(err, &failed), "Navigate: error %v, want a *NavigationError", err)
			t.unasked("/two")
			t.ok("Emulate", t.page.Emulate(t.ctx, &driver.Emulation{Connection: driver.Online}))
			t.open("/two")
			t.equal("text", t.text("#p"), "two")
		}),
)
