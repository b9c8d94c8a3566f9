package replays_test

import (
	"context"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/fleet"
	"github.com/wayfinder-engine/wayfinder/server/replays"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// What was done in a session is there when the session has ended.
func Example() {
	ctx := context.Background()
	store := new(fleet.Memory) // or that of fleet/jetstream, which outlives the process
	kept := replays.New(store, nil)
	w := kept.Begin("s1", replays.Session{Language: "go"}, func() []replays.Entry {
		return []replays.Entry{{URL: "https://shop.test/", Action: wire.ReplayAction{ID: "1", Method: "act"}}}
	})
	w.Touch() // and kept.Run writes it
	w.End("https://shop.test/", "Shop")
	kept.Flush(ctx)

	session, calls, err := replays.New(store, nil).Load(ctx, "s1")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(session.Language, calls[0].Action.Method, calls[0].URL)
	// Output:
	// go act https://shop.test/
}
