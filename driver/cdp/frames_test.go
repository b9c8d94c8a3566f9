package cdp

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func TestTwentyFrames(t *testing.T) {
	pages := site{"/": strings.Repeat("<iframe src=/inner></iframe>", 20), "/inner": "<title>inner</title>"}
	p := visit(t, pages.serve(t))
	frames := p.Frames()
	if len(frames) != 21 {
		t.Fatalf("%d frames, want 21", len(frames))
	}
	for i, f := range frames {
		if f.Ordinal != i || f.OwnProcess || f.Doc == "" || i > 0 && f.Parent != frames[0].ID {
			t.Errorf("frame %d = %+v", i, f)
		}
		for _, w := range []driver.World{driver.Isolated, driver.Main} {
			in, err := p.worldOf(t.Context(), f.ID, w)
			if err != nil || in.id == 0 || in.Doc != f.Doc {
				t.Fatalf("worldOf(%d, %d) = %+v, %v", i, w, in, err)
			}
			var got struct{ Result struct{ Value string } }
			err = in.session.Call(t.Context(), "Runtime.evaluate", map[string]any{"contextId": in.id, "expression": "location.pathname"}, &got)
			want := "/inner"
			if i == 0 {
				want = "/"
			}
			if err != nil || got.Result.Value != want {
				t.Errorf("frame %d runs scripts at %q (%v), want %q", i, got.Result.Value, err, want)
			}
		}
	}
	// One that is removed is gone, and its ordinal is not given again.
	evaluate(t, p, "document.querySelector('iframe').remove(); document.body.append(document.createElement('iframe')); 1")
	after := p.Frames()
	if len(after) != 21 || after[1].ID != frames[2].ID || after[20].Ordinal != 21 {
		t.Errorf("after removing one and adding one: %d frames, second %+v, last %+v", len(after), after[1], after[20])
	}
	if _, err := p.frame(frames[1].ID); err == nil {
		t.Error("a removed frame is still there")
	}
}

func TestFramesOfOtherProcesses(t *testing.T) {
	inner := site{"/": "<title>inner</title><iframe src=/deep></iframe>", "/deep": "deep"}.serve(t)
	var outer strings.Builder
	for i := range 5 {
		// Sites are told apart by the last two labels.
		fmt.Fprintf(&outer, "<iframe name=f%d src='%s/'></iframe>", i, strings.Replace(inner, "127.0.0.1", fmt.Sprintf("site%d.localhost", i), 1))
	}
	opts := &driver.BrowserOptions{InitScripts: []string{"globalThis.early = location.hostname"}}
	b, err := testChrome(t).Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p := b.Pages()[0].(*page)
	base := handle(t, map[string]http.HandlerFunc{"/": html(outer.String()), "/next": html("next")})
	goTo(t, p, base)
	frames := p.Frames()
	if len(frames) != 11 {
		t.Fatalf("%d frames, want 11: %+v", len(frames), frames)
	}
	own := 0
	for i, f := range frames {
		if f.OwnProcess {
			own++
		}
		if f.Doc == "" || strings.HasPrefix(f.URL, "about:") {
			t.Errorf("frame %d = %+v is not loaded", i, f)
		}
		in, err := p.worldOf(t.Context(), f.ID, driver.Main)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Result struct{ Value string } }
		err = in.session.Call(t.Context(), "Runtime.evaluate", map[string]any{"contextId": in.id, "expression": "globalThis.early"}, &got)
		if err != nil || got.Result.Value == "" || !strings.Contains(f.URL, got.Result.Value) {
			t.Errorf("the init script of frame %d saw %q (%v) at %s", i, got.Result.Value, err, f.URL)
		}
	}
	if own != 5 {
		t.Errorf("%d frames in processes of their own, want 5", own)
	}
	if got := len(p.sessions()); got < 2 || got > 6 {
		t.Errorf("%d sessions for 5 frames of other sites", got)
	}
	goTo(t, p, base+"/next")
	if got := len(p.Frames()); got != 1 {
		t.Errorf("%d frames after the navigation, want 1", got)
	}
}

// A frame keeps its identity when it goes to another process and back.
func TestFrameChangesProcess(t *testing.T) {
	base := site{"/": "<iframe src=/inner></iframe>", "/inner": "inner"}.serve(t)
	p := visit(t, base+"/")
	r := recording(t, p.browser)
	before := p.Frames()[1]
	to := func(url string) driver.Frame {
		t.Helper()
		r.mark()
		evaluate(t, p, "document.querySelector('iframe').src = '"+url+"'")
		await(t, r, func(e driver.Loaded) bool { return e.Frame == before.ID })
		frames := p.Frames()
		if len(frames) != 2 || frames[1].ID != before.ID || frames[1].Ordinal != before.Ordinal || frames[1].URL != url {
			t.Fatalf("frames = %+v, want %+v at %s", frames, before, url)
		}
		for _, e := range r.all() {
			switch e.(type) {
			case driver.FrameDetached, driver.FrameAttached:
				t.Errorf("%T%+v for a frame that stays", e, e)
			}
		}
		return frames[1]
	}
	for range 2 {
		if f := to(elsewhere(base) + "/inner"); !f.OwnProcess {
			t.Errorf("%+v is not in a process of its own", f)
		}
		if f := to(base + "/inner"); f.OwnProcess {
			t.Errorf("%+v is in a process of its own", f)
		}
		if _, err := p.worldOf(t.Context(), before.ID, driver.Isolated); err != nil {
			t.Error(err)
		}
	}
}

