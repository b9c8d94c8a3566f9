package engine_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/policy"
)

// onBothBrowsers runs a test in memory, over the network, and on Chrome.
func onBothBrowsers(t *testing.T, test func(t *testing.T, d engine.Driver, scripts bool)) {
	t.Run("memory", func(t *testing.T) { test(t, fake.Network(), false) })
	t.Run("chrome", func(t *testing.T) { test(t, chrome(t), true) })
}

// onSite runs a test in both browsers with a site. In memory the site is a
// handler, and time passes in a bubble: nothing hangs on how busy the machine is.
func onSite(t *testing.T, site http.Handler, test func(t *testing.T, d engine.Driver, address string)) {
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, fake.New(fake.Options{Handler: site}), "http://site.test") })
	})
	t.Run("chrome", func(t *testing.T) {
		d := chrome(t)
		server := httptest.NewServer(site)
		defer server.Close()
		test(t, d, server.URL)
	})
}

func openGuarded(t *testing.T, d engine.Driver, p *engine.Policy) *engine.Page {
	t.Helper()
	s, err := engine.Open(t.Context(), d, &engine.Options{Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return s.Page()
}

// Whatever a page does to reach a host that the policy refuses, by its name or
// by the address that the name has, the host is not asked.
func TestPolicyHoldsWhateverAsks(t *testing.T) {
	policies := map[string]func(n *net.Resolver) *engine.Policy{
		"denied": func(n *net.Resolver) *engine.Policy {
			return &engine.Policy{Deny: []string{"bad.test"}, Private: []string{"*"}, Resolver: n}
		},
		"not allowed": func(n *net.Resolver) *engine.Policy {
			return &engine.Policy{Allow: []string{"good.test"}, Private: []string{"*"}, Resolver: n}
		},
		"private by its address": func(n *net.Resolver) *engine.Policy {
			return &engine.Policy{Private: []string{"good.test"}, Resolver: n}
		},
	}
	for name, p := range policies {
		t.Run(name, func(t *testing.T) {
			onBothBrowsers(t, func(t *testing.T, d engine.Driver, scripts bool) {
				site := serveGuarded(t)
				site.dns.name("good.test", "127.0.0.1")
				site.dns.name("bad.test", "127.0.0.1")
				page := openGuarded(t, d, p(site.dns.resolver()))
				for _, address := range []string{site.url("bad.test", "/secret"), site.url("good.test", "/away")} {
					_, err := page.Navigate(t.Context(), address, nil)
					if !errors.Is(err, driver.ErrBlocked) || !strings.Contains(err.Error(), "bad.test") {
						t.Errorf("Navigate(%s) = %v, want it blocked, with the host", address, err)
					}
				}
				for path := range guardedPages {
					if path == "/secret" {
						continue
					}
					if _, err := page.Navigate(t.Context(), site.url("good.test", path), nil); err != nil {
						t.Errorf("Navigate(%s) = %v", path, err)
					}
					if scripts && strings.Contains(guardedPages[path], `document.title = "done"`) {
						awaitTitle(t, page, "done")
					}
				}
				site.tryActs(t, page, scripts)
				if site.secretSeen() {
					t.Errorf("the server was asked for %q", site.seen)
				}
				if n := page.Session().Metrics().Refused; n < 8 {
					t.Errorf("Metrics().Refused = %d, want each counted", n)
				}
			})
		})
	}
}

// tryActs follows the links of the first page.
func (s *guardedSite) tryActs(t *testing.T, page *engine.Page, scripts bool) {
	t.Helper()
	for _, link := range []string{"link", "popup", "redirected"} {
		if _, err := page.Navigate(t.Context(), s.url("good.test", "/"), nil); err != nil {
			t.Fatal(err)
		}
		r, err := page.Do(t.Context(), engine.Action{Selector: fmt.Sprintf("xpath=//a[.=%q]", link), Method: engine.Click}, nil)
		if r == nil {
			t.Fatalf("click %s: %v", link, err)
		}
		// A popup is there, and asks, after the click is done.
		if link != "popup" && (r.Success || len(r.Evidence.Refused) == 0) {
			t.Errorf("click %s: success %v, refused %v, error %v", link, r.Success, r.Evidence.Refused, err)
		}
		if err != nil && !errors.Is(err, driver.ErrBlocked) {
			t.Errorf("click %s: error %v, want ErrBlocked", link, err)
		}
	}
	if _, err := page.Navigate(t.Context(), s.url("good.test", "/"), nil); err != nil {
		t.Fatal(err)
	}
	if r, err := page.Do(t.Context(), engine.Action{Selector: `xpath=//a[.="fine"]`, Method: engine.Click}, nil); err != nil || !r.Success {
		t.Errorf("click fine: %v", err)
	}
	if !scripts {
		return
	}
	if _, err := page.Navigate(t.Context(), s.url("good.test", "/open"), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := page.Do(t.Context(), engine.Action{Selector: "css=button", Method: engine.Click}, nil); err != nil {
		t.Log("window.open: ", err)
	}
}

func awaitTitle(t *testing.T, page *engine.Page, want string) {
	t.Helper()
	for t.Context().Err() == nil {
		title, err := page.Title(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if title == want {
			return
		}
	}
	t.Fatalf("the title did not become %q", want)
}

// A network is a driver that keeps what its browsers are opened with.
type network struct {
	*fake.Driver
	opts driver.BrowserOptions
}

func (n *network) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	n.opts = *opts
	return n.Driver.Open(ctx, opts)
}

// A browser within this process connects by itself: no port is opened for it.
func TestPolicyInMemoryOpensNoListener(t *testing.T) {
	d := &network{Driver: fake.Network()}
	page := openGuarded(t, d, &engine.Policy{Deny: []string{"127.0.0.1"}, Private: []string{"*"}})
	if d.opts.Proxy != nil || d.opts.Dial == nil {
		t.Errorf("the browser was opened with the proxy %+v, want none, and a way to connect", d.opts.Proxy)
	}
	var refused *policy.RefusedError
	if conn, err := d.opts.Dial(t.Context(), "tcp", "127.0.0.1:1"); !errors.As(err, &refused) {
		t.Errorf("Dial = %v, %v, want it refused", conn, err)
	}
	if n := page.Session().Metrics().Refused; n != 1 {
		t.Errorf("Metrics().Refused = %d, want the connection counted", n)
	}
}

// A name that is public when it is looked up first and private when it is
// connected to gains nothing.
func TestPolicyIsNotReboundByNames(t *testing.T) {
	onBothBrowsers(t, func(t *testing.T, d engine.Driver, _ bool) {
		site := serveGuarded(t)
		site.dns.name("turns.test", "192.0.2.1", "192.0.2.1", "127.0.0.1")
		page := openGuarded(t, d, &engine.Policy{Resolver: site.dns.resolver(), Private: []string{"192.0.2.0/24"}})
		for range 4 {
			ctx, cancel := context.WithCancel(t.Context())
			_, err := page.Navigate(ctx, site.url("turns.test", "/secret"), &engine.NavigateOptions{Timeout: 2e9})
			cancel()
			if err == nil {
				t.Fatal("the page came")
			}
			if errors.Is(err, driver.ErrBlocked) {
				break
			}
		}
		if site.secretSeen() {
			t.Error("the server was asked")
		}
	})
}

// What a caller navigates to is held to the schemes, whether or not the driver
// would make a request of it.
func TestPolicyRefusesSchemes(t *testing.T) {
	onBothBrowsers(t, func(t *testing.T, d engine.Driver, _ bool) {
		page := openGuarded(t, d, &engine.Policy{})
		for _, address := range []string{"file:///etc/passwd", "chrome://version", "view-source:http://example.com", "about:version"} {
			_, err := page.Navigate(t.Context(), address, nil)
			var refused *policy.RefusedError
			if !errors.As(err, &refused) || refused.Rule != policy.RuleScheme {
				t.Errorf("Navigate(%s) = %v, want it refused by its scheme", address, err)
			}
		}
		for _, address := range []string{"about:blank", "data:text/html,<p>x"} {
			if _, err := page.Navigate(t.Context(), address, nil); err != nil {
				t.Errorf("Navigate(%s) = %v", address, err)
			}
		}
	})
}

// A page does not get to such schemes either, by a link, a redirect or a script.
func TestPolicyHoldsThePagesSchemes(t *testing.T) {
	addresses := []string{"file:///etc/passwd", "chrome://version", "view-source:http://127.0.0.1/", "data:text/html,<p>x", "ftp://127.0.0.1/x", "about:version"}
	onBothBrowsers(t, func(t *testing.T, d engine.Driver, scripts bool) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if to := r.FormValue("to"); to != "" {
				w.Header().Set("Location", to)
				w.WriteHeader(http.StatusFound)
				return
			}
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<title>home</title>")
			for i, a := range addresses {
				fmt.Fprintf(w, `<a id="l%d" href="%s">x</a> <a id="r%d" href="/?to=%s">x</a> <button id="s%d" onclick="location = '%s'">x</button> <a id="p%d" target="_blank" href="%s">x</a><br>`,
					i, a, i, url.QueryEscape(a), i, a, i, a)
			}
		}))
		defer server.Close()
		page := openGuarded(t, d, &engine.Policy{Private: []string{"127.0.0.1"}})
		for i, a := range addresses {
			for _, by := range []string{"l", "r", "s", "p"} {
				if by == "s" && !scripts {
					continue
				}
				if _, err := page.Navigate(t.Context(), server.URL, nil); err != nil {
					t.Fatal(err)
				}
				_, _ = page.Do(t.Context(), engine.Action{Selector: fmt.Sprintf("css=#%s%d", by, i), Method: engine.Click}, nil) // refused in some way or another
				for _, p := range page.Session().Pages() {
					snap, err := p.Snapshot(t.Context(), nil)
					var failed *driver.NavigationError
					if err != nil && !errors.As(err, &failed) {
						t.Fatal(err)
					}
					if err != nil {
						// The browser shows its own words, and no document.
					} else if shows := snap.Capture.Documents[0]; strings.HasPrefix(shows.URL, a[:strings.IndexByte(a, ':')+1]) && !strings.HasPrefix(shows.URL, "about:blank") {
						t.Errorf("%s to %s: a page shows %s", by, a, shows.URL)
					}
					if p != page {
						if err := p.Close(t.Context()); err != nil {
							t.Error(err)
						}
					}
				}
			}
		}
	})
}

