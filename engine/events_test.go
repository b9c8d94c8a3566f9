package engine_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// TestEventHooks has hooks hear of pages, of the console and of errors, without
// the values of variables.
func TestEventHooks(t *testing.T) {
	var heard []string
	hooks := &engine.Hooks{
		Opened:    func(p driver.PageOpened) { heard = append(heard, "opened "+p.URL) },
		Console:   func(m driver.ConsoleMessage) { heard = append(heard, string(m.Level)+" "+m.Text) },
		PageError: func(e driver.PageError) { heard = append(heard, "error "+e.Text) },
	}
	d := fake.New(fake.Options{
		Web: fake.Web{shopAddress: `<title>Shop</title><input id="pin" aria-label="PIN"><button>Go</button>`, "https://shop.test/two": "<h1>Two</h1>"},
		Scripts: map[string]func(*fake.Document){shopAddress: func(d *fake.Document) {
			d.On("click", "button", func(*fake.Event) {
				d.Console(driver.ConsoleWarning, "the pin is "+d.Find("#pin").Value())
				d.Throw("TypeError: no " + d.Find("#pin").Value())
				d.Open("/two")
			})
		}},
	})
	for _, joined := range []bool{false, true} {
		heard = nil
		opts := &engine.Options{Hooks: hooks}
		if joined {
			opts.Hooks = engine.JoinHooks(&engine.Hooks{}, hooks)
		}
		page := openOn(t, d, opts)
		secret := &engine.ActOptions{Variables: map[string]engine.Variable{"pin": {Value: "48151623"}}}
		if _, err := page.Do(t.Context(), engine.Action{Selector: "#pin", Method: engine.Fill, Arguments: []string{"%pin%"}}, secret); err != nil {
			t.Fatal(err)
		}
		if _, err := page.Do(t.Context(), engine.Action{Selector: "button"}, nil); err != nil {
			t.Fatal(err)
		}
		if want := []string{"warning the pin is %pin%", "error TypeError: no %pin%", "opened https://shop.test/two"}; !slices.Equal(heard, want) {
			t.Errorf("joined %t: hooks heard %q, want %q", joined, heard, want)
		}
	}
}

// TestBrowserOptionsTwice refuses what has a place of its own in Options.
func TestBrowserOptionsTwice(t *testing.T) {
	for name, o := range map[string]engine.BrowserOptions{
		"Dialog":      {Dialog: func(driver.Dialog) driver.DialogAnswer { return driver.DialogAnswer{} }},
		"DownloadDir": {DownloadDir: t.TempDir()},
		"MaxDownload": {MaxDownload: 1},
		"Dial":        {Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no") }},
	} {
		if s, err := engine.Open(t.Context(), fake.Web{}, &engine.Options{Browser: o}); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", name, err)
			if err == nil {
				s.Close()
			}
		}
	}
}
