package trace

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"image"
	"image/jpeg"
	mathrand "math/rand/v2"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/recording"
)

// TestSize: a run of thirty steps with the worst of pictures keeps to its bound and has
// all of them; a bundle without room is left out, and the file says so.
func TestSize(t *testing.T) {
	const limit = 1_000_000
	tr := &Trace{bundle: []byte(strings.Repeat(`{"note":"a line of a bundle"}`+"\n", 20_000)), Whole: true}
	random := mathrand.New(mathrand.NewPCG(1, 2))
	for i := range 30 {
		s := &Step{Number: i + 1, Tool: "click", Status: agent.Done, Outline: strings.Repeat("a line of an outline\n", 600)}
		for j := range 2 {
			canvas := image.NewRGBA(image.Rect(0, 0, 192, 108))
			for k := range canvas.Pix {
				canvas.Pix[k] = byte(random.Uint32())
			}
			var data bytes.Buffer
			if err := jpeg.Encode(&data, canvas, &jpeg.Options{Quality: 60}); err != nil {
				t.Fatal(err)
			}
			shot := &Shot{Picture: recording.Picture{ID: fmt.Sprintf("p%d", 2*i+j+1), View: driver.Size{Width: 1280, Height: 720}, JPEG: data.Bytes()}}
			if j == 0 {
				s.Shot = shot
			} else {
				s.After = shot
			}
		}
		tr.Steps = append(tr.Steps, s)
	}
	taken := 0
	for _, data := range picturesOf(tr) {
		taken += len(data)
	}
	var out bytes.Buffer
	if err := tr.WriteHTML(&out, &HTMLOptions{MaxBytes: limit}); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out.Bytes(), []byte(`src="data:image/jpeg;base64,`)); taken < limit/2 || out.Len() > limit || n != 60 {
		t.Errorf("the file has %d bytes of %d with %d of 60 pictures, which had %d", out.Len(), limit, n, taken)
	}
	if b, err := Bundle(out.Bytes()); err != nil || !bytes.Equal(b, tr.bundle) {
		t.Errorf("the bundle has %d bytes, want %d: %v", len(b), len(tr.bundle), err)
	}

	noise := make([]byte, 2<<20)
	rand.Read(noise)
	tr.bundle = noise
	out.Reset()
	if err := tr.WriteHTML(&out, &HTMLOptions{MaxBytes: limit}); err != nil {
		t.Fatal(err)
	}
	if _, err := Bundle(out.Bytes()); err == nil || out.Len() > limit || !bytes.Contains(out.Bytes(), []byte("has no room in this file")) {
		t.Errorf("a bundle of 2 MB is in a file of %d bytes, or the file does not say that it is not: %v", out.Len(), err)
	}
}
