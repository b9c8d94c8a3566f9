package driver

// A Size is a width and a height in CSS pixels.
type Size struct {
	Width, Height float64
}

// A Rect is a rectangle in CSS pixels, by its upper left corner.
type Rect struct {
	X, Y, Width, Height float64
}

// IsZero reports whether the rectangle has no area.
func (r Rect) IsZero() bool { return r.Width <= 0 || r.Height <= 0 }

// An Offset is a place within an element: CSS pixels of the element's own frame,
// from the upper left corner of its box as [Location].Box has it.
type Offset struct{ X, Y float64 }

// A Point is a position in the viewport of a frame.
//
// The frame matters. In Chrome a point in a frame of another process is sent
// to that process in its own coordinates, which stay right when the frame is
// scrolled, scaled or rotated under way; the same point in the coordinates of
// the main frame misses. So pass on a Point as it was received, and make one
// only for the main frame.
type Point struct {
	Frame FrameID // zero is the main frame
	X, Y  float64 // CSS pixels
}
