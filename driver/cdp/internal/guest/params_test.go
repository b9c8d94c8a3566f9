package guest

import (
	"fmt"
	"testing"
)

// TestAddresses: what a client may have a page ask for, and in which words it is refused.
func TestAddresses(t *testing.T) {
	c := &channel{guest: &Guest{o: Options{Context: "own", Base: true, Allow: func(string) error { return nil }}}}
	const invalid, foreign = "Cannot navigate to invalid URL", "url is none of http, https, data, nor about:blank"
	for _, test := range []struct{ method, url, want string }{
		{"Page.navigate", "http://a.test/", ""},
		{"Page.navigate", "HTTPS://a.test/", ""},
		{"Page.navigate", "about:blank", ""},
		{"Page.navigate", "data:text/html,hello", ""},
		{"Page.navigate", "asdfasdf", invalid}, // as Chrome says it
		{"Page.navigate", "a.test/page", invalid},
		{"Page.navigate", "", invalid},
		{"Page.navigate", "file:///etc/passwd", foreign},
		{"Page.navigate", " file:///etc/passwd", foreign},
		{"Page.navigate", "chrome://version", foreign},
		{"Target.createTarget", "", ""}, // is about:blank
		{"Target.createTarget", "asdfasdf", foreign},
	} {
		p, err := parseParams(fmt.Appendf(nil, `{"url":%q}`, test.url))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := (&command{channel: c, method: test.method, params: p}).check(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s %q = %q, want %q", test.method, test.url, got, test.want)
		}
	}
}

// TestContextIsNamed: the guest's context is named where Chrome would take its own.
func TestContextIsNamed(t *testing.T) {
	for _, test := range []struct {
		browser, base bool
		want          string
	}{
		{browser: true, want: "own"},
		{browser: true, base: true},
		{browser: false, want: "own"},
		{browser: false, base: true},
	} {
		c := &channel{guest: &Guest{o: Options{Context: "own", Base: test.base}}, browser: test.browser}
		for _, method := range []string{"Storage.getCookies", "Storage.setCookies", "Storage.clearCookies"} {
			p := params{"browserContextId": []byte(`"own"`)}
			if err := (&command{channel: c, method: method, params: p}).check(); err != nil {
				t.Fatal(err)
			}
			if got := p.text("browserContextId"); got != test.want {
				t.Errorf("%s, %+v: browserContextId = %q, want %q", method, test, got, test.want)
			}
		}
	}
}
