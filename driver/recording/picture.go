package recording

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/internal/passthrough"
	"github.com/wayfinder-engine/wayfinder/internal/redact"
)

// What a picture comes to: pixels of its longer side, about, and how long it may
// take.
const (
	pictureSide    = 1024
	pictureQuality = 60
	pictureTime    = 3 * time.Second
	mostRetaken    = 4 // pictures of a page that continues changing after an action
)

// A camera takes pictures of one page.
type camera struct {
	page     driver.Page
	recorder *Recorder

	mu      sync.Mutex // protects what follows
	located bool       // an element was located, and nothing done since
	done    bool       // something was done
	seen    *shot      // the picture of that; nil before the first
	retaken int        // how many were taken of it
}

// before takes a picture if a call is the first input to an element that was
// located, so that the picture shows the element where the input finds it.
func (p *camera) before(ctx context.Context, c passthrough.Call) {
	if !p.recorder.trace {
		return
	}
	p.mu.Lock()
	take := acting[c.Op] && p.located
	switch {
	case c.Op == "locate":
		p.located = true
	case acting[c.Op]:
		p.located, p.done, p.seen, p.retaken = false, true, nil, 0
	}
	p.mu.Unlock()
	if !take {
		return
	}
	ctx, end := context.WithTimeout(ctx, pictureTime)
	defer end()
	if looked, err := p.page.Capture(ctx); err == nil {
		p.take(ctx, looked, true)
	}
}

// after takes a picture of what was looked at, if something was done since the
// last one. Of several looks after an action the last one counts, up to where an
// element is located for the next one, which scrolls.
func (p *camera) after(ctx context.Context, looked *driver.Capture) {
	if !p.recorder.trace {
		return
	}
	p.mu.Lock()
	take := p.done && !p.located && p.retaken < mostRetaken
	p.retaken++
	p.mu.Unlock()
	if !take {
		return
	}
	ctx, end := context.WithTimeout(ctx, pictureTime)
	defer end()
	p.take(ctx, looked, false)
}

