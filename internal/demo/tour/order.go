package tour

import (
	"fmt"
	"reflect"
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

// compare holds two orders against each other, member by member, by their names in JSON.
func compare(want, got demo.Order) (checks []fieldCheck, right bool) {
	right = true
	wanted, arrived := reflect.ValueOf(want), reflect.ValueOf(got)
	for i := range wanted.NumField() {
		name, _, _ := strings.Cut(wanted.Type().Field(i).Tag.Get("json"), ",")
		c := fieldCheck{Field: name, Want: text(wanted.Field(i).Interface()), Got: text(arrived.Field(i).Interface())}
		c.OK = c.Want == c.Got
		switch name {
		case "password": // it arrived, and need not be shown
			c.Want, c.Got = masked(c.Want), masked(c.Got)
		case "donation":
			c.Want, c.Got = c.Want+" %", c.Got+" %"
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

// text is a member of an order as it is shown.
func text(member any) string {
	switch v := member.(type) {
	case bool:
		return map[bool]string{true: "yes", false: "no"}[v]
	case []string:
		return strings.Join(v, ", ")
	case []demo.Line:
		var lines []string
		for _, l := range v {
			lines = append(lines, fmt.Sprintf("%d × %s, %s, %s", l.Quantity, l.Product, l.Color, l.Price))
		}
		return strings.Join(lines, "; ")
	case *demo.Attachment:
		if v == nil {
			return ""
		}
		return fmt.Sprintf("%s, %d bytes: %q", v.Name, v.Size, v.Content)
	case demo.Payment:
		return fmt.Sprintf("%s, card ending in %s, %s", v.Holder, v.Last4, v.Expires)
	}
	return fmt.Sprint(member)
}
