package sites

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

type product struct {
	Slug, Name, Kind, About string
	Price                   int
	Colors                  []string
	Reviews                 []string
}

type cartLine struct {
	Product *product
	Color   string
	Count   int
}

func (l cartLine) Sum() int { return l.Count * l.Product.Price }

type shopOrder struct {
	Number int
	Items  string
	Total  int
	State  string
}

// newShop is a shop: a catalog with search and kinds, a cart with vouchers, a
// checkout, orders that can be canceled, reviews and a wish list.
func newShop() *Site {
	s := newSite("Teahouse", "en", shopViews,
		link{"/", "Products"}, link{"/?kind=pots", "Pots"}, link{"/?kind=cups", "Cups"}, link{"/?kind=teas", "Teas"},
		link{"/cart", "Cart"}, link{"/orders", "Orders"}, link{"/wishes", "Wish list"}, link{"/help", "Help"})
	s.foot = []link{{"/help", "Delivery"}, {"/help#returns", "Returns"}, {"/help#contact", "Contact"}, {"/help#jobs", "Jobs"}, {"/help#press", "Press"}, {"/help#imprint", "Imprint"}}
	products := catalog()
	var cart []cartLine
	voucher := false
	orders := []shopOrder{{1001, "1 × Iron teapot", 8900, "delivered"}, {1002, "6 × Glass cup", 4200, "open"}, {1003, "2 × Assam", 1800, "open"}}
	bySlug := func(slug string) *product {
		return firstOf(products, func(p *product) bool { return p.Slug == slug })
	}
	total := func() (sum int) {
		for _, l := range cart {
			sum += l.Sum()
		}
		if voucher {
			sum -= sum / 10
		}
		return sum
	}
	s.on("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		kind, query := r.FormValue("kind"), strings.ToLower(r.FormValue("q"))
		list := filter(products, func(p *product) bool {
			return (kind == "" || p.Kind == kind) && strings.Contains(strings.ToLower(p.Name+" "+p.About), query)
		})
		if r.FormValue("sort") == "price" {
			slices.SortStableFunc(list, func(a, b *product) int { return a.Price - b.Price })
		}
		s.show(w, "catalog", "Products", map[string]any{"List": list, "Kind": kind, "Query": r.FormValue("q")})
	})
	s.on("GET /p/{slug}", func(w http.ResponseWriter, r *http.Request) {
		p := bySlug(r.PathValue("slug"))
		if p == nil {
			http.NotFound(w, r)
			return
		}
		s.show(w, "product", p.Name, p)
	})
	s.on("POST /p/{slug}/review", func(w http.ResponseWriter, r *http.Request) {
		p := bySlug(r.PathValue("slug"))
		if r.FormValue("stars") == "" || r.FormValue("text") == "" {
			s.showStatus(w, http.StatusUnprocessableEntity, "told", "Not taken", "A review needs stars and a text.")
			return
		}
		p.Reviews = append(p.Reviews, r.FormValue("stars")+" stars: "+r.FormValue("text"))
		s.note("review of %s: %s stars: %s", p.Name, r.FormValue("stars"), r.FormValue("text"))
		to(w, r, "/p/"+p.Slug)
	})
	s.on("POST /wishes", func(w http.ResponseWriter, r *http.Request) {
		s.note("wish: %s", bySlug(r.FormValue("slug")).Name)
		to(w, r, "/wishes")
	})
	s.on("GET /wishes", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "wishes", "Wish list", s.journal) })
	s.on("POST /cart", func(w http.ResponseWriter, r *http.Request) {
		p := bySlug(r.FormValue("slug"))
		n, _ := strconv.Atoi(r.FormValue("count"))
		if n < 1 || n > 20 {
			s.showStatus(w, http.StatusUnprocessableEntity, "told", "Not taken", "Choose a quantity from 1 to 20.")
			return
		}
		color := r.FormValue("color")
		if color == "" && len(p.Colors) > 0 {
			color = p.Colors[0]
		}
		cart = append(cart, cartLine{p, color, n})
		to(w, r, "/cart")
	})
	showCart := func(w http.ResponseWriter, told string) {
		s.show(w, "cart", "Cart", map[string]any{"Lines": cart, "Total": total(), "Voucher": voucher, "Told": told})
	}
	s.on("GET /cart", func(w http.ResponseWriter, _ *http.Request) { showCart(w, "") })
	s.on("POST /cart/change", func(w http.ResponseWriter, r *http.Request) {
		i, _ := strconv.Atoi(r.FormValue("line"))
		n, _ := strconv.Atoi(r.FormValue("count"))
		switch {
		case i >= len(cart):
		case r.FormValue("remove") != "":
			cart = slices.Delete(cart, i, i+1)
		case n > 0:
			cart[i].Count = n
		}
		to(w, r, "/cart")
	})
	s.on("POST /cart/voucher", func(w http.ResponseWriter, r *http.Request) {
		if voucher = strings.EqualFold(r.FormValue("code"), "TEA10"); !voucher {
			showCart(w, "That voucher is not known.")
			return
		}
		showCart(w, "The voucher takes 10 % off.")
	})
	s.on("GET /checkout", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "checkout", "Checkout", total()) })
	s.on("POST /checkout", func(w http.ResponseWriter, r *http.Request) {
		if len(cart) == 0 || r.FormValue("name") == "" || r.FormValue("street") == "" || r.FormValue("city") == "" || r.FormValue("terms") == "" {
			s.showStatus(w, http.StatusUnprocessableEntity, "told", "Not ordered", "Name, street, city and the terms are needed.")
			return
		}
		var items []string
		for _, l := range cart {
			items = append(items, strings.TrimSpace(strconv.Itoa(l.Count)+" × "+l.Product.Name+" "+l.Color))
		}
		o := shopOrder{1001 + len(orders), strings.Join(items, ", "), total(), "open"}
		orders = append(orders, o)
		s.note("order %d: %s: %s to %s, %s, %s by %s", o.Number, o.Items, money(o.Total), r.FormValue("name"), r.FormValue("street"), r.FormValue("city"), r.FormValue("delivery"))
		cart, voucher = nil, false
		s.show(w, "told", "Thank you", "Thank you for your order. Its number is "+strconv.Itoa(o.Number)+".")
	})
	s.on("GET /orders", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "orders", "Orders", orders) })
	s.on("POST /orders/{number}/cancel", func(w http.ResponseWriter, r *http.Request) {
		for i := range orders {
			if strconv.Itoa(orders[i].Number) == r.PathValue("number") && orders[i].State == "open" {
				orders[i].State = "canceled"
				s.note("canceled order %d", orders[i].Number)
			}
		}
		to(w, r, "/orders")
	})
	s.on("GET /help", func(w http.ResponseWriter, _ *http.Request) {
		s.show(w, "told", "Help", "Delivery takes three days. The voucher code of this month is TEA10.")
	})
	return s
}

