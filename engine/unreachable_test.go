package engine_test

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// TestLinkThatCannotBeOpened: where a click leads to no page but the browser's
// own about a failure, it was done and failed, and the reason is told.
func TestLinkThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := "http://" + closed.Addr().String() + "/cart"
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	page, address := openOnChrome(t, write(`<a href="`+dead+`">Cart</a><form action="`+dead+`"><button>Pay</button></form>`), nil)
	for selector, to := range map[string]string{"a": dead, "button": dead + "?"} {
		if _, err := page.Navigate(t.Context(), address, nil); err != nil {
			t.Fatal(err)
		}
		r, err := page.Do(t.Context(), engine.Action{Selector: selector}, nil)
		var failed *driver.NavigationError
		if !errors.As(err, &failed) || failed.Reason != driver.ReasonRefused || errors.Is(err, engine.ErrMayHaveHappened) {
			t.Errorf("Do(click %s) = %v, want the connection refused", selector, err)
		}
		if r.Success || r.Sent != engine.SentAll || len(r.Actions) != 1 || !strings.Contains(r.Message, "net::ERR_CONNECTION_REFUSED") || strings.Contains(r.Message, "chrome-error") {
			t.Errorf("result = %+v", r)
		}
		if n := r.Evidence.Navigation; n == nil || n.To != to || n.Failed != "net::ERR_CONNECTION_REFUSED" {
			t.Errorf("navigation = %+v", n)
		}
	}
}
