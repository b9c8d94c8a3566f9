package cdp

import (
	"context"
	"fmt"
	"strconv"

	cdppage "github.com/mafredri/cdp/protocol/page"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

const defaultQuality = 80

// A camera makes pictures and PDFs of a page.
type camera struct{ page *page }

// Screenshot implements driver.Page.
func (c *camera) Screenshot(ctx context.Context, opts *driver.ScreenshotOptions) (_ []byte, err error) {
	defer inOp("screenshot", "", &err)
	if opts == nil {
		opts = &driver.ScreenshotOptions{}
	}
	c.page.use()
	args := cdppage.CaptureScreenshotArgs{Format: new(string(driver.PNG))}
	if opts.Format != "" && opts.Format != driver.PNG {
		args.Format, args.Quality = new(string(opts.Format)), new(defaultQuality)
		if opts.Quality > 0 {
			args.Quality = &opts.Quality
		}
	}
	clip, err := c.clip(ctx, opts)
	if err != nil {
		return nil, err
	}
	scale, beyond := 1.0, clip != nil
	if opts.Scale > 0 {
		if clip, scale, err = c.scaled(ctx, clip, opts.Scale); err != nil {
			return nil, err
		}
	}
	if clip != nil {
		if clip.IsZero() {
			return nil, driver.ErrNotVisible
		}
		args.Clip = &cdppage.Viewport{X: clip.X, Y: clip.Y, Width: clip.Width, Height: clip.Height, Scale: scale}
		args.CaptureBeyondViewport = &beyond
	}
	reply, err := protocol.PageCaptureScreenshot.Do(ctx, c.page.session, args)
	return reply.Data, err
}

// scaled returns what Chrome has to be asked for, so that one CSS pixel has
// scale pixels in the picture: the device's own scale is taken out.
func (c *camera) scaled(ctx context.Context, clip *driver.Rect, scale float64) (*driver.Rect, float64, error) {
	m, err := c.metrics(ctx)
	if err != nil {
		return nil, 0, err
	}
	if clip == nil {
		v := m.CSSVisualViewport
		clip = &driver.Rect{X: v.PageX, Y: v.PageY, Width: v.ClientWidth, Height: v.ClientHeight}
	}
	own, err := c.page.evaluate(ctx, "devicePixelRatio", &driver.EvaluateOptions{})
	if err != nil {
		return nil, 0, err
	}
	if ratio, err := strconv.ParseFloat(string(own), 64); err == nil && ratio > 0 {
		scale /= ratio
	}
	return clip, scale, nil
}

// clip returns what is pictured, in coordinates of the page; nil is the viewport.
func (c *camera) clip(ctx context.Context, opts *driver.ScreenshotOptions) (*driver.Rect, error) {
	switch {
	case opts.Clip != nil:
		return opts.Clip, nil
	case !opts.Node.IsZero() && opts.Node.Node != 0:
		return c.nodeClip(ctx, opts.Node)
	case !opts.FullPage:
		return nil, nil
	}
	m, err := c.metrics(ctx)
	if err != nil {
		return nil, err
	}
	return &driver.Rect{Width: m.CSSContentSize.Width, Height: m.CSSContentSize.Height}, nil
}

func (c *camera) nodeClip(ctx context.Context, node driver.NodeRef) (*driver.Rect, error) {
	l, err := c.page.locate(ctx, node, &driver.LocateOptions{Scroll: true})
	if err != nil {
		return nil, err
	}
	if !l.Visible {
		return nil, fmt.Errorf("node %d: %w", node.Node, driver.ErrNotVisible)
	}
	m, err := c.metrics(ctx)
	if err != nil {
		return nil, err
	}
	return &driver.Rect{
		X: l.Box.X + m.CSSVisualViewport.PageX, Y: l.Box.Y + m.CSSVisualViewport.PageY,
		Width: l.Box.Width, Height: l.Box.Height,
	}, nil
}

// metrics returns how large the page is and where it is scrolled to.
func (c *camera) metrics(ctx context.Context) (cdppage.GetLayoutMetricsReply, error) {
	return protocol.PageGetLayoutMetrics.Do(ctx, c.page.session, conn.None{})
}

// PDF implements driver.Page.
func (c *camera) PDF(ctx context.Context, opts *driver.PDFOptions) ([]byte, error) {
	if opts == nil {
		opts = &driver.PDFOptions{}
	}
	c.page.use()
	args := cdppage.PrintToPDFArgs{Landscape: &opts.Landscape, PrintBackground: &opts.Background, PreferCSSPageSize: &opts.CSSPageSize}
	if opts.Width > 0 {
		args.PaperWidth = &opts.Width
	}
	if opts.Height > 0 {
		args.PaperHeight = &opts.Height
	}
	if m := opts.Margin; m != nil {
		args.MarginTop, args.MarginBottom, args.MarginLeft, args.MarginRight = m, m, m, m
	}
	if opts.Scale > 0 {
		args.Scale = &opts.Scale
	}
	if opts.Pages != "" {
		args.PageRanges = &opts.Pages
	}
	reply, err := protocol.PagePrintToPDF.Do(ctx, c.page.session, args)
	return reply.Data, opError("pdf", "", err)
}
