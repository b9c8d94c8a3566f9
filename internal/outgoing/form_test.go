package outgoing_test

import (
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/internal/outgoing"
)

// TestFromForm: what a button sends is what its form would: by its own address, with what
// is ticked, and without what is disabled or belongs to another form.
func TestFromForm(t *testing.T) {
	for html, want := range map[string]string{
		`<form method=post action=/pay><input name=a value=1><button id=b name=go value=yes>Pay</button></form>`:                             `POST https://shop.test/pay a=1 go=yes`,
		`<form method=post action=/pay><button id=b formaction=/later formmethod=get>Later</button><input name=a value=1></form>`:            `GET https://shop.test/later a=1`,
		`<form method=post action=/pay><input type=checkbox name=a value=1><input type=checkbox name=b value=2 checked><button id=b></form>`: `POST https://shop.test/pay b=2`,
		`<form method=post action=/pay><fieldset disabled><input name=a value=1></fieldset><input name=b value=2><button id=b></form>`:       `POST https://shop.test/pay b=2`,
		`<form method=post action=/one><input id=e name=a value=1></form><form method=post action=/two><button formaction=/three></form>`:    `POST https://shop.test/one a=1`,
		`<form method=post action=/one><input id=e name=a value=1><button name=go value=1></form>`:                                           `POST https://shop.test/one a=1 go=1`,
		`<form method=post action=/pay id=f></form><input form=f name=a value=1><input name=b value=2><button form=f id=b>Pay</button>`:      `POST https://shop.test/pay a=1`,
		`<a href="/cart?add=lamp" id=b>Add</a>`: `GET https://shop.test/cart add=lamp`,
	} {
		browser, err := fake.New(fake.Options{Web: fake.Web{"https://shop.test/": html}}).Open(t.Context(), &driver.BrowserOptions{})
		if err != nil {
			t.Fatal(err)
		}
		page := browser.Pages()[0]
		if _, err := page.Navigate(t.Context(), "https://shop.test/", &driver.NavigateOptions{}); err != nil {
			t.Fatal(err)
		}
		c, err := page.Capture(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var r *outgoing.Request
		doc := &c.Documents[0]
		for i := range doc.Nodes {
			if id, _ := doc.Nodes[i].Attr("id"); id == "b" || id == "e" {
				r = outgoing.FromForm(c, doc.Ref(int32(i)), id == "e")
			}
		}
		got := "nothing"
		if r != nil {
			got = r.Method + " " + r.URL
			for _, f := range r.Fields {
				got += " " + f.Name + "=" + f.Value
			}
		}
		if got != want {
			t.Errorf("%s sends %s, want %s", strings.ReplaceAll(html, "\n", " "), got, want)
		}
		browser.Close()
	}
}
