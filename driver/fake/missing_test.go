package fake_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

// What a test forgot is said where it was forgotten.
func TestMissing(t *testing.T) {
	_, p := open(t, fake.Web{
		"https://shop.test/":    `<form action="/pay" method="post"><button>Pay</button></form>`,
		"https://shop.test/pay": `<h1>Thank you</h1>`,
	}, "https://shop.test/")
	click(t, p, "button")
	if got := shown(capture(t, p)); !strings.Contains(got, `no key for POST https://shop.test/pay; there is one for GET. A key for it begins with "POST "`) {
		t.Errorf("a POST that only a GET answers shows %q", got)
	}
	var said string
	err := fake.Change(t.Context(), p, func(d *fake.Document) {
		defer func() { said = fmt.Sprint(recover()) }()
		d.Find("#h").SetText("x")
	})
	if err != nil || !strings.Contains(said, `nothing matches "#h" on https://shop.test/pay`) {
		t.Errorf("Find of nothing: %q, %v", said, err)
	}
}
