package fleettest_test

import (
	"context"
	"fmt"
	"time"

	"github.com/wayfinder-engine/wayfinder/fleet"
	"github.com/wayfinder-engine/wayfinder/fleet/fleettest"
)

// A node that is cut off has lost its lease when its time is over.
func ExampleLink() {
	ctx := context.Background()
	virtual := fleettest.NewTime()
	link := fleettest.NewNetwork(new(fleet.Memory)).Link()
	placer, err := fleet.NewPlacer(ctx, link, &fleet.PlacerOptions{Term: time.Minute, Clock: virtual.Clock()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer placer.Close()
	member, err := placer.Join(ctx, fleet.Node{Capacity: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	link.Cut()
	virtual.Advance(59 * time.Second)
	fmt.Println(member.Held())
	virtual.Advance(time.Second)
	fmt.Println(member.Held() != nil)
	// Output:
	// <nil>
	// true
}
