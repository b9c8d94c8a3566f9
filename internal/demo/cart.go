package demo

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

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
