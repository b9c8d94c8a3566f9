package engine_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

func TestParseCondition(t *testing.T) {
	for text, want := range map[string]engine.Condition{
		"selector=#a[b=c]":        engine.ElementShown("#a[b=c]"),
		"selector-gone=.busy":     engine.ElementGone(".busy"),
		"text=Order = placed":     engine.TextShown("Order = placed"),
		"text-gone=Loading…":      engine.TextGone("Loading…"),
		"address=/orders/*?a=b":   engine.AddressIs("/orders/*?a=b"),
		"quiet":                   engine.Quiet{},
		"response=/api/*":         engine.Response("/api/*"),
		"download=*.pdf":          engine.Download("*.pdf"),
		"count=3 role=row":        engine.Count{Selector: "role=row", N: 3},
		`value="a \"b\"" label=A`: engine.ValueIs{Selector: "label=A", Value: `a "b"`},
	} {
		got, err := engine.ParseCondition(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("ParseCondition(%q) = %#v, %v, want %#v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "Order placed", "selector=", "text= ", "text-gone=", "address=", "quiet=yes", "response=", "download= ", "count=", "count=x role=row", "count=-1 role=row", "count=3", "value=x", "url=/a"} {
		if _, err := engine.ParseCondition(text); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("ParseCondition(%q) = %v, want %v", text, err, engine.ErrInvalid)
		}
	}
}

// waitPage comes to be something else 300 ms after it was loaded.
const (
	waitBefore = `<!DOCTYPE html><title>Wait</title><h1>Everything</h1><main><p id="busy">Loading <b>your</b> orders</p></main>`
	waitAfter  = `<p id="busy" style="display: none">Loading <b>your</b> orders</p><p id="total">All is <b>here</b></p>`
	waitScript = "<script>setTimeout(() => { document.querySelector('main').innerHTML = `" + waitAfter + "`; history.pushState({}, '', '/orders/7?sort=1#top') }, 300)</script>"
)

var waits = []struct {
	condition engine.Condition
	met       bool // in the end
}{
	{engine.ElementShown("#total"), true},
	{engine.ElementShown("xpath=//p[contains(., 'here')]"), true},
	{engine.ElementShown("#other"), false},
	{engine.ElementShown("title"), false}, // never shown
	{engine.ElementGone("#busy"), true},   // still there, and hidden
	{engine.ElementGone("main"), false},
	{engine.TextShown("all is  HERE"), true},
	{engine.TextShown("all was here"), false},
	{engine.TextGone("Loading your orders"), true},
	{engine.TextGone("everything"), false},
	{engine.AddressIs("/orders/7"), true},
	{engine.Count{Selector: "main p", N: 1}, true}, // the other one is hidden
	{engine.Count{Selector: "main p", N: 2}, false},
	{engine.Count{Selector: "role=heading", N: 1}, true},
	{engine.Until(func(s *engine.Snapshot) bool { return strings.Contains(s.Text(), "All is here") }), true},
	{engine.Until(func(*engine.Snapshot) bool { return false }), false},
	{engine.AddressIs("/orders/7?sort=1"), true},
	{engine.AddressIs("/orders/*?sort=*#top"), true},
	{engine.AddressIs("*/orders/*"), true},
	{engine.AddressIs("http*://*/orders/*"), true},
	{engine.AddressIs("/orders"), false},
	{engine.AddressIs("/orders/7?sort=2"), false},
	{engine.Quiet{}, true},
}

func TestWaitForInMemory(t *testing.T) {
	web := fake.New(fake.Options{
		Web: fake.Web{shopAddress: waitBefore},
		Scripts: map[string]func(*fake.Document){shopAddress: func(d *fake.Document) {
			d.After(300*time.Millisecond, func() {
				d.Find("main").SetHTML(waitAfter)
				d.PushState("/orders/7?sort=1#top")
			})
		}},
	})
	for _, wait := range waits {
		t.Run(wait.condition.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				page := openOn(t, web, nil)
				begun := time.Now()
				err := page.WaitFor(t.Context(), wait.condition)
				took := time.Since(begun)
				switch {
				case wait.met && (err != nil || took > 300*time.Millisecond+2*50*time.Millisecond):
					t.Errorf("WaitFor = %v after %v", err, took)
				case !wait.met && (!errors.Is(err, engine.ErrNotMet) || engine.Kind(err) != "not_met"):
					t.Errorf("WaitFor = %v, want %v", err, engine.ErrNotMet)
				case !wait.met && took > time.Second && strings.Contains(err.Error(), "nothing is under way"):
					t.Errorf("WaitFor took %v on a page that has come to rest", took)
				}
			})
		})
	}
}

