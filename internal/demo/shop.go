package demo

import (
	"bytes"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed static
var static embed.FS

// Limits of what one shop keeps, so that it does not grow for ever.
const (
	maxVisitors = 1000
	maxBody     = 1 << 20
)

// A Shop is the site with its visitors and orders. It is an [http.Handler] and
// safe for concurrent use. Make one with [New].
type Shop struct {
	mux *http.ServeMux

	// mu guards the fields below and what they point to.
	mu       sync.Mutex
	visitors map[string]*visitor
	arrivals []string // the keys of visitors, oldest first
	orders   []Order
}

// New returns a shop that nobody has visited yet.
func New() *Shop {
	s := &Shop{mux: http.NewServeMux(), visitors: map[string]*visitor{}}
	s.routes()
	return s
}

// Orders returns what was ordered so far, oldest first. The caller owns it.
func (s *Shop) Orders() []Order {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(s.orders)
	for i := range out {
		out[i].Lines = slices.Clone(out[i].Lines)
		out[i].Extras = slices.Clone(out[i].Extras)
		if a := out[i].Attachment; a != nil {
			out[i].Attachment = new(*a)
		}
	}
	return out
}

// ServeHTTP answers a request.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	// The site promises to work without script; the browser holds it to that.
	h.Set("Content-Security-Policy", "default-src 'self'; script-src 'none'; frame-ancestors 'self'")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	s.mux.ServeHTTP(w, r)
}

func (s *Shop) routes() {
	files, err := fs.Sub(static, "static")
	if err != nil {
		panic(err) // the directory is compiled in
	}
	s.mux.Handle("GET /static/", http.StripPrefix("/static/", http.FileServerFS(files)))
	s.mux.HandleFunc("GET /{$}", s.home)
	s.mux.HandleFunc("GET /search", s.search)
	s.mux.HandleFunc("GET /products/{slug}", s.product)
	s.mux.HandleFunc("GET /cart", s.cart)
	s.mux.HandleFunc("POST /cart", s.addToCart)
	s.mux.HandleFunc("POST /cart/change", s.changeCart)
	s.mux.HandleFunc("POST /cart/voucher", s.redeem)
	s.mux.HandleFunc("GET /checkout", s.checkout)
	s.mux.HandleFunc("POST /checkout", s.order)
	s.mux.HandleFunc("GET /checkout/payment", s.payment)
	s.mux.HandleFunc("POST /checkout/payment", s.pay)
	s.mux.HandleFunc("GET /orders/{number}", s.thanks)
	s.mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/static/images/mark.svg", http.StatusMovedPermanently)
	})
	s.mux.HandleFunc("/", s.missing)
}

func (s *Shop) home(w http.ResponseWriter, r *http.Request) {
	s.render(w, r, http.StatusOK, "home", view{
		Title: "Things for finding your way", Products: Products(),
	})
}

func (s *Shop) search(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	query, category, order := q.Get("q"), q.Get("category"), q.Get("sort")
	s.render(w, r, http.StatusOK, "search", view{
		Title: "Search results", Query: query, Category: category, Sort: order,
		Products: find(query, category, order),
	})
}

func (s *Shop) product(w http.ResponseWriter, r *http.Request) {
	p, ok := productBySlug(r.PathValue("slug"))
	if !ok {
		s.missing(w, r)
		return
	}
	s.render(w, r, http.StatusOK, "product", view{Title: p.Name, Product: p})
}

func (s *Shop) missing(w http.ResponseWriter, r *http.Request) {
	s.render(w, r, http.StatusNotFound, "missing", view{Title: "Page not found"})
}

// maxQuantity is how many of one thing a cart takes.
const maxQuantity = 20

func (s *Shop) cart(w http.ResponseWriter, r *http.Request) {
	s.render(w, r, http.StatusOK, "cart", view{Title: "Your cart", Voucher: r.URL.Query().Get("voucher")})
}

func (s *Shop) addToCart(w http.ResponseWriter, r *http.Request) {
	p, ok := productBySlug(r.PostFormValue("product"))
	if !ok {
		s.missing(w, r)
		return
	}
	n, err := strconv.Atoi(r.PostFormValue("quantity"))
	color := r.PostFormValue("color")
	if err != nil || n < 1 || n > maxQuantity || !slices.Contains(p.Colors, color) {
		s.render(w, r, http.StatusUnprocessableEntity, "product", view{
			Title: p.Name, Product: p,
			Problem: "Choose a color, and a quantity from 1 to " + strconv.Itoa(maxQuantity) + ".",
		})
		return
	}
	s.with(w, r, func(v *visitor) { v.add(Line{p.Name, color, n, p.Price}) })
	http.Redirect(w, r, "/cart", http.StatusSeeOther)
}

