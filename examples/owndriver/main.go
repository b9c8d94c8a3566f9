// Command owndriver wraps a driver with one of its own, which notes how long each
// input takes. The engine does not know: its contract is package driver.
//
//	go run ./examples/owndriver           # in Chrome
//	go run ./examples/owndriver -memory   # in the browser in memory
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A Timed driver opens browsers of another one whose pages time their input.
type Timed struct {
	driver.Driver
	Note func(took time.Duration)
}

// Open opens a browser of the wrapped driver.
func (d Timed) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	b, err := d.Driver.Open(ctx, opts)
	if err != nil {
		return nil, err
	}
	return &browser{Browser: b, note: d.Note, pages: map[driver.PageID]*page{}}, nil
}

// A browser gives each page the same wrapper every time: the engine compares them.
type browser struct {
	driver.Browser
	note func(time.Duration)

	mu    sync.Mutex // protects pages
	pages map[driver.PageID]*page
}

// Unwrap lets the engine find what the wrapped browser can do beyond the contract.
func (b *browser) Unwrap() driver.Browser { return b.Browser }

func (b *browser) wrap(p driver.Page) driver.Page {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pages[p.ID()] == nil {
		b.pages[p.ID()] = &page{Page: p, note: b.note}
	}
	return b.pages[p.ID()]
}

func (b *browser) Pages() []driver.Page {
	pages := b.Browser.Pages()
	for i, p := range pages {
		pages[i] = b.wrap(p)
	}
	return pages
}

func (b *browser) NewPage(ctx context.Context) (driver.Page, error) {
	p, err := b.Browser.NewPage(ctx)
	if err != nil {
		return nil, err
	}
	return b.wrap(p), nil
}

// A page times its input. Every other call is the wrapped page's own.
type page struct {
	driver.Page
	note func(time.Duration)
}

// Unwrap lets the engine find what the wrapped page can do beyond the contract.
func (p *page) Unwrap() driver.Page { return p.Page }

func (p *page) Input(ctx context.Context, events ...driver.InputEvent) error {
	begin := time.Now()
	defer func() { p.note(time.Since(begin)) }()
	return p.Page.Input(ctx, events...)
}

func main() {
	memory := flag.Bool("memory", false, "use the browser in memory")
	flag.Parse()
	var inner driver.Driver = cdp.Launch{}
	if *memory {
		inner = fake.New(fake.Options{Web: fake.Web{}})
	}
	if err := run(context.Background(), inner); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, inner driver.Driver) error {
	inputs := 0
	session, err := engine.Open(ctx, Timed{inner, func(time.Duration) { inputs++ }}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	if _, err := session.Page().Navigate(ctx, "data:text/html,<label>Name <input></label>", nil); err != nil {
		return err
	}
	result, err := session.Page().Do(ctx, engine.Action{Selector: "label=Name", Method: engine.Fill, Arguments: []string{"Ada"}}, nil)
	if err != nil {
		return err
	}
	fmt.Printf("%s; inputs that were timed: %t\n", result.Message, inputs > 0)
	return nil
}
