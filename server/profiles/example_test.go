package profiles_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/profiles"
)

// A login is done once, and kept by a name.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "profiles-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, err := profiles.OpenDir(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	keys, err := profiles.ParseKeys(strings.NewReader("q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=")) // openssl rand -base64 32
	if err != nil {
		log.Fatal(err)
	}
	kept := profiles.New(store, keys, nil)
	if _, err := kept.Put(ctx, "", "ann", nil); err != nil { // an empty one
		log.Fatal(err)
	}
	web := fake.Web{"https://shop.test/": `<h1>Shop</h1>`}
	for range 2 {
		hold, err := kept.Hold(ctx, "", "ann", "the example")
		if err != nil {
			log.Fatal(err)
		}
		session, err := engine.Open(ctx, web, &engine.Options{Browser: engine.BrowserOptions{StorageState: hold.State()}})
		if err != nil {
			log.Fatal(err)
		}
		cookies, err := session.Browser().Cookies(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("logged in:", len(cookies) > 0)
		if err := session.Browser().SetCookies(ctx, driver.Cookie{Name: "login", Value: "4711", Domain: "shop.test", Path: "/"}); err != nil {
			log.Fatal(err)
		}
		if err := hold.Read(ctx, session.Browser()); err != nil {
			log.Fatal(err)
		}
		if err := session.Close(); err != nil {
			log.Fatal(err)
		}
		if err := hold.Close(ctx); err != nil { // saved
			log.Fatal(err)
		}
	}
	// Output:
	// logged in: false
	// logged in: true
}
