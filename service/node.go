package service

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server"
)

// A Cluster says how a node finds the others. Either Peers or NATS is set.
type Cluster struct {
	Peers  []string // host:port of each node's records, this one's, too
	Listen string   // which of Peers this node is; it listens there to the others
	NATS   string   // addresses of servers of NATS with JetStream, with commas between them
	Secret string   // shared by all nodes, and known to no others

	Address string            // host:port at which the other nodes reach this one's HTTP
	Labels  map[string]string // that sessions may ask for
}

const (
	// runTerm is after how long another node takes over the runs of one that is silent.
	runTerm = 3 * time.Second
	// leaveTime is how long a node may take to say that it leaves.
	leaveTime = 5 * time.Second
)

// join makes this process a node of several, if it is one; nil if it is alone.
func join(ctx context.Context, c *Config, store fleet.Store) (*server.Node, error) {
	if c.Cluster == nil {
		return nil, nil
	}
	o := &c.Server
	node, err := server.JoinNode(ctx, store, &server.NodeOptions{Address: c.Cluster.Address, Secret: c.Cluster.Secret, Labels: c.Cluster.Labels, Capacity: o.Limits.Sessions, Logger: o.Logger})
	if err != nil {
		return nil, fmt.Errorf("the other nodes cannot be joined: %w", err)
	}
	o.Parts.Node = node
	o.Limits.StartQueue = -1 // another node may have room
	return node, nil
}

// keepNode renews the node's lease, and drains the node once ctx ends. leave gives
// the lease up.
func keepNode(ctx context.Context, node *server.Node, of *server.Server) (leave func()) {
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	var all sync.WaitGroup
	all.Go(func() { of.KeepNode(keeping) })
	drained := make(chan struct{})
	release := context.AfterFunc(ctx, func() {
		defer close(drained)
		bounded, cancel := context.WithTimeout(keeping, leaveTime)
		defer cancel()
		node.Drain(bounded)
	})
	return func() {
		if !release() {
			<-drained
		}
		stop()
		all.Wait()
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
		defer cancel()
		node.Close(bounded)
	}
}
