package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/schema"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// TestInvalidRequests sends what the schemas refuse, and looks for the path of
// the fault.
func TestInvalidRequests(t *testing.T) {
	c := serve(t, shop, nil)
	session := c.start()
	for _, test := range []struct{ path, body, issue string }{
		{"/v1/sessions/start", `{`, ""},
		{"/v1/sessions/start", `{} {}`, ""},
		{"/v1/sessions/start", `[]`, ""},
		{"/v1/sessions/start", `null`, ""},
		{"/v1/sessions/start", `{}`, "modelName"},
		{"/v1/sessions/start", `{"modelName":7}`, "modelName"},
		{"/v1/sessions/start", `{"modelName":"gpt-5"}`, "modelName"},
		{"/v1/sessions/start", `{"modelName":"openai/m","verbose":3}`, "verbose"},
		{"/v1/sessions/start", `{"modelName":"openai/m","verbose":"x"}`, "verbose"},
		{"/v1/sessions/start", `{"modelName":"openai/m","browser":{"type":"hosted"}}`, "browser.type"},
		{"/v1/sessions/start", `{"modelName":"openai/m","browser":{"launchOptions":{"unknown":1}}}`, "browser.launchOptions.unknown"},
		{"/v1/sessions/start", `{"modelName":"openai/m","browser":{"launchOptions":{"viewport":{"width":0,"height":1}}}}`, "browser.launchOptions.viewport.width"},
		{"/v1/sessions/start", `{"modelName":"openai/m","browserbaseSessionID":"x"}`, "browserbaseSessionID"},
		{"/v1/sessions/start", `{"modelName":"openai/m","browserbaseSessionCreateParams":{"browserSettings":{"viewport":{"width":"x"}}}}`, "browserbaseSessionCreateParams.browserSettings.viewport.width"},
		{session + "/act", ``, ""},
		{session + "/act", `{}`, "input"},
		{session + "/act", `{"input":null}`, "input"},
		{session + "/act", `{"input":" "}`, "input"},
		{session + "/act", `{"input":5}`, "input"},
		{session + "/act", `{"input":{"selector":"a"}}`, "input.description"},
		{session + "/act", `{"input":{"selector":"a","description":"d","method":"explode"}}`, "input"},
		{session + "/act", `{"input":{"selector":"a","description":"d","method":"click","arguments":["x"]}}`, "input"},
		{session + "/act", `{"input":{"selector":"a","description":"d","arguments":[1]}}`, "input.arguments[0]"},
		{session + "/act", `{"input":"` + strings.Repeat("x", 20001) + `"}`, "input"},
		{session + "/act", `{"input":"click","options":{"timeout":"5"}}`, "options.timeout"},
		{session + "/act", `{"input":"click","options":{"timeout":0}}`, "options.timeout"},
		{session + "/act", `{"input":"click","options":{"timeout":1e300}}`, "options.timeout"},
		{session + "/act", `{"input":"click","options":{"variables":{"a b":"c"}}}`, "options.variables"},
		{session + "/act", `{"input":"click","options":{"variables":{"a":null}}}`, "options.variables.a"},
		{session + "/act", `{"input":"click","options":{"variables":{"a":{"value":1,"more":2}}}}`, "options.variables.a.more"},
		{session + "/act", `{"input":"click","options":{"model":{"provider":"openai"}}}`, "options.model.modelName"},
		{session + "/act", `{"input":"click","options":{"model":{"modelName":"m","provider":"cloudB","auth":{"type":"cloudBIdentityToken","token":""},"providerOptions":{"cloudB":{}}}}}`, "options.model.auth.token"},
		{session + "/act", `{"input":"click","options":{"model":{"modelName":"m","provider":"openai","more":1}}}`, "options.model.more"},
		{session + "/act", `{"input":"click","frameId":5}`, "frameId"},
		{session + "/act", `{"input":"click","streamResponse":"true"}`, "streamResponse"},
		{session + "/observe", `{"instruction":null}`, "instruction"},
		{session + "/observe", `{"options":{"ignoreSelectors":"a"}}`, "options.ignoreSelectors"},
		{session + "/extract", `{"schema":[]}`, "schema"},
		{session + "/extract", `{"schema":{"type":"nothing"}}`, "schema.type"},
		{session + "/extract", `{"schema":{"$ref":"https://elsewhere.test/schema"}}`, "schema"},
		{session + "/extract", `{"options":{"screenshot":1}}`, "options.screenshot"},
		{session + "/navigate", `{}`, "url"},
		{session + "/navigate", `{"url":"shop.test"}`, "url"},
		{session + "/navigate", `{"url":"https://shop.test/","options":{"waitUntil":"commit"}}`, "options.waitUntil"},
		{session + "/agentExecute", `{"agentConfig":{}}`, "executeOptions"},
		{session + "/agentExecute", `{"agentConfig":{"mode":"other"},"executeOptions":{"instruction":"go"}}`, "agentConfig.mode"},
		{session + "/agentExecute", `{"agentConfig":{"executionModel":"m"},"executeOptions":{"instruction":"go"}}`, "agentConfig.executionModel.modelName"},
		{session + "/end", `{"now":true}`, ""},
		{session + "/end", `[]`, ""},
	} {
		f := c.wantFault(400, wire.InvalidRequest, c.post(test.path, test.body))
		if len(f.Issues) == 0 || schema.FormatPath(f.Issues[0].Path) != test.issue {
			t.Errorf("%s %.200s: issues %v, want one at %q", test.path, test.body, f.Issues, test.issue)
		}
	}
	c.must(200, c.post(session+"/end", `{}`))
}

