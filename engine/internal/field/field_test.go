package field_test

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine/internal/field"
)

func TestCheckNumber(t *testing.T) {
	for text, ok := range map[string]bool{
		"": true, "1": true, "-12.5": true, "1e3": true, ".5": true,
		"1,5": false, "abc": false, "0x10": false, "Infinity": false, "NaN": false, "1_000": false, "inf": false,
	} {
		if err := field.CheckNumber(text); (err == nil) != ok {
			t.Errorf("CheckNumber(%q) = %v, want ok %t", text, err, ok)
		}
	}
}

func TestSameValue(t *testing.T) {
	for _, test := range []struct {
		kind, got, want string
		same            bool
	}{
		{"date", "2026-03-31", "2026-03-31", true},
		{"date", "", "31.3.2026", false},
		{"time", "17:45", "17:45:00", true},
		{"datetime-local", "2026-03-31T17:45", "2026-03-31 17:45", true},
		{"color", "#aabbcc", "#AABBCC", true},
		{"range", "50", "50.0", true},
		{"range", "100", "150", false},
	} {
		if got := field.SameValue(test.kind, test.got, test.want); got != test.same {
			t.Errorf("SameValue(%s, %q, %q) = %t, want %t", test.kind, test.got, test.want, got, test.same)
		}
	}
}

// The form of a value is checked before the field is touched.
func TestAssigned(t *testing.T) {
	for kind, values := range map[string]struct{ good, bad []string }{
		"date":           {[]string{"2026-03-31", "2024-02-29"}, []string{"31.3.2026", "2026-3-31", "2026-02-29", "03/31/2026", " 2026-03-31"}},
		"month":          {[]string{"2026-03"}, []string{"2026-13", "March 2026", "2026-3"}},
		"week":           {[]string{"2026-W14", "2026-W53"}, []string{"2025-W53", "2026-W00", "2026-W1", "W14", "2026-14"}},
		"time":           {[]string{"07:45", "17:45:30", "17:45:30.5"}, []string{"7:45", "5:45 pm", "24:00", "17.45"}},
		"datetime-local": {[]string{"2026-03-31T17:45", "2026-03-31 17:45"}, []string{"2026-03-31", "2026-03-31T17:45Z", "31.3.2026 17:45"}},
		"color":          {[]string{"#aabbcc", "#AABBCC"}, []string{"red", "#abc", "aabbcc"}},
		"range":          {[]string{"1", "-2.5"}, []string{"", "half", "1,5"}},
	} {
		form := field.Formats[kind]
		for _, v := range values.good {
			if !form.Valid(v) {
				t.Errorf("%s takes no %q, want it to", kind, v)
			}
		}
		for _, v := range values.bad {
			if form.Valid(v) {
				t.Errorf("%s takes %q, want it refused", kind, v)
			}
		}
	}
}

// A field may set what is typed in its own form, but nothing may be lost.
func TestFormatted(t *testing.T) {
	for _, test := range []struct {
		got, want string
		ok        bool
	}{
		{"4111 1111 1111 1111", "4111111111111111", true},
		{"4111 1111 1111 1111", "4111-1111-1111-1111", true},
		{"4111111111111111", "4111 1111 1111 1111", true},
		{"(079) 123-45-67", "0791234567", true},
		{"31.12.2026", "31122026", true},
		{"31/12/2026", "31.12.2026", true},
		{"1,234.50", "1234.5", true},
		{"$1,234.00", "1234", true},
		{"AB-12-CD", "AB12CD", true},
		{"CH", "ch", true},
		{"+1(555)123-4567", "5551234567", true},
		{"+49 30 123456", "30 123-456", true},
		{"+1 (493) 012-3", "+49 30 123", false},
		{"+1(555)123-456", "5551234567", false},
		{"+15", "5", false},
		{"+1.5", "5", false},
		{"125", "12.5", false},
		{"12.34", "1234", false},
		{"5", "-5", false},
		{"1234", "01234", false},
		{"19216801", "192.168.0.1", false},
		{"annatest", "ann@a.test", false},
		{"AnnExample", "Ann Example", false},
		{"Ann", "Ann Example", false},
		{"4111 1111 1111 111", "4111111111111111", false},
		{"03/05/1988", "3/5/1988", true},
		{"030 123 45 67", "030/1234567", true},
		{"09:30", "9:30", true},
		{"35/19/88", "3/5/1988", false},
		{"19/88/0315", "1988-03-15", false},
		{"93:0", "9:30", false},
		{"-12 °C", "-12", true},
		{"30 m²", "30", true},
		{"12.5 %", "12.50", true},
		{"5%", "-5", false},
		{"125 %", "12.5", false},
		{"1.234,50 €", "1234,5", true},
		{"12,50", "12,5", true},
		{"12,34,567.00", "1234567", true},
		{"1.234", "1234", true},
		{"1,234", "1.234", false},
		{"125", "12,5", false},
		{"", "x", false},
		{"x", "", false},
		{"...", "---", false},
	} {
		if got := field.Reformatted(test.got, test.want); got != test.ok {
			t.Errorf("Reformatted(%q, %q) = %t, want %t", test.got, test.want, got, test.ok)
		}
	}
}

