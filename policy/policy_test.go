package policy

import (
	"errors"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Addresses in the spellings that browsers take, and what the rules say. want
// is the rule that refuses; empty is allowed.
func TestCheckURL(t *testing.T) {
	open := Policy{}
	lists := Policy{
		Allow:   []string{"example.com", "*.Example.COM", "bücher.example", "shop.test:8443", "198.18.0.0/15", "*.corp.test", "localhost"},
		Deny:    []string{"ads.example.com", "*.ads.example.com", "example.com:81"},
		Private: []string{"198.18.0.0/15", "localhost:3000"},
	}
	wide := Policy{Private: []string{"*"}, Schemes: []string{"File", "view-source:", "chrome"}}
	for _, tt := range []struct {
		policy Policy
		url    string
		want   Rule
	}{
		{open, "https://example.com/a/b?c#d", ""},
		{open, "https://user:pass@example.com:8443/", ""},
		{open, "wss://example.com/socket", ""},
		{open, "http://8.8.8.8/", ""},
		{open, "http://[2606:4700::1111]/", ""},
		{open, "http://a_b.example/100%", ""},
		{open, "about:blank", ""},
		{open, "about:srcdoc", ""},
		{open, "about:blank#x", ""},
		{open, "data:text/html,<p>x", ""},
		{open, "blob:https://example.com/1-2", ""},

		{open, "about:version", RuleScheme},
		{open, "file:///etc/passwd", RuleScheme},
		{open, " \tFI\nLE:///etc/passwd", RuleScheme},
		{open, "chrome://version", RuleScheme},
		{open, "devtools://devtools/bundled/x", RuleScheme},
		{open, "javascript:alert(1)", RuleScheme},
		{open, "view-source:https://example.com/", RuleScheme},
		{open, "filesystem:https://example.com/temporary/", RuleScheme},
		{open, "ftp://example.com/", RuleScheme},
		{open, "//example.com/", RuleAddress},
		{open, "", RuleAddress},
		{open, "http://", RuleAddress},
		{open, "http:///", RuleAddress},
		{open, "http://a b/", RuleAddress},
		{open, "http://example.com:99999/", RuleAddress},
		{open, "http://1.2.3.4.5/", RuleAddress},
		{open, "http://256.1.1.1/", RuleAddress},
		{open, "http://[fe80::1%25eth0]/", RuleAddress},
		{open, "http://[::1", RuleAddress},

		{open, "http://127.0.0.1/", RulePrivate},
		{open, "http://127.9.8.7:8080/", RulePrivate},
		{open, "http://127.0.0.1./", RulePrivate},
		{open, "http://0x7f.1/", RulePrivate},
		{open, "http://0X7F000001/", RulePrivate},
		{open, "http://2130706433/", RulePrivate},
		{open, "http://017700000001/", RulePrivate},
		{open, "http://127.1/", RulePrivate},
		{open, "http://0/", RulePrivate},
		{open, "http://0x/", RulePrivate},
		{open, "http://%31%32%37.0.0.1/", RulePrivate},
		{open, "http://１２７.０.０.１/", RulePrivate},
		{open, "http://127。0。0。1/", RulePrivate},
		{open, "http:127.0.0.1/", RulePrivate},
		{open, `http:\\127.0.0.1\`, RulePrivate},
		{open, `http://127.0.0.1\@example.com/`, RulePrivate},
		{open, "http://example.com@127.0.0.1/", RulePrivate},
		{open, "http://example.com:80@127.0.0.1/", RulePrivate},
		{open, "http://127.0.0.1#@example.com/", RulePrivate},
		{open, "http://127.0.0.1?@example.com/", RulePrivate},
		{open, "http://[::1]/", RulePrivate},
		{open, "http://[::ffff:127.0.0.1]/", RulePrivate},
		{open, "http://[::ffff:7f00:1]/", RulePrivate},
		{open, "http://[::127.0.0.1]/", RulePrivate},
		{open, "http://[64:ff9b::a9fe:a9fe]/", RulePrivate},
		{open, "http://[64:ff9b::808:808]/", ""},
		{open, "http://[2002:7f00:1::]/", RulePrivate},
		{open, "http://[2001:0:1::2]/", RulePrivate},
		{open, "http://[fc00::1]/", RulePrivate},
		{open, "http://[fe80::1]/", RulePrivate},
		{open, "http://[fd00:ec2::254]/", RulePrivate},
		{open, "http://10.1.2.3/", RulePrivate},
		{open, "http://172.31.255.255/", RulePrivate},
		{open, "http://172.32.0.1/", ""},
		{open, "http://192.168.1.1/", RulePrivate},
		{open, "http://169.254.169.254/latest/meta-data/", RulePrivate},
		{open, "http://100.64.0.1/", RulePrivate},
		{open, "http://100.128.0.1/", ""},
		{open, "http://168.63.129.16/", RulePrivate},
		{open, "http://224.0.0.1/", RulePrivate},
		{open, "http://255.255.255.255/", RulePrivate},
		{open, "http://localhost/", RulePrivate},
		{open, "http://LOCALHOST./", RulePrivate},
		{open, "http://x.localhost/", RulePrivate},
		{open, "ws://localhost/", RulePrivate},
		{open, "http://metadata.google.internal/", RulePrivate},

		{lists, "https://example.com/", ""},
		{lists, "https://EXAMPLE.com./", ""},
		{lists, "https://a.b.example.com/", ""},
		{lists, "https://ads.example.com/", RuleDeny},
		{lists, "https://x.ads.example.com./", RuleDeny},
		{lists, "http://example.com:81/", RuleDeny},
		{lists, "http://example.com:82/", ""},
		{lists, "https://notexample.com/", RuleAllow},
		{lists, "https://example.com.evil.test/", RuleAllow},
		{lists, "https://evil.test/example.com", RuleAllow},
		{lists, "https://BÜCHER.example/", ""},
		{lists, "https://xn--bcher-kva.example/", ""},
		{lists, "https://bu\u0308cher.example/", ""},
		{lists, "https://shop.test/", RuleAllow},
		{lists, "https://shop.test:8443/", ""},
		{lists, "https://corp.test/", RuleAllow},
		{lists, "http://198.18.0.9/", ""},
		{lists, "http://0xc6120009/", ""},
		{lists, "http://localhost:3000/", ""},
		{lists, "http://localhost:3001/", RulePrivate},
		{lists, "file:///etc/passwd", RuleScheme},

		{wide, "http://127.0.0.1/", ""},
		{wide, "http://169.254.169.254/", ""},
		{wide, "file:///etc/passwd", ""},
		{wide, "chrome://version", ""},
		{wide, "view-source:https://example.com/", ""},
		{wide, "view-source:javascript:1", RuleScheme},
	} {
		rules, err := tt.policy.Compile()
		if err != nil {
			t.Fatal(err)
		}
		err = rules.CheckURL(tt.url)
		var refused *RefusedError
		switch {
		case err == nil && tt.want != "":
			t.Errorf("CheckURL(%q) = nil, want it refused by %s", tt.url, tt.want)
		case err == nil:
		case !errors.As(err, &refused) || refused.Rule != tt.want || !errors.Is(err, driver.ErrBlocked):
			t.Errorf("CheckURL(%q) = %v, want rule %q", tt.url, err, tt.want)
		}
	}
}

func TestCompileSaysWhatToWrite(t *testing.T) {
	for _, p := range []Policy{
		{Allow: []string{""}},
		{Allow: []string{"https://example.com"}},
		{Allow: []string{"example.com/path"}},
		{Deny: []string{"*example.com"}},
		{Deny: []string{"a.*.com"}},
		{Deny: []string{"*.10.0.0.1"}},
		{Private: []string{"10.0.0.0/99"}},
		{Private: []string{"fe80::1%eth0"}},
		{Private: []string{"example.com:http"}},
		{Private: []string{"user@example.com"}},
		{Schemes: []string{"file://"}},
	} {
		if _, err := p.Compile(); err == nil {
			t.Errorf("Compile(%+v) = nil", p)
		} else {
			t.Log(err)
		}
	}
}
