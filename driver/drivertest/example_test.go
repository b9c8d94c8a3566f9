package drivertest_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/drivertest"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// Each case of the suite is a rule of the contract with its check. A driver's own
// test runs them all, by Run; here is one.
func ExampleCase_Check() {
	cases := drivertest.Cases()
	i := slices.IndexFunc(cases, func(c drivertest.Case) bool { return c.Name == "navigate/error-status" })
	if i < 0 {
		log.Fatal("no such case")
	}
	fmt.Println(cases[i].Rule)

	err := cases[i].Check(context.Background(), drivertest.Harness{
		Driver: func(site *drivertest.Site) driver.Driver { return fake.New(fake.Options{Handler: site.Handler}) },
	})
	fmt.Println(err)
	// Output:
	// A status such as 404 is no error; the document that came with it is shown.
	// <nil>
}
