package fake_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
)

func TestNetwork(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "yes"})
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(`<link rel=stylesheet href=/s.css><noscript>Please switch scripts on.</noscript><p class=h>hidden</p><script src=/app.js></script>`))
	})
	mux.HandleFunc("/s.css", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/css")
		w.Write([]byte(`.h{display:none}`))
	})
	mux.HandleFunc("/latin", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
		w.Write([]byte("<p>Z\xfcrich " + r.Header.Get("Cookie")))
	})
	mux.HandleFunc("/big", func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(strings.Repeat("x", 2000)))
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	plain := httptest.NewServer(mux)
	defer plain.Close()
	secure := httptest.NewTLSServer(mux)
	defer secure.Close()
	secure.Config.ErrorLog = nil

	d := fake.New(fake.Options{Transport: &http.Transport{}, MaxBytes: 1000})
	_, p := open(t, d, plain.URL)
	c := capture(t, p)
	if got := shown(c); got != "Please switch scripts on.|" {
		t.Errorf("a page without its scripts shows %q", got)
	}
	if len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "scripts") {
		t.Errorf("Notes = %q, want one that says that scripts were not run", c.Notes)
	}
	if _, err := p.Navigate(t.Context(), plain.URL+"/latin", nil); err != nil {
		t.Fatal(err)
	}
	if got := shown(capture(t, p)); got != "Zürich seen=yes|" {
		t.Errorf("shows %q", got)
	}
	for addr, want := range map[string]driver.Reason{
		secure.URL:               driver.ReasonTLS,
		plain.URL + "/cut":       driver.ReasonReset,
		"http://127.0.0.1:1/":    driver.ReasonRefused,
		"gopher://a.test/":       driver.ReasonAddress,
		"http://no-such.invalid": driver.ReasonDNS,
	} {
		_, err := p.Navigate(t.Context(), addr, nil)
		var ne *driver.NavigationError
		if !errors.As(err, &ne) || ne.Reason != want {
			t.Errorf("Navigate(%s): error %v, want reason %s", addr, err, want)
		}
	}
	if _, err := p.Navigate(t.Context(), plain.URL+"/big", nil); !errors.Is(err, driver.ErrTooLarge) {
		t.Errorf("Navigate(/big): error %v, want ErrTooLarge", err)
	}
	_, p = openWith(t, d, secure.URL, &driver.BrowserOptions{IgnoreHTTPSErrors: true})
	if got := shown(capture(t, p)); got != "Please switch scripts on.|" {
		t.Errorf("over TLS: %q", got)
	}
}
