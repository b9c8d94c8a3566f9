package cdp

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Attach is a driver for a Chrome that somebody else has started, with
// --remote-debugging-port.
//
// Open takes over the profile that is there, with its cookies and with the
// pages that are open: that is what people expect who name a running browser.
// Options that are zero leave its windows as they are. Close ends the pages
// that were opened through this browser, and the connection, and leaves all
// else.
type Attach struct {
	// URL is "http://host:port", or the browser's own "ws://host:port/devtools/browser/…".
	URL string

	// Headers are sent when connecting.
	Headers http.Header

	// Isolated makes a browser of its own within the running Chrome, which
	// sees nothing of its profile and which Close removes.
	Isolated bool

	// ConnectTimeout bounds the connecting; 0 is 30 s.
	ConnectTimeout time.Duration

	// Logger gets what is worth knowing; nil: nothing.
	Logger *slog.Logger
}

var _ driver.Driver = Attach{}

// String returns "chrome at" and the host, without what may be secret in the address.
func (a Attach) String() string { return "chrome at " + hostOf(a.URL) }

// Open connects to the Chrome.
func (a Attach) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	b, err := a.open(ctx, opts)
	if err != nil {
		return nil, opError("attach", hostOf(a.URL), err)
	}
	return b, nil
}

func (a Attach) open(ctx context.Context, opts *driver.BrowserOptions) (*browser, error) {
	limit := a.ConnectTimeout
	if limit <= 0 {
		limit = commandLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	address, err := endpoint(ctx, a.URL, a.Headers)
	if err != nil {
		return nil, err
	}
	s, err := dial(ctx, address, a.Headers)
	if err != nil {
		return nil, err
	}
	c := newChrome(newMux(s, logger(a.Logger)), nil)
	c.address = address
	b := newBrowser(c, opts)
	b.owner = true
	if a.Isolated {
		err = c.begin(ctx, nil)
		if err == nil {
			err = c.isolate(ctx, b, opts)
		}
	} else {
		b.foreign = true
		err = c.begin(ctx, b)
		if err == nil {
			err = b.takeOver(ctx, opts)
		}
	}
	if err != nil {
		return nil, closing(b, err)
	}
	return b, nil
}

// takeOver waits until the pages that were there can be used.
func (b *browser) takeOver(ctx context.Context, opts *driver.BrowserOptions) error {
	if opts.Proxy != nil {
		return fmt.Errorf("the proxy of a running profile cannot be changed: attach with Isolated, or start Chrome with it")
	}
	for _, p := range b.Pages() {
		select {
		case <-p.(*page).ready:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if b.opts.DownloadDir != "" {
		b.chrome.root.post(b.downloads())
	}
	if len(b.Pages()) == 0 {
		if _, err := b.NewPage(ctx); err != nil {
			return err
		}
	}
	if opts.StorageState == nil {
		return nil
	}
	return b.restore(ctx, opts.StorageState)
}
