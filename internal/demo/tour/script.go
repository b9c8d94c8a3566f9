package tour

import (
	"context"
	"fmt"
	"strconv"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// A chapter is a part of the demo.
type chapter struct {
	title string
	steps []step
}

// What is read in the demo. The schema of each question is made from the type.
type (
	offer struct {
		Name  string  `json:"name"`
		Price float64 `json:"price"`
		Link  string  `json:"link" jsonschema:"format=uri"`
	}
	specification struct {
		Weight   string `json:"weight"`
		Accuracy string `json:"accuracy"`
		Warranty string `json:"warranty"`
	}
	cart struct {
		Items []struct {
			Product  string  `json:"product"`
			Color    string  `json:"color"`
			Quantity int     `json:"quantity"`
			Sum      float64 `json:"sum"`
		} `json:"items"`
		Discount float64 `json:"discount"`
		Total    float64 `json:"total"`
	}
	receipt struct {
		OrderNumber string  `json:"orderNumber"`
		Total       float64 `json:"total"`
	}
)

const (
	attachmentName = "packing-list.txt"
	attachmentText = "one compass, one lantern\n"
)

// Password is what the shop gets as a password. No model sees it, and it is
// never shown.
const Password = "correct horse battery"

// script is what the demo does, in order.
var script = []chapter{
	{"Look around", []step{
		observe("the links in Categories"),
		extract("the products", showOffers),
	}},
	{"Find something and put it into the cart", []step{
		act("search for compass"),
		act("click Meridian compass"),
		extract("the specification", func(s specification) []string {
			return []string{"weight " + s.Weight + ", accuracy " + s.Accuracy + ", warranty " + s.Warranty}
		}),
		act("choose Sea green in Color"),
		act("set Quantity to 2"),
		act("Add to cart"),
	}},
	{"Redeem a voucher, in a closed shadow tree", []step{
		act("type NORTH10 into Voucher code"),
		act("click Redeem"),
		extract("what is in the cart", showCart),
		act("go to checkout"),
	}},
	{"Fill in the checkout", []step{
		act("type Ada Lovelace into Full name"),
		act("type ada@example.com into E-mail"),
		act("type +41 31 555 01 42 into Phone"),
		act("type https://example.com/ada into Website"),
		actWith("type %password% into Password", map[string]engine.Variable{
			"password": {Value: Password, Description: "a password; the model sees this, and not the value"},
		}),
		act("type \"Rue de l'Avenir 7\" into Street and number"),
		act("type 3007 into Postcode"),
		act("type Bern into City"),
		act("choose Liechtenstein in Country"),
		act("choose Express"),
		act("set Delivery date to 2026-12-18"),
		act("set Delivery time to 14:30"),
		act("type \"Ring twice. The dog is friendly.\" into Note for the courier"),
		act("check Gift wrap"),
		act("set Ribbon color to #2a6f97"),
		act("set Greeting cards to 3"),
		act("set Donation in percent to 15"),
		act("select Map case and Lens cloth in Free extras"),
		upload,
		act("check Send me the newsletter"),
	}},
	{"Pay, in a frame", []step{
		act("type Ada Lovelace into Card holder"),
		actWith("type %card% into Card number", map[string]engine.Variable{"card": {Value: "4000 0566 5566 5556", Description: "a card's number"}}),
		act("set Expires to 2029-04"),
		actWith("type %code% into Security code", map[string]engine.Variable{"code": {Value: "7391", Description: "the code on its back"}}),
		act("click Save card"),
	}},
	{"Confirm, in a dialog", []step{
		act("click Review and order"),
		act("check I accept the terms"),
		act("click Place order"),
		extract("the order", func(r receipt) []string {
			return []string{fmt.Sprintf("order %s, total %.2f", r.OrderNumber, r.Total)}
		}),
	}},
}

// upload gives the file that the demo wrote.
func upload(ctx context.Context, d *demonstration) error {
	return act("upload "+strconv.Quote(d.file)+" to Packing list")(ctx, d)
}

func showOffers(offers []offer) []string {
	lines := []string{}
	for _, o := range offers {
		lines = append(lines, fmt.Sprintf("%-20s %9.2f", o.Name, o.Price))
	}
	return lines
}

func showCart(c cart) []string {
	lines := []string{}
	for _, i := range c.Items {
		lines = append(lines, fmt.Sprintf("%d × %s, %s: %.2f", i.Quantity, i.Product, i.Color, i.Sum))
	}
	return append(lines, fmt.Sprintf("discount %.2f, total %.2f", c.Discount, c.Total))
}
