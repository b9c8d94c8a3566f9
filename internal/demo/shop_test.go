package demo

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

// A customer is a client with cookies of its own.
type customer struct {
	t    *testing.T
	http *http.Client
	site string
}

func open(t *testing.T) (*Shop, string) {
	shop := New()
	server := httptest.NewServer(shop)
	t.Cleanup(server.Close)
	return shop, server.URL
}

func newCustomer(t *testing.T, site string) *customer {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &customer{t, &http.Client{Jar: jar}, site}
}

func (c *customer) read(resp *http.Response, err error) (status int, body, path string) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.StatusCode, string(data), resp.Request.URL.RequestURI()
}

func (c *customer) get(path string) (status int, body string) {
	c.t.Helper()
	status, body, _ = c.read(c.http.Get(c.site + path))
	return status, body
}

func (c *customer) post(path string, form url.Values) (status int, body, at string) {
	c.t.Helper()
	return c.read(c.http.PostForm(c.site+path, form))
}

func (c *customer) buy(slug, color, quantity string) {
	c.t.Helper()
	status, _, at := c.post("/cart", url.Values{"product": {slug}, "color": {color}, "quantity": {quantity}})
	if status != http.StatusOK || at != "/cart" {
		c.t.Fatalf("POST /cart = %d at %s, want 200 at /cart", status, at)
	}
}

func (c *customer) pay() {
	c.t.Helper()
	c.post("/checkout/payment", url.Values{"holder": {"Ada"}, "card": {"4242 4242 4242 4242"}, "expires": {"2029-04"}, "code": {"123"}})
}

// sent is a filled-in checkout as a browser sends it.
func sent() url.Values {
	return url.Values{
		"name": {"Ada Lovelace"}, "email": {"ada@example.com"}, "phone": {"+41 31"}, "password": {"secret"}, "website": {"https://example.com/"},
		"street": {"Weg 7"}, "postcode": {"3007"}, "city": {"Bern"}, "country": {"Norway"},
		"delivery": {"pickup"}, "date": {"2026-12-18"}, "time": {"14:30"}, "note": {"two\r\nlines"},
		"giftwrap": {"yes"}, "ribbon": {"#2a6f97"}, "cards": {"3"}, "donation": {"15"}, "extras": {"Lens cloth", "Map case"},
		"newsletter": {"yes"}, "terms": {"accepted"},
	}
}

