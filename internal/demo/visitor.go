package demo

import (
	"slices"
)

// cookie is the name of the cookie that tells visitors apart.
const cookie = "northlight"

// A visitor is what the shop remembers of one browser. Shop.mu guards it.
type visitor struct {
	lines   []Line
	voucher string
	payment Payment
	orders  []string // numbers
}

// count is the number of things in the cart.
func (v *visitor) count() int {
	n := 0
	for _, l := range v.lines {
		n += l.Quantity
	}
	return n
}

// A bill is what a cart comes to.
type bill struct {
	Goods, Discount, Delivery, Total Money
}

// The one voucher, and what it is good for.
const (
	voucherCode    = "NORTH10"
	voucherPercent = 10
)

const (
	freeFrom = Money(10000) // standard delivery is free from this sum
	postage  = Money(790)
)

func (v *visitor) bill() bill {
	var b bill
	for _, l := range v.lines {
		b.Goods += l.Sum()
	}
	if v.voucher == voucherCode {
		b.Discount = b.Goods * voucherPercent / 100
	}
	if len(v.lines) > 0 && b.Goods < freeFrom {
		b.Delivery = postage
	}
	b.Total = b.Goods - b.Discount + b.Delivery
	return b
}

// add puts a line into the cart, on top of an equal one if there is one.
func (v *visitor) add(l Line) {
	i := slices.IndexFunc(v.lines, func(o Line) bool { return o.Product == l.Product && o.Color == l.Color })
	if i < 0 {
		v.lines = append(v.lines, l)
		return
	}
	v.lines[i].Quantity = min(v.lines[i].Quantity+l.Quantity, maxQuantity)
}
