// Command extract reads the products of a shop as typed Go values.
//
// The schema that the model must follow is made from the type product, links
// included: a model names a link by reference, so that it cannot make an
// address up. The shop runs on this machine and the model is the offline one, a
// word matcher; in a program of your own both are lines that you replace.
//
//	go run ./examples/extract
package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/demo"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

type product struct {
	Name  string  `json:"name"`
	Price float64 `json:"price" jsonschema:"minimum=0"`
	Link  string  `json:"link" jsonschema:"format=uri"`
}

func main() {
	shop := httptest.NewServer(demo.New())
	defer shop.Close()
	products, err := read(context.Background(), cdp.Launch{}, shop.URL)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, p := range products {
		fmt.Printf("%-20s %9.2f  %s\n", p.Name, p.Price, p.Link)
	}
	if want := len(demo.Products()); len(products) != want {
		fmt.Fprintf(os.Stderr, "read %d products, the shop has %d\n", len(products), want)
		os.Exit(1)
	}
}

// read opens a browser on the address and returns the products that it shows.
func read(ctx context.Context, d engine.Driver, address string) ([]product, error) {
	session, err := engine.Open(ctx, d, &engine.Options{Model: offline.New()})
	if err != nil {
		return nil, err
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, address, nil); err != nil {
		return nil, err
	}
	return engine.Extract[[]product](ctx, page, "the products", nil)
}
