package cdp

import (
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A launched Chrome's one browser is its profile: what NewPage opens shares
// cookies with the first page.
func TestLaunch(t *testing.T) {
	base := site{"/": "<script>document.title = document.cookie; document.cookie = 'c=1'</script>"}.serve(t)
	b := launch(t, Launch{Args: []string{"--user-agent=Custom/1"}, Env: []string{"TZ=Asia/Tokyo"}})
	if got := b.Version(); !strings.Contains(got, "/") {
		t.Errorf("Version() = %q", got)
	}
	if got := b.chrome.String(); !strings.HasPrefix(got, "chrome") {
		t.Errorf("String() = %q", got)
	}
	if got := Endpoint(b); got != "" {
		t.Errorf("Endpoint = %q without a port", got)
	}
	p := b.Pages()[0].(*page)
	goTo(t, p, base)
	if got := evaluate(t, p, "navigator.userAgent + Intl.DateTimeFormat().resolvedOptions().timeZone"); got != "Custom/1Asia/Tokyo" {
		t.Errorf("user agent and time zone = %q", got)
	}
	q, err := b.NewPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	goTo(t, q.(*page), base)
	if got := evaluate(t, q.(*page), "document.title"); got != "c=1" {
		t.Errorf("the second page was sent %q", got)
	}
}

func TestBrowsersAreIsolated(t *testing.T) {
	base := site{"/": "<script>document.title = document.cookie + localStorage.x; document.cookie = 'c=1'; localStorage.x = 1</script>"}.serve(t)
	for range 2 {
		if got := evaluate(t, visit(t, base), "document.title"); got != "undefined" {
			t.Errorf("a new browser knows %q", got)
		}
	}
}

func TestUnusableOptions(t *testing.T) {
	c := testChrome(t)
	for name, opts := range map[string]*driver.BrowserOptions{
		"cookie": {StorageState: &driver.StorageState{Cookies: []driver.Cookie{{Name: "x"}}}},
		"origin": {StorageState: &driver.StorageState{Origins: []driver.OriginStorage{{Origin: "no origin", LocalStorage: []driver.StorageEntry{{Name: "a"}}}}}},
	} {
		before := len(c.browsers())
		if _, err := c.Open(t.Context(), opts); err == nil {
			t.Errorf("Open with a %s that is none succeeds", name)
		}
		if got := len(c.browsers()); got != before {
			t.Errorf("%s: %d browsers left, want %d", name, got, before)
		}
	}
}
