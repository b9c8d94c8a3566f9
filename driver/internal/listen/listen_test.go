package listen_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/internal/listen"
)

func TestStopWithinListener(t *testing.T) {
	var l listen.Listeners
	var first, second int
	var stop func()
	stop = l.Add(func(driver.Event) { first++; stop(); stop() })
	l.Add(func(driver.Event) { second++ })
	l.Deliver(driver.PageClosed{})
	l.Deliver(driver.PageClosed{})
	if first != 1 || second != 2 {
		t.Errorf("called %d and %d times, want 1 and 2", first, second)
	}
}

// Stop from elsewhere returns only when a delivery under way is over.
func TestStopWaits(t *testing.T) {
	var l listen.Listeners
	begun, goOn := make(chan struct{}), make(chan struct{})
	var over atomic.Bool
	stop := l.Add(func(driver.Event) { close(begun); <-goOn; over.Store(true) })
	var wait sync.WaitGroup
	wait.Go(func() { l.Deliver(driver.PageClosed{}) })
	<-begun
	wait.Go(func() { close(goOn) })
	stop()
	if !over.Load() {
		t.Error("stop returned before the delivery was over")
	}
	wait.Wait()
}
