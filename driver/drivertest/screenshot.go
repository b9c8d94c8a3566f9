package drivertest

import (
	"bytes"
	"image"
	"image/color"
	_ "image/jpeg" // to read what a driver writes
	_ "image/png"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// painted is a page of 1,400 by 1,000 with a red square at (100, 900).
const painted = `<style>html { scrollbar-width: none; background: white } #d { position: absolute; left: 100px; top: 900px; width: 50px; height: 40px; background: rgb(255, 0, 0) }</style>
<div style="width: 1400px; height: 1000px"></div><div id=d></div>`

var screenshotCases = []Case{{
	Name:  "screenshot/viewport",
	Rule:  "Without options a screenshot is the viewport as PNG, a pixel for each CSS pixel at scale 1.",
	Doc:   "Page.Screenshot",
	pages: pages{"/": painted},
	check: func(t *trial) {
		t.open("/")
		m, format := t.picture(nil)
		t.equal("format", format, "png")
		t.equal("size", m.Bounds().Size(), image.Pt(1280, 720))
		t.scrollTo("", driver.ScrollTarget{Y: 280})
		m, _ = t.picture(nil)
		t.red("scrolled", m, 110, 630)
	},
}, {
	Name:  "screenshot/full-page",
	Rule:  "FullPage pictures the whole scrollable page.",
	Doc:   "ScreenshotOptions.FullPage",
	pages: pages{"/": painted},
	check: func(t *trial) {
		t.open("/")
		m, _ := t.picture(&driver.ScreenshotOptions{FullPage: true})
		t.equal("size", m.Bounds().Size(), image.Pt(1400, 1000))
		t.red("the square", m, 110, 910)
		t.equal("ScrollY afterwards", t.capture().Documents[0].ScrollY, 0.0)
	},
}, {
	Name:  "screenshot/clip",
	Rule:  "Clip is in the coordinates of the page, not of the viewport.",
	Doc:   "ScreenshotOptions.Clip",
	pages: pages{"/": painted},
	check: func(t *trial) {
		t.open("/")
		for _, y := range []float64{0, 280} {
			t.scrollTo("", driver.ScrollTarget{Y: y})
			m, _ := t.picture(&driver.ScreenshotOptions{Clip: &driver.Rect{X: 90, Y: 890, Width: 80, Height: 70}})
			t.equal("size", m.Bounds().Size(), image.Pt(80, 70))
			t.red("the square", m, 15, 15)
		}
	},
}, {
	Name:  "screenshot/node",
	Rule:  "Node pictures an element, scrolled into view first.",
	Doc:   "ScreenshotOptions.Node",
	pages: pages{"/": painted},
	check: func(t *trial) {
		t.open("/")
		m, _ := t.picture(&driver.ScreenshotOptions{Node: t.find("#d")})
		t.equal("size", m.Bounds().Size(), image.Pt(50, 40))
		t.red("the upper left", m, 1, 1)
		t.red("the lower right", m, 48, 38)
	},
}, {
	Name:  "screenshot/format",
	Rule:  "Format says how a screenshot is encoded.",
	Doc:   "ImageFormat",
	pages: pages{"/": painted},
	check: func(t *trial) {
		t.open("/")
		_, format := t.picture(&driver.ScreenshotOptions{Format: driver.JPEG, Quality: 50})
		t.equal("format", format, "jpeg")
		data, err := t.page.Screenshot(t.ctx, &driver.ScreenshotOptions{Format: driver.WebP})
		t.ok("Screenshot", err)
		t.must(len(data) > 12 && string(data[8:12]) == "WEBP", "the WebP picture begins with %q", data[:min(12, len(data))])
	},
}, {
	Name:    "screenshot/scale",
	Rule:    "At scale 2 a screenshot has two pixels for each CSS pixel.",
	Doc:     "Emulation.Scale",
	pages:   pages{"/": painted},
	options: func(_ *trial, o *driver.BrowserOptions) { o.Scale = 2 },
	check: func(t *trial) {
		t.open("/")
		m, _ := t.picture(&driver.ScreenshotOptions{Clip: &driver.Rect{X: 90, Y: 890, Width: 80, Height: 70}})
		t.equal("size", m.Bounds().Size(), image.Pt(160, 140))
	},
}, {
	Name:    "screenshot/own-scale",
	Rule:    "ScreenshotOptions.Scale says how many pixels a CSS pixel has in the picture, whatever the device's scale is; the viewport stays where it is scrolled to.",
	Doc:     "ScreenshotOptions.Scale",
	pages:   pages{"/": painted},
	options: func(_ *trial, o *driver.BrowserOptions) { o.Scale = 2 },
	check: func(t *trial) {
		t.open("/")
		t.scrollTo("", driver.ScrollTarget{Y: 280})
		m, _ := t.picture(&driver.ScreenshotOptions{Scale: 1})
		t.equal("size", m.Bounds().Size(), image.Pt(1280, 720))
		t.red("the square", m, 110, 630)
		m, _ = t.picture(&driver.ScreenshotOptions{Scale: 0.5})
		t.equal("size at half a pixel", m.Bounds().Size(), image.Pt(640, 360))
		t.red("the square", m, 60, 320)
		t.equal("ScrollY afterwards", t.capture().Documents[0].ScrollY, 280.0)
	},
}, {
	Name:  "screenshot/stale",
	Rule:  "A Node of a document that is no longer shown gives ErrStale.",
	Doc:   "ErrStale",
	pages: pages{"/": painted, "/two": painted},
	check: func(t *trial) {
		t.open("/")
		ref := t.find("#d")
		t.open("/two")
		_, err := t.page.Screenshot(t.ctx, &driver.ScreenshotOptions{Node: ref})
		t.failsAsOp("screenshot", err, driver.ErrStale)
	},
}}

// picture takes a screenshot and decodes it.
func (t *trial) picture(opts *driver.ScreenshotOptions) (image.Image, string) {
	data, err := t.page.Screenshot(t.ctx, opts)
	t.ok("Screenshot", err)
	m, format, err := image.Decode(bytes.NewReader(data))
	t.ok("the picture", err)
	return m, format
}

// red records that a pixel is not red.
func (t *trial) red(what string, m image.Image, x, y int) {
	got := color.RGBAModel.Convert(m.At(m.Bounds().Min.X+x, m.Bounds().Min.Y+y))
	t.equal("the color of "+what, got, color.Color(color.RGBA{R: 255, A: 255}))
}
