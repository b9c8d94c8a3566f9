package faults

import (
	"context"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/internal/passthrough"
)

// A Driver wraps another one with faults.
type Driver struct {
	// Glances has pages be [driver.Glancer]s where the wrapped ones are. Without it
	// the single calls are made that a glance takes the place of, and faults strike
	// these. It is set before Open.
	Glances bool

	driver driver.Driver
	faults []*Fault

	mu    sync.Mutex // protects calls
	calls map[string]int
}

var _ driver.Driver = (*Driver)(nil)

// Wrap returns a driver that does what d does, except where a fault strikes.
func Wrap(d driver.Driver, faults ...*Fault) *Driver {
	return &Driver{driver: d, faults: faults, calls: make(map[string]int)}
}

// Calls is how often an operation was called so far; the empty one counts all.
func (d *Driver) Calls(op string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls[op]
}

// Injected is how often the faults have struck, together.
func (d *Driver) Injected() int {
	n := 0
	for _, f := range d.faults {
		n += f.Count()
	}
	return n
}

// String names the driver and its faults.
func (d *Driver) String() string {
	names := make([]string, len(d.faults))
	for i, f := range d.faults {
		names[i] = f.String()
	}
	return d.driver.String() + " with faults (" + strings.Join(names, "; ") + ")"
}

// DialsItself implements driver.SelfDialer for the wrapped driver.
func (d *Driver) DialsItself() bool { return driver.DialsItself(d.driver) }

// Open opens a browser of the wrapped driver.
func (d *Driver) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	lost, err := d.strike(ctx, "open", &call{})
	if err != nil {
		return nil, err
	}
	b, err := d.driver.Open(ctx, opts)
	if err != nil {
		return nil, err
	}
	if lost != nil {
		if err := b.Close(); err != nil {
			return nil, err
		}
		return nil, lost
	}
	return d.wrap(b), nil
}

// strike counts a call and has the faults strike whose turn it is. lost is the
// error that the call gives although it is made.
func (d *Driver) strike(ctx context.Context, op string, c *call) (lost, err error) {
	d.mu.Lock()
	d.calls[op]++
	d.calls[""]++
	of, all := d.calls[op], d.calls[""]
	d.mu.Unlock()
	for _, f := range d.faults {
		n := of
		if f.op == "" {
			n = all
		} else if f.op != op {
			continue
		}
		if f.n != 0 && f.n != n {
			continue
		}
		f.count.Add(1)
		if err := f.do(ctx, c); err != nil {
			return nil, &driver.OpError{Op: op, Err: err}
		}
		if f.lose != nil {
			lost = &driver.OpError{Op: op, Err: f.lose}
		}
	}
	return lost, nil
}

// wrap returns a browser whose calls the driver's faults may strike.
func (d *Driver) wrap(b driver.Browser) driver.Browser {
	around := func(ctx context.Context, c passthrough.Call, do func() (any, error)) (any, error) {
		lost, err := d.strike(ctx, c.Op, &call{browser: b, page: c.Page})
		if err != nil {
			return nil, err
		}
		v, err := do()
		if lost != nil {
			return nil, lost
		}
		return v, err
	}
	return &passthrough.Browser{Browser: b, Around: around, Wrap: func(p driver.Page) driver.Page {
		page := passthrough.Wrap(p, around)
		if inner, ok := p.(driver.Glancer); ok && d.Glances {
			return &glancer{page, inner}
		}
		return page
	}}
}
