package server_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/internal/ledger"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

func TestKeys(t *testing.T) {
	c := serve(t, shop, &server.Options{Keys: []server.Key{server.NewKey("one", "key-one"), server.NewKey("two", "key-two")}})
	for _, path := range []string{"/healthz", "/readyz", "/v1/openapi.json"} {
		c.must(200, c.do("GET", path, ""))
	}
	c.wantFault(401, wire.Unauthorized, c.do("GET", "/metrics", ""))
	for _, key := range []string{"", "key-three", "key-on"} {
		c.wantFault(401, wire.Unauthorized, c.post("/v1/sessions/start", startAny, "x-svc-api-key", key+"\x01"[:0]+"x"))
		c.wantFault(401, wire.Unauthorized, c.post("/v1/sessions/start", startAny, "authorization", "Bearer "+key))
	}
	c.must(200, c.post("/v1/sessions/start", startAny, "x-bb-api-key", "key-two", "x-bb-project-id", "p", "x-svc-project-id", "p"))
	c.key = "key-one"
	path := c.start()
	c.key = "key-two"
	for _, op := range []string{"act", "observe", "extract", "navigate", "agentExecute", "end"} {
		c.wantFault(403, wire.Forbidden, c.post(path+"/"+op, `{}`))
	}
	c.wantFault(403, wire.Forbidden, c.do("GET", path+"/replay", ""))

	// Reloaded: one key less, one more. Sessions stay whose they were.
	c.server.SetKeys([]server.Key{server.NewKey("two", "key-two"), server.NewKey("three", "key-three")})
	c.key = "key-one"
	c.wantFault(401, wire.Unauthorized, c.post(path+"/observe", `{}`))
	c.key = "key-three"
	c.wantFault(403, wire.Forbidden, c.post(path+"/observe", `{}`))
	c.server.SetKeys([]server.Key{server.NewKey("one again", "key-one")})
	c.key = "key-one"
	c.must(200, c.post(path+"/observe", `{}`))
}

func TestParseKeys(t *testing.T) {
	const digest = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae" // of "foo"
	keys, err := server.ParseKeys(strings.NewReader("# comment\n\n" + digest + "  -\n" + strings.ToUpper(digest) + " *ann\n" + digest + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := server.NewKey("", "foo").Digest
	for i, name := range []string{"key-3", "ann", "key-5"} {
		if keys[i].Name != name || keys[i].Digest != want {
			t.Errorf("key %d = %q %x", i, keys[i].Name, keys[i].Digest)
		}
	}
	for _, bad := range []string{"my-secret-key", digest[1:], digest + digest} {
		_, err := server.ParseKeys(strings.NewReader("\n" + bad))
		if err == nil || strings.Contains(err.Error(), bad) || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("ParseKeys(%q) = %v, want an error with the line and without its text", bad, err)
		}
	}
}

func TestLimitsOfAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := server.NewKey("one", "key-one")
		limited.Limits = server.KeyLimits{Sessions: 1, RequestsPerMinute: 5}
		c := inBubble(t, shop, server.Options{Keys: []server.Key{limited, server.NewKey("two", "key-two")}})
		c.key = "key-one"
		path := c.startWith(startAny)
		c.wantFault(429, wire.TooManySessions, c.post("/v1/sessions/start", startAny))
		for range 3 {
			c.must(200, c.post(path+"/observe", `{}`))
		}
		time.Sleep(20 * time.Second)
		got := c.post(path+"/observe", `{}`)
		c.wantFault(429, wire.RateLimited, got)
		if after := got.header.Get("retry-after"); after != "40" {
			t.Errorf("retry-after = %q, want 40", after)
		}
		c.key = "key-two" // others go on
		c.startWith(startAny)
		c.key = "key-one"
		time.Sleep(40 * time.Second)
		c.must(200, c.post(path+"/end", ``))
		c.startWith(startAny)
	})
}

