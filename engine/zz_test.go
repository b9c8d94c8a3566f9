package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
)

func TestTry(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "text/html")
		fmt.Fprintf(w, `<title>%s</title><h1>Hello %s</h1><a href="/next">Next page</a><button onclick="document.querySelector('h1').textContent='Clicked'">Press me</button>
		<label>Name <input id=n></label><label><input type=checkbox> Agree</label><select aria-label=Land><option>CH<option>DE</select><button>Nothing</button><input type=date aria-label=Day>`, r.URL.Path, r.URL.Path)
	}))
	defer srv.Close()
	s, err := engine.Open(t.Context(), cdp.Launch{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := s.Page()
	start := time.Now()
	lap := func(what string) { fmt.Println("   ", what, time.Since(start)); start = time.Now() }
	resp, err := p.Navigate(t.Context(), srv.URL+"/", nil)
	fmt.Println(resp, err)
	lap("navigate")
	snap, err := p.Snapshot(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	lap("snapshot")
	fmt.Println(snap.Outline())
	obs, err := p.Observe(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	lap("observe")
	for _, a := range obs.Actions {
		fmt.Printf("%+v %v\n", a, a.Fingerprint)
	}
	for _, a := range obs.Actions {
		switch a.Method {
		case engine.Fill:
			a.Arguments = []string{"2026-01-02"}
		case engine.SelectOption:
			a.Arguments = []string{"DE"}
		}
		if a.Fingerprint.Role == "link" {
			continue
		}
		start = time.Now()
		r, err := p.Do(t.Context(), a, nil)
		lap("do")
		fmt.Printf("%v | %+v\n", err, r)
	}
	start = time.Now()
	r, err := p.Do(t.Context(), engine.Action{Selector: "a"}, nil)
	lap("do link")
	fmt.Printf("%v | %+v %+v\n", err, r, r.Evidence.Navigation)
}
