package demo

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
)

//go:embed pages
var pageFiles embed.FS

// pages are the parsed templates by name: each with the frame of the site
// around it, except the payment form, which is a page in a frame.
var pages = func() map[string]*template.Template {
	out := map[string]*template.Template{}
	for _, name := range []string{"home", "search", "product", "cart", "checkout", "payment", "thanks", "missing"} {
		t := template.New(name).Funcs(template.FuncMap{
			"stars": stars, "join": strings.Join, "has": slices.Contains[[]string],
		})
		out[name] = template.Must(t.ParseFS(pageFiles, "pages/site.html", "pages/card.html", "pages/"+name+".html"))
	}
	return out
}()

// A view is what the templates show. Each page uses its part of it.
type view struct {
	Title      string
	Categories []string
	CartCount  int

	Query, Category, Sort string
	Products              []Product
	Product               Product

	Lines   []Line
	Bill    bill
	Voucher string // the outcome of redeeming one
	Code    string // the voucher that is in force
	Payment Payment

	Form       Order
	Problem    string
	Problems   map[string]string
	Countries  []string
	Extras     []string
	Deliveries []string
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

// stars draws a rating of five.
func stars(n float64) string {
	full := int(n + 0.5)
	return strings.Repeat("★", full) + strings.Repeat("☆", 5-full)
}
