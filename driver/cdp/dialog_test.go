package cdp

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func TestDialogs(t *testing.T) {
	p := open(t, "<p>x")
	r := recording(t, p.browser)
	for _, c := range []struct {
		script string
		answer func(driver.Dialog) driver.DialogAnswer
		want   string
		dialog driver.Dialog
	}{
		{"alert('hello')", nil, "<nil>", driver.Dialog{Kind: driver.Alert, Message: "hello"}},
		{"confirm('sure?')", nil, "false", driver.Dialog{Kind: driver.Confirm, Message: "sure?"}},
		{"prompt('name?', 'Ada')", nil, "<nil>", driver.Dialog{Kind: driver.Prompt, Message: "name?", Default: "Ada"}},
		{"confirm('sure?')", func(driver.Dialog) driver.DialogAnswer { return driver.DialogAnswer{Accept: true} }, "true",
			driver.Dialog{Kind: driver.Confirm, Message: "sure?"}},
		{"prompt('name?', 'Ada')", func(d driver.Dialog) driver.DialogAnswer {
			return driver.DialogAnswer{Accept: true, Text: d.Default + "!"}
		}, "Ada!", driver.Dialog{Kind: driver.Prompt, Message: "name?", Default: "Ada"}},
	} {
		r.mark()
		p.OnDialog(c.answer)
		if got := evaluate(t, p, c.script); got != c.want {
			t.Errorf("%s = %s, want %s", c.script, got, c.want)
		}
		opened := await[driver.DialogOpened](t, r, nil)
		c.dialog.URL = p.Frames()[0].URL
		if opened.Dialog != c.dialog {
			t.Errorf("%s opened %+v, want %+v", c.script, opened.Dialog, c.dialog)
		}
		if closed := await[driver.DialogClosed](t, r, nil); closed.Dialog != c.dialog {
			t.Errorf("%s closed %+v", c.script, closed)
		}
	}
}

// While a person is asked the page stands still, and nothing else does.
func TestDialogOfSlowPerson(t *testing.T) {
	p := open(t, "<p>x")
	other, err := p.browser.NewPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	asked, answer := make(chan driver.Dialog), make(chan driver.DialogAnswer)
	p.OnDialog(func(d driver.Dialog) driver.DialogAnswer { asked <- d; return <-answer })
	signal := p.dialogSignal()
	calls, err := p.session.Start(t.Context(), untyped("Runtime.evaluate").With(map[string]any{"expression": "confirm('x')"}))
	if err != nil {
		t.Fatal(err)
	}
	<-asked
	<-signal
	<-p.dialogSignal() // also for who comes later
	ctx, cancel := context.WithCancel(t.Context())
	waits, err := p.session.Start(ctx, untyped("Runtime.evaluate").With(map[string]any{"expression": "1"}))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := waits[0].Wait(ctx); err == nil {
		t.Error("a page with a dialog runs scripts")
	}
	if got := evaluate(t, other.(*page), "1+1"); got != "2" {
		t.Errorf("the other page says %s", got)
	}
	answer <- driver.DialogAnswer{Accept: true}
	if raw, err := calls[0].Wait(t.Context()); err != nil || !strings.Contains(string(raw), "true") {
		t.Errorf("confirm = %s, %v", raw, err)
	}
	select {
	case <-p.dialogSignal():
		t.Error("the signal still tells of a dialog")
	default:
	}
}

