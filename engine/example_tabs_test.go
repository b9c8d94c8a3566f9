package engine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A link that opens a tab says so in the evidence. The new page is the session's
// active one; each page has its own history, and they share cookies.
func ExampleSession_Pages() {
	web := fake.Web{
		"https://shop.test/":      `<title>Shop</title><a href="/terms" target="_blank">Terms</a>`,
		"https://shop.test/terms": `<title>Terms</title>`,
	}
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

	result, err := page.DoTo(ctx, engine.Role("link", "Terms").Target(), engine.Command{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("opened", result.Evidence.NewPages[0].URL)

	fmt.Println("active:", session.Page().URL())
	for _, p := range session.Pages() {
		fmt.Println("open:", p.URL())
	}
	if err := session.Page().Close(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println("back on", session.Page().URL())
	// Output:
	// opened https://shop.test/terms
	// active: https://shop.test/terms
	// open: https://shop.test/
	// open: https://shop.test/terms
	// back on https://shop.test/
}
