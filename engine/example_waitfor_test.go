package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// WaitFor waits until something is so on the page. It returns as soon as it is,
// and ends early where nothing on the page could still bring it about.
func ExamplePage_WaitFor() {
	web := fake.New(fake.Options{
		Web: fake.Web{"https://shop.test/": `<button>Order</button><p role="status"></p>`},
		Scripts: map[string]func(*fake.Document){
			"https://shop.test/": func(d *fake.Document) {
				d.On("click", "button", func(*fake.Event) {
					d.After(20*time.Millisecond, func() { d.Find("p").SetText("Order placed") })
				})
			},
		},
	})
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
	if _, err := page.DoTo(ctx, engine.Role("button", "Order").Target(), engine.Command{}, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.WaitFor(ctx, engine.TextShown("Order placed")))

	err = page.WaitFor(ctx, engine.AddressIs("/receipt/*"))
	fmt.Println(errors.Is(err, engine.ErrNotMet), err)
	// Output:
	// <nil>
	// true wait: not met: address=/receipt/*: nothing is under way on the page
}