func TestUnknownMembersAreIgnored(t *testing.T) {
	c := serve(t, shop, nil)
	path := c.startWith(`{"modelName":"openai/m","ModelName":5,"more":[1],"browser":{"type":"local","Type":7,"more":1}}`)
	c.must(200, c.post(path+"/navigate", `{"url":"https://shop.test/","URL":"https://nowhere.test/","options":{"more":null}}`))
	replay := c.do("GET", path+"/replay", "")
	if url := get[string](t, replay, "data", "pages", 0, "url"); url != "https://shop.test/" {
		t.Errorf("went to %q: a name in other letters was taken for the member", url)
	}
}

func TestAddressesAndMethods(t *testing.T) {
	c := serve(t, shop, nil)
	session := c.start()
	for _, test := range []struct {
		method, path string
		status       int
		code         wire.Code
	}{
		{"GET", "/", 404, wire.NotFound},
		{"GET", "/v1", 404, wire.NotFound},
		{"GET", "/v2/sessions/start", 404, wire.NotFound},
		{"POST", session, 400, wire.InvalidRequest},
		{"PUT", session, 405, wire.MethodNotAllowed},
		{"POST", session + "/dance", 404, wire.NotFound},
		{"POST", session + "/act/", 404, wire.NotFound},
		{"POST", "//v1/sessions/start", 404, wire.NotFound},
		{"POST", "/v1/sessions/../sessions/start", 404, wire.NotFound},
		{"POST", "/v1/sessions/..%2Fstart", 404, wire.NotFound},
		{"GET", "/v1/sessions/start", 404, wire.SessionNotFound},
		{"PUT", "/v1/sessions/start", 405, wire.MethodNotAllowed},
		{"PUT", session + "/act", 405, wire.MethodNotAllowed},
		{"DELETE", session + "/end", 405, wire.MethodNotAllowed},
		{"POST", session + "/replay", 405, wire.MethodNotAllowed},
		{"OPTIONS", session + "/act", 405, wire.MethodNotAllowed},
		{"POST", "/healthz", 405, wire.MethodNotAllowed},
		{"POST", "/v1/sessions/none/act", 404, wire.SessionNotFound},
		{"POST", "/v1/sessions/%00/act", 404, wire.SessionNotFound},
		{"POST", "/v1/sessions/" + strings.Repeat("x", 5000) + "/act", 404, wire.SessionNotFound},
		{"GET", "/v1/sessions/none/replay", 404, wire.SessionNotFound},
		{"POST", "/v1/sessions/none/end", 404, wire.SessionNotFound},
	} {
		got := c.do(test.method, test.path, "")
		c.wantFault(test.status, test.code, got)
		if test.status == 405 && got.header.Get("allow") == "" {
			t.Errorf("%s %s: no allow", test.method, test.path)
		}
	}
}

func TestContentTypes(t *testing.T) {
	c := serve(t, shop, nil)
	path := c.start()
	for kind, status := range map[string]int{
		"application/json": 200, "application/json; charset=utf-8": 200, "Application/JSON": 200,
		"": 415, "text/plain": 415, "application/x-www-form-urlencoded": 415, "multipart/form-data": 415, "application/jsonp": 415, ";": 415,
	} {
		got := c.post(path+"/observe", `{}`, "content-type", kind)
		if got.status != status {
			t.Errorf("%q: %d, want %d", kind, got.status, status)
		}
		if status == 415 {
			c.wantFault(415, wire.UnsupportedMediaType, got)
		}
	}
}

