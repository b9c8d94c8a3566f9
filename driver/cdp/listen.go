package cdp

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Listen implements driver.Browser.
func (b *browser) Listen(fn func(driver.Event)) (stop func()) { return b.listeners.add(fn) }

// listeners are the functions that Listen registered.
type listeners struct {
	turn sync.Mutex // held while an event is delivered: one at a time

	mu   sync.Mutex // protects list, which is replaced and never changed
	list []*listener
}

type listener struct {
	fn      func(driver.Event)
	stopped atomic.Bool
}

func (l *listeners) add(fn func(driver.Event)) (stop func()) {
	one := &listener{fn: fn}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(slices.Clip(l.list), one)
	return func() { l.remove(one) }
}

func (l *listeners) remove(one *listener) {
	if one.stopped.Swap(true) {
		return
	}
	l.mu.Lock()
	l.list = slices.DeleteFunc(slices.Clone(l.list), func(o *listener) bool { return o == one })
	l.mu.Unlock()
	if delivering() {
		return
	}
	// A delivery under way may be past the look at stopped: it is waited for,
	// so that the caller can take down what fn uses.
	l.turn.Lock()
	defer l.turn.Unlock()
}

func (l *listeners) deliver(e driver.Event) {
	l.turn.Lock()
	defer l.turn.Unlock()
	l.mu.Lock()
	list := l.list
	l.mu.Unlock()
	for _, one := range list {
		if !one.stopped.Load() {
			one.fn(e)
		}
	}
}

// delivering reports whether the caller runs within a listener, where waiting
// for the delivery would be waiting for itself.
func delivering() bool {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, "cdp.(*listeners).deliver") {
			return true
		}
		if !more {
			return false
		}
	}
}
