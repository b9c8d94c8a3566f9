package cdp

import (
	"context"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// State implements driver.Actor.
func (p *page) State(ctx context.Context, node driver.NodeRef) (*driver.State, error) {
	var reply struct {
		driver.State
		Scroll [7]float64
	}
	if err := p.act(ctx, node, call{name: "state"}, &reply); err != nil {
		return nil, opError("state", targetName(node), err)
	}
	state := reply.State
	state.Scroll = *scrollState(reply.Scroll)
	if err := p.internalState(ctx, node, &state); err != nil {
		return nil, opError("state", targetName(node), err)
	}
	return &state, nil
}
