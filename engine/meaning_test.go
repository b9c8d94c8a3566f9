package engine_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// What a stored action is for stands elsewhere by now, or is gone: the same thing is
// done, or nothing.
var storedOverChanges = []struct {
	name, before, after string
	does                string // the fragment that the link leads to; empty is nothing
}{
	{"one is put before the rest", `<a href=#a>Print</a><a href=#b>Save</a>`, `<div>news</div><p><a href=#z>News</a></p><a href=#a>Print</a><a href=#b>Save</a>`, "a"},
	{"a wrapper around it", `<main><a href=#a>Print</a></main>`, `<main><div class=x><div><a href=#a>Print</a></div></div></main>`, "a"},
	{"another stands in its place", `<a href=#a>Print</a><a href=#b>Delete</a>`, `<a href=#b>Delete</a><a href=#a>Print</a>`, "a"},
	{"the list has another order",
		`<ul><li>Teapot <a href=#a>Open</a><li>Kettle <a href=#b>Open</a><li>Pan <a href=#c>Open</a></ul>`,
		`<ul><li>Pan <a href=#c>Open</a><li>Teapot <a href=#a>Open</a><li>Kettle <a href=#b>Open</a></ul>`, "a"},
	{"the list has another order, and stands elsewhere",
		`<ul><li>Teapot <a href=#a>Open</a><li>Kettle <a href=#b>Open</a></ul>`,
		`<div><p>Sale<ul><li>Kettle <a href=#b>Open</a><li>Teapot <a href=#a>Open</a></ul></div>`, "a"},
	{"a part of its row has changed",
		`<ul><li><b>Teapot</b> blue 12 <a href=#a>Open</a><li><b>Kettle</b> 30 <a href=#b>Open</a></ul>`, `<ul><li><b>Teapot</b> blue 13 <a href=#a>Open</a><li><b>Kettle</b> 30 <a href=#b>Open</a></ul>`, "a"},
	{"a part of its row has changed, and nothing says which is its name",
		`<ul><li>Teapot blue 12 <a href=#a>Open</a><li>Kettle 30 <a href=#b>Open</a></ul>`, `<ul><li>Teapot blue 13 <a href=#a>Open</a><li>Kettle 30 <a href=#b>Open</a></ul>`, ""},
	{"its row is gone, and the next one says nearly the same",
		`<ul><li>Order 17 sent <a href=#a>Open</a><li>Order 18 sent <a href=#b>Open</a></ul>`, `<ul><li>Order 18 sent <a href=#b>Open</a></ul>`, ""},
	{"its row is gone, and another one has come",
		`<ul><li>Order 17 sent <a href=#a>Open</a><li>Order 18 sent <a href=#b>Open</a></ul>`,
		`<ul><li>Order 18 sent <a href=#b>Open</a><li>Order 19 sent <a href=#c>Open</a></ul>`, ""},
	{"what it is anchored at has moved",
		`<section><h2>Orders</h2><p>x</p><a href=#a>Print</a></section>`, `<div><a href=#b>News</a></div><div><section><h2>Orders</h2><p>x</p><a href=#a>Print</a></section></div>`, "a"},
	{"its row is gone, and one is left",
		`<ul><li>Teapot <a href=#a>Open</a><li>Kettle <a href=#b>Open</a></ul>`, `<ul><li>Kettle <a href=#b>Open</a></ul>`, ""},
	{"its row is gone, and several are left",
		`<ul><li>Teapot <a href=#a>Open</a><li>Kettle <a href=#b>Open</a><li>Pan <a href=#c>Open</a></ul>`,
		`<p>Sale<ul><li>Kettle <a href=#b>Open</a><li>Pan <a href=#c>Open</a></ul>`, ""},
	{"two rows are the same", `<ul><li>Teapot <a href=#a>Open</a><li>Kettle <a href=#b>Open</a></ul>`,
		`<div>Sale<ul><li>Teapot <a href=#x>Open</a><li>Teapot <a href=#a>Open</a></ul></div>`, ""},
	{"the only row is gone, and another one has come",
		`<h1>Basket</h1><ul><li>Teapot <a href=#a>Remove</a></ul>`, `<h1>Basket</h1><ul><li>Kettle <a href=#b>Remove</a></ul>`, ""},
	{"the only row of a table is gone, and another one has come",
		`<h1>Basket</h1><table><tr><th>What<th>Sum<th><tr><td>Teapot<td>12<td><a href=#a>Remove</a></table>`,
		`<h1>Basket</h1><table><tr><th>What<th>Sum<th><tr><td>Kettle<td>12<td><a href=#b>Remove</a></table>`, ""},
	{"the only row of a table has another price",
		`<h1>Basket</h1><table><tr><th>What<th>Sum<th><tr><td>Teapot<td>12<td><a href=#a>Remove</a></table>`,
		`<h1>Basket</h1><p>Sale</p><table><tr><th>What<th>Sum<th><tr><td>Teapot<td>11<td><a href=#a>Remove</a></table>`, "a"},
	{"its row is gone, and another one with the same words has come in its place",
		`<table><tr><th>No<th>State<th>Sum<th><tr><td>17<td>sent<td>12 €<td><a href=#a>Open</a><tr><td>16<td>open<td>14 €<td><a href=#b>Open</a></table>`,
		`<table><tr><th>No<th>State<th>Sum<th><tr><td>18<td>sent<td>12 €<td><a href=#c>Open</a><tr><td>16<td>open<td>14 €<td><a href=#b>Open</a></table>`, ""},
	{"it is gone", `<a href=#a>Print</a><a href=#b>Save</a>`, `<p>x</p><a href=#b>Save</a>`, ""},
	{"there are two of it", `<a href=#a>Print</a>`, `<p>x</p><p>Report <a href=#a>Print</a><p>Letter <a href=#b>Print</a>`, ""},
	{"it has another name", `<a href=#a>Print</a>`, `<p>x</p><a href=#a>Print all</a>`, ""},
	{"it is another thing", `<a href=#a>Print</a>`, `<p>x</p><label><input type=checkbox> Print</label>`, ""},
	{"it stands in a frame", `<a href=#a>Print</a>`, `<p>x</p><iframe srcdoc="<a href=#a>Print</a>"></iframe>`, ""},
	{"what has no name is another by now", `<a href=#a><img src=x></a>`, `<div>x<a href=#b><img src=x></a></div>`, ""},
}

