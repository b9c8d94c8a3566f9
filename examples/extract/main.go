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
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

type product struct {
	Name  string  `json:"name"`
	Price float64 `json:"price" jsonschema:"minimum=0"`
	Link  string  `json:"link" jsonschema:"format=uri"`
}

// shop is the page that is read.
const shop = `<!doctype html><html lang="en"><title>Northlight</title><h1>Products</h1>
<ul>
	<li><h2><a href="/meridian-compass">Meridian compass</a></h2><p>A brass sighting compass.</p><dl><dt>Price</dt><dd>89.00</dd></dl></li>
	<li><h2><a href="/alpine-map-set">Alpine map set</a></h2><p>Twelve tear-proof sheets.</p><dl><dt>Price</dt><dd>64.50</dd></dl></li>
	<li><h2><a href="/horizon-telescope">Horizon telescope</a></h2><p>A refractor for a rucksack.</p><dl><dt>Price</dt><dd>1249.00</dd></dl></li>
</ul>`

func main() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, shop) }))
	defer server.Close()
	products, err := read(context.Background(), cdp.Launch{}, server.URL)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, p := range products {
		fmt.Printf("%-20s %9.2f  %s\n", p.Name, p.Price, p.Link)
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
