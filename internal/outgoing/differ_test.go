package outgoing_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/outgoing"
)

// TestEachDifference: a request that is another one than what was approved is said to be in
// each respect that counts, and in no other.
func TestEachDifference(t *testing.T) {
	approved := func() *outgoing.Request {
		return &outgoing.Request{Method: "POST", URL: "https://shop.test/pay", From: "https://shop.test/cart", Text: "note", Fields: []outgoing.Field{
			{Name: "amount", Value: "5"}, {Name: "scan", Value: "a.pdf", File: true},
			{Name: "pin", Value: "4711", Password: true}, {Name: "code", Value: "••••••", Password: true}, // as it was given, and as it was shown
		}}
	}
	for want, change := range map[string]func(*outgoing.Request){
		"": func(r *outgoing.Request) {
			r.Fields[0], r.Fields[1], r.Fields[3].Value, r.From = r.Fields[1], r.Fields[0], "123456", "https://shop.test/cart#pay"
		},
		"the method is PUT":          func(r *outgoing.Request) { r.Method = "PUT" },
		"it goes to https://o.test":  func(r *outgoing.Request) { r.URL = "https://o.test/pay" },
		"instead of https://shop.te": func(r *outgoing.Request) { r.URL += "?all" },
		"its body is another one":    func(r *outgoing.Request) { r.Text = "notes" },
		"it comes from https://x":    func(r *outgoing.Request) { r.From = "https://x.test/" },
		`pin is "1234"`:              func(r *outgoing.Request) { r.Fields[2].Value = "1234" },
		`code is "1234567"`:          func(r *outgoing.Request) { r.Fields[3].Value = "1234567" },
		`amount is "50" instead`:     func(r *outgoing.Request) { r.Fields[0].Value = "50" },
		`tip "1" is new`:             func(r *outgoing.Request) { r.Fields = append(r.Fields, outgoing.Field{Name: "tip", Value: "1"}) },
		`scan "a.pdf" is missing`:    func(r *outgoing.Request) { r.Fields = slices.Delete(r.Fields, 1, 2) },
		`scan is "a.pdf"`:            func(r *outgoing.Request) { r.Fields[1].File = false },
	} {
		r := approved()
		change(r)
		if got := strings.Join(outgoing.Differences(approved(), r), "; "); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("the differences are %q, want %q", got, want)
		}
	}
}
