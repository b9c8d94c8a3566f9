package flow

import (
	"fmt"
	"strings"
	"testing"
)

// TestFind: what is found, with where it was read and what stands beside it.
func TestFind(t *testing.T) {
	var l Ledger
	l.Say("Book the Grand Hotel")
	l.Read("https://a.test", "Account number: 4417 1234 5678\nOwner\nMallory Grand\nTotal 12,400.50\nCustomer: Ann Meier\nShip to\nLindenweg 7, 8050 Zurich\nVault: 77113355, password swordfish")
	l.Read("https://b.test", "Hello Mallory")
	l.Derive("https://c.test", "derived99")
	for _, c := range []struct {
		to    string
		texts []string
		want  string
	}{
		{"https://b.test", []string{"441712345678"}, "441712345678 https://a.test account number"},
		{"https://b.test", []string{"44171", "2345678"}, "2345678 https://a.test account number; 441712345678 https://a.test account number"},
		{"https://b.test", []string{"Total"}, "total https://a.test mallory grand"},
		{"https://c.test", []string{"Mallory"}, "mallory https://a.test grand"},
		{"https://b.test", []string{"Mallory"}, ""}, // it is shown there
		{"https://c.test", []string{"grand"}, ""},   // the task says it
		{"https://a.test", []string{"441712345678"}, ""},
		{"https://c.test", []string{"12400"}, "12400 https://a.test total"},
		{"https://c.test", []string{"derived99"}, ""},
		{"https://b.test", []string{"derived99"}, "derived99 https://c.test "},
		{"https://b.test", []string{"abc 12"}, ""},
		{"https://d.test", []string{"Ann Meier"}, "meier https://a.test customer"},
		{"https://e.test", []string{"Lindenweg 7, 8050 Zurich"}, "lindenweg https://a.test ship to; 8050 https://a.test ship to; zurich https://a.test ship to; weg78050zur https://a.test ship to"},
		{"https://f.test", []string{"77113355, password swordfish"}, "77113355 https://a.test vault password swordfish; password https://a.test vault swordfish; swordfish https://a.test vault password; 13355pas https://a.test vault password swordfish"}, // one name is not for both
	} {
		var got []string
		for _, f := range l.Find(c.to, c.texts...) {
			got = append(got, f.Value+" "+f.From+" "+f.Label)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("Find(%s, %q) = %q, want %q", c.to, c.texts, got, c.want)
		}
	}
}

// TestFindTwice: a line is indexed once, however often it is read.
func TestFindTwice(t *testing.T) {
	var l Ledger
	for range 3 {
		for i := range 100 {
			l.Read("https://a.test", fmt.Sprintf("line %d", i))
		}
	}
	if n := len(l.sources[0].lines); n != 100 {
		t.Errorf("%d lines are kept, want 100", n)
	}
}

// BenchmarkFind looks for a value in long readings: the time does not grow with them.
func BenchmarkFind(b *testing.B) {
	for _, lines := range []int{1_000, 100_000} {
		var l Ledger
		for i := range lines {
			l.Read("https://a.test", fmt.Sprintf("Order %d of customer %d", i, i*7919))
		}
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			for b.Loop() {
				l.Find("https://b.test", "Hello, it is de89 3704 0044 0532 0130 00 thanks")
			}
		})
	}
}
