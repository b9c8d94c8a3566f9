package fake_test

import (
	"context"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// What a page's own script would do is done by Go functions, by address.
func ExampleOptions_scripts() {
	ctx := context.Background()
	web := fake.New(fake.Options{
		Web: fake.Web{"https://shop.test/": `<button>Add to cart</button><p>0 in the cart</p>`},
		Scripts: map[string]func(*fake.Document){
			"https://shop.test/": func(d *fake.Document) {
				d.On("click", "button", func(*fake.Event) { d.Find("p").SetText("1 in the cart") })
			},
		},
	})
	session, err := engine.Open(ctx, web, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://shop.test/", nil); err != nil {
		log.Fatal(err)
	}
	result, err := page.Do(ctx, engine.Action{Selector: "button"}, &engine.ActOptions{Changes: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Evidence.Effect)
	fmt.Print(result.Evidence.Changes)
	// Output:
	// page
	// ~ [0-5] button: Add to cart (focused)
	// ~ [0-8] text: 1 in the cart
}