func TestTooLarge(t *testing.T) {
	c := serve(t, shop, nil)
	path := c.start()
	body := `{"instruction":"` + strings.Repeat("x", 1<<20) + `"}`
	c.wantFault(413, wire.TooLarge, c.post(path+"/observe", body))
	deep := strings.Repeat(`{"a":`, 1000) + `1` + strings.Repeat(`}`, 1000)
	c.wantFault(400, wire.InvalidRequest, c.post(path+"/extract", `{"schema":`+deep+`}`))
}

func TestWhatIsNotThere(t *testing.T) {
	p := newPuppet()
	c := serve(t, shop, &server.Options{Models: server.Models{Make: p.model}})
	path := c.start()
	// The browser in memory paints nothing.
	c.wantFault(501, wire.NotImplemented, c.post(path+"/extract", `{"instruction":"x","options":{"screenshot":true}}`))
	c.wantFault(501, wire.NotImplemented, c.do("GET", "/metrics", ""))
	for _, browser := range []string{`{"launchOptions":{"headless":false}}`, `{"launchOptions":{"devtools":true}}`} {
		c.wantFault(501, wire.NotImplemented, c.post("/v1/sessions/start", `{"modelName":"openai/m","browser":`+browser+`}`))
	}
	// The published Go client leaves agentConfig out where it is empty.
	for _, body := range []string{`{"executeOptions":{"instruction":"go"}}`, `{"agentConfig":{},"executeOptions":{"instruction":"go"}}`} {
		if got := c.post(path+"/agentExecute", body); got.status == 400 {
			t.Errorf("agentExecute %s = %d %s", body, got.status, got.body)
		}
	}
	if f := c.wantFault(400, wire.InvalidRequest, c.post(path+"/agentExecute", `{"agentConfig":{"cua":true,"programs":true},"executeOptions":{"instruction":"go"}}`)); !strings.Contains(f.Message, "programs") {
		t.Errorf("programs beside a vendor's tool: %s", f.Message)
	}
	for _, config := range []string{`{"cua":true}`, `{"mode":"cua"}`} {
		got := c.post(path+"/agentExecute", `{"agentConfig":`+config+`,"executeOptions":{"instruction":"go"},"streamResponse":true}`)
		if f := c.wantFault(501, wire.NotImplemented, got); !strings.Contains(f.Message, "dom or hybrid") || !strings.Contains(f.Message, "Claude") {
			t.Errorf("%s: %s", config, f.Message)
		}
	}
}

// TestTimeout lets the time run out while a model is asked: the work is stopped.
func TestTimeout(t *testing.T) {
	p := newPuppet()
	c := serve(t, shop, &server.Options{Models: server.Models{Make: p.model}})
	path := c.start()
	got := c.post(path+"/act", `{"input":"hang","options":{"timeout":1}}`)
	c.wantFault(408, wire.Timeout, got)
	if got.header.Get("x-should-retry") != "false" {
		t.Error("a click that may have happened would be repeated")
	}
	c.wantFault(408, wire.Timeout, c.post(path+"/observe", `{"instruction":"hang","options":{"timeout":1}}`))
	c.wantFault(408, wire.Timeout, c.post(path+"/extract", `{"instruction":"hang","options":{"timeout":1}}`))
	list := frames(t, c.must(200, c.post(path+"/act", `{"input":"hang","options":{"timeout":1},"streamResponse":true}`)).body)
	if last := list[len(list)-1].Data; last.Status != wire.Errored || !strings.Contains(last.Error, "time") {
		t.Errorf("last frame = %+v", last)
	}
	c.must(200, c.post(path+"/observe", `{}`)) // the page is free
}

// TestBusy fills a page's queue.
func TestBusy(t *testing.T) {
	p := newPuppet()
	c := serve(t, shop, &server.Options{Models: server.Models{Make: p.model}, Limits: server.Limits{PageQueue: 2}})
	path := c.start()
	ctx, cancel := context.WithCancel(t.Context())
	answers := make(chan int, 3)
	for range 3 {
		go func() {
			resp, err := c.http.Do(c.request(ctx, "POST", path+"/act", `{"input":"hang","streamResponse":true}`))
			if err != nil {
				answers <- 0
				return
			}
			answers <- resp.StatusCode
			<-ctx.Done()
			resp.Body.Close()
		}()
	}
	for range 3 { // the stream begins when the request has its place
		if status := <-answers; status != 200 {
			t.Errorf("status = %d", status)
		}
	}
	got := c.post(path+"/act", `{"input":"hang"}`)
	c.wantFault(409, wire.SessionBusy, got)
	if got.header.Get("x-should-retry") != "false" {
		t.Error("no x-should-retry")
	}
	cancel()
}

