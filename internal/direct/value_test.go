package direct_test

import (
	"encoding/json"
	"testing"
)

// valueOf is what a definition that says a text is read as.
func valueOf(t *testing.T, lang, text, form string) string {
	t.Helper()
	page := read(t, map[string]string{"https://v.test/": `<!doctype html><html lang="` + lang + `"><main><dl><dt>Thing<dd>` + text + `</dl>`}, "https://v.test/")
	got := extract(t, page, json.RawMessage(`{"type":"object","properties":{"thing":`+form+`}}`), "")
	var out struct{ Thing json.RawMessage }
	if err := json.Unmarshal(got.Data, &out); err != nil {
		t.Fatal(err)
	}
	return string(out.Thing)
}

// TestNumbers: how numbers are written, by the page's language. What can be read in two
// ways, and what is more than a number, is none.
func TestNumbers(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"en", "$1,299.00", "1299"}, {"en", "1.299,00 €", "1299"}, {"fr", "1 299,90 €", "1299.9"}, {"de", "CHF 1'234.50", "1234.5"},
		{"en", "₹1,23,456.00", "123456"}, {"ja", "¥12,800", "12800"}, {"ja", "12,800円", "12800"}, {"ar", "٤٥٠ ر.س", ""}, {"en", "US$ 5", "5"},
		{"en", "1,299", "1299"}, {"de", "1.299", "1299"}, {"de", "11,482", ""}, {"en", "1.299", "1.299"}, {"xx", "1.299", ""}, {"xx", "1.299 €", "1299"},
		{"en", "−1.25%", "-1.25"}, {"en", "-£5.00", "-5"}, {"en", "£-5.00", ""}, {"en", "+0.40%", "0.4"},
		{"en", "1.2M", ""}, {"en", "860k", ""}, {"en", "12 k", ""}, {"ja", "14万円", ""}, {"de", "3 Mio. €", ""},
		{"en", "€72,000 – €88,000", ""}, {"en", "3-5", ""}, {"en", "from $19", ""}, {"en", "about 12", ""}, {"en", "1.4 billion kroner", ""}, {"en", "≥ 12", ""},
		{"en", "12,34,5", ""}, {"en", "$31,200 per year", ""}, {"en", "0.5 kg", "0.5"}, {"en", "none", ""}, {"en", "$19<sup>99</sup>", ""}, {"en", "0", "0"}, {"en", "007", "7"},
		{"en", "PL6541215", ""}, {"en", "★★★☆☆", ""}, {"en", "<del>$9</del> $4", ""}, {"en", "4<br>5", ""}, {"en", "12+", ""},
	} {
		if got := valueOf(t, c.lang, c.text, `{"type":"number"}`); got != c.want {
			t.Errorf("number of %q (%s) = %q, want %q", c.text, c.lang, got, c.want)
		}
	}
}

// TestDates: how dates are written. Figures that can be day or month are neither.
func TestDates(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-03": `"2026-11-03"`, "2026-11-21T18:05:00Z": `"2026-11-21"`, "3 Nov 2026": `"2026-11-03"`, "November 2, 2026": `"2026-11-02"`,
		"14-Nov-2026": `"2026-11-14"`, "Sunday, 22 November 2026": `"2026-11-22"`, "Tue, Nov 3, 2026": `"2026-11-03"`, "3rd November 2026": `"2026-11-03"`,
		"05.11.2026": `"2026-11-05"`, "3 de mayo de 2026": `"2026-05-03"`, "5/11/2026": "", "11/16/2026": `"2026-11-16"`, "16/11/2026": `"2026-11-16"`, "2026年11月3日": `"2026-11-03"`,
		"3 Nov": "", "31 Feb 2026": "", "yesterday": "", "3 Nov 2026 to 5 Nov 2026": "", "May 2026": "", "before 3 Nov 2026": "", `<time datetime="2026-11-04">3 Nov 2026</time>`: "",
	} {
		if got := valueOf(t, "en", text, `{"type":"string","format":"date"}`); got != want {
			t.Errorf("date of %q = %s, want %s", text, got, want)
		}
	}
}

// TestTruth: which texts say yes, and which no.
func TestTruth(t *testing.T) {
	for text, want := range map[string]string{"Yes": "true", "Nein": "false", "✓": "true", "Sold out": "", "Online": "", "-": "", "yes and no": ""} {
		if got := valueOf(t, "en", text, `{"type":"boolean"}`); got != want {
			t.Errorf("truth of %q = %s, want %s", text, got, want)
		}
	}
}
