package driver_test

import (
	"context"
	"fmt"
	"log"
	"sync/atomic"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// counting is a driver of another one's browsers that counts the looks at their
// pages. What it does not define is the other's: a wrapper is as long as what it
// adds.
type counting struct {
	driver.Driver
	captures atomic.Int64
}

func (d *counting) String() string { return d.Driver.String() + ", counted" }

// Open opens a browser of the wrapped driver, and wraps it.
func (d *counting) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	b, err := d.Driver.Open(ctx, opts)
	if err != nil {
		return nil, err
	}
	return &countingBrowser{b, d}, nil
}

type countingBrowser struct {
	driver.Browser
	driver *counting
}

// Unwrap lets driver.BrowserAs look through the wrapper.
func (b *countingBrowser) Unwrap() driver.Browser { return b.Browser }

func (b *countingBrowser) Pages() []driver.Page {
	pages := b.Browser.Pages()
	for i, p := range pages {
		pages[i] = &countingPage{p, b.driver}
	}
	return pages
}

func (b *countingBrowser) NewPage(ctx context.Context) (driver.Page, error) {
	p, err := b.Browser.NewPage(ctx)
	if err != nil {
		return nil, err
	}
	return &countingPage{p, b.driver}, nil
}

type countingPage struct {
	driver.Page
	driver *counting
}

// Unwrap lets driver.PageAs look through the wrapper.
func (p *countingPage) Unwrap() driver.Page { return p.Page }

func (p *countingPage) Capture(ctx context.Context) (*driver.Capture, error) {
	p.driver.captures.Add(1)
	return p.Page.Capture(ctx)
}

// A driver in 60 lines: one that wraps another. A driver for a browser of its own
// implements all of Page, and proves it by package driver/drivertest.
func Example_wrapper() {
	ctx := context.Background()
	d := &counting{Driver: fake.Web{"https://shop.test/": "<h1>Shop</h1>"}}
	b, err := d.Open(ctx, &driver.BrowserOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	page := b.Pages()[0]
	if _, err := page.Navigate(ctx, "https://shop.test/", nil); err != nil {
		log.Fatal(err)
	}
	for range 3 {
		if _, err := page.Capture(ctx); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(d, d.captures.Load())
	// Output:
	// memory, counted 3
}
