package server_test

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

const startAny = `{"modelName":"openai/gpt-5"}`

// later runs a request beside the test, and gives its answer.
func later(f func() answer) <-chan answer {
	done := make(chan answer, 1)
	go func() { done <- f() }()
	return done
}

func TestIdleSessionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &counted{Driver: shop}
		c := inBubble(t, d, server.Options{Limits: server.Limits{Idle: time.Minute}})
		path := c.startWith(startAny)
		for range 5 {
			time.Sleep(50 * time.Second)
			c.must(200, c.post(path+"/observe", `{}`))
		}
		time.Sleep(time.Minute + time.Second)
		c.wantFault(404, wire.SessionNotFound, c.post(path+"/observe", `{}`))
		if d.opened() != 0 {
			t.Error("its browser is open")
		}
	})
}

// TestWorkIsNoIdleness: neither clock ends a session at work.
func TestWorkIsNoIdleness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &counted{Driver: shop}
		p := newPuppet()
		c := inBubble(t, d, server.Options{Models: server.Models{Make: p.model}, Limits: server.Limits{Idle: time.Minute, Lifetime: 2 * time.Minute}})
		path := c.startWith(startAny)
		answered := later(func() answer {
			return c.post(path+"/observe", `{"instruction":"hang","options":{"timeout":240000}}`)
		})
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if d.opened() != 1 {
			t.Fatal("the session was ended at work")
		}
		c.wantFault(408, wire.Timeout, <-answered)
		synctest.Wait()
		c.wantFault(404, wire.SessionNotFound, c.post(path+"/observe", `{}`)) // it was old
		if d.opened() != 0 {
			t.Error("its browser is open")
		}
	})
}

func TestStartsWaitForAPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inBubble(t, shop, server.Options{Limits: server.Limits{Sessions: 1, StartQueue: 1, StartWait: 10 * time.Second}})
		first := c.startWith(startAny)
		second := later(func() answer { return c.post("/v1/sessions/start", startAny) })
		synctest.Wait()
		got := c.post("/v1/sessions/start", startAny)
		c.wantFault(429, wire.TooManySessions, got)
		if got.header.Get("retry-after") == "" {
			t.Error("no retry-after")
		}
		time.Sleep(5 * time.Second)
		c.must(200, c.post(first+"/end", ""))
		c.must(200, <-second)
		begin := time.Now()
		c.wantFault(429, wire.TooManySessions, c.post("/v1/sessions/start", startAny))
		if waited := time.Since(begin); waited != 10*time.Second {
			t.Errorf("waited %v, want 10s", waited)
		}
	})
}

// TestACrashIsToldOnce: work under way fails at once, or the next request is
// told; then the session is gone. Others live, and its place is free.
func TestACrashIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &counted{Driver: shop}
		p := newPuppet()
		c := inBubble(t, d, server.Options{Models: server.Models{Make: p.model}, Limits: server.Limits{Sessions: 3}})
		working, quiet, other := c.startWith(startAny), c.startWith(startAny), c.startWith(startAny)
		answered := later(func() answer { return c.post(working+"/act", `{"input":"hang"}`) })
		<-p.hanging
		d.crash(0)
		d.crash(1)
		c.wantFault(503, wire.BrowserUnavailable, <-answered)
		synctest.Wait()
		c.wantFault(404, wire.SessionNotFound, c.post(working+"/observe", `{}`))
		c.wantFault(503, wire.BrowserUnavailable, c.post(quiet+"/observe", `{}`))
		c.wantFault(404, wire.SessionNotFound, c.post(quiet+"/observe", `{}`))
		c.must(200, c.post(other+"/observe", `{}`))
		c.startWith(startAny)
		c.startWith(startAny)
	})
}

