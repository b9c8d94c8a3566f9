package server_test

import (
	"context"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/strikes"
	"github.com/wayfinder-engine/wayfinder/server"
)

var everyStrike = flag.Bool("strikes", false, "strike at each driver call, and not at each fifth")

// A seen driver keeps the browser that it opened last.
type seen struct {
	driver.Driver
	browser driver.Browser
}

func (d *seen) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	b, err := d.Driver.Open(ctx, opts)
	d.browser = b
	return b, err
}

// TestStrikesOverHTTP: two elements swap their names at each driver call of an act that a
// client sends, with the members that the interface has: selector, method and arguments.
func TestStrikesOverHTTP(t *testing.T) {
	chrometest.Long(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(strikes.Page))
	}))
	t.Cleanup(site.Close)
	files := t.TempDir()
	if err := os.WriteFile(filepath.Join(files, "paper.txt"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	fault := faults.Run("swap()").On(-1, "")
	faulty := faults.Wrap(startChrome(t), fault)
	faulty.Glances = true
	d := &seen{Driver: faulty}
	c := serve(t, d, &server.Options{Browsers: server.Browsers{FilesDir: files}})
	path := "/v1/sessions/" + get[string](t, c.post("/v1/sessions/start", startAny), "data", "sessionId")
	c.must(http.StatusOK, c.post(path+"/navigate", `{"url":"`+site.URL+`"}`))
	main := func(expression string) []byte {
		t.Helper()
		raw, err := d.browser.Pages()[0].Evaluate(t.Context(), expression, &driver.EvaluateOptions{World: driver.Main})
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	struck, done, stride := 0, 0, 5
	if *everyStrike {
		stride = 1
	}
	for i, one := range strikes.Cases("paper.txt") {
		if one.Method == engine.DragAndDrop {
			continue // its argument is a ref there
		}
		body, err := json.Marshal(map[string]any{"input": map[string]any{"selector": "css=#meant", "description": "", "method": one.Method, "arguments": one.Args}})
		if err != nil {
			t.Fatal(err)
		}
		html, _ := json.Marshal(one.HTML()) // no string fails
		for k := 1 + i%stride; ; k += stride {
			main("show(" + string(html) + ")")
			if err := d.browser.Pages()[0].Input(t.Context(), driver.MouseMove{At: driver.Point{X: 700, Y: 500}}); err != nil {
				t.Fatal(err)
			}
			main("felt.length = 0")
			before := fault.Count()
			fault.On(faulty.Calls("")+k, "")
			got := c.post(path+"/act", string(body))
			fault.On(-1, "")
			if fault.Count() == before {
				break
			}
			struck++
			if got.status == http.StatusOK && strings.Contains(string(got.body), `"success":true,"message"`) {
				done++
			}
			if felt := string(main("felt.join(', ')")); strings.Contains(felt, "Other") {
				t.Errorf("%s %v, struck at call %d: the page felt %s\n%s", one.Method, one.Args, k, felt, got.body)
			}
		}
	}
	t.Logf("%d strikes, %d of them done all the same", struck, done)
	if struck == 0 {
		t.Error("no strike")
	}
}
