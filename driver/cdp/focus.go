package cdp

import (
	"context"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Focus implements driver.Actor.
func (p *page) Focus(ctx context.Context, node driver.NodeRef) error {
	return opError("focus", targetName(node), p.act(ctx, node, call{name: "focus", gesture: true}, nil))
}

// SelectText implements driver.Actor.
func (p *page) SelectText(ctx context.Context, node driver.NodeRef) error {
	return opError("selecttext", targetName(node), p.act(ctx, node, call{name: "selectText", gesture: true}, nil))
}
