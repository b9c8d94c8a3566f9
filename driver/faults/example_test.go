package faults_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
)

// The first capture fails, the second does not.
func Example() {
	ctx := context.Background()
	f := faults.At(1, "capture", driver.ErrDetached)
	d := faults.Wrap(fake.Web{"https://shop.test/": "<h1>Shop</h1>"}, f)
	b, err := d.Open(ctx, &driver.BrowserOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	_, err = b.Pages()[0].Capture(ctx)
	fmt.Println(err, errors.Is(err, driver.ErrDetached))
	_, err = b.Pages()[0].Capture(ctx)
	fmt.Println(err)
	fmt.Println(f, "struck", f.Count())
	// Output:
	// capture: node is detached true
	// <nil>
	// capture 1: node is detached struck 1
}