// changeCart sets the quantity of a line; zero removes it.
func (s *Shop) changeCart(w http.ResponseWriter, r *http.Request) {
	i, err := strconv.Atoi(r.PostFormValue("line"))
	n, err2 := strconv.Atoi(r.PostFormValue("quantity"))
	if r.PostFormValue("remove") != "" {
		n, err2 = 0, nil
	}
	if err != nil || err2 != nil || n < 0 || n > maxQuantity {
		s.render(w, r, http.StatusUnprocessableEntity, "cart", view{Title: "Your cart", Problem: "That quantity cannot be."})
		return
	}
	s.with(w, r, func(v *visitor) {
		switch {
		case i < 0 || i >= len(v.lines): // removed in another window meanwhile
		case n == 0:
			v.lines = slices.Delete(v.lines, i, i+1)
		default:
			v.lines[i].Quantity = n
		}
	})
	http.Redirect(w, r, "/cart", http.StatusSeeOther)
}

func (s *Shop) redeem(w http.ResponseWriter, r *http.Request) {
	code := strings.ToUpper(strings.TrimSpace(r.PostFormValue("code")))
	result := "unknown"
	s.with(w, r, func(v *visitor) {
		if code == voucherCode {
			v.voucher, result = code, "ok"
		}
	})
	http.Redirect(w, r, "/cart?voucher="+result, http.StatusSeeOther)
}

// What the checkout offers to choose from.
var (
	countries  = []string{"Switzerland", "Austria", "France", "Germany", "Italy", "Liechtenstein", "Norway", "Portugal", "Spain", "Sweden"}
	extras     = []string{"Sticker set", "Wax for brass", "Lens cloth", "Map case", "Spare cord"}
	deliveries = []string{"standard", "express", "pickup"}
)

var (
	emailForm    = regexp.MustCompile(`^[^@\s]+@[^@\s]+\.[^@\s]+$`)
	postcodeForm = regexp.MustCompile(`^[0-9A-Za-z -]{3,10}$`)
	colorForm    = regexp.MustCompile(`^#[0-9a-f]{6}$`)
	cardForm     = regexp.MustCompile(`^[0-9]{12,19}$`)
)

func (s *Shop) checkout(w http.ResponseWriter, r *http.Request) {
	empty := false
	s.with(w, r, func(v *visitor) { empty = len(v.lines) == 0 })
	if empty {
		http.Redirect(w, r, "/cart", http.StatusSeeOther)
		return
	}
	s.render(w, r, http.StatusOK, "checkout", view{Title: "Checkout", Form: blankOrder()})
}

func blankOrder() Order {
	return Order{Country: countries[0], Delivery: "standard", Ribbon: "#e09f3e", Cards: 0, Donation: 0}
}

func (s *Shop) order(w http.ResponseWriter, r *http.Request) {
	o, err := readOrder(r)
	if err != nil {
		http.Error(w, "the form could not be read: "+err.Error(), http.StatusBadRequest)
		return
	}
	problems := o.problems()
	number := ""
	s.with(w, r, func(v *visitor) {
		if len(v.lines) == 0 {
			problems["cart"] = "The cart is empty."
		}
		if v.payment.Last4 == "" {
			problems["payment"] = "Save a card first."
		}
		if len(problems) == 0 {
			number = s.accept(v, o)
		}
	})
	if number == "" {
		s.render(w, r, http.StatusUnprocessableEntity, "checkout", view{Title: "Checkout", Form: o, Problems: problems})
		return
	}
	http.Redirect(w, r, "/orders/"+number, http.StatusSeeOther)
}

// accept records an order and empties the visitor's cart. Shop.mu is held.
func (s *Shop) accept(v *visitor, o Order) string {
	o.Number = fmt.Sprintf("NL-%04d", 1001+len(s.orders))
	o.Lines, o.Voucher, o.Payment, o.Total = v.lines, v.voucher, v.payment, v.bill().Total
	s.orders = append(s.orders, o)
	v.lines, v.voucher, v.payment = nil, "", Payment{}
	v.orders = append(v.orders, o.Number)
	return o.Number
}

