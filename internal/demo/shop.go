package demo

import (
	"embed"
	"io/fs"
	"net/http"
	"slices"
	"sync"
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
