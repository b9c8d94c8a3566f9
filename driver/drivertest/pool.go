package drivertest

import (
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A pool keeps browsers for the next case, of one driver. Opening a browser is
// by far the most expensive thing that most cases do.
type pool struct {
	mu   sync.Mutex // protects idle
	idle []driver.Browser
}

func (p *pool) take() driver.Browser {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	b := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return b
}

func (p *pool) give(b driver.Browser) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, b)
}

// close closes what is idle and returns the first error.
func (p *pool) close() error {
	for {
		b := p.take()
		if b == nil {
			return nil
		}
		if err := b.Close(); err != nil {
			return err
		}
	}
}

// pooled opens the browser of a case, or takes one that an earlier case has
// left as it found it.
func (t *trial) pooled() driver.Browser {
	if t.c.options != nil || t.c.fresh || t.h.pool == nil {
		opts := &driver.BrowserOptions{}
		if t.c.options != nil {
			t.c.options(t, opts)
		}
		return t.openBrowser(opts)
	}
	b := t.h.pool.take()
	if b == nil {
		var err error
		b, err = t.driver.Open(t.ctx, &driver.BrowserOptions{})
		t.ok("Open", err)
	}
	t.cleanup(func() {
		if t.err() == nil && t.restore(b) {
			t.h.pool.give(b)
			return
		}
		if err := b.Close(); err != nil {
			t.errorf("Browser.Close: %v", err)
		}
	})
	return b
}

// restore makes a browser as good as new for the cases that do not ask for
// more, and reports false if that cannot be done. The page stays where it is:
// to leave the site and come back costs two processes.
func (t *trial) restore(b driver.Browser) bool {
	pages := b.Pages()
	if len(pages) == 0 || pages[0].ID() != t.first {
		return false
	}
	for _, p := range pages[1:] {
		if p.Close(t.ctx) != nil {
			return false
		}
	}
	pages[0].OnDialog(nil)
	return (len(pages) == 1 || pages[0].Activate(t.ctx) == nil) && b.ClearCookies(t.ctx) == nil
}
