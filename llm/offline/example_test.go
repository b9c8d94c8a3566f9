package offline_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

// The word matcher does what an instruction names, and never guesses.
func ExampleNew() {
	web := fake.Web{"https://shop.test/": `<h1>Tea</h1>
		<label>First name <input></label><label>Last name <input></label>
		<button>Add to cart</button>`}
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

	for _, instruction := range []string{
		"fill First name with Ada and Last name with Lovelace",
		"click ADD to cart", // case makes no difference
		"click Sign in",
	} {
		result, err := page.Act(ctx, instruction, nil)
		fmt.Println(result.Message, errors.Is(err, engine.ErrNotFound))
	}
	// Output:
	// filled textbox "Last name" false
	// clicked button "Add to cart": no change was noticed false
	// act: element not found: nothing on the page is named "Sign in" (this is a word matcher and no language model) true
}
