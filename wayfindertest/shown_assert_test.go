package wayfindertest_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// Assertions hold what the page comes to show, and say what it shows where they fail.
func TestShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		session, err := engine.Open(t.Context(), fake.Web{"https://shop.test/": `<title>Shop</title><label>Name <input value=Ada></label><button>Pay</button><button>Pay</button>`}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		page := session.Page()
		if _, err := page.Navigate(t.Context(), "https://shop.test/", nil); err != nil {
			t.Fatal(err)
		}
		pay, name := engine.Role("button", "Pay"), engine.Label("Name")
		wayfindertest.Shown(t, page, pay)
		wayfindertest.Gone(t, page, "role=dialog")
		wayfindertest.Value(t, page, name, "Ada")
		for what, assert := range map[string]func(testing.TB){
			"not met":        func(t testing.TB) { wayfindertest.Shown(t, page, "role=dialog") },
			"selector-gone=": func(t testing.TB) { wayfindertest.Gone(t, page, pay) },
			`value="Eve"`:    func(t testing.TB) { wayfindertest.Value(t, page, name, "Eve") },
			"more than one":  func(t testing.TB) { wayfindertest.Value(t, page, pay, "x") },
			"invalid":        func(t testing.TB) { wayfindertest.Shown(t, page, "role=") },
			"textbox: Name":  func(t testing.TB) { wayfindertest.Shown(t, page, "role=dialog") },
		} {
			failed := &failing{TB: t}
			assert(failed)
			if !strings.Contains(failed.said, what) {
				t.Errorf("it failed with %q, want %q", failed.said, what)
			}
		}
	})
}
