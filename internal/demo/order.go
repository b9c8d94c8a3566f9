package demo

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
