package cdp

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func TestHistory(t *testing.T) {
	base := site{"/one": "<title>one</title>", "/two": "<title>two</title>"}.serve(t)
	p := testPage(t)
	goTo(t, p, base+"/one")
	first := p.Frames()[0].Doc
	goTo(t, p, base+"/two")
	if _, err := p.Forward(t.Context(), nil); !errors.Is(err, driver.ErrNoHistory) {
		t.Errorf("Forward at the end = %v, want ErrNoHistory", err)
	}
	res, err := p.Back(t.Context(), nil)
	if err != nil || res == nil || res.Status != 200 || evaluate(t, p, "document.title") != "one" {
		t.Fatalf("Back = %+v, %v", res, err)
	}
	if got := p.Frames()[0].Doc; got != first {
		t.Errorf("the document out of the back/forward cache is %s, want its former %s", got, first)
	}
	if _, err := p.Forward(t.Context(), nil); err != nil || evaluate(t, p, "document.title") != "two" {
		t.Fatalf("Forward: %v", err)
	}
	second := p.Frames()[0].Doc
	if res, err := p.Reload(t.Context(), nil); err != nil || res == nil || res.Status != 200 {
		t.Fatalf("Reload = %+v, %v", res, err)
	}
	if got := p.Frames()[0].Doc; got == second {
		t.Error("a reloaded page has its former document")
	}
	// Within a document there is no response.
	evaluate(t, p, "history.pushState({}, '', '/pushed')")
	if res, err := p.Back(t.Context(), nil); err != nil || res != nil {
		t.Errorf("Back over pushState = %+v, %v, want nil", res, err)
	}
	if got := p.Frames()[0].URL; got != base+"/two" {
		t.Errorf("URL = %s", got)
	}
}

func TestBackForwardCacheRestoresFrames(t *testing.T) {
	base := site{"/one": "<iframe name=inner src=/inner></iframe>", "/inner": "inner", "/two": "two"}.serve(t)
	p := testPage(t)
	goTo(t, p, base+"/one")
	inner := p.Frames()[1]
	goTo(t, p, base+"/two")
	if got := len(p.Frames()); got != 1 {
		t.Fatalf("%d frames, want 1", got)
	}
	r := recording(t, p.browser)
	if _, err := p.Back(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	await(t, r, func(e driver.FrameAttached) bool { return true })
	frames := p.Frames()
	if len(frames) != 2 || frames[1].Doc != inner.Doc || frames[1].ID != inner.ID {
		t.Errorf("frames = %+v, want the former %+v among them", frames, inner)
	}
}

// TestCloseAtCommit: a page is closed while a document of another site takes the
// place of the empty one.
func TestCloseAtCommit(t *testing.T) {
	base := site{"/": "<title>x</title>"}.serve(t)
	b := testBrowser(t)
	for range 12 {
		p, err := b.NewPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Navigate(t.Context(), base, &driver.NavigateOptions{WaitUntil: driver.WaitCommit}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if err := p.Close(ctx); err != nil {
			t.Fatal(err)
		}
		cancel()
	}
	if got := len(b.Pages()); got != 1 {
		t.Errorf("%d pages left, want the first", got)
	}
}
