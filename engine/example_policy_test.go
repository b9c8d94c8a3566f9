package engine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A policy says which addresses the browser may ask for. What it refuses never
// leaves the machine.
func ExamplePolicy() {
	web := fake.Web{
		"https://shop.test/":  `<a href="https://other.test/">Our partner</a>`,
		"https://other.test/": `<h1>Elsewhere</h1>`,
	}
	ctx := context.Background()
	session, err := engine.Open(ctx, web, &engine.Options{
		Policy: &engine.Policy{Allow: []string{"shop.test", "*.shop.test"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://shop.test/", nil); err != nil {
		log.Fatal(err)
	}

	result, err := page.DoTo(ctx, engine.Role("link", "Our partner").Target(), engine.Command{}, nil)
	fmt.Println(err)
	for _, refused := range result.Evidence.Refused {
		fmt.Println(refused.Rule(), refused.URL)
	}
	fmt.Println(page.URL())
	// Output:
	// do: click was done, and where it leads was not opened: refused by policy: other.test is not among the allowed hosts; to allow it, add "other.test" to Policy.Allow
	// allow https://other.test/
	// https://shop.test/
}
