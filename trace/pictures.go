package trace

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
)

// picturesOf are those that steps show, by their IDs.
func picturesOf(t *Trace) map[string][]byte {
	all := map[string][]byte{}
	for _, s := range t.Steps {
		for _, shot := range []*Shot{s.Shot, s.After} {
			if shot != nil && shot.JPEG != nil {
				all[shot.ID] = shot.JPEG
			}
		}
	}
	return all
}

// fit makes pictures smaller until they have room together, in Base64. It
// returns none where they have no room however small they are.
func fit(pictures map[string][]byte, room int) map[string][]byte {
	for _, step := range []struct {
		scale   float64
		quality int
	}{{1, 0}, {1, 45}, {0.75, 45}, {0.55, 40}, {0.4, 35}, {0.25, 30}} {
		sum, out := 0, map[string][]byte{}
		for id, data := range pictures {
			small := data
			if step.quality > 0 {
				small = shrink(data, step.scale, step.quality)
			}
			out[id] = small
			sum += (len(small) + 2) / 3 * 4
		}
		if sum <= room {
			return out
		}
	}
	return nil
}

// shrink writes a JPEG again, smaller. What cannot be read stays as it is.
func shrink(data []byte, scale float64, quality int) []byte {
	decoded, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return data
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, scaled(decoded, scale), &jpeg.Options{Quality: quality}); err != nil || out.Len() >= len(data) {
		return data
	}
	return out.Bytes()
}

// scaled is a picture with each pixel the mean of those that it stands for.
func scaled(from image.Image, scale float64) image.Image {
	if scale >= 1 {
		return from
	}
	b := from.Bounds()
	w, h := max(1, int(float64(b.Dx())*scale)), max(1, int(float64(b.Dy())*scale))
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		top, bottom := b.Min.Y+y*b.Dy()/h, b.Min.Y+(y+1)*b.Dy()/h
		for x := range w {
			left, right := b.Min.X+x*b.Dx()/w, b.Min.X+(x+1)*b.Dx()/w
			var red, green, blue, n uint32
			for v := top; v < max(bottom, top+1); v++ {
				for u := left; u < max(right, left+1); u++ {
					r, g, bl, _ := from.At(u, v).RGBA()
					red, green, blue, n = red+r>>8, green+g>>8, blue+bl>>8, n+1
				}
			}
			out.SetRGBA(x, y, color.RGBA{uint8(red / n), uint8(green / n), uint8(blue / n), 0xff})
		}
	}
	return out
}
