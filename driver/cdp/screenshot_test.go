package cdp

import (
	"bytes"
	"errors"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func TestScreenshot(t *testing.T) {
	p := open(t, `<!doctype html><body style="margin:0;background:#fff"><div style="height:1000px"></div>
<div id=red style="width:60px;height:40px;background:#f00;margin-left:20px"></div><div style="height:1000px"></div><div id=none style="display:none"></div>`)
	c := capture(t, p)
	d := &c.Documents[0]
	red := d.Ref(byID(t, d, "red"))
	for _, c := range []struct {
		name          string
		opts          *driver.ScreenshotOptions
		format        string
		width, height int
	}{
		{"viewport", nil, "png", 1280, 720},
		{"jpeg", &driver.ScreenshotOptions{Format: driver.JPEG, Quality: 30}, "jpeg", 1280, 720},
		{"page", &driver.ScreenshotOptions{FullPage: true}, "png", 1265, 2040},
		{"clip", &driver.ScreenshotOptions{Clip: &driver.Rect{X: 20, Y: 1000, Width: 30, Height: 20}}, "png", 30, 20},
		{"node", &driver.ScreenshotOptions{Node: red}, "png", 60, 40},
	} {
		raw, err := p.Screenshot(t.Context(), c.opts)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		img, format, err := image.Decode(bytes.NewReader(raw))
		if err != nil || format != c.format {
			t.Errorf("%s: %s, %v", c.name, format, err)
			continue
		}
		if b := img.Bounds(); b.Dy() != c.height || b.Dx() < c.width || b.Dx() > c.width+15 {
			t.Errorf("%s: %v, want %d×%d", c.name, b, c.width, c.height)
		}
		if c.name == "node" || c.name == "clip" {
			if r, g, b, _ := img.At(5, 5).RGBA(); r>>8 != 255 || g != 0 || b != 0 {
				t.Errorf("%s: the picture is not red: %d %d %d", c.name, r>>8, g>>8, b>>8)
			}
		}
	}
	raw, err := p.Screenshot(t.Context(), &driver.ScreenshotOptions{Format: driver.WebP})
	if err != nil || !bytes.HasPrefix(raw, []byte("RIFF")) || string(raw[8:12]) != "WEBP" {
		t.Errorf("webp: %.12q, %v", raw, err)
	}
	if _, err := p.Screenshot(t.Context(), &driver.ScreenshotOptions{Node: d.Ref(byID(t, d, "none"))}); !errors.Is(err, driver.ErrNotVisible) {
		t.Errorf("an element without a box: %v, want ErrNotVisible", err)
	}
}
