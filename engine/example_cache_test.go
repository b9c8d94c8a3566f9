package engine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

// With a cache, an instruction that was carried out before needs no model as
// long as the page still has the element that was meant.
func ExampleCache() {
	web := fake.Web{
		"https://shop.test/":          `<form action="/cart" method="post"><button>Add to cart</button></form>`,
		"POST https://shop.test/cart": `<h1>Your cart</h1>`,
	}
	cache := engine.NewMemoryCache(0) // or NewDirCache, which outlives the program

	visit := func() {
		ctx := context.Background()
		session, err := engine.Open(ctx, web, &engine.Options{Model: offline.New(), Cache: cache})
		if err != nil {
			log.Fatal(err)
		}
		defer session.Close()
		page := session.Page()
		if _, err := page.Navigate(ctx, "https://shop.test/", nil); err != nil {
			log.Fatal(err)
		}
		result, err := page.Act(ctx, "click Add to cart", nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s; questions to the model: %d\n", result.Cache.Result, session.Metrics().Asks["act"].Requests)
	}
	visit()
	visit()
	// Output:
	// miss; questions to the model: 1
	// hit; questions to the model: 0
}
