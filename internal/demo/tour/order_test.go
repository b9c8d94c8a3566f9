package tour

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/demo"
)

// A difference in any member is a wrong order.
func TestCompare(t *testing.T) {
	if _, right := compare(wanted(), wanted()); !right {
		t.Error("an order is not equal to itself")
	}
	changes := map[string]func(*demo.Order){
		"lines":      func(o *demo.Order) { o.Lines[0].Quantity++ },
		"total":      func(o *demo.Order) { o.Total++ },
		"password":   func(o *demo.Order) { o.Password = "%password%" },
		"giftWrap":   func(o *demo.Order) { o.GiftWrap = false },
		"extras":     func(o *demo.Order) { o.Extras = o.Extras[:1] },
		"attachment": func(o *demo.Order) { o.Attachment = nil },
		"payment":    func(o *demo.Order) { o.Payment.Last4 = "0000" },
		"accepted":   func(o *demo.Order) { o.Accepted = false },
	}
	for name, change := range changes {
		got := wanted()
		change(&got)
		checks, right := compare(wanted(), got)
		if right {
			t.Errorf("a wrong %s was not noticed", name)
		}
		for _, c := range checks {
			if c.OK == (c.Field == name) {
				t.Errorf("with a wrong %s, %s is %v", name, c.Field, c.OK)
			}
		}
	}
}
