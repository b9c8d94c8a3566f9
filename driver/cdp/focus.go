package cdp

import (
	"context"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Focus implements driver.Actor.
func (p *page) Focus(ctx context.Context, at driver.Target) error {
	return opError("focus", targetName(at.At), p.actAt(ctx, at, call{name: "focus", gesture: true, wait: true}, nil))
}

// SelectText implements driver.Actor.
func (p *page) SelectText(ctx context.Context, at driver.Target) error {
	return opError("selecttext", targetName(at.At), p.actAt(ctx, at, call{name: "selectText", gesture: true, wait: true}, nil))
}
