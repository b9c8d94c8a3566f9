package engine

import (
	"context"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Picture returns a picture of the viewport as a model gets it: PNG, one pixel
// for each CSS pixel, or fewer, so that neither side is longer than longest
// pixels (0 is no bound). scale is how many pixels of the picture one CSS pixel
// has: a point of the picture, divided by it, is a point of the viewport.
func (p *Page) Picture(ctx context.Context, longest int) (png []byte, scale float64, _ error) {
	ctx, end, err := p.begin(ctx, p.session.opts.limitOf(0, defaultLimit))
	if err != nil {
		return nil, 0, fmt.Errorf("picture: %w", err)
	}
	defer end()
	scale = 1
	if _, err := p.capture(ctx); err != nil {
		return nil, 0, p.session.explain("picture", err)
	}
	view := p.seen.capture.Viewport
	if side := max(view.Width, view.Height); longest > 0 && side > float64(longest) {
		scale = float64(longest) / side
	}
	png, err = p.driver.Screenshot(ctx, &driver.ScreenshotOptions{Scale: scale})
	if err != nil {
		return nil, 0, p.session.explain("picture", err)
	}
	return png, scale, nil
}
