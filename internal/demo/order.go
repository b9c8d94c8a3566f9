package demo

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// An Order is what arrived at the shop. Its members hold what was sent,
// unchanged; an empty one was not sent or left empty.
type Order struct {
	Number string `json:"number"`
	Lines  []Line `json:"lines"`
	// Voucher is the code that was redeemed in the cart.
	Voucher string `json:"voucher,omitempty"`
	Total   Money  `json:"total"` // in hundredths of a franc

	Name     string `json:"name"`
	Email    string `json:"email"`
	Phone    string `json:"phone"`
	Password string `json:"password,omitempty"`
	Website  string `json:"website,omitempty"`

	Street   string `json:"street"`
	Postcode string `json:"postcode"`
	City     string `json:"city"`
	Country  string `json:"country"`

	Delivery string `json:"delivery"` // standard, express or pickup
	Date     string `json:"date"`     // as 2026-12-18
	Time     string `json:"time"`     // as 14:30
	Note     string `json:"note,omitempty"`

	GiftWrap   bool     `json:"giftWrap"`
	Newsletter bool     `json:"newsletter"`
	Ribbon     string   `json:"ribbon"` // a color, as #2a6f97
	Cards      int      `json:"cards"`
	Extras     []string `json:"extras"`
	Donation   int      `json:"donation"` // percent

	Attachment *Attachment `json:"attachment,omitempty"`
	Payment    Payment     `json:"payment"`
	Accepted   bool        `json:"accepted"` // the terms
}

// A Line is one product of an order.
type Line struct {
	Product  string `json:"product"`
	Color    string `json:"color"`
	Quantity int    `json:"quantity"`
	Price    Money  `json:"price"` // of one
}

// Sum is the price of the line.
func (l Line) Sum() Money { return l.Price * Money(l.Quantity) }

// An Attachment is a file that came with an order.
type Attachment struct {
	Name    string `json:"name"`
	Size    int    `json:"size"`
	Content string `json:"content"`
}

// A Payment is the card that was saved in the payment frame.
type Payment struct {
	Holder  string `json:"holder"`
	Last4   string `json:"last4"`
	Expires string `json:"expires"` // as 2029-04
}

// problems says what is wrong with an order, by field.
func (o *Order) problems() map[string]string {
	p := map[string]string{}
	check := func(field string, ok bool, message string) {
		if !ok {
			p[field] = message
		}
	}
	check("name", strings.TrimSpace(o.Name) != "", "Tell us your name.")
	check("email", emailForm.MatchString(o.Email), "This is no e-mail address.")
	check("street", strings.TrimSpace(o.Street) != "", "Tell us the street.")
	check("postcode", postcodeForm.MatchString(o.Postcode), "This is no postcode.")
	check("city", strings.TrimSpace(o.City) != "", "Tell us the city.")
	check("country", slices.Contains(countries, o.Country), "We do not deliver there.")
	check("delivery", slices.Contains(deliveries, o.Delivery), "Choose how it shall come.")
	check("date", o.Date == "" || parses(time.DateOnly, o.Date), "This is no date.")
	check("time", o.Time == "" || parses("15:04", o.Time), "This is no time of day.")
	check("note", utf8.RuneCountInString(o.Note) <= 500, "At most 500 characters.")
	check("ribbon", colorForm.MatchString(o.Ribbon), "This is no color.")
	check("cards", o.Cards >= 0 && o.Cards <= 10, "From 0 to 10.")
	check("donation", o.Donation >= 0 && o.Donation <= 20, "From 0 to 20.")
	for _, e := range o.Extras {
		check("extras", slices.Contains(extras, e), "We do not have these.")
	}
	check("terms", o.Accepted, "Accept the terms.")
	return p
}
