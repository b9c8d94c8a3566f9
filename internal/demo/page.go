package demo

import (
	"embed"
	"html/template"
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

// stars draws a rating of five.
func stars(n float64) string {
	full := int(n + 0.5)
	return strings.Repeat("★", full) + strings.Repeat("☆", 5-full)
}
