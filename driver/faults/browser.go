package faults

import (
	"context"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/internal/passthrough"
)

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
		return passthrough.Wrap(p, around)
	}}
}
