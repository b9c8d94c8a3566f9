package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
)

func TestTry2(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "text/html")
		fmt.Fprintf(w, `<title>%s</title><h1>Hello %s</h1><button onclick="document.querySelector('h1').textContent='Clicked'+Math.random()">Press me</button>`, r.URL.Path, r.URL.Path)
	}))
	defer srv.Close()
	s, err := engine.Open(t.Context(), chrome(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := s.Page()
	p.Navigate(t.Context(), srv.URL+"/", nil)
	d := p.Driver()
	start := time.Now()
	lap := func(what string) { fmt.Println("   ", what, time.Since(start)); start = time.Now() }
	for range 3 {
		a, err := d.Activity(t.Context())
		lap(fmt.Sprintf("activity %+v %v", a, err))
	}
	n, err := d.Find(t.Context(), driver.NodeRef{}, driver.Selector{Text: "button"})
	lap(fmt.Sprint("find ", n, err))
	for range 3 {
		l, err := d.Locate(t.Context(), n[0], &driver.LocateOptions{Scroll: true})
		lap(fmt.Sprintf("locate %+v %v", l, err))
		_, err = d.State(t.Context(), n[0])
		lap(fmt.Sprintf("state %v", err))
		err = d.Input(t.Context(), driver.MouseMove{At: l.At}, driver.MouseDown{At: l.At, Clicks: 1}, driver.MouseUp{At: l.At, Clicks: 1})
		lap(fmt.Sprintf("input %v", err))
		for range 3 {
			a, err := d.Activity(t.Context())
			lap(fmt.Sprintf("activity %+v %v", a, err))
		}
	}
}