func TestWaitForOnChrome(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, waitBefore+waitScript) }))
	t.Cleanup(server.Close)
	for _, wait := range waits {
		t.Run(wait.condition.String(), func(t *testing.T) {
			t.Parallel()
			session, err := engine.Open(t.Context(), chrome(t), nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { session.Close() })
			page := session.Page()
			if _, err := page.Navigate(t.Context(), server.URL, nil); err != nil {
				t.Fatal(err)
			}
			if wait.met {
				if err := page.WaitFor(t.Context(), wait.condition); err != nil {
					t.Error(err)
				}
				return
			}
			if err := page.WaitFor(t.Context(), engine.ElementShown("#total")); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			err = page.WaitFor(ctx, wait.condition)
			if !errors.Is(err, engine.ErrNotMet) || !errors.Is(err, context.DeadlineExceeded) || engine.Kind(err) != "timeout" {
				t.Errorf("WaitFor = %v, want %v for want of time", err, engine.ErrNotMet)
			}
		})
	}
}

// A wait for what a model has read is for what it has read: placeholders.
func TestWaitForTextOfVariable(t *testing.T) {
	page := openShop(t, `<label>Name <input name="n"></label>`, nil)
	opts := &engine.ActOptions{Variables: map[string]engine.Variable{"name": {Value: "Ada Lovelace"}}}
	if _, err := page.Do(t.Context(), engine.Action{Selector: "input", Method: engine.Fill, Arguments: []string{"%name%"}}, opts); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Name: %name%", "Ada  Lovelace"} {
		if err := page.WaitFor(t.Context(), engine.TextShown(text)); err != nil {
			t.Errorf("WaitFor(%s) = %v", text, err)
		}
	}
	err := page.WaitFor(t.Context(), engine.TextShown("it is Ada Lovelace"))
	if err == nil || strings.Contains(err.Error(), "Ada") {
		t.Errorf("WaitFor = %v, want an error without the value", err)
	}
}

// A page that is closed, or that cannot be asked for what the caller wrote,
// ends a wait at once.
func TestWaitForEnds(t *testing.T) {
	page := openShop(t, `<p>Here</p>`, nil)
	for _, c := range []engine.Condition{nil, engine.ElementShown("p["), engine.TextShown("")} {
		if err := page.WaitFor(t.Context(), c); err == nil || errors.Is(err, engine.ErrNotMet) {
			t.Errorf("WaitFor(%v) = %v, want what is wrong with it", c, err)
		}
	}
	if err := page.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := page.WaitFor(t.Context(), engine.TextShown("There")); err == nil || errors.Is(err, engine.ErrNotMet) {
		t.Errorf("WaitFor on a closed page = %v", err)
	}
}

// A wait for a response, a file or a value knows what came since the action, also if it
// came before the wait.
func TestWaitForWhatCame(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("content-type", "text/html; charset=utf-8")
			fmt.Fprint(w, `<!doctype html><title>t</title><label>Name <input></label><label>Size <select><option>Small<option>Large</select></label>
				<a href="/other">Other</a><a href="/file.pdf" download>File</a>`)
		case "/file.pdf":
			w.Header().Set("content-disposition", `attachment; filename="order 7.pdf"`)
			fmt.Fprint(w, "pdf")
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	onBothBrowsers(t, func(t *testing.T, d engine.Driver, _ bool) {
		session, err := engine.Open(t.Context(), d, &engine.Options{Downloads: &engine.Downloads{Dir: t.TempDir()}})
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		page := session.Page()
		do := func(at engine.Locator, c engine.Command) {
			t.Helper()
			if _, err := page.DoTo(t.Context(), at.Target(), c, nil); err != nil {
				t.Fatal(err)
			}
		}
		wait := func(c engine.Condition, want error) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			if want == engine.ErrNotMet {
				ctx, cancel = context.WithTimeout(t.Context(), 200*time.Millisecond)
			}
			defer cancel()
			if err := page.WaitFor(ctx, c); !errors.Is(err, want) {
				t.Errorf("WaitFor(%s) = %v, want %v", c, err, want)
			}
		}
		if _, err := page.Navigate(t.Context(), server.URL, nil); err != nil {
			t.Fatal(err)
		}
		do(engine.Label("Name"), engine.Command{Method: engine.Fill, Arguments: []string{"Ada"}})
		do(engine.Label("Size"), engine.Command{Method: engine.SelectOption, Arguments: []string{"Large"}})
		wait(engine.ValueIs{Selector: "label=Name", Value: "Ada"}, nil)
		wait(engine.ValueIs{Selector: "label=Size", Value: "Large"}, nil)
		wait(engine.ValueIs{Selector: "label=Name", Value: "Eve"}, engine.ErrNotMet)
		wait(engine.ValueIs{Selector: "role=link", Value: "Eve"}, engine.ErrAmbiguous)
		wait(engine.Response("/other"), engine.ErrNotMet)
		do(engine.Role("link", "File"), engine.Command{})
		wait(engine.Download("*.pdf"), nil)
		wait(engine.Download("*.txt"), engine.ErrNotMet)
		do(engine.Role("link", "Other"), engine.Command{})
		wait(engine.Response("/other"), nil)
		wait(engine.Response("*/oth*"), nil)
		wait(engine.Download("*.pdf"), engine.ErrNotMet)
	})
}