// TestActThatCannotBeDone is no failure of the request.
func TestActThatCannotBeDone(t *testing.T) {
	p := newPuppet()
	c := serve(t, shop, &server.Options{Models: server.Models{Make: p.model}})
	path := c.start()
	for _, body := range []string{
		`{"input":"click Nothing of the kind"}`,
		`{"input":{"selector":"#none","description":"d"}}`,
		`{"input":{"selector":"///","description":"d"}}`,
		`{"input":{"selector":"h1","description":"d","method":"fill","arguments":["x"]}}`,
	} {
		got := c.must(200, c.post(path+"/act", body))
		if get[bool](t, got, "data", "result", "success") || get[string](t, got, "data", "result", "message") == "" {
			t.Errorf("%s: %s", body, got.body)
		}
	}
}

func TestRequestIDs(t *testing.T) {
	c := serve(t, shop, nil)
	if got := c.do("GET", "/healthz", "", "x-request-id", "my-own"); got.header.Get("x-request-id") != "my-own" {
		t.Errorf("x-request-id = %q", got.header.Get("x-request-id"))
	}
	for _, odd := range []string{"a b", strings.Repeat("x", 200), "é"} {
		if got := c.do("GET", "/healthz", "", "x-request-id", odd); got.header.Get("x-request-id") == odd {
			t.Errorf("x-request-id %q came back", odd)
		}
	}
}

func TestShouldRetry(t *testing.T) {
	c := serve(t, shop, nil)
	path := c.start()
	for _, op := range []string{"act", "observe", "extract", "navigate", "agentExecute", "end"} {
		if got := c.post(path+"/"+op, `{"input":1,"instruction":1,"url":1}`); got.header.Get("x-should-retry") != "false" {
			t.Errorf("%s: x-should-retry = %q", op, got.header.Get("x-should-retry"))
		}
	}
}

func TestTruncatedAndChunked(t *testing.T) {
	c := serve(t, shop, nil)
	path := c.start()
	// A body of no declared length is chunked.
	req, err := http.NewRequest("POST", c.url+path+"/observe", struct{ *strings.Reader }{strings.NewReader(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("content-type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("chunked: %v %v", resp, err)
	}
	resp.Body.Close()
	for _, raw := range []string{
		"Content-Length: 50\r\n\r\n{\"instr",
		"Transfer-Encoding: chunked\r\n\r\n5\r\n{\"ins",
		"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
	} {
		got := c.raw("POST " + path + "/observe HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + raw)
		if !strings.HasPrefix(got, "HTTP/1.1 400") || !strings.Contains(got, `"code":"invalid_request"`) {
			t.Errorf("%q: %.300s", raw, got)
		}
	}
}

// TestRefusedAddress: who asks for an address that the policy refuses reads why, and
// that the operator decides it.
func TestRefusedAddress(t *testing.T) {
	for _, c := range []struct {
		policy engine.Policy
		url    string
		says   string
	}{
		{engine.Policy{}, "http://127.0.0.1:1/", `refused by policy: 127.0.0.1 is a loopback address; the operator of this service can allow "127.0.0.1"`},
		{engine.Policy{Allow: []string{"a.test"}}, "https://shop.test/", `refused by policy: shop.test is not among the allowed hosts; the operator of this service can allow "shop.test"`},
		{engine.Policy{Deny: []string{"shop.test"}}, "https://shop.test/", `refused by policy: shop.test is denied by the operator of this service`},
		{engine.Policy{}, "file:///etc/passwd", `refused by policy: file: addresses are not opened; the operator of this service can allow "file"`},
	} {
		s := serve(t, shop, &server.Options{Browsers: server.Browsers{Policy: &c.policy}})
		path := s.startWith(`{"modelName":"openai/gpt-5"}`)
		f := s.wantFault(403, wire.Forbidden, s.post(path+"/navigate", `{"url":"`+c.url+`"}`))
		if !strings.Contains(f.Message, c.says) || strings.Contains(f.Message, "Policy.") {
			t.Errorf("%s: %s; want %s", c.url, f.Message, c.says)
		}
	}
}
