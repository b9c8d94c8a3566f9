package engine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// Observe lists what can be done. Without an instruction it asks no model.
func ExamplePage_Observe() {
	web := fake.Web{"https://shop.test/": `
		<nav><a href="/cart">Cart</a></nav>
		<label>Search <input type="search"></label>
		<button disabled>Buy</button>`}
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

	seen, err := page.Observe(ctx, "", nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, action := range seen.Actions {
		fmt.Println(action.Method, action.Description) // page.Do does it
	}
	// Output:
	// click click link "Cart"
	// fill fill searchbox "Search"
}
