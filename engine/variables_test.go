package engine_test

import (
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
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// bindingSite has a field of its own, and frames of its own kind, of no
// address, and of another host.
func bindingSite(bank, evil string) http.Handler {
	field := `<!DOCTYPE html><title>%s</title><label>%s <input id=field></label>`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch {
		case r.URL.Path == "/moved":
			http.Redirect(w, r, evil+"/field", http.StatusFound)
		case r.URL.Path == "/field":
			fmt.Fprintf(w, field, "Field", "Field")
		default:
			fmt.Fprintf(w, field+`<iframe id=own src="/field"></iframe><iframe id=other src="%s/field"></iframe>
<iframe id=written srcdoc="<input id=field>"></iframe><a href="/moved">On</a>`, "Bank", "Own", evil)
		}
	})
}

// A value that is bound to a host is typed into documents of that host alone,
// also where another host's document is a frame in it, or the page has moved on.
func TestVariableBoundToHosts(t *testing.T) {
	run := func(t *testing.T, d driver.Driver, bank, evil string) {
		session, err := engine.Open(t.Context(), d, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { session.Close() })
		page := session.Page()
		open := func(address string) {
			t.Helper()
			if _, err := page.Navigate(t.Context(), address, nil); err != nil {
				t.Fatal(err)
			}
		}
		host := strings.TrimPrefix(strings.TrimPrefix(bank, "http://"), "https://")
		opts := &engine.ActOptions{Variables: map[string]engine.Variable{"pin": {Value: "tell nobody", Hosts: []string{host}}}}
		fill := func(selector string) error {
			_, err := page.Do(t.Context(), engine.Action{Selector: selector, Method: engine.Fill, Arguments: []string{"%pin%"}}, opts)
			return err
		}
		const frame = "xpath=//iframe[@id='%s']/html[1]//input"
		open(bank + "/")
		for _, frameID := range []string{"own", "written"} {
			if err := fill(fmt.Sprintf(frame, frameID)); err != nil {
				t.Errorf("in the frame %s: %v", frameID, err)
			}
		}
		if err := fill("#field"); err != nil {
			t.Errorf("in the page: %v", err)
		}
		refused := func(where string, err error) {
			t.Helper()
			evilHost := strings.Split(strings.TrimPrefix(strings.TrimPrefix(evil, "http://"), "https://"), ":")[0]
			if !errors.Is(err, engine.ErrWrongHost) || !strings.Contains(err.Error(), evilHost) || !strings.Contains(err.Error(), "%pin%") {
				t.Errorf("%s: %v, want %v that names %s", where, err, engine.ErrWrongHost, evilHost)
			}
			snap, err := page.Snapshot(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(snap.Text(), "tell nobody"); where == "in another host's frame" && n != 3 || where != "in another host's frame" && n != 0 {
				t.Errorf("%s: the value stands %d times on the page", where, n)
			}
		}
		refused("in another host's frame", fill(fmt.Sprintf(frame, "other")))
		if _, err := page.Do(t.Context(), engine.Action{Selector: "a"}, nil); err != nil {
			t.Fatal(err)
		}
		refused("after the page has moved on", fill("#field"))
		open(evil + "/")
		refused("in another host's frame of no address", fill(fmt.Sprintf(frame, "written")))
	}
	t.Run("memory", func(t *testing.T) {
		bank, evil := "https://bank.test", "https://evil.test"
		synctest.Test(t, func(t *testing.T) { run(t, fake.New(fake.Options{Handler: bindingSite(bank, evil)}), bank, evil) })
	})
	t.Run("chrome", func(t *testing.T) {
		server := httptest.NewUnstartedServer(nil)
		server.Start()
		defer server.Close()
		_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
		bank, evil := "http://localhost:"+port, "http://127.0.0.1:"+port
		server.Config.Handler = bindingSite(bank, evil)
		run(t, chrome(t), bank, evil)
	})
}

// The focus may leave a field on the way: what is bound to its document is not
// typed elsewhere.
func TestBoundValueStaysInItsElement(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!DOCTYPE html><label>Field <input id=field onfocus="setTimeout(() => other.focus())"></label><input id=other>`)
	}))
	defer server.Close()
	session, err := engine.Open(t.Context(), chrome(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(t.Context(), server.URL, nil); err != nil {
		t.Fatal(err)
	}
	opts := &engine.ActOptions{Variables: map[string]engine.Variable{"pin": {Value: "tell nobody", Hosts: []string{"127.0.0.1"}}}}
	for _, method := range []engine.Method{engine.Fill, engine.Type} {
		_, err := page.Do(t.Context(), engine.Action{Selector: "#field", Method: method, Arguments: []string{"%pin%"}}, opts)
		// Whether the text or the timer is first is open.
		if err != nil && !errors.Is(err, engine.ErrNoEffect) && !errors.Is(err, driver.ErrNotFocusable) {
			t.Errorf("%s = %v, want %v", method, err, engine.ErrNoEffect)
		}
	}
	if got, err := page.Driver().Evaluate(t.Context(), "other.value", nil); err != nil || string(got) != `""` {
		t.Errorf("the other field holds %s, %v", got, err)
	}
}

// A one-time code is made when it is typed, and no model sees it or its key.
func TestOneTimeCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const key = "JBSWY3DPEHPK3PXP"
		script := llmtest.NewScript(t, choose(t, "textbox", "Note", "fill", "%otp%"), choose(t, "textbox", "User", "fill", "ann"))
		page := openShop(t, login, &engine.Options{Model: script})
		time.Sleep(time.Until(time.Now().Truncate(30 * time.Second).Add(59 * time.Second)))
		totp := &engine.TOTP{Secret: key}
		opts := &engine.ActOptions{Variables: map[string]engine.Variable{"otp": {TOTP: totp}}}
		r, err := page.Act(t.Context(), "fill in %otp%", opts)
		if err != nil {
			t.Fatal(err)
		}
		code, err := totp.Code(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := page.Act(t.Context(), "ann as the user", nil); err != nil { // the model sees the page with the code
			t.Fatal(err)
		}
		snap, err := page.Snapshot(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(snap.Text(), code) {
			t.Errorf("the page did not get %s:\n%s", code, snap.Text())
		}
		seen := fmt.Sprintf("%+v %+v", *r, page.Session().History())
		for _, req := range script.Requests() {
			seen += requestText(req)
		}
		if strings.Contains(seen, code) || strings.Contains(seen, key) {
			t.Errorf("the code or its key is seen:\n%s", seen)
		}
	})
}
