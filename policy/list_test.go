package policy

import "testing"

func TestHosts(t *testing.T) {
	h, err := ParseHosts([]string{"shop.example", "*.bank.example", "127.0.0.1", "bücher.example", "dev.example:8443"})
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]bool{
		"https://shop.example/login":           true,
		"https://SHOP.example.:8443/":          true,
		"http://a.b.bank.example/":             true,
		"https://bank.example/":                false,
		"https://shop.example.evil.test/":      false,
		"https://shop.example@evil.test/":      false,
		"https://evilshop.example/":            false,
		"https://xn--bcher-kva.example/":       true,
		"http://127.0.0.1:8080/":               true,
		"https://dev.example/":                 false,
		"https://dev.example:8443/":            true,
		"data:text/html,shop.example":          false,
		"ftp://shop.example/":                  false,
		"about:blank":                          false,
		"":                                     false,
		`https:\\evil.test\@shop.example/`:     false,
		"https://evil.test/?https://shop.test": false,
	} {
		if got := h.Holds(address); got != want {
			t.Errorf("Holds(%q) = %t, want %t", address, got, want)
		}
	}
	if _, err := ParseHosts([]string{"https://shop.example/"}); err == nil {
		t.Error("ParseHosts takes an address for a host")
	}
	if (Hosts{}).Holds("https://shop.example/") {
		t.Error("the empty list holds a host")
	}
}