func catalog() []*product {
	var all []*product
	add := func(kind, about string, colors []string, names ...string) {
		for i, n := range names {
			all = append(all, &product{Slug: strings.ReplaceAll(strings.ToLower(n), " ", "-"), Name: n, Kind: kind, About: about, Price: 900 + 800*(i*7%9) + 10*len(n), Colors: colors})
		}
	}
	add("pots", "Holds one liter and pours without a drop.", []string{"black", "blue", "green"}, "Iron teapot", "Glass teapot", "Clay teapot", "Travel teapot", "Small kettle", "Large kettle", "Samovar", "Gaiwan")
	add("cups", "Thin at the rim, and safe in the dishwasher.", []string{"white", "blue"}, "Glass cup", "Tall cup", "Matcha bowl", "Espresso cup", "Double wall cup", "Cup with saucer", "Tumbler", "Mug")
	add("teas", "Two hundred grams, picked this spring.", nil, "Assam", "Darjeeling", "Sencha", "Gyokuro", "Oolong", "Earl Grey", "Rooibos", "Peppermint")
	return all
}

const shopViews = `
{{define "catalog"}}<form role="search"><label>Search <input type="search" name="q" value="{{.Query}}"></label>
<label>Sort by <select name="sort"><option value="">Name<option value="price">Price</select></label><input type="hidden" name="kind" value="{{.Kind}}"><button>Search</button></form>
<p>{{len .List}} products</p><ul>{{range .List}}<li><h2><a href="/p/{{.Slug}}">{{.Name}}</a></h2><p>{{.About}}</p><p>{{money .Price}}</p>
<form method="post" action="/cart"><input type="hidden" name="slug" value="{{.Slug}}"><input type="hidden" name="count" value="1"><button>Add to cart</button></form></li>{{end}}</ul>{{end}}

{{define "product"}}<p>{{.About}}</p><p>{{money .Price}}</p>
<form method="post" action="/cart"><input type="hidden" name="slug" value="{{.Slug}}">{{with .Colors}}<label>Color <select name="color">{{range .}}<option>{{.}}{{end}}</select></label>{{end}}
<label>Quantity <input type="number" name="count" value="1" min="1" max="20"></label><button>Add to cart</button></form>
<form method="post" action="/wishes"><input type="hidden" name="slug" value="{{.Slug}}"><button>Add to wish list</button></form>
<h2>Reviews</h2><ul>{{range .Reviews}}<li>{{.}}</li>{{else}}<li>No reviews yet</li>{{end}}</ul>
<form method="post" action="/p/{{.Slug}}/review"><fieldset><legend>Stars</legend>{{range $n := .Stars}}<label><input type="radio" name="stars" value="{{$n}}"> {{$n}} stars</label>{{end}}</fieldset>
<label>Your review <textarea name="text"></textarea></label><button>Send review</button></form>{{end}}

{{define "cart"}}{{with .Told}}<p role="status">{{.}}</p>{{end}}{{if .Lines}}<ul>{{range $i, $l := .Lines}}<li><h2>{{$l.Product.Name}}</h2><p>{{$l.Color}} {{money $l.Sum}}</p>
<form method="post" action="/cart/change"><input type="hidden" name="line" value="{{$i}}"><label>Quantity of {{$l.Product.Name}} <input type="number" name="count" value="{{$l.Count}}"></label>
<button>Update</button> <button name="remove" value="1">Remove</button></form></li>{{end}}</ul>
<form method="post" action="/cart/voucher"><label>Voucher <input name="code"></label><button>Redeem</button></form>
<p>Total: {{money .Total}}</p><a href="/checkout">Checkout</a>{{else}}<p>Your cart is empty.</p>{{end}}{{end}}

{{define "checkout"}}<p>Total: {{money .}}</p><form method="post"><label>Name <input name="name"></label><label>Street <input name="street"></label><label>City <input name="city"></label>
<fieldset><legend>Delivery</legend><label><input type="radio" name="delivery" value="post" checked> By post</label><label><input type="radio" name="delivery" value="courier"> By courier</label></fieldset>
<label><input type="checkbox" name="terms"> I accept the terms</label><button>Place order</button></form>{{end}}

{{define "orders"}}<table><caption>Your orders</caption><thead><tr><th>Number<th>Items<th>Total<th>State<th>Action</tr></thead><tbody>{{range .}}<tr><td>{{.Number}}<td>{{.Items}}<td>{{money .Total}}<td>{{.State}}
<td>{{if eq .State "open"}}<form method="post" action="/orders/{{.Number}}/cancel"><button>Cancel</button></form>{{end}}</tr>{{end}}</tbody></table>{{end}}
{{define "wishes"}}<ul>{{range .}}<li>{{.}}</li>{{else}}<li>Nothing yet</li>{{end}}</ul>{{end}}
{{define "told"}}<p role="status">{{.}}</p><a href="/">Back to the products</a>{{end}}
`

