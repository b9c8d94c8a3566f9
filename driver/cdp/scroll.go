package cdp

import (
	"context"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// ScrollTo implements driver.Actor.
func (p *page) ScrollTo(ctx context.Context, node driver.NodeRef, to driver.ScrollTarget) (driver.ScrollState, error) {
	var now [7]float64
	err := p.act(ctx, node, call{name: "scrollTo", args: []any{to.X, to.Y, to.By, to.Percent}}, &now)
	if err != nil {
		return driver.ScrollState{}, opError("scrollto", targetName(node), err)
	}
	return *scrollState(now), nil
}
