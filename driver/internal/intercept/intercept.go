// Package intercept is how a driver has handlers take part in requests: those
// of the browser's options, and those that come and go while it is open.
package intercept

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Handlers are those that came after the browser was opened, the newest first.
// The zero value has none. It is safe for concurrent use.
type Handlers struct {
	count atomic.Int32 // len(list), for those who hold other locks

	mu   sync.Mutex // protects list
	list []*handler
}

// A handler has its calls under way counted.
type handler struct {
	*driver.Handler
	left  context.Context // ends when it is to stop
	calls sync.WaitGroup
}

// errLeft ends the calls of a handler that takes no part any more.
var errLeft = errors.New("the decision is no longer needed")

// Any reports whether there is one.
func (l *Handlers) Any() bool { return l.count.Load() > 0 }

// Add adds a handler. stop takes it out, ends the contexts of its calls and
// waits for them.
func (l *Handlers) Add(h *driver.Handler) (stop func()) {
	left, leave := context.WithCancelCause(context.Background())
	added := &handler{Handler: h, left: left}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set(slices.Insert(slices.Clone(l.list), 0, added))
	return sync.OnceFunc(func() {
		l.mu.Lock()
		l.set(slices.DeleteFunc(slices.Clone(l.list), func(o *handler) bool { return o == added }))
		l.mu.Unlock()
		leave(errLeft)
		added.calls.Wait()
	})
}

func (l *Handlers) set(list []*handler) {
	l.list = list
	l.count.Store(int32(len(list)))
}

// A Chain is what takes part in one request, in its order.
type Chain struct {
	list   []link
	joined []*handler
}

type link struct {
	*driver.Handler
	left context.Context // nil: it stays as long as the browser
}

// TakingPart returns who takes part in a request; last, if not nil, comes after
// the others. Leave must be called on the chain.
func (l *Handlers) TakingPart(info driver.RequestInfo, last *driver.Handler) (c Chain) {
	if !overHTTP(info.URL) {
		return c
	}
	if l.Any() {
		l.mu.Lock()
		all := l.list
		for _, h := range all {
			h.calls.Add(1) // before it is asked: nobody is asked after its end
		}
		l.mu.Unlock()
		for _, h := range all {
			if h.Match != nil && !h.Match(info) {
				h.calls.Done()
				continue
			}
			c.joined = append(c.joined, h)
			c.list = append(c.list, link{h.Handler, h.left})
		}
	}
	if last != nil && last.Handle != nil && (last.Match == nil || last.Match(info)) {
		c.list = append(c.list, link{last, nil})
	}
	return c
}

func overHTTP(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// Empty reports that nobody takes part.
func (c *Chain) Empty() bool { return len(c.list) == 0 }

// Leave says that the request is dealt with.
func (c *Chain) Leave() {
	for _, h := range c.joined {
		h.calls.Done()
	}
	c.joined = nil
}

// Handle calls the handlers, one after the other until one has decided: by a
// reply, an error, or by having sent the request.
func (c *Chain) Handle(ctx context.Context, r *driver.Request, sent func() bool) (reply *driver.Reply, err error) {
	for _, l := range c.list {
		if reply, err = l.handle(ctx, r); err != nil || reply != nil || sent() {
			break
		}
	}
	return reply, err
}

func (l link) handle(ctx context.Context, r *driver.Request) (*driver.Reply, error) {
	if l.left == nil {
		return l.Handle(ctx, r)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(l.left, func() { cancel(context.Cause(l.left)) })()
	return l.Handle(ctx, r)
}