func TestStoredOverChanges(t *testing.T) {
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "text/html; charset=utf-8")
		for _, c := range storedOverChanges {
			if q := r.URL.Query(); q.Get("case") == c.name {
				page := c.before
				if r.URL.Path == "/after" {
					page = c.after
				}
				_, _ = w.Write([]byte("<!doctype html><html lang=en><title>t</title><body>" + page))
			}
		}
	}))
	defer served.Close()
	onBothBrowsers(t, func(t *testing.T, d engine.Driver, _ bool) {
		session, err := engine.Open(t.Context(), d, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		page := session.Page()
		for _, c := range storedOverChanges {
			address := func(path string) string { return served.URL + path + "?case=" + url.QueryEscape(c.name) }
			if _, err := page.Navigate(t.Context(), address("/before"), nil); err != nil {
				t.Fatal(err)
			}
			found, err := page.Observe(t.Context(), "", nil)
			if err != nil || len(found.Actions) == 0 {
				t.Fatal(found, err)
			}
			raw, err := json.Marshal(found.Actions[0])
			if err != nil {
				t.Fatal(err)
			}
			var stored engine.Action
			if err := json.Unmarshal(raw, &stored); err != nil {
				t.Fatal(err)
			}
			if _, err := page.Navigate(t.Context(), address("/after"), nil); err != nil {
				t.Fatal(err)
			}
			result, err := page.Do(t.Context(), stored, nil)
			_, does, _ := strings.Cut(page.URL(), "#")
			if does != c.does || (err == nil) != (c.does != "") {
				t.Errorf("%s: the link led to %q, want %q; %v", c.name, does, c.does, err)
				continue
			}
			if err != nil {
				if result.Sent != engine.SentNone {
					t.Errorf("%s: refused, and %s was sent", c.name, result.Sent)
				}
				t.Logf("%s: %v", c.name, err)
				continue
			}
			// What is stored of it now stands where it is now.
			if _, err := page.Navigate(t.Context(), address("/after"), nil); err != nil {
				t.Fatal(err)
			}
			if again, err := page.Observe(t.Context(), "", nil); err != nil || !hasSelector(again.Actions, result.Actions[0].Selector) {
				t.Errorf("%s: the result's action stands at %s, which nothing does now", c.name, result.Actions[0].Selector)
			}
		}
	})
}

func hasSelector(actions []engine.Action, selector string) bool {
	for _, a := range actions {
		if a.Selector == selector {
			return true
		}
	}
	return false
}
