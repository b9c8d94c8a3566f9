package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// startChrome runs a Chrome of the test's own.
func startChrome(t *testing.T) *cdp.Chrome {
	t.Helper()
	chrome, err := cdp.Start(context.Background(), cdp.Launch{Args: []string{"--disable-features=SpareRendererForSitePerProcess"}})
	chrometest.Need(t, err)
	t.Cleanup(func() { chrome.Close() })
	return chrome
}

// counter is a site whose page counts clicks.
func counter(t *testing.T) string {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!DOCTYPE html><title>Counter</title><button onclick="n.textContent = +n.textContent + 1">Add</button> <p>Count <span id=n>0</span></p>`)
	}))
	t.Cleanup(site.Close)
	return site.URL
}

// TestTwentySessionsInChrome work at once in one process.
func TestTwentySessionsInChrome(t *testing.T) {
	chrometest.Long(t)
	c := serve(t, startChrome(t), nil)
	site := counter(t)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			path := "/v1/sessions/" + get[string](t, c.post("/v1/sessions/start", startAny), "data", "sessionId")
			for _, step := range [][2]string{
				{"/navigate", `{"url":"` + site + `"}`},
				{"/act", `{"input":{"selector":"button","description":"add"}}`},
			} {
				if got := c.post(path+step[0], step[1]); got.status != 200 {
					t.Errorf("%s: %d %s", step[0], got.status, got.body)
				}
			}
			got := c.post(path+"/extract", `{}`)
			if text := get[string](t, got, "data", "result", "pageText"); text == "" {
				t.Errorf("extract: %s", got.body)
			}
			if got := c.post(path+"/extract", `{"options":{"selector":"p"}}`); get[string](t, got, "data", "result", "pageText") != "Count 1\n" {
				t.Errorf("extract = %s, want a count of 1: each session has its own page", got.body)
			}
			c.post(path+"/end", "")
		})
	}
	all.Wait()
}

// TestChromeThatDies: a session whose own Chrome dies is told so once, and the
// others live.
func TestChromeThatDies(t *testing.T) {
	chrome := startChrome(t)
	var own *cdp.Chrome
	c := serve(t, chrome, &server.Options{
		Browsers: server.Browsers{Policy: &engine.Policy{Private: []string{"*"}, Schemes: []string{"chrome"}}, Launch: func(wire.LaunchOptions) (driver.Driver, error) {
			own = startChrome(t)
			return own, nil
		}},
	})
	site := counter(t)
	shared := c.startWith(startAny)
	dying := c.startWith(`{"modelName":"openai/m","browser":{"launchOptions":{"devtools":true}}}`)
	for _, path := range []string{shared, dying} {
		c.must(200, c.post(path+"/navigate", `{"url":"`+site+`"}`))
	}
	own.Close()
	c.wantFault(503, wire.BrowserUnavailable, c.post(dying+"/act", `{"input":{"selector":"button","description":"add"}}`))
	c.wantFault(404, wire.SessionNotFound, c.post(dying+"/observe", `{}`))
	c.must(200, c.post(shared+"/act", `{"input":{"selector":"button","description":"add"}}`))

	// So is one whose only page dies, by then or by the next request.
	if got := c.post(shared+"/navigate", `{"url":"chrome://crash"}`); got.status != 503 {
		c.wantFault(503, wire.BrowserUnavailable, c.post(shared+"/observe", `{}`))
	}
	c.wantFault(404, wire.SessionNotFound, c.post(shared+"/observe", `{}`))
	other := c.startWith(startAny)
	c.must(200, c.post(other+"/navigate", `{"url":"`+site+`"}`))
}
