// Package listen delivers a browser's events to those who registered, as
// driver.Browser.Listen promises it: one at a time, in order, and on the
// goroutine that tells them.
package listen

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Listeners are the functions that were registered. The zero value has none.
type Listeners struct {
	turn sync.Mutex // held while an event is delivered

	mu   sync.Mutex // protects list, which is replaced and never changed
	list []*listener
}

type listener struct {
	fn      func(driver.Event)
	stopped atomic.Bool
}

// Add registers fn. After stop returns, fn is not called again, except where
// stop is called within fn. stop may be called more than once.
func (l *Listeners) Add(fn func(driver.Event)) (stop func()) {
	one := &listener{fn: fn}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(slices.Clip(l.list), one)
	return func() { l.remove(one) }
}

func (l *Listeners) remove(one *listener) {
	if one.stopped.Swap(true) {
		return
	}
	l.mu.Lock()
	l.list = slices.DeleteFunc(slices.Clone(l.list), func(o *listener) bool { return o == one })
	l.mu.Unlock()
	if Delivering() {
		return
	}
	// A delivery under way may be past the look at stopped: it is waited for,
	// so that the caller can take down what fn uses.
	l.turn.Lock()
	defer l.turn.Unlock()
}

// Deliver calls each function with e and returns when all have returned.
func (l *Listeners) Deliver(e driver.Event) {
	l.turn.Lock()
	defer l.turn.Unlock()
	l.mu.Lock()
	list := l.list
	l.mu.Unlock()
	for _, one := range list {
		if !one.stopped.Load() {
			call(one.fn, e)
		}
	}
}

// call calls a listener. It is the only place where one is called, is never
// inlined, and continues after the call: a listener always returns to the same
// address, which [Delivering] looks for.
//
//go:noinline
func call(fn func(driver.Event), e driver.Event) {
	defer runtime.KeepAlive(fn)
	fn(e)
}

// returns is the address to which listeners return. A listener has found it
// out, so that no name, and nothing that a compiler makes of one, matters.
var returns = func() uintptr {
	var pcs [1]uintptr
	call(func(driver.Event) { runtime.Callers(2, pcs[:]) }, nil)
	return pcs[0]
}()

// Delivering reports whether the caller runs within a listener, where waiting
// for the delivery would be waiting for itself.
func Delivering() bool {
	var pcs [128]uintptr
	for skip := 1; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		if slices.Contains(pcs[:n], returns) {
			return true
		}
		if n < len(pcs) {
			return false
		}
	}
}
