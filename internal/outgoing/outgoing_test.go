package outgoing_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/outgoing"
)

func post(contentType, body string) *outgoing.Request {
	return outgoing.FromWire("POST", "https://bank.test/pay?from=7#top", http.Header{"Content-Type": {contentType}}, []byte(body))
}

const form, jsonType = "application/x-www-form-urlencoded", "application/json"

func ExampleDifferences() {
	approved := post(form, "to=ann&amount=820")
	sent := post(jsonType, `{"amount": 820000, "to": "ann"}`)
	for _, d := range outgoing.Differences(approved, sent) {
		fmt.Println(d)
	}
	// Output: amount is "820000" instead of "820"
}

func TestFromWire(t *testing.T) {
	for _, c := range []struct {
		kind, body string
		want       string
	}{
		{form, "a=1&b=x+y%21", "a=1 b=x y!"},
		{jsonType, `{"a":1,"b":{"c":[true,null,"x"]},"d":{},"a":2}`, "a=1 b.c[0]=true b.c[1]=null b.c[2]=x d={} a=2"},
		{jsonType, `{"n":0.10}`, "n=0.10"},
		{"text/plain;charset=UTF-8", `{"a":1}`, "a=1"},
		{"text/plain", "a=1\r\nb=2\r\n", "a=1 b=2"},
		{"multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"c.txt\"\r\nContent-Type: text/plain\r\n\r\n\r\n--x--\r\n", "a=1 f=c.txt"},
		{jsonType, `{"a":1} x`, ""},
		{jsonType, `{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, ""},
		{form, "a=%zz", ""},
		{"application/octet-stream", "\x00\x01", ""},
	} {
		r := post(c.kind, c.body)
		var got []string
		for _, f := range r.Fields {
			if f.In == "" {
				got = append(got, f.Name+"="+f.Value)
			}
		}
		if strings.Join(got, " ") != c.want || (r.Opaque == "") != (c.want != "") {
			t.Errorf("FromWire(%s, %q) = %q, opaque %q; want %q", c.kind, c.body, got, r.Opaque, c.want)
		}
		if r.URL != "https://bank.test/pay" || r.Fields[0] != (outgoing.Field{Name: "from", Value: "7", In: "query"}) {
			t.Errorf("the address is %s with %+v", r.URL, r.Fields)
		}
	}
}

func TestDifferences(t *testing.T) {
	base := post(form, "to=ann&amount=820")
	for body, want := range map[string]int{
		"amount=820&to=ann": 0, "to=ann&amount=820&amount=820": 1, "to=ann": 1, "to=bob&amount=820": 1, "to=ann&amount=820&x=": 1, "Amount=820&to=ann": 2,
	} {
		if got := outgoing.Differences(base, post(form, body)); len(got) != want {
			t.Errorf("Differences(%q) = %q, want %d", body, got, want)
		}
	}
	// A field of the address is none of the body.
	address, body := post(form, "amount=820"), post(form, "amount=820")
	for i := range address.Fields {
		address.Fields[i].In = "query"
	}
	if got := outgoing.Differences(body, address); len(got) == 0 {
		t.Error("a request with its fields in the address is taken for one with them in its body")
	}
	if got := outgoing.Differences(post("x/y", "\x00a"), post("x/y", "\x00b")); len(got) != 1 {
		t.Errorf("two bodies that cannot be read differ by %q", got)
	}
}

func TestMapHides(t *testing.T) {
	r := post(form, "user=ann&password=hunter2&pin=4711").Map(func(s string) string { return strings.ReplaceAll(s, "4711", "%pin%") })
	var got []string
	for _, f := range r.Fields {
		got = append(got, f.Value)
	}
	if want := []string{"7", "ann", "•••••••", "%pin%"}; !slices.Equal(got, want) {
		t.Errorf("shown %q, want %q", got, want)
	}
}

// TestLongRequests: what is not shown of a request counts all the same, and what it hides
// cannot be guessed by a digest.
func TestLongRequests(t *testing.T) {
	long := strings.Repeat("x", 5000)
	many := strings.Repeat("a=1&", 600)
	for _, pair := range [][2]string{{"a=" + long + "1", "a=" + long + "2"}, {many + "z=1", many + "z=2"}} {
		if got := outgoing.Differences(post(form, pair[0]), post(form, pair[1])); len(got) == 0 {
			t.Errorf("two requests of %d bytes that end differently are the same", len(pair[0]))
		}
	}
	r := post("text/x", "pin 4711").Map(func(s string) string { return strings.ReplaceAll(s, "4711", "%pin%") })
	if r.Text != "pin %pin%" || r.Opaque != "8 bytes" {
		t.Errorf("shown %q, %q", r.Text, r.Opaque)
	}
	own := outgoing.FromWire("GET", "https://bank.test/", http.Header{"X-Pay": {"820"}, "Accept": {"*/*"}, "Sec-Fetch-Mode": {"cors"}}, nil)
	if len(own.Fields) != 1 || own.Fields[0] != (outgoing.Field{Name: "x-pay", Value: "820", In: "header"}) {
		t.Errorf("the headers that a script has set are %+v", own.Fields)
	}
}

// A wire is a browser's requests.
type wire struct{ h *driver.Handler }

func (w *wire) Intercept(_ context.Context, h *driver.Handler) (func(), error) {
	w.h = h
	return func() { w.h = nil }, nil
}

func (w *wire) Covers(driver.PageID) bool { return true }

// send reports whether a request goes out.
func (w *wire) send(ctx context.Context, info driver.RequestInfo, contentType, body string) error {
	if w.h == nil || !w.h.Match(info) {
		return nil
	}
	_, err := w.h.Handle(ctx, &driver.Request{RequestInfo: info, Header: http.Header{"Content-Type": {contentType}}, Body: []byte(body)})
	return err
}

func payment(kind driver.RequestKind) driver.RequestInfo {
	return driver.RequestInfo{URL: "https://bank.test/pay?from=7", Method: "POST", Kind: kind}
}

// TestHoldHasALimit: nobody who does not decide holds a request for ever, and what
// is decided too late counts for nothing.
func TestHoldHasALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := make(chan struct{})
		h := &outgoing.Hold{Hide: func(s string) string { return s }, Limit: time.Minute, Ask: func(context.Context, *outgoing.Request, []string) error { <-late; return nil }}
		var g outgoing.Gate
		w := &wire{}
		if err := g.Add(t.Context(), w, h); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if err := w.send(t.Context(), payment(driver.RequestFetch), form, "a=1"); !errors.Is(err, outgoing.ErrWithheld) || time.Since(begun) != time.Minute {
			t.Errorf("after %v: %v; want it withheld after a minute", time.Since(begun), err)
		}
		done := make(chan error)
		go func() { done <- w.send(t.Context(), payment(driver.RequestFetch), form, "a=1") }()
		synctest.Wait()
		begun = time.Now()
		h.End()
		if err := <-done; !errors.Is(err, outgoing.ErrWithheld) || !time.Now().Equal(begun) {
			t.Errorf("held at the end: %v after %v, want it withheld at once", err, time.Since(begun))
		}
		if err := w.send(t.Context(), payment(driver.RequestFetch), form, "a=1"); err != nil {
			t.Errorf("after the last hold's end: %v, want it let out", err)
		}
		close(late)
	})
}

// TestHoldConcerns: which requests are held, by what was approved.
func TestHoldConcerns(t *testing.T) {
	at := func(method, url string, kind driver.RequestKind) driver.RequestInfo {
		return driver.RequestInfo{Method: method, URL: url, Kind: kind}
	}
	const other = "https://count.test/seen"
	for _, c := range []struct {
		name    string
		info    driver.RequestInfo
		body    string
		relaxed bool
		out     bool // what was approved is out
		held    bool
	}{
		{name: "a picture", info: at("GET", other, driver.RequestImage)},
		{name: "data of the approved address", info: at("GET", "https://bank.test/pay", driver.RequestFetch), held: true},
		{name: "data of the approved address, later", info: at("GET", "https://bank.test/pay?x=1", driver.RequestFetch), out: true, held: true},
		{name: "a picture of the approved address", info: at("GET", "https://bank.test/pay?x=1", driver.RequestImage), held: true},
		{name: "data that was never read", info: at("GET", "https://bank.test/to/mallory", driver.RequestFetch), held: true},
		{name: "data that was never read, another thing later", info: at("GET", "https://bank.test/to/mallory", driver.RequestFetch), relaxed: true},
		{name: "data that is read all the time", info: at("GET", "https://bank.test/rate?of=eur&_=17", driver.RequestFetch)},
		{name: "other data of the same kind", info: at("GET", "https://bank.test/rate?of=usd&_=17", driver.RequestFetch), held: true},
		{name: "what came of it", info: at("GET", "https://bank.test/orders?of=7", driver.RequestFetch), out: true},
		{name: "the amount once more", info: at("GET", "https://bank.test/orders?amount=7", driver.RequestFetch), out: true, held: true},
		{name: "where a reading leads", info: driver.RequestInfo{Method: "GET", URL: "https://bank.test/to/mallory", Kind: driver.RequestFetch, Redirected: true}},
		{name: "another method of reading", info: at("OPTIONS", other, driver.RequestFetch), held: true},
		{name: "another method of reading, of the approved address", info: at("HEAD", "https://bank.test/pay?amount=9", driver.RequestFetch), out: true, held: true},
		{name: "a document that says the amount, later", info: at("GET", "https://bank.test/confirm?amount=9", driver.RequestDocument), out: true, held: true},
		{name: "a document before anything went out", info: at("GET", "https://bank.test/pay", driver.RequestDocument), held: true},
		{name: "data that is sent elsewhere", info: at("POST", other, driver.RequestFetch), held: true},
		{name: "a beacon of another site", info: at("POST", other, driver.RequestBeacon), body: "click=1", held: true},
		{name: "a beacon of its own site", info: at("POST", "https://bank.test/seen", driver.RequestBeacon), body: "click=1", held: true},
		{name: "another thing later", info: at("POST", "https://bank.test/cart", driver.RequestFetch), relaxed: true},
		{name: "the same address later", info: at("POST", "https://bank.test/pay", driver.RequestFetch), out: true, relaxed: true, held: true},
	} {
		h := &outgoing.Hold{Approved: post(form, "to=annette&amount=820"), Page: "https://bank.test/", Hide: func(s string) string { return strings.ReplaceAll(s, "hunter2", "%password%") }}
		var g outgoing.Gate
		w := &wire{}
		if err := g.Add(t.Context(), w, h); err != nil {
			t.Fatal(err)
		}
		h.Known = func(r driver.RequestInfo) bool {
			return outgoing.Same(r.URL) == outgoing.Same("https://bank.test/rate?_=3&of=eur#x")
		}
		if c.out {
			if err := w.send(t.Context(), payment(driver.RequestFetch), form, "to=annette&amount=820"); err != nil {
				t.Fatal(err)
			}
		}
		if c.relaxed {
			h.Relax()
		}
		if err := w.send(t.Context(), c.info, form, c.body); errors.Is(err, outgoing.ErrWithheld) != c.held {
			t.Errorf("%s: %v, want held %v", c.name, err, c.held)
		}
	}
}