func readOrder(r *http.Request) (Order, error) {
	if err := r.ParseMultipartForm(maxBody); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return Order{}, err
	}
	get := r.PostFormValue
	o := Order{
		Name: get("name"), Email: get("email"), Phone: get("phone"), Password: get("password"), Website: get("website"),
		Street: get("street"), Postcode: get("postcode"), City: get("city"), Country: get("country"),
		Delivery: get("delivery"), Date: get("date"), Time: get("time"),
		// Browsers send line ends of a textarea as CR LF.
		Note:     strings.ReplaceAll(get("note"), "\r\n", "\n"),
		GiftWrap: get("giftwrap") == "yes", Newsletter: get("newsletter") == "yes",
		Ribbon: get("ribbon"), Extras: r.PostForm["extras"], Accepted: get("terms") == "accepted",
	}
	var err error
	if o.Cards, err = number(get("cards")); err != nil {
		return Order{}, err
	}
	if o.Donation, err = number(get("donation")); err != nil {
		return Order{}, err
	}
	o.Attachment, err = readFile(r, "attachment")
	return o, err
}

func number(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	return strconv.Atoi(s)
}

// readFile reads a file of the form; nil if none was chosen.
func readFile(r *http.Request, field string) (*Attachment, error) {
	if r.MultipartForm == nil || len(r.MultipartForm.File[field]) == 0 {
		return nil, nil
	}
	h := r.MultipartForm.File[field][0]
	f, err := h.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	return &Attachment{Name: h.Filename, Size: len(data), Content: string(data)}, nil
}

func parses(layout, s string) bool {
	_, err := time.Parse(layout, s)
	return err == nil
}

func (s *Shop) payment(w http.ResponseWriter, r *http.Request) {
	s.render(w, r, http.StatusOK, "payment", view{Title: "Payment"})
}

func (s *Shop) pay(w http.ResponseWriter, r *http.Request) {
	card := strings.ReplaceAll(r.PostFormValue("card"), " ", "")
	p := Payment{Holder: strings.TrimSpace(r.PostFormValue("holder")), Expires: r.PostFormValue("expires")}
	code := r.PostFormValue("code")
	if p.Holder == "" || !cardForm.MatchString(card) || !parses("2006-01", p.Expires) || len(code) < 3 {
		s.render(w, r, http.StatusUnprocessableEntity, "payment", view{
			Title: "Payment", Problem: "Fill in the holder, the number, the month and the security code.",
		})
		return
	}
	p.Last4 = card[len(card)-4:]
	s.with(w, r, func(v *visitor) { v.payment = p })
	http.Redirect(w, r, "/checkout/payment", http.StatusSeeOther)
}

func (s *Shop) thanks(w http.ResponseWriter, r *http.Request) {
	number := r.PathValue("number")
	var found Order
	s.with(w, r, func(v *visitor) {
		if !slices.Contains(v.orders, number) {
			return // another visitor's order is none of his business
		}
		if i := slices.IndexFunc(s.orders, func(o Order) bool { return o.Number == number }); i >= 0 {
			found = s.orders[i]
		}
	})
	if found.Number == "" {
		s.missing(w, r)
		return
	}
	s.render(w, r, http.StatusOK, "thanks", view{Title: "Thank you", Form: found})
}

// render writes a page, with the visitor's cart in its head.
func (s *Shop) render(w http.ResponseWriter, r *http.Request, status int, name string, v view) {
	v.Categories, v.Countries, v.Extras, v.Deliveries = categories(), countries, extras, deliveries
	s.with(w, r, func(who *visitor) {
		v.CartCount, v.Lines, v.Bill = who.count(), slices.Clone(who.lines), who.bill()
		v.Payment, v.Code = who.payment, who.voucher
	})
	var body bytes.Buffer
	entry := "site"
	if name == "payment" {
		entry = "frame"
	}
	if err := pages[name].ExecuteTemplate(&body, entry, v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", fmt.Sprint(body.Len()))
	w.WriteHeader(status)
	w.Write(body.Bytes()) // the client is gone if this fails, and nobody is left to tell
}

// with runs fn on the visitor who sent r, who is given a cookie if he is new.
// It must be called before the answer's header is written. fn runs under
// Shop.mu and must not block.
func (s *Shop) with(w http.ResponseWriter, r *http.Request, fn func(*visitor)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, err := r.Cookie(cookie); err == nil {
		if v := s.visitors[c.Value]; v != nil {
			fn(v)
			return
		}
	}
	key := rand.Text()
	v := &visitor{}
	if len(s.arrivals) == maxVisitors {
		delete(s.visitors, s.arrivals[0])
		s.arrivals = s.arrivals[1:]
	}
	s.visitors[key] = v
	s.arrivals = append(s.arrivals, key)
	http.SetCookie(w, &http.Cookie{
		Name: cookie, Value: key, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	fn(v)
}
