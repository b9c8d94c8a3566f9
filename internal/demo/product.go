package demo

import (
	"fmt"
	"slices"
	"strings"
)

// A Product is a thing that the shop sells.
type Product struct {
	Slug     string // its name in addresses
	Name     string
	Category string
	Price    Money
	Rating   float64 // of five
	Stock    int
	Blurb    string // one line
	Text     string
	Colors   []string
	Facts    []Fact
	Reviews  []Review
}

// A Fact is a line of a product's specification.
type Fact struct{ Name, Value string }

// A Review is what a customer said.
type Review struct {
	By, Date string
	Stars    int
	Text     string
}

// Money is an amount in hundredths of a Swiss franc.
type Money int

// String writes an amount as Swiss shops do, as "CHF 1'249.00".
func (m Money) String() string {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	whole := fmt.Sprint(int(m / 100))
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "'" + whole[i:]
	}
	return fmt.Sprintf("CHF %s%s.%02d", sign, whole, int(m%100))
}

// Products returns what the shop sells, in the order of its front page.
func Products() []Product { return slices.Clone(products) }

func productBySlug(slug string) (Product, bool) {
	i := slices.IndexFunc(products, func(p Product) bool { return p.Slug == slug })
	if i < 0 {
		return Product{}, false
	}
	return products[i], true
}

// categories returns the categories in the order in which they first appear.
func categories() []string {
	var out []string
	for _, p := range products {
		if !slices.Contains(out, p.Category) {
			out = append(out, p.Category)
		}
	}
	return out
}

// find returns the products that hold every word of query, of one category
// if there is one, in the order that is asked for.
func find(query, category, order string) []Product {
	words := strings.Fields(strings.ToLower(query))
	var out []Product
	for _, p := range products {
		if category != "" && p.Category != category {
			continue
		}
		text := strings.ToLower(p.Name + " " + p.Category + " " + p.Blurb)
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			out = append(out, p)
		}
	}
	switch order {
	case "price":
		slices.SortStableFunc(out, func(a, b Product) int { return int(a.Price - b.Price) })
	case "rating":
		slices.SortStableFunc(out, func(a, b Product) int { return int(10*b.Rating) - int(10*a.Rating) })
	}
	return out
}