// TestACrashThatNobodyAsksAbout is forgotten.
func TestACrashThatNobodyAsksAbout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &counted{Driver: shop}
		c := inBubble(t, d, server.Options{Limits: server.Limits{Idle: time.Minute}})
		path := c.startWith(startAny)
		d.crash(0)
		time.Sleep(2 * time.Minute)
		c.wantFault(404, wire.SessionNotFound, c.post(path+"/observe", `{}`))
	})
}

func TestEndStopsTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &counted{Driver: shop}
		p := newPuppet()
		c := inBubble(t, d, server.Options{Models: server.Models{Make: p.model}})
		path := c.startWith(startAny)
		answered := later(func() answer { return c.post(path+"/act", `{"input":"hang"}`) })
		<-p.hanging
		c.must(200, c.post(path+"/end", "{}"))
		c.wantFault(404, wire.SessionNotFound, <-answered)
		if d.opened() != 0 {
			t.Error("the browser is open after the answer to end")
		}
	})
}

// TestAClientThatGoesAway takes its work with it.
func TestAClientThatGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet()
		c := inBubble(t, shop, server.Options{Models: server.Models{Make: p.model}})
		path := c.startWith(startAny)
		for _, body := range []string{`{"input":"hang"}`, `{"input":"hang","streamResponse":true}`} {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-p.hanging
				cancel()
			}()
			begin := time.Now()
			if resp, err := c.http.Do(c.request(ctx, "POST", path+"/act", body)); err == nil {
				io.Copy(io.Discard, resp.Body) // until it is cut
				resp.Body.Close()
			}
			c.must(200, c.post(path+"/observe", `{}`)) // waits for the page's turn
			if took := time.Since(begin); took > 0 {
				t.Errorf("%s: the work went on for %v", body, took)
			}
		}
	})
}

func TestShutdownWaitsForWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &counted{Driver: shop}
		p := newPuppet()
		c := inBubble(t, d, server.Options{Models: server.Models{Make: p.model}})
		path := c.startWith(startAny)
		answered := later(func() answer {
			return c.post(path+"/observe", `{"instruction":"hang","options":{"timeout":5000}}`)
		})
		<-p.hanging
		begin := time.Now()
		if err := c.server.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took != 5*time.Second {
			t.Errorf("took %v, want the 5s of the work", took)
		}
		c.wantFault(408, wire.Timeout, <-answered)
		if d.opened() != 0 {
			t.Error("a browser is open")
		}
		c.wantFault(503, wire.Draining, c.post("/v1/sessions/start", startAny))
	})
}

func TestShutdownCutsWorkShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &counted{Driver: shop}
		p := newPuppet()
		c := inBubble(t, d, server.Options{Models: server.Models{Make: p.model}})
		path := c.startWith(startAny)
		answered := later(func() answer { return c.post(path+"/act", `{"input":"hang"}`) })
		<-p.hanging
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.server.Shutdown(ctx); err == nil {
			t.Error("Shutdown = nil, want an error that says so")
		}
		c.wantFault(503, wire.Draining, <-answered)
		if d.opened() != 0 {
			t.Error("a browser is open")
		}
	})
}

// TestTheActivePage follows what the site opens, and frameId names another.
func TestTheActivePage(t *testing.T) {
	web := fake.Web{
		"https://shop.test/":    `<title>One</title><h1>One</h1><a href="/two" target="_blank">Open</a>`,
		"https://shop.test/two": `<title>Two</title><h1>Two</h1>`,
	}
	c := serve(t, web, nil)
	path := c.start()
	c.must(200, c.post(path+"/act", `{"input":{"selector":"a","description":"open"}}`))
	text := func(body string) string {
		return get[string](t, c.must(200, c.post(path+"/extract", body)), "data", "result", "pageText")
	}
	if got := text(`{}`); got != text(`{"frameId":null}`) || got == "" {
		t.Errorf("the active page shows %q", got)
	}
	replay := c.do("GET", path+"/replay", "")
	if url := get[string](t, replay, "data", "pages", 1, "url"); url != "https://shop.test/two" {
		t.Errorf("replay = %s, want the second page", replay.body)
	}
}
