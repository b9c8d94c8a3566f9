package anthropicbrowser_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent/anthropicbrowser"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// TestPicturesOnChrome: a picture of a real page has a pixel for each CSS pixel,
// also where the device has several; a closer one shows that region and no other,
// wherever the page is scrolled; and what lies at a point of it can be pressed.
func TestPicturesOnChrome(t *testing.T) {
	const page = `<!doctype html><style>body{margin:0;height:3050px}div,button{position:absolute;width:100px;height:50px;border:0;padding:0}</style>
		<div style="left:0;top:0;background:#f00"></div><div style="left:100px;top:0;background:#0f0"></div>
		<button style="left:200px;top:100px;background:#00f" onclick="this.style.background='#ff0'" aria-label="Blue"></button>
		<div style="left:0;top:1000px;background:#f0f"></div><div style="left:0;top:1050px;height:2000px"></div>`
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page)
	}))
	t.Cleanup(site.Close)
	chrome, err := cdp.Start(t.Context(), cdp.Launch{})
	chrometest.Need(t, err)
	t.Cleanup(func() { _ = chrome.Close() })
	for _, device := range []float64{1, 2} {
		t.Run(fmt.Sprint(device), func(t *testing.T) {
			session, err := engine.Open(t.Context(), chrome, &engine.Options{Browser: driver.BrowserOptions{
				Emulation: driver.Emulation{Viewport: driver.Size{Width: 800, Height: 600}, Scale: device}}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = session.Close() })
			if _, err := session.Page().Navigate(t.Context(), site.URL, nil); err != nil {
				t.Fatal(err)
			}
			x := anthropicbrowser.New(session, nil)
			whole := shot(t, x, "screenshot", `{}`, 800, 600)
			for at, want := range map[image.Point]color.RGBA{{X: 50, Y: 25}: red, {X: 99, Y: 49}: red, {X: 101, Y: 25}: green, {X: 250, Y: 125}: blue, {X: 199, Y: 99}: white, {X: 50, Y: 51}: white} {
				same(t, "the picture", whole, at.X, at.Y, want)
			}
			// Half of red and half of green, as large as the whole: eight times as near.
			near := shot(t, x, "zoom", `{"region": [50, 10, 150, 40]}`, 800, 240)
			same(t, "the region", near, 10, 10, red)
			same(t, "the region", near, 390, 230, red)
			same(t, "the region", near, 410, 10, green)
			same(t, "the region", near, 790, 230, green)

			shot(t, x, "screenshot", `{}`, 800, 600)
			answer(t, x, "left_click", `{"target": {"type": "coordinate", "x": 250, "y": 125}}`)
			same(t, "what was pressed", shot(t, x, "zoom", `{"region": [200, 100, 300, 150]}`, 800, 400), 400, 200, color.RGBA{255, 255, 0, 255})

			answer(t, x, "scroll", `{"target": {"type": "coordinate", "x": 400, "y": 300}, "scroll_direction": "down", "scroll_amount": 9}`)
			scrolled := shot(t, x, "screenshot", `{}`, 800, 600)
			same(t, "the scrolled page", scrolled, 50, 125, magenta)
			same(t, "its region", shot(t, x, "zoom", `{"region": [0, 100, 100, 150]}`, 800, 400), 400, 200, magenta)
			same(t, "beside it", shot(t, x, "zoom", `{"region": [100, 100, 200, 150]}`, 800, 400), 400, 200, white)
		})
	}
}

var (
	red, green, blue = color.RGBA{255, 0, 0, 255}, color.RGBA{0, 255, 0, 255}, color.RGBA{0, 0, 255, 255}
	magenta, white   = color.RGBA{255, 0, 255, 255}, color.RGBA{255, 255, 255, 255}
)

func answer(t *testing.T, x *anthropicbrowser.Executor, name, input string) *anthropicbrowser.Result {
	t.Helper()
	r := x.Call(t.Context(), name, json.RawMessage(input))
	if r.IsError {
		t.Fatalf("%s %s: %+v, %v", name, input, r.Content, r.Err)
	}
	return r
}

// shot is the picture that a call is answered with, of a size.
func shot(t *testing.T, x *anthropicbrowser.Executor, name, input string, width, height int) image.Image {
	t.Helper()
	for _, p := range answer(t, x, name, input).Content {
		if p.Type == "image" {
			img, err := png.Decode(bytes.NewReader(p.Source.Data))
			if err != nil {
				t.Fatal(err)
			}
			if size := img.Bounds().Size(); size != image.Pt(width, height) {
				t.Errorf("%s %s is of %v pixels, want %d x %d", name, input, size, width, height)
			}
			return img
		}
	}
	t.Fatalf("%s %s has no picture", name, input)
	return nil
}

func same(t *testing.T, what string, img image.Image, x, y int, want color.RGBA) {
	t.Helper()
	if got := color.RGBAModel.Convert(img.At(x, y)); got != want {
		t.Errorf("%s has %v at %d, %d, want %v", what, got, x, y, want)
	}
}
