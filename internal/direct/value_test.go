package direct

import (
	"encoding/json"
	"testing"
)

// TestNumbers: how numbers are written, by the page's language.
func TestNumbers(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"en", "$1,299.00", "1299"}, {"en", "1.299,00 €", "1299"}, {"fr", "1 299,90 €", "1299.9"}, {"de", "CHF 1'234.50", "1234.5"},
		{"en", "₹1,23,456.00", "123456"}, {"ja", "¥12,800", "12800"}, {"ar", "٤٥٠ ر.س", "450"}, {"en", "US$ 5", "5"},
		{"en", "1,299", "1299"}, {"de", "1.299", "1299"}, {"de", "11,482", "11.482"}, {"en", "1.299", "1.299"}, {"xx", "1.299", ""}, {"xx", "1.299 €", "1299"},
		{"en", "−1.25%", "-1.25"}, {"en", "-£5.00", "-5"}, {"en", "£-5.00", "-5"}, {"en", "+0.40%", "0.4"},
		{"en", "1.2M", "1200000"}, {"en", "860k", "860000"}, {"en", "12 k", ""}, {"ja", "14万円", ""}, {"de", "3 Mio. €", ""},
		{"en", "€72,000 – €88,000", ""}, {"en", "3-5", ""}, {"en", "from $19", ""}, {"en", "about 12", ""}, {"en", "1.4 billion kroner", ""}, {"en", "≥ 12", ""},
		{"en", "12,34,5", ""}, {"en", "1,2345.00", ""}, {"en", "$31,200 per year", "31200"}, {"en", "0.5 kg", "0.5"}, {"en", "none", ""},
		{"en", "$19\u206099", "19.99"}, {"en", "10\u20606", ""}, {"en", "0", "0"}, {"en", "007", "7"}, {"en", "PL6541215", ""}, {"en", "USD5", "5"},
	} {
		p := &page{lang: c.lang}
		v, ok := p.value(&member{form: &form{kind: "number"}}, &fact{text: c.text})
		got := ""
		if ok {
			got = string(v.(json.Number))
		}
		if got != c.want {
			t.Errorf("number of %q (%s) = %q, want %q", c.text, c.lang, got, c.want)
		}
	}
}

// TestDates: how dates are written, by the page's language.
func TestDates(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"en", "2026-11-03", "2026-11-03"}, {"en", "2026-11-21T18:05:00Z", "2026-11-21"}, {"en", "3 Nov 2026", "2026-11-03"}, {"en", "November 2, 2026", "2026-11-02"},
		{"en", "14-Nov-2026", "2026-11-14"}, {"en", "Sunday, 22 November 2026", "2026-11-22"}, {"en", "Tue, Nov 3, 2026", "2026-11-03"}, {"en", "3rd November 2026", "2026-11-03"},
		{"de", "05.11.2026", "2026-11-05"}, {"de", "5. November 2026", "2026-11-05"}, {"fr", "16/11/2026", "2026-11-16"}, {"fr", "5/11/2026", "2026-11-05"}, {"es", "3 de mayo de 2026", "2026-05-03"},
		{"en", "5/11/2026", ""}, {"en", "11/16/2026", "2026-11-16"}, {"en", "16/11/2026", "2026-11-16"}, {"ja", "2026年11月3日", "2026-11-03"},
		{"en", "3 Nov", ""}, {"en", "31 Feb 2026", ""}, {"en", "yesterday", ""}, {"en", "3 Nov 2026 to 5 Nov 2026", ""}, {"en", "May 2026", ""},
	} {
		got, _ := (&page{lang: c.lang}).dateOf(c.text)
		if got != c.want {
			t.Errorf("dateOf(%q) (%s) = %q, want %q", c.text, c.lang, got, c.want)
		}
	}
}

// TestTruth: which texts say yes, and which no.
func TestTruth(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       any
	}{
		{"vegan", "Yes", true}, {"vegan", "Nein", false}, {"online", "Online", true}, {"online", "Offline", false}, {"inStock", "Sold out", false},
		{"inStock", "In stock", true}, {"available", "Out of stock", false}, {"remote", "Remote", true}, {"remote", "Hybrid", nil}, {"vegan", "Ask us", nil}, {"paid", "unpaid", false}, {"vegan", "✓", true},
	} {
		m := &member{name: c.name, form: &form{kind: "boolean"}, wording: newWording(c.name, "")}
		v, ok := (&page{}).value(m, &fact{text: c.text})
		if !ok {
			v = nil
		}
		if v != c.want {
			t.Errorf("%s of %q = %v, want %v", c.name, c.text, v, c.want)
		}
	}
}