// Without a gate, names are looked up before the request is sent.
func TestPolicyWithoutGate(t *testing.T) {
	onBothBrowsers(t, func(t *testing.T, d engine.Driver, _ bool) {
		site := serveGuarded(t)
		site.dns.name("good.test", "127.0.0.1")
		site.dns.name("bad.test", "127.0.0.1")
		page := openGuarded(t, d, &engine.Policy{NoGate: true, Private: []string{"127.0.0.1:" + site.port}, Deny: []string{"10.0.0.0/8"}, Resolver: site.dns.resolver()})
		// The browser itself cannot look up names under test.
		if _, err := page.Navigate(t.Context(), site.url("127.0.0.1", "/fine"), nil); err != nil {
			t.Error(err)
		}
		site.dns.name("inside.test", "10.1.2.3")
		for host, rule := range map[string]policy.Rule{"inside.test": policy.RuleDeny, "nowhere.test": policy.RuleName, "localhost": policy.RulePrivate} {
			_, err := page.Navigate(t.Context(), site.url(host, "/secret"), nil)
			var refused *policy.RefusedError
			if !errors.As(err, &refused) || refused.Rule != rule {
				t.Errorf("Navigate to %s = %v, want rule %s", host, err, rule)
			}
		}
	})
}

// A failure to connect is told by its own reason, although the browser sees
// only a proxy.
func TestPolicyKeepsReasons(t *testing.T) {
	onBothBrowsers(t, func(t *testing.T, d engine.Driver, _ bool) {
		names := startNames(t)
		names.name("known.test", "127.0.0.1")
		page := openGuarded(t, d, &engine.Policy{Private: []string{"*"}, Deny: []string{"other.test"}, Resolver: names.resolver()})
		nobody := httptest.NewServer(nil)
		_, port, _ := strings.Cut(strings.TrimPrefix(nobody.URL, "http://"), ":")
		nobody.Close()
		for address, want := range map[string]driver.Reason{
			"http://unknown.test/":              driver.ReasonDNS,
			"http://known.test:" + port + "/":   driver.ReasonRefused,
			"https://known.test:" + port + "/x": driver.ReasonRefused,
		} {
			_, err := page.Navigate(t.Context(), address, nil)
			var failed *driver.NavigationError
			if !errors.As(err, &failed) || failed.Reason != want {
				t.Errorf("Navigate(%s) = %v, want reason %s", address, err, want)
			}
		}
	})
}

func TestPolicyThatIsNone(t *testing.T) {
	for _, o := range []engine.Options{
		{Policy: &engine.Policy{Allow: []string{"https://example.com/"}}},
		{Policy: &engine.Policy{}, Browser: engine.BrowserOptions{Proxy: &driver.Proxy{Server: "http://proxy.example:1", Bypass: "127.0.0.1"}}},
		{Policy: &engine.Policy{}, Browser: engine.BrowserOptions{Proxy: &driver.Proxy{Server: "http://169.254.169.254"}}},
	} {
		s, err := engine.Open(t.Context(), fake.Web{}, &o)
		if err == nil {
			s.Close()
			t.Errorf("Open(%+v) succeeded", o)
		} else if !strings.Contains(err.Error(), "policy") {
			t.Errorf("Open = %v, want it to name the policy", err)
		}
	}
}
