package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/driver/recording"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// late is a page that adds a button, and what it can be dropped on, after 300 ms.
const (
	lateStart  = `<!DOCTYPE html><title>Late</title><h1>Order</h1><div id="app"></div><p id="said"></p>`
	lateAdded  = `<button id="pay">Pay</button>`
	lateScript = `<script>setTimeout(() => { app.innerHTML = '` + lateAdded + `'; pay.onclick = () => { said.textContent += 'paid ' } }, 300)</script>`
)

func lateInMemory() *fake.Driver {
	return fake.New(fake.Options{
		Web: fake.Web{shopAddress: lateStart},
		Scripts: map[string]func(*fake.Document){shopAddress: func(d *fake.Document) {
			d.After(300*time.Millisecond, func() { d.Find("#app").SetHTML(lateAdded) })
			d.On("click", "#pay", func(*fake.Event) { d.Find("#said").SetText(d.Find("#said").Text() + "paid ") })
		}},
	})
}

// lateOnChrome opens a page of a server of its own.
func lateOnChrome(t *testing.T, html string, opts *engine.Options) *engine.Page {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "text/html")
		fmt.Fprint(w, html)
	}))
	t.Cleanup(server.Close)
	session, err := engine.Open(t.Context(), chrome(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	if _, err := session.Page().Navigate(t.Context(), server.URL, nil); err != nil {
		t.Fatal(err)
	}
	return session.Page()
}

// onEach runs a test in memory, on a virtual clock, and on Chrome.
func onEach(t *testing.T, d driver.Driver, html string, opts func(*testing.T) *engine.Options, test func(*testing.T, *engine.Page)) {
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, openOn(t, d, opts(t))) })
	})
	t.Run("chrome", func(t *testing.T) {
		t.Parallel()
		test(t, lateOnChrome(t, html, opts(t)))
	})
}

func noOptions(*testing.T) *engine.Options { return nil }

// Do waits for an element that is not there yet.
func TestDoWaitsForItsElement(t *testing.T) {
	onEach(t, lateInMemory(), lateStart+lateScript, noOptions, func(t *testing.T, page *engine.Page) {
		for _, selector := range []string{"#pay", "//button[text()='Pay']"} {
			if _, err := page.Do(t.Context(), engine.Action{Selector: selector}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := page.WaitFor(t.Context(), engine.TextShown("paid paid")); err != nil {
			t.Error(err)
		}
	})
}

// A recording of a wait is played without one.
func TestWaitIsPlayedAgain(t *testing.T) {
	steps := func(t *testing.T, page *engine.Page) {
		if err := page.WaitFor(t.Context(), engine.TextShown("Pay")); err != nil {
			t.Error(err)
		}
		if _, err := page.Navigate(t.Context(), shopAddress, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := page.Do(t.Context(), engine.Action{Selector: "#pay"}, nil); err != nil {
			t.Error(err)
		}
		if err := page.WaitFor(t.Context(), engine.ElementShown("#pay")); err != nil {
			t.Error(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		recorder := recording.New(lateInMemory(), nil)
		steps(t, openOn(t, recorder, nil))
		var bundle bytes.Buffer
		if _, err := recorder.WriteTo(&bundle); err != nil {
			t.Fatal(err)
		}
		played, err := recording.Read(&bundle)
		if err != nil {
			t.Fatal(err)
		}
		steps(t, openOn(t, played.Driver(), nil))
	})
}

// What does not come is missed once the patience is over.
func TestDoWaitsNoLonger(t *testing.T) {
	short := func(*testing.T) *engine.Options { return &engine.Options{Patience: 400 * time.Millisecond} }
	onEach(t, lateInMemory(), lateStart+lateScript, short, func(t *testing.T, page *engine.Page) {
		_, err := page.Do(t.Context(), engine.Action{Selector: "#refund"}, nil)
		if !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("Do = %v, want %v", err, engine.ErrNotFound)
		}
	})
}

// Act asks again where the page has changed since the model found nothing.
func TestActWaitsForItsElement(t *testing.T) {
	script := func(t *testing.T, asked func()) *engine.Options {
		return &engine.Options{Model: llmtest.NewScript(t,
			llmtest.Step{Purpose: llm.PurposeAct, Answer: func(*llm.Request) any {
				asked()
				return map[string]any{"found": false, "ref": "", "method": "click", "arguments": []string{}, "description": "", "reason": "there is none", "more": false}
			}},
			choose(t, "button", "Pay", "click"),
		)}
	}
	act := func(t *testing.T, page *engine.Page) {
		if _, err := page.Act(t.Context(), "click Pay", nil); err != nil {
			t.Error(err)
		}
	}
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { act(t, openOn(t, lateInMemory(), script(t, func() {}))) })
	})
	t.Run("chrome", func(t *testing.T) {
		t.Parallel()
		var page *engine.Page
		// A timer could add the button before the model is asked.
		page = lateOnChrome(t, lateStart, script(t, func() {
			if _, err := page.Driver().Evaluate(t.Context(), "app.innerHTML = '"+lateAdded+"'", nil); err != nil {
				t.Error(err)
			}
		}))
		act(t, page)
	})
}

// A page that has nothing to show but a script is not looked at before it does.
func TestObserveWaitsForApp(t *testing.T) {
	const empty = `<!DOCTYPE html><title>App</title><div id="app"></div>`
	d := fake.New(fake.Options{
		Web: fake.Web{shopAddress: empty + `<script></script>`},
		Scripts: map[string]func(*fake.Document){shopAddress: func(d *fake.Document) {
			d.After(700*time.Millisecond, func() { d.Find("#app").SetHTML(lateAdded) })
		}},
	})
	html := empty + `<script>setTimeout(() => { app.innerHTML = '` + lateAdded + `' }, 700)</script>`
	onEach(t, d, html, noOptions, func(t *testing.T, page *engine.Page) {
		found, err := page.Observe(t.Context(), "", nil)
		if err != nil || len(found.Actions) != 1 {
			t.Errorf("Observe = %+v, %v, want the button", found, err)
		}
	})
}

// TestMovedByScript waits with a press until an element that could not be used
// at first has come to rest: what a script moves, no animation tells of.
func TestMovedByScript(t *testing.T) {
	const html = `<!DOCTYPE html><title>Moving</title><button id="b" disabled style="position:absolute;left:0;top:40px;width:80px">Pay</button><p id="said"></p>`
	d := fake.New(fake.Options{
		Web: fake.Web{shopAddress: html},
		Scripts: map[string]func(*fake.Document){shopAddress: func(d *fake.Document) {
			const step, moves = 50 * time.Millisecond, 30
			for i := 1; i <= moves; i++ {
				d.After(time.Duration(i)*step, func() {
					d.Find("#b").SetAttr("style", fmt.Sprintf("position:absolute;left:%dpx;top:40px;width:80px", 10*i))
				})
			}
			d.After(10*step, func() { d.Find("#b").RemoveAttr("disabled") })
			d.On("click", "#b", func(*fake.Event) { d.Find("#said").SetText("paid at " + d.Find("#b").Attr("style")) })
		}},
	})
	synctest.Test(t, func(t *testing.T) {
		page := openOn(t, d, &engine.Options{Patience: 10 * time.Second, SettleTimeout: time.Millisecond})
		if _, err := page.Do(t.Context(), engine.Action{Selector: "#b"}, nil); err != nil {
			t.Fatal(err)
		}
		snap, err := page.Snapshot(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := snap.Text(); !strings.Contains(got, "paid at position:absolute;left:300px") {
			t.Errorf("the page says %q, want the press where the button came to rest", got)
		}
	})
}