// What a page makes of a text has all of it; a part of it, or another number, is a
// text that was refused.
func TestRewritten(t *testing.T) {
	for _, test := range []struct {
		got, want string
		ok        bool
	}{
		{"Banana", "Ban", true},
		{"/home/ann/notes", "~/notes", true},
		{"New York, NY 10001", "new york", true},
		{"30 kg", "30", true},
		{"30", "31", false},
		{"125 CHF", "12.5", false},
		{"125", "12.5", false},
		{"19216801", "192.168.0.1", false},
		{"annatest", "ann@a.test", false},
		{"4111 1111 1111", "4111-1111-1111-1111", false},
		{"12.31.1999", "31/12/1999", false},
		{"3/5/2026", "3/5", true},
		{"35/2026", "3/5", false},
		{"35/19/88", "3/5/1988", false},
		{"Aberdeen", "Bern", false},
		{"Amanda Smith", "Ada", false},
		{"12/31/2026", "3/2/26", false},
		{"New York", "york", true},
		{"日本東京都", "東京", true},
		{"Ba", "Ban", false},
		{"Cherry", "Ban", false},
		{"", "Ban", false},
		{"...", "---", false},
	} {
		if got := field.Rewritten(test.got, test.want); got != test.ok {
			t.Errorf("Rewritten(%q, %q) = %t, want %t", test.got, test.want, got, test.ok)
		}
	}
}

// What was typed at the caret is there, in whatever form, with its sign and its parts.
func TestTyped(t *testing.T) {
	for _, test := range []struct {
		got, before, text string
		ok                bool
	}{
		{"1,234", "", "1234", true},
		{"(079) 123", "(079) 12", "3", true},
		{"AB-12", "", "ab12", true},
		{"Anna Meier", "Meier", "Anna", true},
		{"125", "", "12.5", false},
		{"5", "", "-5", false},
		{"93:0", "", "9:30", false},
		{"09:30", "", "9:30", true},
		{"12", "", "123", false},
		{"annatest", "", "ann@a.test", false},
		{"125", "", "12,5", false},
	} {
		if got := field.Typed(test.got, test.before, test.text); got != test.ok {
			t.Errorf("Typed(%q, %q, %q) = %t, want %t", test.got, test.before, test.text, got, test.ok)
		}
	}
}

// A text that was put into what a field held has not replaced it.
func TestAdded(t *testing.T) {
	for _, test := range []struct {
		got, before, want string
		ok                bool
	}{
		{"newold", "old", "new", true},
		{"oldnew", "old", "new", true},
		{"onewld", "old", "new", true},
		{"newnew", "new", "new", true},
		{"new", "", "new", false},
		{"news", "old", "new", false},
	} {
		if got := field.Added(test.got, test.before, test.want); got != test.ok {
			t.Errorf("Added(%q, %q, %q) = %t, want %t", test.got, test.before, test.want, got, test.ok)
		}
	}
}

// No text makes the comparisons panic.
func FuzzForms(f *testing.F) {
	for _, s := range [][3]string{{"0", "12", ""}, {"12", "1", "2"}, {"", "", ""}, {"+44 1", "1", "44"}, {"1,5", "", "1.5"}} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, got, before, want string) {
		if field.Added(got, before, want) && want == "" {
			t.Errorf("nothing was added to %q", before)
		}
		if field.Reformatted(got, want) && field.Letters(got) == "" && field.Letters(want) != "" {
			t.Errorf("%q has nothing of %q", got, want)
		}
		field.Rewritten(got, want)
		field.Typed(got, before, want)
		field.SameText(got, want)
	})
}
