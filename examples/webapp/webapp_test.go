package webapp

import (
	"net/http/httptest"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// eachBrowser runs a test in memory, and in Chrome where one is found, each with an
// application of its own.
func eachBrowser(t *testing.T, test func(t *testing.T, page *engine.Page)) {
	drivers := map[string]engine.Driver{"memory": fake.Network()}
	if _, err := cdp.Find(); err == nil {
		drivers["chrome"] = cdp.Launch{}
	}
	for name, d := range drivers {
		t.Run(name, func(t *testing.T) {
			app := httptest.NewServer(&Board{})
			defer app.Close()
			session, err := engine.Open(t.Context(), d, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if _, err := session.Page().Navigate(t.Context(), app.URL, nil); err != nil {
				t.Fatal(err)
			}
			test(t, session.Page())
		})
	}
}

// do names an element by its role and name, as a person would.
func do(t *testing.T, page *engine.Page, selector string, method engine.Method, arguments ...string) {
	t.Helper()
	if _, err := page.Do(t.Context(), engine.Action{Selector: selector, Method: method, Arguments: arguments}, nil); err != nil {
		t.Fatal(err)
	}
}

func TestNoteIsPinned(t *testing.T) {
	eachBrowser(t, func(t *testing.T, page *engine.Page) {
		do(t, page, "label=Note", engine.Fill, "Feed the <cat>")
		do(t, page, `role=button[name="Pin it"]`, engine.Click)
		if err := page.WaitFor(t.Context(), engine.TextShown("Feed the <cat>")); err != nil {
			t.Error(err)
		}
	})
}

func TestEmptyNoteIsRefused(t *testing.T) {
	eachBrowser(t, func(t *testing.T, page *engine.Page) {
		do(t, page, `role=button[name="Pin it"]`, engine.Click)
		if err := page.WaitFor(t.Context(), engine.TextShown("Write something first")); err != nil {
			t.Error(err)
		}
	})
}
