package cdp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Screenshot implements driver.Page.
func (p *page) Screenshot(ctx context.Context, opts *driver.ScreenshotOptions) ([]byte, error) {
	if opts == nil {
		opts = &driver.ScreenshotOptions{}
	}
	picture, err := p.screenshot(ctx, opts)
	return picture, opError("screenshot", "", err)
}

const defaultQuality = 80

func (p *page) screenshot(ctx context.Context, opts *driver.ScreenshotOptions) ([]byte, error) {
	params := map[string]any{"format": driver.PNG}
	if opts.Format != "" && opts.Format != driver.PNG {
		params["format"], params["quality"] = opts.Format, defaultQuality
		if opts.Quality > 0 {
			params["quality"] = opts.Quality
		}
	}
	clip, err := p.clip(ctx, opts)
	if err != nil {
		return nil, err
	}
	if clip != nil {
		if clip.IsZero() {
			return nil, driver.ErrNotVisible
		}
		params["clip"] = map[string]any{"x": clip.X, "y": clip.Y, "width": clip.Width, "height": clip.Height, "scale": 1}
		params["captureBeyondViewport"] = true
	}
	var reply struct{ Data []byte }
	err = p.session.call(ctx, "Page.captureScreenshot", params, &reply)
	return reply.Data, err
}

// clip returns what is pictured, in coordinates of the page; nil is the viewport.
func (p *page) clip(ctx context.Context, opts *driver.ScreenshotOptions) (*driver.Rect, error) {
	switch {
	case opts.Clip != nil:
		return opts.Clip, nil
	case !opts.Node.IsZero() && opts.Node.Node != 0:
		return p.nodeClip(ctx, opts.Node)
	case !opts.FullPage:
		return nil, nil
	}
	m, err := p.metrics(ctx)
	if err != nil {
		return nil, err
	}
	return &driver.Rect{Width: m.CSSContentSize.Width, Height: m.CSSContentSize.Height}, nil
}

func (p *page) nodeClip(ctx context.Context, node driver.NodeRef) (*driver.Rect, error) {
	l, err := p.locate(ctx, node, &driver.LocateOptions{Scroll: true})
	if err != nil {
		return nil, err
	}
	if !l.Visible {
		return nil, fmt.Errorf("node %d: %w", node.Node, driver.ErrNotVisible)
	}
	m, err := p.metrics(ctx)
	if err != nil {
		return nil, err
	}
	return &driver.Rect{
		X: l.Box.X + m.CSSVisualViewport.PageX, Y: l.Box.Y + m.CSSVisualViewport.PageY,
		Width: l.Box.Width, Height: l.Box.Height,
	}, nil
}

// A pageMetrics is how large a page is and where it is scrolled to.
type pageMetrics struct {
	CSSVisualViewport struct{ PageX, PageY float64 }
	CSSContentSize    struct{ Width, Height float64 }
}

func (p *page) metrics(ctx context.Context) (*pageMetrics, error) {
	raw, err := p.session.raw(ctx, "Page.getLayoutMetrics", nil)
	if err != nil {
		return nil, err
	}
	var m pageMetrics
	return &m, json.Unmarshal(raw, &m)
}
