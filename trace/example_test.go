package trace_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/trace"
)

// A collector stands between a session and its browser and model.
func Example() {
	web := fake.Web{
		"https://shop.test/":     `<h1>Shop</h1><a href="/cart">Cart</a>`,
		"https://shop.test/cart": `<h1>Your cart</h1>`,
	}
	ctx := context.Background()
	c := trace.New(web, nil) // elsewhere: cdp.Launch{}
	session, err := engine.Open(ctx, c.Driver(), &engine.Options{Model: c.Model(offline.New()), Hooks: c.Hooks()})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://shop.test/", nil); err != nil {
		log.Fatal(err)
	}
	if _, err := page.Act(ctx, "click Cart", nil); err != nil {
		log.Fatal(err)
	}
	t, err := c.Trace()
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range t.Steps {
		fmt.Println(s.Number, s.Tool, s.Status, s.Message)
	}
	var file bytes.Buffer // elsewhere: a file
	if err := t.WriteHTML(&file, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes.HasPrefix(file.Bytes(), []byte("<!doctype html>")))
	// Output:
	// 1 navigate done https://shop.test/
	// 2 act done clicked link "Cart": went to https://shop.test/cart (200)
	// true
}
