package server

import (
	"context"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server/internal/nodes"
)

// A Node is a service's place in a fleet, for [Parts]. Each one takes any request, and
// passes on what belongs to a session of another. Package service joins them.
type Node = nodes.Node

// NodeOptions are what a node is.
type NodeOptions = nodes.Options

// JoinNode makes a node known to the fleet whose records the store has. [Server.KeepNode]
// keeps it known; the caller closes it.
func JoinNode(ctx context.Context, s fleet.Store, opts *NodeOptions) (*Node, error) {
	return nodes.Join(ctx, s, opts)
}
