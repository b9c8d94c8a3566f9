package fake

import (
	"testing"
	"time"
)

func TestRefreshOf(t *testing.T) {
	for content, want := range map[string]struct {
		wait    time.Duration
		address string
		ok      bool
	}{
		"0":                     {0, "", true},
		" 2.9 ":                 {2 * time.Second, "", true},
		".5; /a":                {0, "/a", true},
		"1;url=/a,b;c":          {time.Second, "/a,b;c", true},
		"1, URL = '/a b' c":     {time.Second, "/a b", true},
		`1 "/a`:                 {time.Second, "/a", true},
		"1 urls":                {time.Second, "urls", true},
		"":                      {},
		"soon":                  {},
		"-1; /a":                {},
		"1e300; /a":             {},
		"99999999999999999; /a": {},
	} {
		wait, address, ok := refreshOf(content)
		if wait != want.wait || address != want.address || ok != want.ok {
			t.Errorf("refreshOf(%q) = %v, %q, %v, want %v", content, wait, address, ok, want)
		}
	}
}