// take takes a picture of what a capture holds. A page that cannot be pictured
// now, as one with a dialog, has none.
func (p *camera) take(ctx context.Context, looked *driver.Capture, before bool) {
	view := looked.Viewport
	scale := min(1, pictureSide/max(view.Width, view.Height, 1))
	data, err := p.page.Screenshot(ctx, &driver.ScreenshotOptions{Format: driver.JPEG, Quality: pictureQuality, Scale: scale})
	if err != nil {
		return
	}
	texts := shownIn(looked, nil)
	if now, err := p.page.Revision(ctx); err != nil || now != looked.Revision {
		// It may show either state, or one between them.
		later, err := p.page.Capture(ctx)
		if err != nil {
			return
		}
		texts = shownIn(later, looked)
	}
	s := &shot{Picture: Picture{Before: before, View: view, JPEG: data}, shown: texts}
	size := int64(len(data))
	for _, t := range texts {
		size += int64(len(t.text)) + 40
	}
	p.recorder.addShot(p.page.ID(), s, size)
	if before {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen != nil {
		p.recorder.supersede(p.seen)
	}
	p.seen = s
}

// shownIn lists the texts of a capture by where they stand in the viewport. With
// an earlier capture, that of the same page a moment before, a text covers both
// places and all between them.
func shownIn(c, earlier *driver.Capture) []shown {
	var places map[driver.NodeRef]driver.Rect
	var all []shown
	if earlier != nil {
		all = shownIn(earlier, nil)
		places = map[driver.NodeRef]driver.Rect{}
		for i := range earlier.Documents {
			d := &earlier.Documents[i]
			for j := range d.Nodes {
				places[d.Ref(int32(j))] = placeOf(earlier, i, int32(j))
			}
		}
	}
	for i := range c.Documents {
		d := &c.Documents[i]
		for j := range d.Nodes {
			n := &d.Nodes[j]
			texts := paintedTexts(n)
			if len(texts) == 0 {
				continue
			}
			box := placeOf(c, i, int32(j))
			if was, ok := places[d.Ref(int32(j))]; ok {
				box = union(box, was)
			}
			for _, text := range texts {
				all = append(all, shown{text, box})
			}
		}
	}
	return all
}

// painted are the attributes whose texts a browser paints.
var painted = map[string]bool{"value": true, "placeholder": true, "alt": true, "label": true}

func paintedTexts(n *driver.Node) []string {
	if !n.Rendered {
		return nil
	}
	var texts []string
	if text := n.Text; text != "" {
		texts = append(texts, text)
	}
	if n.Shown != "" && n.Shown != n.Text {
		texts = append(texts, n.Shown)
	}
	if n.Value != "" {
		texts = append(texts, n.Value)
	}
	for _, a := range n.Attrs {
		if painted[a.Name] && a.Value != "" {
			texts = append(texts, a.Value)
		}
	}
	return texts
}

// placeOf is where a node is painted in the viewport; what has no box of its own
// is painted within one around it. Of a frame it is the whole frame.
func placeOf(c *driver.Capture, document int, node int32) driver.Rect {
	d := &c.Documents[document]
	for d.OwnerDocument >= 0 {
		node = d.Owner
		d = &c.Documents[d.OwnerDocument]
	}
	for node > 0 && d.Nodes[node].Box.IsZero() {
		node = d.Nodes[node].Parent
	}
	if node <= 0 {
		return driver.Rect{Width: c.Viewport.Width, Height: c.Viewport.Height}
	}
	box := d.Nodes[node].Box
	box.X -= d.ScrollX
	box.Y -= d.ScrollY
	return box
}

func union(a, b driver.Rect) driver.Rect {
	if a.IsZero() {
		return b
	}
	if b.IsZero() {
		return a
	}
	x, y := min(a.X, b.X), min(a.Y, b.Y)
	return driver.Rect{X: x, Y: y, Width: max(a.X+a.Width, b.X+b.Width) - x, Height: max(a.Y+a.Height, b.Y+b.Height) - y}
}

// covered are the places where values stand, whole or spread over neighbours.
func covered(texts []shown, m *redact.Matcher) []driver.Rect {
	if m == nil {
		return nil
	}
	hit := make([]bool, len(texts))
	for i, t := range texts {
		hit[i] = len(m.Find(t.text, true)) > 0
	}
	for _, between := range []string{"", " "} {
		var all strings.Builder
		ends := make([]int, len(texts))
		for i, t := range texts {
			all.WriteString(t.text)
			ends[i] = all.Len()
			all.WriteString(between)
		}
		i := 0
		for _, found := range m.Find(all.String(), false) {
			for i < len(ends) && ends[i] <= found.Start {
				i++
			}
			for j := i; j < len(ends) && (j == 0 || ends[j-1]+len(between) < found.End); j++ {
				hit[j] = true
			}
		}
	}
	var boxes []driver.Rect
	for i := range texts {
		if hit[i] {
			boxes = append(boxes, texts[i].box)
		}
	}
	return boxes
}

// around which a value's box is painted over too: letters reach out of boxes.
const bleed = 3

// paintOver returns the picture with boxes painted over; nil if it cannot be.
func (p *Picture) paintOver(boxes []driver.Rect) []byte {
	if len(boxes) == 0 {
		return p.JPEG
	}
	decoded, err := jpeg.Decode(bytes.NewReader(p.JPEG))
	if err != nil {
		return nil
	}
	bounds := decoded.Bounds()
	canvas := image.NewRGBA(bounds)
	draw.Draw(canvas, bounds, decoded, bounds.Min, draw.Src)
	x, y := float64(bounds.Dx())/max(p.View.Width, 1), float64(bounds.Dy())/max(p.View.Height, 1)
	cover := image.NewUniform(color.RGBA{0x55, 0x5b, 0x6e, 0xff})
	for _, b := range boxes {
		area := image.Rect(
			int(math.Floor((b.X-bleed)*x)), int(math.Floor((b.Y-bleed)*y)),
			int(math.Ceil((b.X+b.Width+bleed)*x)), int(math.Ceil((b.Y+b.Height+bleed)*y)))
		draw.Draw(canvas, area.Intersect(bounds), cover, image.Point{}, draw.Src)
	}
	var out bytes.Buffer
	if jpeg.Encode(&out, canvas, &jpeg.Options{Quality: pictureQuality}) != nil {
		return nil
	}
	return out.Bytes()
}

// A Picture shows the viewport of a page at a moment of a recording. Values
// that must not be shown are painted over.
type Picture struct {
	ID     string      `json:"id"` // unique in the recording
	Before bool        `json:"before,omitempty"`
	View   driver.Size `json:"view"`           // of the viewport, in CSS pixels
	JPEG   []byte      `json:"jpeg,omitempty"` // nil where a bundle was written without pictures
}