func multipartOf(t *testing.T, form url.Values, file, content string) (body *bytes.Buffer, contentType string) {
	body = &bytes.Buffer{}
	w := multipart.NewWriter(body)
	for name, values := range form {
		for _, v := range values {
			if err := w.WriteField(name, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	if file != "" {
		part, err := w.CreateFormFile("attachment", file)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(part, content)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return body, w.FormDataContentType()
}

func (c *customer) order(form url.Values, file, content string) (status int, body, at string) {
	c.t.Helper()
	data, contentType := multipartOf(c.t, form, file, content)
	return c.read(c.http.Post(c.site+"/checkout", contentType, data))
}

// TestOrder is the whole way from the cart to what arrived.
func TestOrder(t *testing.T) {
	shop, site := open(t)
	c := newCustomer(t, site)
	c.buy("meridian-compass", "Brass", "1")
	c.buy("meridian-compass", "Brass", "1")
	c.buy("field-notebook", "Moss", "3")
	c.post("/cart/voucher", url.Values{"code": {" north10 "}})
	c.pay()
	status, body, at := c.order(sent(), "list.txt", "one\n")
	if status != http.StatusOK || at != "/orders/NL-1001" {
		t.Fatalf("POST /checkout = %d at %s, want 200 at /orders/NL-1001", status, at)
	}
	for _, want := range []string{"Thank you, Ada Lovelace", "NL-1001", "CHF 210.15", "Card ending in 4242"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page of thanks lacks %q", want)
		}
	}
	want := []Order{{
		Number:  "NL-1001",
		Lines:   []Line{{"Meridian compass", "Brass", 2, 8900}, {"Field notebook", "Moss", 3, 1850}},
		Voucher: "NORTH10", Total: 21015,
		Name: "Ada Lovelace", Email: "ada@example.com", Phone: "+41 31", Password: "secret", Website: "https://example.com/",
		Street: "Weg 7", Postcode: "3007", City: "Bern", Country: "Norway",
		Delivery: "pickup", Date: "2026-12-18", Time: "14:30", Note: "two\nlines",
		GiftWrap: true, Newsletter: true, Ribbon: "#2a6f97", Cards: 3, Extras: []string{"Lens cloth", "Map case"}, Donation: 15,
		Attachment: &Attachment{"list.txt", 4, "one\n"},
		Payment:    Payment{"Ada", "4242", "2029-04"},
		Accepted:   true,
	}}
	if got := shop.Orders(); !reflect.DeepEqual(got, want) {
		t.Errorf("Orders() = %+v, want %+v", got, want)
	}
	if _, body := c.get("/cart"); !strings.Contains(body, "There is nothing in it yet") {
		t.Error("the cart is not empty after the order")
	}
}

// TestRefusals: what is missing is said at its field, and nothing is recorded.
func TestRefusals(t *testing.T) {
	cases := []struct {
		name   string
		change func(url.Values)
		want   string
	}{
		{"no name", func(v url.Values) { v.Set("name", " ") }, "Tell us your name."},
		{"no mail address", func(v url.Values) { v.Set("email", "ada") }, "This is no e-mail address."},
		{"unknown country", func(v url.Values) { v.Set("country", "Atlantis") }, "We do not deliver there."},
		{"no date", func(v url.Values) { v.Set("date", "tomorrow") }, "This is no date."},
		{"no color", func(v url.Values) { v.Set("ribbon", "blue") }, "This is no color."},
		{"too many cards", func(v url.Values) { v.Set("cards", "11") }, "From 0 to 10."},
		{"unknown extra", func(v url.Values) { v.Add("extras", "Gold") }, "We do not have these."},
		{"terms not accepted", func(v url.Values) { v.Del("terms") }, "Accept the terms."},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			shop, site := open(t)
			c := newCustomer(t, site)
			c.buy("ember-lantern", "Copper", "1")
			c.pay()
			form := sent()
			tc.change(form)
			status, body, _ := c.order(form, "", "")
			if status != http.StatusUnprocessableEntity || !strings.Contains(body, tc.want) {
				t.Errorf("POST /checkout = %d, want 422 with %q", status, tc.want)
			}
			if n := len(shop.Orders()); n != 0 {
				t.Errorf("%d orders were recorded, want none", n)
			}
		})
	}
}

func TestOrderNeedsCardAndCart(t *testing.T) {
	shop, site := open(t)
	c := newCustomer(t, site)
	if status, _, at := c.read(c.http.Get(site + "/checkout")); status != http.StatusOK || at != "/cart" {
		t.Errorf("an empty cart goes to %s (%d), want /cart", at, status)
	}
	c.buy("ember-lantern", "Copper", "1")
	if status, body, _ := c.order(sent(), "", ""); status != http.StatusUnprocessableEntity || !strings.Contains(body, "Save a card first.") {
		t.Errorf("an order without a card = %d, want 422 that says so", status)
	}
	if n := len(shop.Orders()); n != 0 {
		t.Errorf("%d orders were recorded, want none", n)
	}
}

func TestVisitorsAreApart(t *testing.T) {
	_, site := open(t)
	ada, bob := newCustomer(t, site), newCustomer(t, site)
	ada.buy("signal-whistle", "Orange", "2")
	ada.pay()
	ada.order(sent(), "", "")
	if _, body := bob.get("/cart"); strings.Contains(body, "Signal whistle") {
		t.Error("a visitor sees another's cart")
	}
	if status, _ := bob.get("/orders/NL-1001"); status != http.StatusNotFound {
		t.Errorf("another's order = %d, want 404", status)
	}
}

func TestVisitorsAreBounded(t *testing.T) {
	shop := New()
	for range maxVisitors + 5 {
		shop.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}
	if n := len(shop.visitors); n != maxVisitors {
		t.Errorf("the shop remembers %d visitors, want %d", n, maxVisitors)
	}
}

func TestCart(t *testing.T) {
	_, site := open(t)
	c := newCustomer(t, site)
	c.buy("spring-bottle", "Rust", "1")
	if _, body := c.get("/cart"); !strings.Contains(body, "CHF 41.90") {
		t.Error("postage is not in the total of a small cart")
	}
	c.post("/cart/change", url.Values{"line": {"0"}, "quantity": {"4"}})
	if _, body := c.get("/cart"); !strings.Contains(body, "CHF 136.00") || !strings.Contains(body, "Free") {
		t.Error("four bottles are not CHF 136.00 with free delivery")
	}
	if status, _, _ := c.post("/cart/change", url.Values{"line": {"0"}, "quantity": {"-1"}}); status != http.StatusUnprocessableEntity {
		t.Errorf("a negative quantity = %d, want 422", status)
	}
	if _, body, _ := c.post("/cart/voucher", url.Values{"code": {"FREE"}}); !strings.Contains(body, "We do not know this voucher.") {
		t.Error("a voucher that does not exist was taken")
	}
	c.post("/cart/change", url.Values{"line": {"0"}, "quantity": {"4"}, "remove": {"yes"}})
	if _, body := c.get("/cart"); !strings.Contains(body, "There is nothing in it yet") {
		t.Error("a removed thing is still there")
	}
	for _, bad := range []url.Values{
		{"product": {"spring-bottle"}, "color": {"Rust"}, "quantity": {"0"}},
		{"product": {"spring-bottle"}, "color": {"Pink"}, "quantity": {"1"}},
	} {
		if status, _, _ := c.post("/cart", bad); status != http.StatusUnprocessableEntity {
			t.Errorf("POST /cart %v = %d, want 422", bad, status)
		}
	}
}

func TestSearch(t *testing.T) {
	_, site := open(t)
	c := newCustomer(t, site)
	for query, want := range map[string]string{
		"q=compass":                     "1 product found",
		"q=LANTERN+warm":                "1 product found",
		"q=teapot":                      "0 products found",
		"category=Carry&sort=price":     "3 products found",
		"q=%3Cscript%3Ealert%3C%2Fq%3E": "0 products found",
	} {
		status, body := c.get("/search?" + query)
		if status != http.StatusOK || !strings.Contains(body, want) || strings.Contains(body, "<script>") {
			t.Errorf("GET /search?%s = %d, want 200 with %q and no foreign markup", query, status, want)
		}
	}
	_, body := c.get("/search?category=Carry&sort=price")
	if strings.Index(body, "Field notebook") > strings.Index(body, "Ridge backpack") {
		t.Error("sorted by price, the dearer comes first")
	}
}

// TestEveryAddress follows every link and picture of the site.
func TestEveryAddress(t *testing.T) {
	_, site := open(t)
	c := newCustomer(t, site)
	c.buy("ember-lantern", "Copper", "1")
	seen := map[string]bool{}
	queue := []string{"/", "/checkout", "/checkout/payment"}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		if seen[path] {
			continue
		}
		seen[path] = true
		status, body := c.get(path)
		if status != http.StatusOK {
			t.Errorf("GET %s = %d, want 200", path, status)
		}
		if strings.Contains(body, "<script") {
			t.Errorf("%s has a script; the site works without", path)
		}
		if strings.HasPrefix(path, "/static/") {
			continue
		}
		for _, attribute := range []string{`href="`, `src="`} {
			for rest := body; ; {
				_, after, ok := strings.Cut(rest, attribute)
				if !ok {
					break
				}
				address, tail, _ := strings.Cut(after, `"`)
				if rest = tail; strings.HasPrefix(address, "/") {
					queue = append(queue, strings.ReplaceAll(address, "&amp;", "&"))
				}
			}
		}
	}
	if len(seen) < 25 {
		t.Errorf("only %d addresses were found: %v", len(seen), seen)
	}
	if status, body := c.get("/nowhere"); status != http.StatusNotFound || !strings.Contains(body, "Page not found") {
		t.Errorf("GET /nowhere = %d, want 404 that says so", status)
	}
}

