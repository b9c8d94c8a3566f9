package engine_test

import (
	"bytes"
	"errors"
	"image/png"
	"math"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// TestPicture: a picture has one pixel for each CSS pixel, or fewer where it
// would be longer than asked for. The browser in memory has none, and says so.
func TestPicture(t *testing.T) {
	page := func(d driver.Driver) *engine.Page {
		session, err := engine.Open(t.Context(), d, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		return session.Page()
	}
	if _, _, err := page(fake.New(fake.Options{})).Picture(t.Context(), 0); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Picture in memory = %v, want ErrUnsupported", err)
	}
	p := page(chrome(t))
	size := func(longest int) (side int, scale float64) {
		data, scale, err := p.Picture(t.Context(), longest)
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return max(picture.Bounds().Dx(), picture.Bounds().Dy()), scale
	}
	whole, scale := size(0)
	if scale != 1 {
		t.Errorf("scale = %v, want 1", scale)
	}
	if side, scale := size(400); side > 400 || math.Abs(scale*float64(whole)-400) > 1 {
		t.Errorf("Picture(400) has %d pixels at a scale of %v, of %d", side, scale, whole)
	}
}
