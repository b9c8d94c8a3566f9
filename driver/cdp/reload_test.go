package cdp

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Chrome shows a page of its own about what could not be opened, and would load
// it again after a second, and again: what was asked for once would be done
// twice where the answer alone was lost.
func TestFailureIsNotLoadedAgain(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := "http://" + closed.Addr().String()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	p := testPage(t)
	if _, err := p.Navigate(t.Context(), dead, nil); err == nil {
		t.Fatal("a dead port was opened")
	}
	asked := make(chan string, 10)
	defer p.browser.Listen(func(e driver.Event) {
		if e, ok := e.(driver.RequestStarted); ok && strings.HasPrefix(e.URL, dead) {
			asked <- e.URL
		}
	})()
	select {
	case url := <-asked:
		t.Errorf("%s was asked for again", url)
	case <-time.After(2 * time.Second):
	}
}