func TestBudgetOfAKey(t *testing.T) {
	for name, limits := range map[string]server.KeyLimits{
		"tokens":  {TokensPerDay: 5000},
		"dollars": {DollarsPerDay: 0.009},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limited := server.NewKey("one", "key-one")
				limited.Limits = limits
				p := newPuppet()
				c := inBubble(t, shop, server.Options{Keys: []server.Key{limited}, Models: server.Models{Make: p.model}})
				c.key = "key-one"
				path := c.startWith(startAny)
				ask := func() answer { return c.post(path+"/extract", `{"instruction":"the title"}`) }
				served := 0
				got := ask()
				for ; got.status == 200; got = ask() {
					if served++; served > 50 {
						t.Fatal("there is no end of it")
					}
				}
				c.wantFault(429, wire.RateLimited, got)
				if served == 0 {
					t.Error("nothing was served before the budget was used up")
				}
				c.must(200, c.post(path+"/observe", `{}`)) // costs nothing
				time.Sleep(24 * time.Hour)
				path = c.startWith(startAny) // the other has ended
				c.must(200, ask())
			})
		})
	}
}

// TestBudgetOverNodes: a key's budget is one for the servers whose ledgers share a
// store, and for one that is started anew. Other limits leave what was counted.
func TestBudgetOverNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(fleet.Memory)
		limited := server.NewKey("one", "key-one")
		limited.Limits = server.KeyLimits{TokensPerDay: 5000}
		open := func() (c *client, ask func() answer) {
			book, err := ledger.Open(t.Context(), store, nil)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { book.Run(ctx) })
			t.Cleanup(func() {
				cancel()
				running.Wait()
				book.Close(ended)
			})
			c = inBubble(t, shop, server.Options{Keys: []server.Key{limited}, Models: server.Models{Make: newPuppet().model}, Parts: server.Parts{Kept: &server.Kept{Ledger: book}}})
			c.key = "key-one"
			path := c.startWith(startAny)
			return c, func() answer { return c.post(path+"/extract", `{"instruction":"the title"}`) }
		}
		one, askOne := open()
		_, askOther := open()
		c, asked := one, 0
		c.must(200, askOther())
		got := askOne()
		for ; got.status == 200; got = askOne() {
			if asked++; asked > 50 {
				t.Fatal("there is no end of it")
			}
		}
		c.wantFault(429, wire.RateLimited, got)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		c.wantFault(429, wire.RateLimited, askOther())
		_, askThird := open() // it begins after the others have used what there was
		c.wantFault(429, wire.RateLimited, askThird())

		more := limited
		more.Limits.TokensPerDay *= 2
		one.server.SetKeys([]server.Key{more})
		again := 0
		for askOne().status == 200 {
			if again++; again > 50 {
				t.Fatal("there is no end of it")
			}
		}
		if again == 0 || again > 2*asked+2 {
			t.Errorf("with twice the limit %d requests more were served, after %d", again, asked)
		}
	})
}

