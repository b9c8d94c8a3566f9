package tour

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/demo"
)

// wanted is the order that the demo's instructions add up to.
func wanted() demo.Order {
	return demo.Order{
		Number:  "NL-1001",
		Lines:   []demo.Line{{Product: "Meridian compass", Color: "Sea green", Quantity: 2, Price: 8900}},
		Voucher: "NORTH10", Total: 16020,
		Name: "Ada Lovelace", Email: "ada@example.com", Phone: "+41 31 555 01 42", Password: Password, Website: "https://example.com/ada",
		Street: "Rue de l'Avenir 7", Postcode: "3007", City: "Bern", Country: "Liechtenstein",
		Delivery: "express", Date: "2026-12-18", Time: "14:30", Note: "Ring twice. The dog is friendly.",
		GiftWrap: true, Newsletter: true, Ribbon: "#2a6f97", Cards: 3, Extras: []string{"Lens cloth", "Map case"}, Donation: 15,
		Attachment: &demo.Attachment{Name: attachmentName, Size: len(attachmentText), Content: attachmentText},
		Payment:    demo.Payment{Holder: "Ada Lovelace", Last4: "5556", Expires: "2029-04"},
		Accepted:   true,
	}
}

// A fieldCheck holds one member of the order against what was wanted.
type fieldCheck struct {
	Field string `json:"field"`
	Want  string `json:"want"`
	Got   string `json:"got"`
	OK    bool   `json:"ok"`
}

// compare holds two orders against each other, member by member.
func compare(want, got demo.Order) (checks []fieldCheck, right bool) {
	right = true
	for _, m := range orderMembers {
		c := fieldCheck{Field: m.name, Want: m.text(&want), Got: m.text(&got)}
		c.OK = c.Want == c.Got
		if m.name == "password" { // it arrived, and need not be shown
			c.Want, c.Got = masked(c.Want), masked(c.Got)
		}
		right = right && c.OK
		checks = append(checks, c)
	}
	return checks, right
}

func masked(s string) string {
	if s == "" {
		return ""
	}
	return "••••••••"
}

// orderMembers are the members of an order, in the order in which they are
// shown. A test holds the list against the type.
var orderMembers = []struct {
	name string
	text func(*demo.Order) string
}{
	{"number", func(o *demo.Order) string { return o.Number }},
	{"lines", func(o *demo.Order) string {
		var lines []string
		for _, l := range o.Lines {
			lines = append(lines, fmt.Sprintf("%d × %s, %s, %s", l.Quantity, l.Product, l.Color, l.Price))
		}
		return strings.Join(lines, "; ")
	}},
	{"voucher", func(o *demo.Order) string { return o.Voucher }},
	{"total", func(o *demo.Order) string { return o.Total.String() }},
	{"name", func(o *demo.Order) string { return o.Name }},
	{"email", func(o *demo.Order) string { return o.Email }},
	{"phone", func(o *demo.Order) string { return o.Phone }},
	{"password", func(o *demo.Order) string { return o.Password }},
	{"website", func(o *demo.Order) string { return o.Website }},
	{"street", func(o *demo.Order) string { return o.Street }},
	{"postcode", func(o *demo.Order) string { return o.Postcode }},
	{"city", func(o *demo.Order) string { return o.City }},
	{"country", func(o *demo.Order) string { return o.Country }},
	{"delivery", func(o *demo.Order) string { return o.Delivery }},
	{"date", func(o *demo.Order) string { return o.Date }},
	{"time", func(o *demo.Order) string { return o.Time }},
	{"note", func(o *demo.Order) string { return o.Note }},
	{"giftWrap", func(o *demo.Order) string { return yesNo(o.GiftWrap) }},
	{"newsletter", func(o *demo.Order) string { return yesNo(o.Newsletter) }},
	{"ribbon", func(o *demo.Order) string { return o.Ribbon }},
	{"cards", func(o *demo.Order) string { return strconv.Itoa(o.Cards) }},
	{"extras", func(o *demo.Order) string { return strings.Join(o.Extras, ", ") }},
	{"donation", func(o *demo.Order) string { return fmt.Sprintf("%d %%", o.Donation) }},
	{"attachment", func(o *demo.Order) string {
		if o.Attachment == nil {
			return ""
		}
		return fmt.Sprintf("%s, %d bytes: %q", o.Attachment.Name, o.Attachment.Size, o.Attachment.Content)
	}},
	{"payment", func(o *demo.Order) string {
		return fmt.Sprintf("%s, card ending in %s, %s", o.Payment.Holder, o.Payment.Last4, o.Payment.Expires)
	}},
	{"accepted", func(o *demo.Order) string { return yesNo(o.Accepted) }},
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
