package engine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

// Act carries out one instruction. Its result says what was done, and what came
// of it.
func ExamplePage_Act() {
	web := fake.Web{
		"https://shop.test/":          `<h1>Tea</h1><form action="/cart" method="post"><button>Add to cart</button></form>`,
		"POST https://shop.test/cart": `<h1>Your cart</h1>`,
	}
	ctx := context.Background()
	session, err := engine.Open(ctx, web, &engine.Options{Model: offline.New()})
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
		log.Fatal(err) // says what was tried, and why it could not be done
	}
	fmt.Println(result.Message)
	fmt.Println(result.Evidence.Effect, result.Evidence.Navigation.To)
	// Output:
	// clicked button "Add to cart": went to https://shop.test/cart (200)
	// navigation https://shop.test/cart
}