// TestNothingSecretIsLogged runs requests that carry every kind of secret.
func TestNothingSecretIsLogged(t *testing.T) {
	var log logged
	p := newPuppet()
	c := serve(t, shop, &server.Options{Models: server.Models{Make: p.model}, Logger: log.logger(), Keys: []server.Key{server.NewKey("ann", "secret-service-key")}})
	c.key = "secret-service-key"
	path := c.startWith(`{"modelName":"openai/m","browser":{"launchOptions":{"proxy":{"server":"http://proxy.test:1","username":"u","password":"secret-proxy"}}}}`)
	var bodies []string
	keep := func(a answer) { bodies = append(bodies, string(a.body)) }
	keep(c.post(path+"/navigate", `{"url":"https://shop.test/"}`))
	keep(c.post(path+"/act", `{"input":{"selector":"input","description":"fill","method":"fill","arguments":["%password%"]},"options":{"variables":{"password":"secret-variable"}}}`))
	keep(c.post(path+"/act", `{"input":"click Go","options":{"variables":{"password":{"value":"secret-variable"}}}}`))
	keep(c.post(path+"/extract", `{}`))
	keep(c.post(path+"/observe", `{}`))
	keep(c.post(path+"/act", `{"input":"refuse","options":{"model":{"modelName":"openai/m","apiKey":"secret-model-key"}}}`))
	keep(c.post(path+"/act", `{"input":"click Go","streamResponse":true}`, "x-model-api-key", "secret-header-key"))
	keep(c.post(path+"/act", `{"input":"refuse","options":{"model":{"modelName":"openai/m","apiKey":["secret-model-key"]}}}`))
	keep(c.post(path+"/act", `{"input":"refuse","options":{"model":{"modelName":"m","provider":"azure","auth":{"type":"azureEntraId","token":"secret-token"},"providerOptions":{"azure":{"more":1}}}}}`))
	keep(c.do("GET", path+"/replay", ""))
	keep(c.post(path+"/end", ""))
	everything := log.String() + fmt.Sprint(bodies)
	for _, secret := range []string{"secret-service-key", "secret-proxy", "secret-variable", "secret-model-key", "secret-header-key", "secret-token"} {
		if i := strings.Index(everything, secret); i >= 0 {
			t.Errorf("%s shows: …%s", secret, everything[max(0, i-200):i+len(secret)])
		}
	}
	for _, id := range []string{"request=", "session=", "action=", "key=ann"} {
		if !strings.Contains(log.String(), id) {
			t.Errorf("the log has no %s", id)
		}
	}
}

// TestPagesOfOtherOriginsAreRefused: a browser sends a POST without a body for any web
// page, and says so. Clients that are no browsers say nothing and are served.
func TestPagesOfOtherOriginsAreRefused(t *testing.T) {
	c := serve(t, shop, &server.Options{Origins: []string{"https://app.test"}})
	path := c.start()
	for _, from := range [][]string{
		{"sec-fetch-site", "cross-site"},
		{"sec-fetch-site", "same-site", "origin", "https://evil.test"},
		{"origin", "https://evil.test"},
		{"origin", "null", "sec-fetch-site", "cross-site"},
	} {
		c.wantFault(403, wire.Forbidden, c.post(path+"/end", "", from...))
		c.wantFault(403, wire.Forbidden, c.post(path+"/observe", `{}`, from...))
	}
	c.must(200, c.do("GET", path+"/replay", "", "sec-fetch-site", "cross-site")) // a reading, whose answer the page cannot see
	for _, from := range [][]string{nil, {"sec-fetch-site", "same-origin"}, {"sec-fetch-site", "none"}, {"sec-fetch-site", "cross-site", "origin", "https://app.test"}} {
		c.must(200, c.post(path+"/observe", `{}`, from...))
	}
}

func TestCrossOriginIsOff(t *testing.T) {
	c := serve(t, shop, nil)
	got := c.do("OPTIONS", "/v1/sessions/start", "", "origin", "https://app.test", "access-control-request-method", "POST")
	c.wantFault(405, wire.MethodNotAllowed, got)
	if got.header.Get("access-control-allow-origin") != "" {
		t.Error("an origin is let in")
	}
	c = serve(t, shop, &server.Options{Origins: []string{"https://app.test"}, Keys: []server.Key{server.NewKey("", "k")}})
	got = c.must(204, c.do("OPTIONS", "/v1/sessions/start", "", "origin", "https://app.test", "access-control-request-method", "POST", "access-control-request-headers", "x-svc-api-key"))
	if got.header.Get("access-control-allow-origin") != "https://app.test" || !strings.Contains(got.header.Get("access-control-allow-headers"), "x-svc-api-key") {
		t.Errorf("headers = %v", got.header)
	}
	got = c.post("/v1/sessions/start", startAny, "origin", "https://app.test", "x-svc-api-key", "k")
	if got.status != 200 || got.header.Get("access-control-allow-origin") != "https://app.test" {
		t.Errorf("answer = %d %v", got.status, got.header)
	}
	got = c.do("OPTIONS", "/v1/sessions/start", "", "origin", "https://evil.test", "access-control-request-method", "POST")
	if got.header.Get("access-control-allow-origin") != "" {
		t.Error("another origin is let in")
	}
}
