package engine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A snapshot is what a model gets to see of a page: an outline of roles and
// names, in which every element that matters has a ref.
func ExamplePage_Snapshot() {
	web := fake.Web{"https://shop.test/": `<main><h1>Tea</h1>
		<label><input type="checkbox" checked> Gift wrap</label>
		<button>Add to cart</button></main>`}
	ctx := context.Background()
	session, err := engine.Open(ctx, web, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://shop.test/", nil); err != nil {
		log.Fatal(err)
	}

	snapshot, err := page.Snapshot(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(snapshot.Outline())
	// Output:
	// [0-1] document
	//   [0-5] main
	//     [0-6] heading: Tea (level 1)
	//     [0-10] checkbox: Gift wrap (checked)
	//     [0-13] button: Add to cart
}
