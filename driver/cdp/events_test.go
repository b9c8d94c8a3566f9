package cdp

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A call that waits for an event returns when the listeners have been told,
// also a listener that takes its time.
func TestListenersAreToldBeforeTheCallReturns(t *testing.T) {
	b := testBrowser(t)
	p, err := b.NewPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var loaded, closed atomic.Bool
	dawdle := func(told *atomic.Bool) {
		for range 100_000 {
			runtime.Gosched()
		}
		told.Store(true)
	}
	defer b.Listen(func(e driver.Event) {
		switch e.(type) {
		case driver.Loaded:
			dawdle(&loaded)
		case driver.PageClosed:
			dawdle(&closed)
		}
	})()
	if _, err := p.Navigate(t.Context(), "data:text/html,x", nil); err != nil || !loaded.Load() {
		t.Errorf("Navigate returned (%v) before Loaded was told", err)
	}
	if err := p.Close(t.Context()); err != nil || !closed.Load() {
		t.Errorf("Close returned (%v) before PageClosed was told", err)
	}
}
