// Command memory shows how code that drives pages is tested without a browser
// and without a model.
//
// The code is order, which knows nothing of Chrome: it takes a page. The test
// beside it gives it one in memory, on a web that is a map, with a model whose
// answers are written down. This program runs it on the same kind of web, with
// the offline model.
//
//	go run ./examples/memory
//	go test ./examples/memory
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

const address = "https://tea.test/"

// tea is a whole web: a shop of two pages.
var tea = fake.Web{
	address: `<title>Tea</title><h1>Tea</h1>
		<form action="/order" method="post">
			<label>Your name <input name="name" required></label>
			<label>Bags <input name="bags" type="number" value="1"></label>
			<button>Order</button>
		</form>`,
	"POST https://tea.test/order": `<title>Thank you</title><h1 role="status">Thank you</h1><dl><dt>Order number<dd>T-417</dl>`,
}

// errSoldOut says that there is no tea. Callers branch on it.
var errSoldOut = errors.New("sold out")

// order orders tea on the page and returns the number of the order.
func order(ctx context.Context, page *engine.Page, name string) (string, error) {
	if _, err := page.Navigate(ctx, address, nil); err != nil {
		return "", err
	}
	// The model is told that there is a name, and never the name.
	who := &engine.ActOptions{Variables: map[string]engine.Variable{"name": {Value: name}}}
	if _, err := page.Act(ctx, "type %name% into Your name", who); errors.Is(err, engine.ErrNotFound) {
		return "", errSoldOut
	} else if err != nil {
		return "", err
	}
	if _, err := page.Act(ctx, "click Order", nil); err != nil {
		return "", err
	}
	receipt, err := engine.Extract[struct {
		OrderNumber string `json:"orderNumber"`
	}](ctx, page, "the order number", nil)
	return receipt.OrderNumber, err
}

func main() {
	ctx := context.Background()
	session, err := engine.Open(ctx, tea, &engine.Options{Model: offline.New()})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer session.Close()
	number, err := order(ctx, session.Page(), "Ada Lovelace")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("ordered:", number)
}
