package server_test

import (
	"io"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// TestExtractGrounded: a header says how much of an extract stands on the page, a
// stream's trailer does, and clients that ask also get where it stands.
func TestExtractGrounded(t *testing.T) {
	site := fake.Web{"https://shop.test/": `<title>Shop</title><h1>Teapot</h1><dl><dt>Price<dd>€19.50<dt>Brand<dd>Harrow</dl>`}
	const form = `"instruction":"the teapot","schema":{"type":"object","properties":{"price":{"type":"number"},"brand":{"type":"string"}},"required":["price","brand"]}`
	says := func(brand string) *server.Options {
		return &server.Options{Models: server.Models{Make: func(server.ModelRequest) (llm.Model, error) {
			return llmtest.NewScript(t, llmtest.Step{Times: -1, JSON: map[string]any{"price": 19.5, "brand": brand}}), nil
		}}}
	}
	c := serve(t, site, says("Marlow"))
	path := c.start()
	got := c.must(200, c.post(path+"/extract", `{`+form+`}`))
	if share := got.header.Get(wire.HeaderGrounded); share != "1/2" || strings.Contains(string(got.body), "report") {
		t.Errorf("%s = %q with %s, want 1/2 and no report", wire.HeaderGrounded, share, got.body)
	}
	got = c.must(200, c.post(path+"/extract", `{`+form+`,"options":{"sources":true}}`))
	if text := get[string](t, got, "data", "report", "sources", "/price", "text"); text != "19.50" && text != "€19.50" {
		t.Errorf("the price's source is %q in %s", text, got.body)
	}
	if pointer := get[string](t, got, "data", "report", "ungrounded", 0, "pointer"); pointer != "/brand" {
		t.Errorf("ungrounded is %q in %s", pointer, got.body)
	}
	got = c.post(path+"/extract", `{`+form+`,"options":{"strict":true}}`)
	c.wantFault(502, wire.ModelError, got)
	if !strings.Contains(string(got.body), "/brand") {
		t.Errorf("the fault does not say what is not on the page: %s", got.body)
	}
	resp := c.open("POST", path+"/extract", `{`+form+`}`, "x-stream-response", "true")
	defer resp.Body.Close()
	if _, err := io.ReadAll(resp.Body); err != nil || resp.Trailer.Get(wire.HeaderGrounded) != "1/2" {
		t.Errorf("trailer %v, %v, want 1/2", resp.Trailer, err)
	}

	c = serve(t, site, nil) // no model is needed
	got = c.must(200, c.post(c.start()+"/extract", `{`+form+`,"options":{"direct":true,"sources":true}}`))
	if brand := get[string](t, got, "data", "result", "brand"); brand != "Harrow" || got.header.Get(wire.HeaderGrounded) != "2/2" {
		t.Errorf("a direct extract gives %s, %s", got.body, got.header.Get(wire.HeaderGrounded))
	}
}
