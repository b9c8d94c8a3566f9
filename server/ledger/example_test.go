package ledger_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/wayfinder-engine/wayfinder/fleet"
	"github.com/wayfinder-engine/wayfinder/server/ledger"
)

// The budget of a key's day is one for all processes that share a store.
func Example() {
	ctx := context.Background()
	store := new(fleet.Memory) // or that of fleet/jetstream, which outlives the process
	book, err := ledger.Open(ctx, store, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer book.Close(ctx)
	budget := book.Budget("ann", time.Now())
	budget.SetLimits(1000, 0) // and middleware.WithBudget has requests count
	used, _ := budget.Spent()
	fmt.Println(used.Input+used.Output, "tokens here")
	// Output:
	// 0 tokens here
}
