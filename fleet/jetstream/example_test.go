package jetstream_test

import (
	"context"
	"fmt"
	"os"

	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
)

// What is in a store on disk is there after a restart. No port is opened.
func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "records")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for range 2 {
		store, err := jetstream.Open(ctx, &jetstream.Options{Dir: dir})
		if err != nil {
			fmt.Println(err)
			return
		}
		_, err = store.Put(ctx, "greeting", []byte("hello"), 0)
		fmt.Println(err)
		store.Close()
	}
	// Output:
	// <nil>
	// fleet: the record has changed: greeting
}
