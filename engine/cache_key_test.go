package engine

import (
	"fmt"
	"strings"
	"testing"
)

func TestLastingAddress(t *testing.T) {
	for address, want := range map[string]string{
		"https://Shop.test":                                                     "https://shop.test/",
		"https://ann:pw@shop.test:8443/a/b?x=1":                                 "https://shop.test:8443/a/b?x=1",
		"https://shop.test/p?b=2&a=1&utm_source=mail&gclid=x&sid=9":             "https://shop.test/p?a=1&b=2",
		"https://shop.test/p?PHPSESSID=abc&csrf_token=1&nonce=2&_=3":            "https://shop.test/p",
		"https://shop.test/p;jsessionid=AB12?id=7":                              "https://shop.test/p?id=7",
		"https://forum.test/viewtopic.php?f=1&t=123":                            "https://forum.test/viewtopic.php?f=1&t=123",
		"https://forum.test/x?t=1700000000&v=1700000000123":                     "https://forum.test/x",
		"https://geo.test/?state=CA&code=DE":                                    "https://geo.test/?code=DE&state=CA",
		"https://login.test/?state=xyz123abc456def789&code=4/0AbCdEfGhIjKlMnOp": "https://login.test/",
		"https://spa.test/#/cart":                                               "https://spa.test/#/cart",
		"https://spa.test/#section-2":                                           "https://spa.test/",
		"https://shop.test/?user=ann":                                           "https://shop.test/?user=%user%",
		"https://shop.test/u/ann/x?q=2":                                         "https://shop.test/u/%user%/x?q=2",
		"https://shop.test/a%20b?q=c%26d":                                       "https://shop.test/a%20b?q=c%26d",
		"about:blank":                                                           "about:blank",
		"file:///tmp/a.html":                                                    "file:///tmp/a.html",
	} {
		hide := func(s string) string {
			if s == "ann" {
				return "%user%"
			}
			return s
		}
		if got := stableAddress(address, hide); got != want {
			t.Errorf("lastingAddress(%q) = %q, want %q", address, got, want)
		}
	}
	same := func(s string) string { return s }
	a, b := stableAddress("data:text/html,a", same), stableAddress("data:text/html,b", same)
	if a == b || len(a) > 40 || !strings.HasPrefix(a, "data:") {
		t.Errorf("lastingAddress of two data: addresses = %q, %q, want two short ones", a, b)
	}
	if got := stableAddress("http://a b/", same); got != "http://a b/" {
		t.Errorf("lastingAddress of no address = %q", got)
	}
}

func TestAddressShape(t *testing.T) {
	same := func(s string) string { return s }
	for address, want := range map[string]string{
		"https://Shop.test/orders/1001?x=1#y": "shop.test/orders/*",
		"https://shop.test/":                  "shop.test/",
		"about:blank":                         "about:",
		"::":                                  ":",
	} {
		if got := addressShape(address, same); got != want {
			t.Errorf("addressShape(%q) = %q, want %q", address, got, want)
		}
	}
}

// Keys that differ in any member have other hashes, and hashes are safe as names.
func TestCacheKeyHash(t *testing.T) {
	seen := map[string]CacheKey{}
	for _, k := range []CacheKey{
		{}, {Instruction: "a"}, {Address: "a"}, {Variables: "a"}, {Selector: "a"},
		{Instruction: "a\",\"address\":\"b"}, {Instruction: "a", Address: "b"}, {Instruction: "../../etc"},
	} {
		h := k.Hash()
		if other, ok := seen[h]; ok || len(h) != 64 || strings.Trim(h, "0123456789abcdef") != "" {
			t.Errorf("Hash(%+v) = %q, the same as of %+v, or no name", k, h, other)
		}
		seen[h] = k
	}
}

func TestOutcomeDiffers(t *testing.T) {
	same := func(s string) string { return s }
	to := func(address string, status int) *NavigationSeen { return &NavigationSeen{To: address, Status: status} }
	for i, c := range []struct {
		want    Outcome
		method  Method
		got     Evidence
		href    string
		differs bool
	}{
		{Outcome{Effect: EffectNavigation, Address: "a.test/x"}, Click, Evidence{Effect: EffectNavigation, Navigation: to("https://a.test/x?q=1", 200)}, "", false},
		{Outcome{Effect: EffectNavigation, Address: "a.test/x"}, Click, Evidence{Effect: EffectNavigation, Navigation: to("https://a.test/y", 200)}, "", true},
		{Outcome{Effect: EffectNavigation, Address: "a.test/x"}, Click, Evidence{Effect: EffectNavigation, Navigation: to("https://a.test/y", 200)}, "https://a.test/y", false},
		{Outcome{Effect: EffectNavigation, Address: "a.test/*"}, Click, Evidence{Effect: EffectNavigation, Navigation: to("https://a.test/12", 200)}, "", false},
		{Outcome{Effect: EffectNavigation, Address: "a.test/x"}, Click, Evidence{Effect: EffectNavigation, Navigation: to("https://a.test/x", 500)}, "", true},
		{Outcome{Effect: EffectNavigation}, Click, Evidence{Effect: EffectNavigation, Navigation: &NavigationSeen{To: "https://b.test/", Pending: true}}, "", false},
		{Outcome{Effect: EffectNavigation}, Click, Evidence{Effect: EffectPage}, "", true},
		{Outcome{Effect: EffectPage}, Click, Evidence{Effect: EffectRequest}, "", false},
		{Outcome{Effect: EffectRequest}, Click, Evidence{Effect: EffectNavigation, Navigation: to("https://a.test/", 200)}, "", false},
		{Outcome{Effect: EffectPage}, Click, Evidence{Effect: EffectNone}, "", true},
		{Outcome{Effect: EffectValue}, Fill, Evidence{Effect: EffectNone}, "", false},
		{Outcome{Effect: EffectNone}, Click, Evidence{Effect: EffectPage}, "", false},
		{Outcome{Effect: EffectDialog, Dialog: "confirm"}, Click, Evidence{Effect: EffectDialog, Dialogs: []DialogSeen{{Kind: "confirm"}}}, "", false},
		{Outcome{Effect: EffectDialog, Dialog: "confirm"}, Click, Evidence{Effect: EffectDialog, Dialogs: []DialogSeen{{Kind: "alert"}}}, "", true},
		{Outcome{Effect: EffectDownload}, Click, Evidence{Effect: EffectPage}, "", true},
		{Outcome{Effect: EffectNewPage}, Click, Evidence{Effect: EffectNewPage, NewPages: []NewPageSeen{{}}}, "", false},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if why := c.want.differs(c.method, &c.got, c.href, same); (why != "") != c.differs {
				t.Errorf("%+v.differs(%+v) = %q, want a difference: %t", c.want, c.got, why, c.differs)
			}
		})
	}
}
