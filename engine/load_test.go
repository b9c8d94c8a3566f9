package engine_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A page one of whose frames never answers is used as it is after 10 s, unless the caller
// asks for the load event; one that does not answer itself is an error.
func TestPageThatNeverLoads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := make(chan struct{})
		session, err := engine.Open(t.Context(), fake.New(fake.Options{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/silent" {
				<-silent
				return
			}
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<button>Buy</button><iframe src=/silent></iframe>")
		})}), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		defer close(silent)
		for _, c := range []struct {
			address string
			until   driver.WaitUntil
			takes   time.Duration
			done    bool
		}{
			{"https://shop.test/", "", 10 * time.Second, true},
			{"https://shop.test/", driver.WaitLoad, 20 * time.Second, false},
			{"https://shop.test/", driver.WaitDOMContentLoaded, 0, true},
			{"https://shop.test/silent", "", 20 * time.Second, false},
		} {
			begun := time.Now()
			resp, err := session.Page().Navigate(t.Context(), c.address, &engine.NavigateOptions{WaitUntil: c.until, Timeout: 20 * time.Second})
			if took := time.Since(begun); took != c.takes {
				t.Errorf("Navigate to %s until %q took %v, want %v", c.address, c.until, took, c.takes)
			}
			if done := err == nil && resp != nil && resp.Status == 200; done != c.done || !done && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Navigate to %s until %q = %+v, %v", c.address, c.until, resp, err)
			}
		}
		if _, err := session.Page().Navigate(t.Context(), "https://shop.test/", nil); err != nil {
			t.Fatal(err)
		}
		if _, err := session.Page().Do(t.Context(), engine.Action{Selector: "button", Method: engine.Click}, nil); err != nil {
			t.Error(err)
		}
	})
}

// Acts on a page whose answer never ends do not wait for the end of it, neither of its
// own document nor of a frame's.
func TestActsOnAPageThatNeverEnds(t *testing.T) {
	for path, page := range map[string]string{
		"/document": "<p>Sold out</p><button onclick=\"this.textContent += '!'\">Buy</button>",
		"/frame":    "<p>Sold out</p><button onclick=\"this.textContent += '!'\">Buy</button><iframe src=/document></iframe>",
	} {
		synctest.Test(t, func(t *testing.T) {
			silent := make(chan struct{})
			session, err := engine.Open(t.Context(), fake.New(fake.Options{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				if r.URL.Path != path {
					io.WriteString(w, "<p>Soon</p>")
				} else {
					io.WriteString(w, page)
				}
				if r.URL.Path == "/document" {
					w.(http.Flusher).Flush()
					<-silent
				}
			})}), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			defer close(silent)
			if _, err := session.Page().Navigate(t.Context(), "https://shop.test"+path, nil); err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			for range 3 {
				res, err := session.Page().Do(t.Context(), engine.Action{Selector: "button", Method: engine.Click}, nil)
				if err != nil || !res.Success {
					t.Errorf("Do on %s = %+v, %v", path, res, err)
				}
			}
			if took := time.Since(begun); took >= 5*time.Second {
				t.Errorf("three clicks on %s took %v", path, took)
			}
			if res, err := session.Page().Do(t.Context(), engine.Action{Selector: "p", Method: engine.Click}, nil); err != nil || res.Evidence.Effect != engine.EffectNone {
				t.Errorf("a click on %s without effect = %+v, %v", path, res, err)
			}
		})
	}
}

// A document that a script opens and never closes says for ever that it is being parsed.
func TestActsOnADocumentOfAScript(t *testing.T) {
	const written = "document.write(`<p>Sold out</p><button onclick=\"this.textContent += '!'\">Buy</button>`)"
	page := lateOnChrome(t, "<body onload='"+strings.ReplaceAll(written, "'", "&#39;")+"'>", &engine.Options{SettleTimeout: time.Hour})
	for selector, effect := range map[string]engine.Effect{"button": engine.EffectPage, "p": engine.EffectNone} {
		res, err := page.Do(t.Context(), engine.Action{Selector: selector, Method: engine.Click}, nil)
		if err != nil || res.Evidence.Effect != effect {
			t.Errorf("a click on %s = %+v, %v, want effect %q", selector, res, err, effect)
		}
	}
}
