package engine_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

func TestRequests(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(`<img src=/x.png><form method=post action=/order?code=%68unter2><input name=card value=hunter2><input name=password value=open><input name=cups value=2><button>Order</button></form>`))
	})
	mux.HandleFunc("POST /order", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/thanks", http.StatusSeeOther)
	})
	session, err := engine.Open(t.Context(), fake.New(fake.Options{Handler: mux}), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(t.Context(), "http://shop.test/", nil); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	button := engine.Action{Selector: "button", Method: engine.Click}
	if _, err := page.Do(t.Context(), button, &engine.ActOptions{Variables: map[string]engine.Variable{"code": {Value: "hunter2"}}}); err != nil {
		t.Fatal(err)
	}
	want := []engine.RequestSeen{
		{Method: "POST", URL: "http://shop.test/order?code=%code%", Status: http.StatusSeeOther, Ended: true,
			Fields: []engine.OutgoingField{{Name: "card", Value: "%code%"}, {Name: "password", Value: "••••", Password: true}, {Name: "cups", Value: "2"}}},
		{Method: "GET", URL: "http://shop.test/thanks", Status: http.StatusNotFound, Ended: true},
	}
	if diff := cmp.Diff(want, session.Requests(begin), cmpopts.IgnoreFields(engine.RequestSeen{}, "Begin", "Page")); diff != "" {
		t.Errorf("Requests (-want +got):\n%s", diff)
	}
}
