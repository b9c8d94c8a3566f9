package nodes_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/internal/nodes"
)

// A service that is a node, here of a fleet of one.
func ExampleJoin() {
	ctx := context.Background()
	node, err := nodes.Join(ctx, new(fleet.Memory), &nodes.Options{Address: "127.0.0.1:8080", Secret: "between the nodes", Capacity: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	srv, err := server.New(fake.Web{}, &server.Options{Parts: server.Parts{Node: node}})
	if err != nil {
		fmt.Println(err)
		return
	}
	keeping, stop := context.WithCancel(ctx)
	kept := make(chan struct{})
	go func() { defer close(kept); srv.KeepNode(keeping) }()
	answer := httptest.NewRecorder()
	srv.ServeHTTP(answer, httptest.NewRequest("GET", "/readyz", nil))
	fmt.Println(answer.Code, len(node.Nodes()))
	node.Drain(ctx)
	fmt.Println(srv.Shutdown(ctx))
	stop()
	<-kept
	node.Close(ctx)
	// Output:
	// 200 1
	// <nil>
}
