package engine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// Cookies and storage of one session may be given to another, so that it begins
// where the first one ended: logged in.
func ExampleBrowserOptions() {
	web := fake.Web{"https://shop.test/": `<h1>Shop</h1>`}
	ctx := context.Background()
	first, err := engine.Open(ctx, web, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := first.Browser().SetCookies(ctx, driver.Cookie{Name: "session", Value: "4711", Domain: "shop.test", Path: "/"}); err != nil {
		log.Fatal(err)
	}
	state, err := first.StorageState(ctx) // JSON, for a file
	if err != nil {
		log.Fatal(err)
	}
	if err := first.Close(); err != nil {
		log.Fatal(err)
	}

	second, err := engine.Open(ctx, web, &engine.Options{Browser: engine.BrowserOptions{StorageState: state}})
	if err != nil {
		log.Fatal(err)
	}
	defer second.Close()
	cookies, err := second.Browser().Cookies(ctx, "https://shop.test/")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cookies[0].Name, cookies[0].Value)
	// Output:
	// session 4711
}