func TestPopupFromItsFirstByte(t *testing.T) {
	base := site{"/": "<a id=blank target=_blank href=/popup>x</a>", "/popup": "<title>popup</title><script>document.title += globalThis.early</script>"}.serve(t)
	b, err := testChrome(t).Open(t.Context(), &driver.BrowserOptions{InitScripts: []string{"globalThis.early = ' early'"}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p := b.Pages()[0].(*page)
	r := recording(t, b)
	goTo(t, p, base)
	for _, script := range []string{"window.open('/popup'); 1", "blank.click()", "window.open('" + elsewhere(base) + "/popup', '_blank', 'noopener'); 1"} {
		r.mark()
		evaluate(t, p, script)
		opened := await(t, r, func(e driver.PageOpened) bool { return true })
		loaded := await(t, r, func(e driver.Loaded) bool { return e.Page == opened.Page })
		popup := b.Pages()[1].(*page)
		if opened.Opener != p.ID() || popup.Opener() != p.ID() || !strings.HasSuffix(opened.URL, "/popup") || loaded.Frame != driver.FrameID(popup.ID()) {
			t.Errorf("%s: PageOpened = %+v, Opener() = %s, want the opener %s", script, opened, popup.Opener(), p.ID())
		}
		if got := evaluate(t, popup, "document.title"); got != "popup early" {
			t.Errorf("%s: title = %q, want what the init script prepared", script, got)
		}
		var kinds []string
		for _, e := range r.all() {
			if e.From() == opened.Page {
				kinds = append(kinds, strings.TrimPrefix(fmt.Sprintf("%T", e), "driver."))
			}
		}
		order := []string{"PageOpened", "NavigationRequested", "RequestStarted", "Navigated", "DOMContentLoaded", "Loaded"}
		at := -1
		for _, k := range order {
			i := slices.Index(kinds[at+1:], k)
			if i < 0 {
				t.Fatalf("%s: events %v lack %s in its place", script, kinds, k)
			}
			at += i + 1
		}
		if err := popup.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := popup.Close(t.Context()); err != nil {
			t.Errorf("a second Close = %v", err)
		}
		await(t, r, func(e driver.PageClosed) bool { return e.Page == opened.Page })
		if got := len(b.Pages()); got != 1 {
			t.Errorf("%d pages, want 1", got)
		}
	}
	// A window that closes itself.
	r.mark()
	evaluate(t, p, "window.open('/popup').onload = function() { this.close() }; 1")
	await(t, r, func(e driver.PageClosed) bool { return true })
}

func TestPages(t *testing.T) {
	b := testBrowser(t)
	second, err := b.NewPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	third, err := b.NewPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if pages := b.Pages(); len(pages) != 3 || pages[1] != second || pages[2] != third {
		t.Errorf("Pages() = %v, want them in the order of opening", pages)
	}
	if err := second.Activate(t.Context()); err != nil {
		t.Error(err)
	}
	for _, p := range b.Pages() {
		// Focus is emulated: none of them thinks that it is behind.
		if got := evaluate(t, p.(*page), "document.visibilityState + document.hasFocus()"); got != "visibletrue" {
			t.Errorf("page = %s", got)
		}
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
	if got := b.Pages(); len(got) != 0 {
		t.Errorf("Pages() = %v after all were closed", got)
	}
	if _, err := b.NewPage(t.Context()); err != nil {
		t.Errorf("NewPage after all were closed: %v", err)
	}
}

// A page that a link opens by a held key or the middle button has the link's page as its
// opener, and the link's address; Chrome names neither.
func TestOpenerOfLinks(t *testing.T) {
	t.Parallel()
	base := site{"/": `<a href="/other" style="position: absolute; left: 10px; top: 10px">Other</a>`, "/other": "<title>Other</title>"}.serve(t)
	b, err := testChrome(t).Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p := b.Pages()[0].(*page)
	r := recording(t, b)
	goTo(t, p, base)
	at := driver.Point{Frame: driver.FrameID(p.ID()), X: 15, Y: 15}
	for _, press := range []struct {
		held   driver.Modifiers
		button driver.Button
	}{{driver.Control, driver.Left}, {driver.Shift, driver.Left}, {0, driver.Middle}} {
		r.mark()
		if err := p.Input(t.Context(),
			driver.MouseDown{At: at, Button: press.button, Clicks: 1, Modifiers: press.held},
			driver.MouseUp{At: at, Button: press.button, Clicks: 1, Modifiers: press.held}); err != nil {
			t.Fatal(err)
		}
		opened := await(t, r, func(driver.PageOpened) bool { return true })
		if opened.Opener != p.ID() || opened.URL != base+"/other" {
			t.Errorf("%+v: PageOpened = %+v, want opener %s and %s/other", press, opened, p.ID(), base)
		}
	}
	made, err := b.NewPage(t.Context())
	if err != nil || made.Opener() != "" {
		t.Errorf("NewPage() has the opener %q, %v, want none", made.Opener(), err)
	}
}
