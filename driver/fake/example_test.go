package fake_test

import (
	"context"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// A browser on a web of two pages: press a link, and see where it leads.
func Example() {
	ctx := context.Background()
	web := fake.Web{
		"https://shop.test/":     `<title>Shop</title><a href="/cart">Cart</a>`,
		"https://shop.test/cart": `<title>Your cart</title>`,
	}
	b, err := web.Open(ctx, &driver.BrowserOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	p := b.Pages()[0]
	if _, err := p.Navigate(ctx, "https://shop.test/", nil); err != nil {
		fmt.Println(err)
		return
	}
	links, err := p.Find(ctx, driver.NodeRef{}, driver.Selector{Text: "a"})
	if err != nil {
		fmt.Println(err)
		return
	}
	at, err := p.Locate(ctx, links[0], nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := p.Input(ctx, driver.MouseMove{At: at.At}, driver.MouseDown{At: at.At}, driver.MouseUp{At: at.At}); err != nil {
		fmt.Println(err)
		return
	}
	c, err := p.Capture(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Documents[0].URL, c.Documents[0].Title)
	// Output: https://shop.test/cart Your cart
}
