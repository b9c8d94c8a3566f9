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

// A listener may stop itself from however deep, through functions that a
// compiler inlines, and beside one that another goroutine stops.
func TestStopDeepWithinListener(t *testing.T) {
	var l listen.Listeners
	var stop func()
	called := 0
	var deep func(n int)
	deep = func(n int) {
		if n == 0 {
			stop()
			return
		}
		deep(n - 1)
	}
	stop = l.Add(func(driver.Event) { called++; deep(1000) })
	within := func(e driver.Event) { l.Deliver(e) } // may be inlined
	within(driver.PageClosed{})
	within(driver.PageClosed{})
	if called != 1 {
		t.Errorf("called %d times, want once", called)
	}
}

// A goroutine that a listener starts is not within it: it waits, too.
func TestStopBesideListener(t *testing.T) {
	var l listen.Listeners
	var over atomic.Bool
	stopped, waiting := make(chan bool), make(chan struct{})
	var stop func()
	stop = l.Add(func(driver.Event) {
		go func() {
			close(waiting)
			stop()
			stopped <- over.Load()
		}()
		<-waiting
		over.Store(true)
	})
	l.Deliver(driver.PageClosed{})
	if !<-stopped {
		t.Error("stop returned before the delivery was over")
	}
}
