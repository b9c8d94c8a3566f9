// Command scraper reads a list of several pages into Go values, and writes them as
// lines of JSON. It asks no model: what the markup labels is read directly.
//
//	go run ./examples/scraper           # in Chrome
//	go run ./examples/scraper -memory   # in the browser in memory
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

type book struct {
	Title string  `json:"title"`
	Price float64 `json:"price"`
	Link  string  `json:"link" jsonschema:"format=uri"` // read from the page, never made up
}

// maxPages ends the loop on a site whose "Next" leads around in a circle.
const maxPages = 50

func main() {
	memory := flag.Bool("memory", false, "use the browser in memory")
	flag.Parse()
	site := httptest.NewServer(http.HandlerFunc(shelf))
	defer site.Close()
	var d engine.Driver = cdp.Launch{}
	if *memory {
		d = fake.Network()
	}
	if err := scrape(context.Background(), d, site.URL, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// scrape follows the pages of the list and writes each book as a line of JSON.
func scrape(ctx context.Context, d engine.Driver, address string, out io.Writer) error {
	session, err := engine.Open(ctx, d, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, address, nil); err != nil {
		return err
	}
	lines := json.NewEncoder(out)
	next := engine.Action{Selector: `role=link[name="Next"]`}
	for range maxPages {
		books, extraction, err := engine.ExtractWithSources[[]book](ctx, page, "", &engine.ExtractOptions{Direct: true})
		if err != nil {
			return err
		}
		if len(extraction.Unfilled) > 0 {
			return fmt.Errorf("%s: the page does not label %v", page.URL(), extraction.Unfilled)
		}
		for _, b := range books {
			if err := lines.Encode(b); err != nil {
				return err
			}
		}
		if _, err := page.Do(ctx, next, nil); errors.Is(err, engine.ErrNotFound) {
			return nil // the last page
		} else if err != nil {
			return err
		}
	}
	return fmt.Errorf("the list has more than %d pages", maxPages)
}

// shelf is the site: three pages with two books each.
func shelf(w http.ResponseWriter, r *http.Request) {
	books := [][3]string{
		{"Knots", "12.50", "/knots"}, {"Tides", "18.00", "/tides"}, {"Sails", "23.90", "/sails"},
		{"Charts", "31.00", "/charts"}, {"Stars", "16.40", "/stars"}, {"Winds", "9.95", "/winds"},
	}
	n, err := strconv.Atoi(r.FormValue("page"))
	if err != nil || n < 1 || n > 3 {
		n = 1
	}
	fmt.Fprint(w, `<!doctype html><title>Shelf</title><h1>Books</h1><table><tr><th>Title</th><th>Price</th><th>Link</th></tr>`)
	for _, b := range books[2*n-2 : 2*n] {
		fmt.Fprintf(w, `<tr><td>%s</td><td>%s</td><td><a href="%s">%s</a></td></tr>`, b[0], b[1], b[2], b[0])
	}
	fmt.Fprint(w, `</table>`)
	if n < 3 {
		fmt.Fprintf(w, `<p><a href="/?page=%d">Next</a></p>`, n+1)
	}
}
