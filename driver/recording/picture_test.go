package recording

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"slices"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/redact"
)

// white is a picture of a viewport of 200 by 100 pixels in which nothing stands.
func white(t *testing.T) Picture {
	t.Helper()
	canvas := image.NewRGBA(image.Rect(0, 0, 100, 50))
	for i := range canvas.Pix {
		canvas.Pix[i] = 0xff
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, canvas, nil); err != nil {
		t.Fatal(err)
	}
	return Picture{ID: "p1", View: driver.Size{Width: 200, Height: 100}, JPEG: out.Bytes()}
}

// A box is painted over where it stands in the picture, at the picture's scale.
func TestPaintOver(t *testing.T) {
	p := white(t)
	m, err := jpeg.Decode(bytes.NewReader(p.paintOver([]driver.Rect{{X: 20, Y: 20, Width: 100, Height: 40}})))
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[image.Point]bool{{12, 12}: true, {58, 28}: true, {80, 25}: false, {40, 45}: false, {2, 2}: false} {
		gray := color.GrayModel.Convert(m.At(at.X, at.Y)).(color.Gray).Y
		if covered := gray < 0x90; covered != want {
			t.Errorf("at %v: covered = %t, want %t", at, covered, want)
		}
	}
	p.JPEG = []byte("no picture")
	if got := p.paintOver([]driver.Rect{{Width: 1, Height: 1}}); got != nil {
		t.Errorf("paintOver of what cannot be read = %q, want nothing", got)
	}
}

// A value is found where it stands whole, in another spelling, in a control, and
// in pieces beside each other; what a page does not paint is no place.
func TestCovered(t *testing.T) {
	box := func(x float64) driver.Rect { return driver.Rect{X: x, Y: 10, Width: 5, Height: 5} }
	text := func(x float64, s string) driver.Node {
		return driver.Node{Kind: driver.TextNode, Text: s, Rendered: true, Box: box(x), Parent: 0}
	}
	capture := &driver.Capture{Viewport: driver.Size{Width: 200, Height: 100}, Documents: []driver.Document{{OwnerDocument: -1, ScrollY: 4, Nodes: []driver.Node{
		{Kind: driver.DocumentNode, Parent: -1},
		text(10, "harmless"), text(20, "it is hunter2-42."), text(30, "hunter2"), text(40, "-42"), text(50, "aHVudGVyMi00Mg=="),
		{Kind: driver.ElementNode, Name: "input", Value: "hunter2-42", HasValue: true, Rendered: true, Box: box(60)},
		{Kind: driver.TextNode, Text: "hunter2-42", Parent: 0}, // not rendered
		{Kind: driver.TextNode, Text: "hunter2-42", Rendered: true, Parent: 6},
	}}}}
	var got []float64
	for _, b := range covered(shownIn(capture, nil), redact.New([]redact.Value{{Name: "pw", Text: "hunter2-42"}})) {
		if b.Y != 6 {
			t.Errorf("a box stands at %v, want 6: the page is scrolled", b.Y)
		}
		got = append(got, b.X)
	}
	if want := []float64{20, 30, 40, 50, 60, 60}; !slices.Equal(got, want) {
		t.Errorf("covered = %v, want %v", got, want)
	}
	// A page that moved a text while it was pictured has it covered on its way.
	later := &driver.Capture{Viewport: capture.Viewport, Documents: []driver.Document{{OwnerDocument: -1, Nodes: []driver.Node{
		{Kind: driver.DocumentNode, Parent: -1}, {ID: 7, Kind: driver.TextNode, Text: "hunter2-42", Rendered: true, Box: box(100)},
	}}}}
	earlier := &driver.Capture{Viewport: capture.Viewport, Documents: []driver.Document{{OwnerDocument: -1, Nodes: []driver.Node{
		{Kind: driver.DocumentNode, Parent: -1}, {ID: 7, Kind: driver.TextNode, Text: "…", Rendered: true, Box: box(20)},
	}}}}
	boxes := covered(shownIn(later, earlier), redact.New([]redact.Value{{Name: "pw", Text: "hunter2-42"}}))
	if len(boxes) != 1 || boxes[0].X != 20 || boxes[0].Width != 85 {
		t.Errorf("covered on its way = %v", boxes)
	}
}