func TestBeforeUnload(t *testing.T) {
	base := site{"/": "<button id=b>x</button><script>onbeforeunload = e => { e.preventDefault(); return 'x' }</script>", "/next": "<title>next</title>"}.serve(t)
	p := visit(t, base+"/")
	r := recording(t, p.browser)
	evaluate(t, p, "b.focus()") // a gesture, without which the page may not ask
	p.OnDialog(func(d driver.Dialog) driver.DialogAnswer { return driver.DialogAnswer{} })
	_, err := p.Navigate(t.Context(), base+"/next", nil)
	if err == nil || p.Frames()[0].URL != base+"/" {
		t.Errorf("Navigate over a declined beforeunload = %v at %s", err, p.Frames()[0].URL)
	}
	if d := await[driver.DialogOpened](t, r, nil); d.Dialog.Kind != driver.BeforeUnload {
		t.Errorf("dialog = %+v", d)
	}
	// A navigation of the page's own that is declined has an end, too.
	r.mark()
	evaluate(t, p, "b.focus(); location.href = '/next'; 1")
	await[driver.NavigationRequested](t, r, nil)
	await[driver.NavigationEnded](t, r, nil)
	p.OnDialog(nil)
	if _, err := p.Navigate(t.Context(), base+"/next", nil); err != nil {
		t.Errorf("Navigate over an accepted beforeunload = %v", err)
	}
	// Close asks nobody.
	goTo(t, p, base+"/")
	evaluate(t, p, "b.focus()")
	p.OnDialog(func(driver.Dialog) driver.DialogAnswer { t.Error("Close asks"); return driver.DialogAnswer{} })
	if err := p.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestDialogOfFirstByte(t *testing.T) {
	base := site{"/": "x", "/popup": "<script>document.title = prompt('?')</script>"}.serve(t)
	b, err := testChrome(t).Open(t.Context(), &driver.BrowserOptions{Dialog: func(driver.Dialog) driver.DialogAnswer {
		return driver.DialogAnswer{Accept: true, Text: "early"}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	r := recording(t, b)
	p := b.Pages()[0].(*page)
	goTo(t, p, base)
	evaluate(t, p, "open('/popup'); 1")
	opened := await(t, r, func(e driver.PageOpened) bool { return e.Opener == p.ID() })
	await(t, r, func(e driver.Loaded) bool { return e.Page == opened.Page })
	if got := evaluate(t, b.Pages()[1].(*page), "document.title"); got != "early" {
		t.Errorf("title = %q", got)
	}
}

func TestFileChooser(t *testing.T) {
	p := open(t, "<input id=one type=file><input id=many type=file multiple>")
	r := recording(t, p.browser)
	for id, multiple := range map[string]bool{"one": false, "many": true} {
		r.mark()
		evaluate(t, p, id+".click()")
		e := await[driver.FileChooserOpened](t, r, nil)
		f := p.Frames()[0]
		if e.Multiple != multiple || e.Node.Doc != f.Doc || e.Node.Frame != f.ID || e.Node.Node == 0 {
			t.Errorf("%s: %+v", id, e)
		}
	}
}

func TestDownloads(t *testing.T) {
	base := handle(t, map[string]http.HandlerFunc{
		"/": html(`<a id=a href=/file>x</a><a id=b href=/file target=_blank>y</a><a id=c download=../../evil href=/>z</a>`),
		"/file": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Disposition", `attachment; filename="a b.txt"`)
			_, _ = w.Write([]byte("hello"))
		},
	})
	dir := t.TempDir()
	b, err := testChrome(t).Open(t.Context(), &driver.BrowserOptions{DownloadDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p := b.Pages()[0].(*page)
	r := recording(t, b)
	goTo(t, p, base)
	for _, script := range []string{"a.click()", "b.click()", "c.click()"} {
		r.mark()
		evaluate(t, p, script)
		begun := await[driver.DownloadStarted](t, r, nil)
		ended := await(t, r, func(e driver.DownloadEnded) bool { return e.ID == begun.ID })
		if ended.Canceled || !strings.HasPrefix(ended.Path, dir) || strings.Contains(ended.Path, "evil") {
			t.Errorf("%s: %+v %+v", script, begun, ended)
		}
		got, err := os.ReadFile(ended.Path)
		if err != nil || int64(len(got)) != ended.Size || script != "c.click()" && (string(got) != "hello" || begun.Name != "a b.txt") {
			t.Errorf("%s: %q (%v) of %+v %+v", script, got, err, begun, ended)
		}
	}
	r.mark()
	evaluate(t, p, "a.click()")
	await[driver.NavigationRequested](t, r, nil)
	await[driver.NavigationEnded](t, r, nil)

	// Without a directory nothing is saved.
	p = visit(t, base)
	r = recording(t, p.browser)
	evaluate(t, p, "a.click()")
	if e := await[driver.DownloadEnded](t, r, nil); !e.Canceled || e.Path != "" {
		t.Errorf("without a directory: %+v", e)
	}
}

// Nothing is kept of a download that is canceled while Chrome completes it.
func TestNoRestOfADownload(t *testing.T) {
	base := handle(t, map[string]http.HandlerFunc{
		"/": html(`<a id=a href=/large>x</a>`),
		"/large": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Disposition", "attachment")
			_, _ = w.Write(make([]byte, 4<<20))
		},
	})
	dir := t.TempDir()
	p := openWith(t, &driver.BrowserOptions{DownloadDir: dir, MaxDownload: 4<<20 - 1}).Pages()[0].(*page)
	r := recording(t, p.browser)
	goTo(t, p, base)
	for range 30 {
		r.mark()
		evaluate(t, p, "a.click()")
		if e := await[driver.DownloadEnded](t, r, nil); !errors.Is(e.Err, driver.ErrTooLarge) {
			t.Fatalf("the download ended with %+v, want %v", e, driver.ErrTooLarge)
		}
	}
	var rest []os.DirEntry
	for range 100 { // Chrome takes a moment
		var err error
		if rest, err = os.ReadDir(dir); err != nil {
			t.Fatal(err)
		}
		if len(rest) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("there is still %v", rest)
}
