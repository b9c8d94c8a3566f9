package engine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

// Extract reads data into a Go type. Prices are numbers, and a link is one that
// stands on the page: a model cannot make one up.
func ExampleExtract() {
	web := fake.Web{"https://shop.test/": `<h1>Teas</h1>
		<ul>
			<li><h2><a href="/assam">Assam</a></h2><dl><dt>Price</dt><dd>12.50</dd></dl></li>
			<li><h2><a href="/oolong">Oolong</a></h2><dl><dt>Price</dt><dd>19</dd></dl></li>
		</ul>`}
	ctx := context.Background()
	session, err := engine.Open(ctx, web, &engine.Options{Model: offline.New()})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://shop.test/", nil); err != nil {
		log.Fatal(err)
	}

	type tea struct {
		Name  string  `json:"name"`
		Price float64 `json:"price" jsonschema:"minimum=0"`
		Link  string  `json:"link" jsonschema:"format=uri"`
	}
	teas, err := engine.Extract[[]tea](ctx, page, "all teas", nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range teas {
		fmt.Printf("%s %.2f %s\n", t.Name, t.Price, t.Link)
	}
	// Output:
	// Assam 12.50 https://shop.test/assam
	// Oolong 19.00 https://shop.test/oolong
}
