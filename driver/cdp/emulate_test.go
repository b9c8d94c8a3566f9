package cdp

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	cdptarget "github.com/mafredri/cdp/protocol/target"
	"github.com/tidwall/gjson"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/cbor"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

const surroundings = `[innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints, navigator.language,
	Intl.DateTimeFormat().resolvedOptions().timeZone, (1234.5).toLocaleString()].join(' ')`

func TestEmulate(t *testing.T) {
	var seen atomic.Pointer[http.Header] // of the last document that was asked for
	base := handle(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			header := r.Header.Clone()
			seen.Store(&header)
		}
		html("<meta name=viewport content='width=device-width'>")(w, r)
	}})
	first := driver.Emulation{
		Viewport: driver.Size{Width: 800, Height: 600}, Scale: 2, Touch: true, Locale: "de-DE", TimeZone: "Asia/Tokyo",
		Headers: map[string]string{"X-Test": "one"},
	}
	b, err := testChrome(t).Open(t.Context(), &driver.BrowserOptions{Emulation: first})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p := b.Pages()[0].(*page)
	goTo(t, p, base)
	if got, want := evaluate(t, p, surroundings), "800 600 2 5 de-DE Asia/Tokyo 1.234,5"; got != want {
		t.Errorf("surroundings = %s, want %s", got, want)
	}
	last := *seen.Load()
	if last.Get("X-Test") != "one" || !strings.HasPrefix(last.Get("Accept-Language"), "de-DE") {
		t.Errorf("headers = %v", last)
	}

	const agent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
	if err := p.Emulate(t.Context(), &driver.Emulation{Viewport: driver.Size{Width: 400, Height: 300}, TimeZone: "Europe/Zurich", UserAgent: agent}); err != nil {
		t.Fatal(err)
	}
	goTo(t, p, base)
	if got, want := evaluate(t, p, surroundings), "400 300 2 5 de-DE Europe/Zurich 1.234,5"; got != want {
		t.Errorf("surroundings = %s, want %s", got, want)
	}
	script := "[navigator.userAgent == '" + agent + "', navigator.platform, navigator.userAgentData?.platform].join(' ')"
	if got := evaluate(t, p, script); !strings.HasPrefix(got, "true Win32") {
		t.Errorf("navigator = %s", got)
	}
	last = *seen.Load()
	if got := last.Get("User-Agent"); got != agent {
		t.Errorf("User-Agent = %s", got)
	}
	if got := last.Get("Sec-CH-UA-Platform"); got != "" && got != `"Windows"` {
		t.Errorf("Sec-CH-UA-Platform = %s", got)
	}
	// A new page has what the browser's options say.
	q, err := b.NewPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	goTo(t, q.(*page), base)
	if got, want := evaluate(t, q.(*page), surroundings), "800 600 2 5 de-DE Asia/Tokyo 1.234,5"; got != want {
		t.Errorf("surroundings of a new page = %s, want %s", got, want)
	}
	if got := evaluate(t, open(t, "x"), "[innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints].join(' ')"); got != "1280 720 1 0" {
		t.Errorf("default surroundings = %s", got)
	}
}

func TestEmulateRefused(t *testing.T) {
	c := testChrome(t)
	if _, err := c.Open(t.Context(), &driver.BrowserOptions{Emulation: driver.Emulation{TimeZone: "Mars/Olympus"}}); err == nil || !strings.Contains(err.Error(), "timezone") {
		t.Errorf("Open with a time zone that is none = %v", err)
	}
	p := testPage(t)
	if err := p.Emulate(t.Context(), &driver.Emulation{TimeZone: "Mars/Olympus"}); err == nil {
		t.Error("Emulate took a time zone that is none")
	}
	// A window of the same process has the same locale, which is set once.
	b, err := c.Open(t.Context(), &driver.BrowserOptions{Emulation: driver.Emulation{Locale: "de-DE", TimeZone: "Asia/Tokyo"}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	r := recording(t, b)
	evaluate(t, b.Pages()[0].(*page), "globalThis.w = open('about:blank'); 1")
	await[driver.PageOpened](t, r, nil)
	popup := b.Pages()[1].(*page)
	<-popup.ready.known
	if got, err := evaluate(t, popup, surroundings), popup.ready.failure(); err != nil || !strings.HasSuffix(got, "de-DE Asia/Tokyo 1.234,5") {
		t.Errorf("surroundings of the window = %s, %v", got, err)
	}
}

// A page may go before Chrome has answered all that sets it up. Whoever ends its session
// notes what becomes of the rest, beside the reader.
func TestGoneWhileItIsSetUp(t *testing.T) {
	fromChrome, answers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	commands, toChrome, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer answers.Close()
	defer commands.Close()
	c := &Chrome{contexts: map[string]*browser{}}
	c.conn = conn.New(conn.NewPipe(fromChrome, toChrome), conn.Options{
		Log: slog.New(slog.DiscardHandler), End: func(error) error { return driver.ErrClosed },
		Refused: func(conn.Handler, string, *conn.Failure) error { return errors.ErrUnsupported },
	})
	c.conn.Run()
	defer c.conn.Close()
	s := &session{chrome: c, kind: "page"}
	s.Session = c.conn.Open("S", s)
	b := newBrowser(c, &driver.BrowserOptions{Emulation: driver.Emulation{Touch: true}})
	if !b.addPage(s, &cdptarget.Info{TargetID: "P"}) {
		t.Fatal("the page was not taken in")
	}
	for {
		head := make([]byte, cbor.HeaderLength)
		if _, err := io.ReadFull(commands, head); err != nil {
			t.Fatal(err)
		}
		n, err := cbor.Length(head)
		if err != nil {
			t.Fatal(err)
		}
		rest := make([]byte, n-cbor.HeaderLength)
		if _, err := io.ReadFull(commands, rest); err != nil {
			t.Fatal(err)
		}
		raw, err := cbor.AppendJSON(nil, append(head, rest...))
		if err != nil {
			t.Fatal(err)
		}
		if m := gjson.ParseBytes(raw); m.Get("method").String() == "Emulation.setTouchEmulationEnabled" {
			answer, err := cbor.Append(nil, fmt.Appendf(nil, `{"id":%d,"sessionId":"S","error":{"code":-32000,"message":"no"}}`, m.Get("id").Int()))
			if err == nil {
				_, err = answers.Write(answer)
			}
			if err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	time.Sleep(50 * time.Millisecond) // nothing says that the reader has it
	p := b.pages[0]
	s.Drop(driver.ErrDetached)
	<-p.ready.known
	if err := p.ready.failure(); !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, driver.ErrDetached) {
		t.Errorf("set up = %v, want what was refused, or that it has gone", err)
	}
}

func TestAddInitScript(t *testing.T) {
	base := site{"/": "<script>document.title = globalThis.early ?? 'none'</script>"}.serve(t)
	p := visit(t, base)
	if got := evaluate(t, p, "document.title"); got != "none" {
		t.Errorf("title = %s", got)
	}
	if err := p.AddInitScript(t.Context(), "globalThis.early = 'yes'"); err != nil {
		t.Fatal(err)
	}
	if got := evaluate(t, p, "typeof globalThis.early"); got != "undefined" {
		t.Errorf("the script ran in the document that is there: %s", got)
	}
	goTo(t, p, base)
	if got := evaluate(t, p, "document.title"); got != "yes" {
		t.Errorf("title = %s", got)
	}
}
