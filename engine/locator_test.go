package engine_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

const locatorPage = `<!doctype html><html lang=en><title>Shop</title>
<table><tr><th>Thing<th>Price<th>Page
<tr><td>Teapot<td>12<td><a href="#teapot">Open</a>
<tr><td>Kettle<td>30<td><a href="#kettle">Open</a>
<tr><td>Cup<td>5<td><iframe srcdoc="<a href='#cup' target=_top>Look</a>"></iframe></table>
<ul><li>Pan <a href="#pan">Open</a></ul>
<label>First name <input name=first></label>
<input placeholder="Search the shop" aria-label=Find>
<p data-testid=total>Total: <b>42</b></p>
<a href="#say" data-testid=say>Say &quot;hi&quot;</a>
<div><template shadowrootmode=closed><a href="#shadow">In the shade</a></template></div>
<iframe srcdoc="<title>f</title><a href='#frame'>In the frame</a>"></iframe>
<a href="#last">Last</a>`

// A locator names the element that a person would name, in rows, frames and closed
// shadow roots, and none where two fit.
func TestLocators(t *testing.T) {
	site := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(locatorPage))
	})
	server := httptest.NewServer(site)
	defer server.Close()
	onBothBrowsers(t, func(t *testing.T, d engine.Driver, _ bool) {
		session, err := engine.Open(t.Context(), d, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		page := session.Page()
		if _, err := page.Navigate(t.Context(), server.URL, nil); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			at   engine.Locator
			want string // the fragment that it leads to, or the value that it takes; empty is refused
		}{
			{engine.Role("link", "Open").In(engine.Row("Teapot")), "teapot"},
			{`role=row[text*="ett"] >> role=link`, "kettle"},
			{engine.Role("link", "").In(engine.Column("Page").In(engine.Row("Kettle"))), "kettle"},
			{engine.Role("link", "").In(engine.Column("Page").In(engine.Row("Cup"))), "cup"},
			{engine.Role("link", "").In(engine.Column("Price").In(engine.Row("Kettle"))), ""},
			{engine.Role("link", "Open").In(engine.Role("listitem", "").HasText("Pan Open")), "pan"},
			{engine.Role("link", "Open").Nth(1), "kettle"},
			{engine.Role("link", "Open").Nth(-1), "pan"},
			{engine.Role("link", "Open"), ""},
			{engine.Role("link", "Shut"), ""},
			{`role=link[name="LAST"i]`, "last"},
			{`role=link[name*="as"]`, "last"},
			{engine.TextOf("Last"), "last"},
			{engine.Role("link", `Say "hi"`), "say"},
			{engine.TestID("say"), "say"},
			{engine.Role("link", "In the shade"), "shadow"},
			{"role=link[name=\"In  the\tshade\"]", "shadow"},
			{engine.Label("First name"), "value"},
			{engine.Placeholder("Search the shop"), "value"},
		} {
			command := engine.Command{}
			if c.want == "value" {
				command = engine.Command{Method: engine.Fill, Arguments: []string{"value"}}
			}
			result, err := page.DoTo(t.Context(), c.at.Target(), command, nil)
			_, got, _ := strings.Cut(page.URL(), "#")
			switch {
			case c.want == "":
				if !errors.Is(err, engine.ErrAmbiguous) && !errors.Is(err, engine.ErrNotFound) || result.Sent != engine.SentNone {
					t.Errorf("%s = %v (%+v); want it refused", c.at, err, result)
				}
				continue
			case err != nil:
				t.Errorf("%s = %v", c.at, err)
				continue
			case c.want == "value":
				if v := result.Evidence.Value; v == nil || v.After != "value" {
					t.Errorf("%s: evidence %+v", c.at, result.Evidence)
				}
				continue
			case got != c.want:
				t.Errorf("%s led to %q, want %q", c.at, got, c.want)
			}
			// What is stored of it is the locator, which does it again.
			if result.Actions[0].Selector != string(c.at) {
				t.Errorf("%s is stored as %s", c.at, result.Actions[0].Selector)
			}
			if _, err := page.Do(t.Context(), result.Actions[0], nil); err != nil {
				t.Errorf("%s, once more: %v", c.at, err)
			}
		}
		framed := engine.Role("link", "In the frame").Target()
		if _, err := page.DoTo(t.Context(), framed, engine.Command{}, nil); err != nil {
			t.Errorf("in a frame: %v", err)
		}
		if err := page.WaitFor(t.Context(), engine.ElementShown(engine.TextOf("Total: 42"))); err != nil {
			t.Errorf("WaitFor: %v", err)
		}
		for _, wrong := range []string{`role=`, `role=button[name="x"`, `nth=1`, `role=button[state="x"]`, `role=link >> nth=x`, `text="x`, `role=row >> #css`} {
			if _, err := page.Do(t.Context(), engine.Action{Method: engine.Click, Selector: wrong}, nil); !errors.Is(err, engine.ErrInvalid) {
				t.Errorf("%s = %v, want %v", wrong, err, engine.ErrInvalid)
			} else {
				t.Log(err)
			}
		}
	})
}

// An action has the locator that names its element alone, in the wording of today; where
// that would show the value of a variable, it has none.
func TestActionHasLocator(t *testing.T) {
	const address = "https://rows.test/"
	session, err := engine.Open(t.Context(), fake.Web{
		address:             `<main><h1>Orders</h1><input type=search><button>Print</button><table><tr><th>Of<th>Sum<th><tr><td>Ann<td>7<td><button>Pay</button><tr><td>Bob<td>7<td><button>Pay</button></table></main>`,
		address + "changed": `<div>News</div><section><table><tr><th>Of<th>Sum<th><tr><td>Eve<td>9<td><button>Pay</button><tr><td>Bob<td>7<td><button>Pay</button></table><button>Print</button></section>`,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	named := func() (all []string) {
		seen, err := page.Observe(t.Context(), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range seen.Actions {
			all = append(all, a.Named())
		}
		return all
	}
	want := []string{"xpath=//main/input[1]", `role=button[name="Print"]`, `role=row[text="Ann"] >> role=button[name="Pay"]`, `role=row[text="Bob"] >> role=button[name="Pay"]`}
	if got := named(); !slices.Equal(got, want) {
		t.Errorf("observed %q, want %q", got, want)
	}
	result, err := page.DoTo(t.Context(), engine.Role("button", "Pay").In(engine.Row("Bob")).Target(), engine.Command{}, nil)
	if err != nil || string(result.Actions[0].Locator) != want[3] {
		t.Fatalf("done to %+v, %v", result, err)
	}
	stored := result.Actions[0]
	stored.Selector = "xpath=/html[1]/body[1]/main[1]/table[1]/tbody[1]/tr[3]/td[3]/button[1]"
	if _, err := page.Navigate(t.Context(), address+"changed", nil); err != nil {
		t.Fatal(err)
	}
	if again, err := page.Do(t.Context(), stored, nil); err != nil || string(again.Actions[0].Locator) != want[3] {
		t.Errorf("once more: %+v, %v", again, err)
	}
	if _, err := page.Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	_, _ = page.Act(t.Context(), "x", &engine.ActOptions{Variables: map[string]engine.Variable{"who": {Value: "Bob"}}}) // no model: the value is known now
	if got := named(); strings.Contains(strings.Join(got, " "), "Bob") || strings.HasPrefix(got[3], "role=") {
		t.Errorf("with a variable's value Bob: %q", got)
	}
}
