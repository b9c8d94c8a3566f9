package computer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A Picture is what a model gets to see.
type Picture struct {
	PNG           []byte
	Width, Height int

	// Blind says that the browser paints nothing: the picture is empty.
	Blind bool
}

// Look reads the page and takes a picture of its viewport, one pixel for each CSS
// pixel unless that exceeds Longest. Points are in this picture from then on, and
// what lies at one must be what lay there in this reading. snap is a reading that
// was just made; nil makes one.
func (h *Hand) Look(ctx context.Context, snap *engine.Snapshot) (*Picture, error) {
	if snap == nil {
		var err error
		if snap, err = h.Page.Snapshot(ctx, nil); err != nil {
			return nil, err
		}
	}
	view := snap.Capture.Viewport
	data, scale, err := h.Page.Picture(ctx, h.Longest)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, err
	}
	p := &Picture{PNG: data, Blind: err != nil}
	if p.Blind {
		scale = 1
	}
	p.Width, p.Height = int(math.Round(view.Width*scale)), int(math.Round(view.Height*scale))
	if p.Blind {
		if p.PNG, err = blank(p.Width, p.Height); err != nil {
			return nil, err
		}
	}
	h.newest, h.reading, h.scale, h.size = snap, snap, scale, [2]int{p.Width, p.Height}
	return p, nil
}

// Saw reports whether the newest picture shows the page as a reading has it.
func (h *Hand) Saw(snap *engine.Snapshot) bool {
	return h.reading != nil && h.reading.Capture == snap.Capture
}

// Size is that of the pictures, in pixels; zero before the first.
func (h *Hand) Size() (width, height int) { return h.size[0], h.size[1] }

// blank is an empty picture.
func blank(width, height int) ([]byte, error) {
	img := image.NewPaletted(image.Rect(0, 0, max(width, 1), max(height, 1)), color.Palette{color.White})
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

// zoom takes a picture of a part of the viewport, as large as one of the whole.
func (h *Hand) zoom(ctx context.Context, region [4]float64) (*Outcome, error) {
	snap := h.reading
	if snap == nil {
		if _, err := h.Look(ctx, nil); err != nil {
			return nil, err
		}
		snap = h.reading
	}
	left, top := h.point(region[0], region[1])
	right, bottom := h.point(region[2], region[3])
	view := snap.Capture.Viewport
	left, top, right, bottom = max(left, 0), max(top, 0), min(right, view.Width), min(bottom, view.Height)
	if right-left < 1 || bottom-top < 1 {
		return nil, fmt.Errorf("%w: the region %v holds nothing of the picture; give left, top, right, bottom in its pixels", engine.ErrInvalid, region)
	}
	clip := driver.Rect{X: left, Y: top, Width: right - left, Height: bottom - top}
	if docs := snap.Capture.Documents; len(docs) > 0 {
		clip.X, clip.Y = clip.X+docs[0].ScrollX, clip.Y+docs[0].ScrollY
	}
	scale := min(view.Width/clip.Width, view.Height/clip.Height) * h.scaleOr()
	data, err := h.Page.Screenshot(ctx, &driver.ScreenshotOptions{Clip: &clip, Scale: scale})
	if errors.Is(err, errors.ErrUnsupported) {
		data, err = blank(int(clip.Width*scale), int(clip.Height*scale))
	}
	if err != nil {
		return nil, err
	}
	return &Outcome{Text: "a closer picture of that part", Picture: data}, nil
}

func (h *Hand) scaleOr() float64 {
	if h.scale == 0 {
		return 1
	}
	return h.scale
}

// point is where a pixel of the picture is in the viewport.
func (h *Hand) point(x, y float64) (float64, float64) {
	return x / h.scaleOr(), y / h.scaleOr()
}
