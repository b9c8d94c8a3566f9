package fake

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// listeners delivers events to those who registered, one at a time and on the
// goroutine on which they happen, so that whoever caused an event has had it
// delivered before the call returns.
type listeners struct {
	delivery sync.Mutex // held while an event is delivered

	mu  sync.Mutex // protects all
	all []*listener
}

type listener struct {
	fn      func(driver.Event)
	stopped atomic.Bool
}

func (l *listeners) add(fn func(driver.Event)) (stop func()) {
	reg := &listener{fn: fn}
	l.mu.Lock()
	l.all = append(slices.Clone(l.all), reg)
	l.mu.Unlock()
	return func() { l.remove(reg) }
}

func (l *listeners) remove(reg *listener) {
	reg.stopped.Store(true)
	l.mu.Lock()
	l.all = slices.DeleteFunc(slices.Clone(l.all), func(r *listener) bool { return r == reg })
	l.mu.Unlock()
	if withinDelivery() {
		return
	}
	// A delivery under way may have passed the check of stopped: its end is
	// the moment from which fn is not called again.
	l.delivery.Lock()
	defer l.delivery.Unlock()
}

func (l *listeners) deliver(e driver.Event) {
	l.delivery.Lock()
	defer l.delivery.Unlock()
	l.mu.Lock()
	all := l.all
	l.mu.Unlock()
	for _, reg := range all {
		if !reg.stopped.Load() {
			reg.fn(e)
		}
	}
}

// withinDelivery reports whether the caller runs within a listener: there,
// waiting for the delivery to end would wait for itself.
func withinDelivery() bool {
	pcs := make([]uintptr, 128)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, "fake.(*listeners).deliver") {
			return true
		}
		if !more {
			return false
		}
	}
}