// Stars are how a product can be rated.
func (p *product) Stars() []int { return []int{1, 2, 3, 4, 5} }

func deliverTo(name, street, city string) Call {
	return form("textbox: Name", name, "textbox: Street", street, "textbox: City", city, "checkbox: I accept the terms", "true")
}

func ordered() []map[string]any {
	return []map[string]any{says("Thank you for your order"), sent("POST", "/checkout")}
}

func shopTasks() []Task {
	address := deliverTo("Ada", "Main street 1", "Bern")
	return []Task{
		task("shop/order", newShop, "/", "Open Glass teapot, add it to the cart and order it for Ada, Main street 1, Bern.").
			clicks("link: Glass teapot", "button: Add to cart", "link: Checkout").
			turn(address, click("button: Place order")).
			did("the teapot is ordered", ordered()...).
			want("order 1004: 1 × Glass teapot black: CHF 66.20 to Ada, Main street 1, Bern by post"),
		task("shop/order-clicks", newShop, "/",
			"add the Samovar to the cart, click Checkout, fill Name with Ada, Street with Main street 1 and City with Bern, check I accept the terms and click Place order").plain().
			clicks("listitem: Samovar / button: Add to cart", "link: Checkout").
			turn(address, click("button: Place order")).
			did("the samovar is ordered", ordered()...).
			want("order 1004: 1 × Samovar black: CHF 57.70 to Ada, Main street 1, Bern by post"),
		task("shop/voucher", newShop, "/", "Order three blue mugs by courier for Ada, Main street 1, Bern, with this month's voucher, which the help names.").
			clicks("link: Help", "link: Cups", "link: Mug").
			turn(choose("combobox: Color", "blue"), fill("spinbutton: Quantity", "3"), click("button: Add to cart")).
			turn(fill("textbox: Voucher", "TEA10"), click("button: Redeem")).
			clicks("link: Checkout").
			turn(address, click("radio: By courier"), click("button: Place order")).
			did("the mugs are ordered", ordered()...).
			want("order 1004: 3 × Mug blue: CHF 111.51 to Ada, Main street 1, Bern by courier"),
		task("shop/change-cart", newShop, "/", "Put Assam and Sencha into the cart, make it four Sencha, take Assam out, and order for Ada, Main street 1, Bern.").
			clicks("listitem: Assam / button: Add to cart", "link: Teas", "listitem: Sencha / button: Add to cart").
			turn(fill("spinbutton: Quantity of Sencha", "4"), click("listitem: Sencha / button: Update")).
			clicks("listitem: Assam / button: Remove", "link: Checkout").
			turn(address, click("button: Place order")).
			did("four Sencha are ordered", ordered()...).
			want("order 1004: 4 × Sencha: CHF 198.40 to Ada, Main street 1, Bern by post"),
		task("shop/cancel", newShop, "/", "open Orders and cancel the order 1003").plain().
			clicks("link: Orders", "row: 1003 / button: Cancel").
			did("the order 1003 is canceled", sent("POST", "/orders/1003/cancel"), step(-1)).
			want("canceled order 1003"),
		task("shop/wish", newShop, "/", "search for bowl, open Matcha bowl and click Add to wish list").plain().
			turn(fill("searchbox: Search", "bowl"), click("button: Search")).
			clicks("link: Matcha bowl", "button: Add to wish list").
			did("the bowl is on the wish list", says("wish: Matcha bowl")).
			want("wish: Matcha bowl"),
		task("shop/cheapest", newShop, "/", "Put the cheapest pot on the wish list.").
			clicks("link: Pots").
			turn(choose("combobox: Sort by", "Price"), click("button: Search")).
			turn(call("extract", "instruction", "name of the first product")).
			clicks("link: Iron teapot", "button: Add to wish list").
			did("the iron teapot, the cheapest, is on the wish list", says("wish: Iron teapot"), at("/wishes")).
			want("wish: Iron teapot"),
		task("shop/review", newShop, "/", "open Sencha, choose 4 stars, fill Your review with Fresh and click Send review").plain().
			clicks("link: Sencha").
			turn(click("radio: 4 stars"), fill("textbox: Your review", "Fresh"), click("button: Send review")).
			did("the review stands there", says("4 stars: Fresh")).
			want("review of Sencha: 4 stars: Fresh"),
	}
}
