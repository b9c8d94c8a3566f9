package cdp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	cdppage "github.com/mafredri/cdp/protocol/page"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// ScrollTo implements driver.Actor.
func (p *page) ScrollTo(ctx context.Context, node driver.NodeRef, to driver.ScrollTarget) (driver.ScrollState, error) {
	var now [7]float64
	err := p.callWith(ctx, node, call{name: "scrollTo", args: []any{to.X, to.Y, to.By, to.Percent}}, &now)
	if err != nil {
		return driver.ScrollState{}, opError("scrollto", nodeName(node), err)
	}
	return *scrollState(now), nil
}

// A snapshot says nothing of scrolling within elements. But what scrolls has
// content that reaches beyond its box, and those are few; they are asked.

const (
	// overhang is how far, in pixels, content has to reach out to count.
	overhang = 4

	// maxScrollers is how many elements of a document are asked, the largest first.
	maxScrollers = 128
)

// scrollStates fills in Rare.Scroll. It returns the answer as it came.
func (w *world) scrollStates(ctx context.Context, d *driver.Document) ([]byte, error) {
	candidates := overflowing(d.Nodes)
	if len(candidates) == 0 {
		return nil, nil
	}
	ids := make([]driver.NodeID, len(candidates))
	for i, c := range candidates {
		ids[i] = d.Nodes[c].ID
	}
	objects, err := w.resolveSome(ctx, ids)
	if err != nil {
		return nil, err
	}
	var have []string
	var at []int32
	for i, o := range objects {
		if o != "" {
			have, at = append(have, o), append(at, candidates[i])
		}
	}
	if len(have) == 0 {
		return nil, nil
	}
	defer release(w.session, have...)
	var raw json.RawMessage
	if err := w.value(ctx, call{name: "scrolls", nodes: have}, &raw); err != nil {
		return nil, err
	}
	var states []*[7]float64
	if err := json.Unmarshal(raw, &states); err != nil || len(states) != len(at) {
		return nil, errFacts
	}
	for i, s := range states {
		if s == nil {
			continue
		}
		n := &d.Nodes[at[i]]
		if n.Rare == nil {
			n.Rare = new(driver.Rare)
		}
		n.Rare.Scroll = scrollState(*s)
	}
	return raw, nil
}

// overflowing returns the elements whose content reaches beyond their boxes, at
// the end or, where it is scrolled, at the start, and text areas, whose content
// has no boxes.
func overflowing(nodes []driver.Node) []int32 {
	type corner struct{ x, y float64 }
	far := make([]corner, len(nodes))  // the far end of each subtree
	near := make([]corner, len(nodes)) // how far it goes beyond the origin, negated
	for i := range near {
		near[i] = corner{math.Inf(-1), math.Inf(-1)}
	}
	var found []int32
	for i := len(nodes) - 1; i > 0; i-- {
		n := &nodes[i]
		reach, start := far[i], near[i]
		if n.Rendered {
			end := corner{n.Box.X + n.Box.Width, n.Box.Y + n.Box.Height}
			if n.Kind == driver.ElementNode && mayScroll(n) &&
				(reach.x > end.x+overhang || reach.y > end.y+overhang ||
					start.x > overhang-n.Box.X || start.y > overhang-n.Box.Y || n.Name == "textarea") {
				found = append(found, int32(i))
			}
			reach = corner{max(reach.x, end.x), max(reach.y, end.y)}
			if !n.Box.IsZero() {
				start = corner{max(start.x, -n.Box.X), max(start.y, -n.Box.Y)}
			}
		}
		if n.Style != nil && n.Style.Position == "fixed" {
			continue
		}
		up := &far[n.Parent]
		*up = corner{max(up.x, reach.x), max(up.y, reach.y)}
		up = &near[n.Parent]
		*up = corner{max(up.x, start.x), max(up.y, start.y)}
	}
	if len(found) > maxScrollers {
		size := func(i int32) float64 { return nodes[i].Box.Width * nodes[i].Box.Height }
		slices.SortFunc(found, func(a, b int32) int { return cmp.Compare(size(b), size(a)) })
		found = found[:maxScrollers]
	}
	return found
}

func mayScroll(n *driver.Node) bool {
	if n.Name == "html" || n.Name == "body" || n.Namespace != driver.HTML || n.Style == nil {
		return false
	}
	display := n.Style.Display
	return display != "inline" && display != "contents" && (!strings.HasPrefix(display, "table") || display == "table-cell")
}

// Screenshot implements driver.Page.
func (p *page) Screenshot(ctx context.Context, opts *driver.ScreenshotOptions) ([]byte, error) {
	if opts == nil {
		opts = &driver.ScreenshotOptions{}
	}
	p.use()
	picture, err := p.screenshot(ctx, opts)
	return picture, opError("screenshot", "", err)
}

const defaultQuality = 80

func (p *page) screenshot(ctx context.Context, opts *driver.ScreenshotOptions) ([]byte, error) {
	args := cdppage.CaptureScreenshotArgs{Format: new(string(driver.PNG))}
	if opts.Format != "" && opts.Format != driver.PNG {
		args.Format, args.Quality = new(string(opts.Format)), new(defaultQuality)
		if opts.Quality > 0 {
			args.Quality = &opts.Quality
		}
	}
	clip, err := p.clip(ctx, opts)
	if err != nil {
		return nil, err
	}
	scale, beyond := 1.0, clip != nil
	if opts.Scale > 0 {
		if clip, scale, err = p.scaled(ctx, clip, opts.Scale); err != nil {
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
	reply, err := protocol.PageCaptureScreenshot.Do(ctx, p.session, args)
	return reply.Data, err
}

// scaled returns what Chrome has to be asked for, so that one CSS pixel has
// scale pixels in the picture: the device's own scale is taken out.
func (p *page) scaled(ctx context.Context, clip *driver.Rect, scale float64) (*driver.Rect, float64, error) {
	m, err := p.metrics(ctx)
	if err != nil {
		return nil, 0, err
	}
	if clip == nil {
		v := m.CSSVisualViewport
		clip = &driver.Rect{X: v.PageX, Y: v.PageY, Width: v.ClientWidth, Height: v.ClientHeight}
	}
	own, err := p.evaluate(ctx, "devicePixelRatio", &driver.EvaluateOptions{})
	if err != nil {
		return nil, 0, err
	}
	if ratio, err := strconv.ParseFloat(string(own), 64); err == nil && ratio > 0 {
		scale /= ratio
	}
	return clip, scale, nil
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

// metrics returns how large the page is and where it is scrolled to.
func (p *page) metrics(ctx context.Context) (cdppage.GetLayoutMetricsReply, error) {
	return protocol.PageGetLayoutMetrics.Do(ctx, p.session, conn.None{})
}

// PDF implements driver.Page.
func (p *page) PDF(ctx context.Context, opts *driver.PDFOptions) ([]byte, error) {
	if opts == nil {
		opts = &driver.PDFOptions{}
	}
	p.use()
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
	reply, err := protocol.PagePrintToPDF.Do(ctx, p.session, args)
	return reply.Data, opError("pdf", "", err)
}
