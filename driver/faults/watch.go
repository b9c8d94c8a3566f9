package faults

import (
	"context"
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/internal/passthrough"
)

// Watch returns a driver that does what d does, and calls point before and after
// each call of the operations that are named: for a test that ends something there.
// With an error of the first the call is not made, with one of the second its answer
// is lost.
func Watch(d driver.Driver, point func() error, ops ...string) driver.Driver {
	return &watched{d, func(_ context.Context, c passthrough.Call, do func() (any, error)) (any, error) {
		if !slices.Contains(ops, c.Op) {
			return do()
		}
		if err := point(); err != nil {
			return nil, err
		}
		answer, err := do()
		if over := point(); over != nil {
			return nil, over
		}
		return answer, err
	}}
}

// A watched is a driver that Watch has returned.
type watched struct {
	driver.Driver
	around passthrough.Around
}

func (d *watched) DialsItself() bool { return driver.DialsItself(d.Driver) }

func (d *watched) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	b, err := d.Driver.Open(ctx, opts)
	if err != nil {
		return nil, err
	}
	return &passthrough.Browser{Browser: b, Around: d.around, Wrap: func(p driver.Page) driver.Page {
		return passthrough.Wrap(p, d.around)
	}}, nil
}
