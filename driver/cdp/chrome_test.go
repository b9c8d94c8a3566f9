package cdp

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func TestLaunchAndNavigate(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "text/html")
		fmt.Fprintf(w, "<title>%s</title><h1>hello</h1>", r.URL.Path)
	}))
	defer site.Close()
	b, err := Launch{}.Open(t.Context(), &driver.BrowserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	var events []driver.Event
	stop := b.Listen(func(e driver.Event) { events = append(events, e) })
	p := b.Pages()[0].(*page)
	if _, err := p.Navigate(t.Context(), site.URL+"/a", nil); err != nil {
		t.Fatal(err)
	}
	stop()
	for _, e := range events {
		t.Logf("%T %+v", e, e)
	}
	id, state, err := p.worldOf(context.Background(), "", driver.Main)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Result struct{ Value string } }
	if err := state.session.call(t.Context(), "Runtime.evaluate", map[string]any{"contextId": id, "expression": "document.title"}, &got); err != nil || got.Result.Value != "/a" {
		t.Fatalf("title = %q, %v", got.Result.Value, err)
	}
	id, state, err = p.worldOf(context.Background(), "", driver.Isolated)
	t.Log(id, state.Frame, err)
	t.Log(p.Frames())
}