func TestTooLarge(t *testing.T) {
	_, site := open(t)
	c := newCustomer(t, site)
	c.buy("ember-lantern", "Copper", "1")
	c.pay()
	if status, _, _ := c.order(sent(), "big.bin", strings.Repeat("x", maxBody+1)); status != http.StatusBadRequest {
		t.Errorf("an order of over 1 MB = %d, want 400", status)
	}
}

func TestMoney(t *testing.T) {
	for m, want := range map[Money]string{0: "CHF 0.00", 5: "CHF 0.05", 8900: "CHF 89.00", 124900: "CHF 1'249.00", 123456789: "CHF 1'234'567.89", -790: "CHF -7.90"} {
		if got := m.String(); got != want {
			t.Errorf("Money(%d) = %q, want %q", int(m), got, want)
		}
	}
}

// The caller owns what Orders returns.
func TestOrdersAreCopies(t *testing.T) {
	shop, site := open(t)
	c := newCustomer(t, site)
	c.buy("ember-lantern", "Copper", "1")
	c.pay()
	c.order(sent(), "list.txt", "one")
	first := shop.Orders()
	first[0].Lines[0].Quantity, first[0].Extras[0], first[0].Attachment.Name = 99, "x", "x"
	if again := shop.Orders(); again[0].Lines[0].Quantity != 1 || again[0].Extras[0] != "Lens cloth" || again[0].Attachment.Name != "list.txt" {
		t.Errorf("a change of the result changed the shop: %+v", again[0])
	}
}
