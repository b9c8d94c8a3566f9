package fleet_test

import (
	"context"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// Two nodes share a store. A session that one of them places is found by the
// other, until its node leaves.
func ExamplePlacer() {
	ctx := context.Background()
	store := new(fleet.Memory) // or that of package jetstream
	here, err := fleet.NewPlacer(ctx, store, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer here.Close()
	there, err := fleet.NewPlacer(ctx, store, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer there.Close()

	member, err := there.Join(ctx, fleet.Node{Name: "b", Address: "10.0.0.2:8080", Capacity: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	owner, err := here.Place(ctx, fleet.Placement{Session: "s1"})
	fmt.Println(owner.Address, owner.Token, err)

	if err := member.Leave(ctx); err != nil {
		fmt.Println(err)
		return
	}
	_, err = here.Find(ctx, "s1")
	fmt.Println(err != nil)
	// Output:
	// 10.0.0.2:8080 1 <nil>
	// true
}

// A job is claimed, logged and finished.
func ExampleQueue() {
	ctx := context.Background()
	queue, err := fleet.NewQueue(ctx, new(fleet.Memory), "runs", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer queue.Close()
	job, _, err := queue.Enqueue(ctx, fleet.Request{Owner: "alice", Key: "order 17", Payload: []byte("buy a pen")})
	if err != nil {
		fmt.Println(err)
		return
	}
	claim, err := queue.Claim(ctx, "node a")
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := claim.Append(ctx, []byte(`"about to press the button"`)); err != nil {
		fmt.Println(err) // somebody else does it: nothing is pressed
		return
	}
	if err := claim.Finish(ctx, []byte("bought")); err != nil {
		fmt.Println(err)
		return
	}
	result, err := queue.Result(ctx, job.ID)
	fmt.Printf("%s %v\n", result, err)
	// Output: bought <nil>
}
