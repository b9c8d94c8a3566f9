package engine_test

import (
	"context"
	"errors"
	"io"
	"net/http"
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
