package weburl

import "testing"

func TestCheck(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://a.test/": true, "http://127.0.0.1:8080": true, "about:blank": true, "data:text/html,x": true, "file:///tmp/a.html": true,
		"": false, "a.test": false, "localhost:8080/x": false, "https:///x": false, "http://a b/": false, "://": false,
	} {
		if err := Check(address); (err == nil) != ok {
			t.Errorf("Check(%q) = %v, want ok %t", address, err, ok)
		}
	}
}
