package demo

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

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
