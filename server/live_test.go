package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/internal/body"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A watcher looks at a session.
type watcher struct {
	t      *testing.T
	viewer string
	events chan body.LiveEvent // closed at the end of the stream
	close  func()
}

func (c *client) watch(path, query string) *watcher {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	resp, err := c.http.Do(c.request(ctx, "GET", path+"/live"+query, ""))
	if err != nil {
		c.t.Fatal(err)
	}
	if resp.StatusCode != 200 {
		raw, _ := io.ReadAll(resp.Body)
		c.t.Fatalf("live: %d %s", resp.StatusCode, raw)
	}
	w := &watcher{t: c.t.(*testing.T), events: make(chan body.LiveEvent, 1000), close: cancel}
	c.t.Cleanup(cancel)
	go func() {
		defer close(w.events)
		defer resp.Body.Close()
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var e body.LiveEvent
				if json.Unmarshal([]byte(data), &e) == nil {
					w.events <- e
				}
			}
		}
	}()
	w.viewer = w.await("hello", nil).Viewer
	return w
}

// await returns the first event of a type that is as wanted.
func (w *watcher) await(kind string, ok func(*body.LiveEvent) bool) *body.LiveEvent {
	w.t.Helper()
	for e := range w.events {
		if e.Type == kind && (ok == nil || ok(&e)) {
			return &e
		}
	}
	w.t.Fatalf("the stream ended, and no event was %s", kind)
	return nil
}

// first returns the first event of each of the types, which come in any order.
func (w *watcher) first(kinds ...string) map[string]body.LiveEvent {
	w.t.Helper()
	seen := map[string]body.LiveEvent{}
	for len(seen) < len(kinds) {
		e, ok := <-w.events
		if !ok {
			w.t.Fatalf("the stream ended, and of %v there were %d", kinds, len(seen))
		}
		if _, again := seen[e.Type]; !again && slices.Contains(kinds, e.Type) {
			seen[e.Type] = e
		}
	}
	return seen
}

func (w *watcher) body(rest string) string { return `{"viewer":"` + w.viewer + `"` + rest + `}` }

// TestLive: a viewer gets what the session shows, does and did, and its end.
func TestLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inBubble(t, shop, server.Options{})
		path := c.start()
		w := c.watch(path, "?picture=true&outline=true")
		if e := w.await("entry", nil); e.Entry.Method != "navigate" || e.URL != "https://shop.test/" {
			t.Errorf("the first call = %+v", e)
		}
		parts := w.first("state", "picture", "outline")
		s := parts["state"].State
		if s.Title != "Shop" || s.URL != "https://shop.test/" || len(s.Pages) != 1 || s.Working || s.Doing == nil || !s.Doing.Over || s.Doing.Operation != "navigate" {
			t.Errorf("state = %+v, doing %+v", s, s.Doing)
		}
		if p := parts["picture"].Picture; p.None == "" || p.JPEG != "" {
			t.Errorf("a browser that paints nothing shows %+v", p)
		}
		if o := parts["outline"].Outline; !strings.Contains(o.Text, `link: Cart`) {
			t.Errorf("outline = %s", o.Text)
		}
		c.must(200, c.post(path+"/act", `{"input":{"selector":"a","description":"open the cart"}}`))
		if e := w.await("entry", nil); e.Entry.Method != "do" {
			t.Errorf("the act = %+v", e.Entry)
		}
		w.await("outline", func(e *body.LiveEvent) bool { return strings.Contains(e.Outline.Text, "button: Pay") })
		c.must(200, c.post(path+"/end", "{}"))
		if e := w.await("over", nil); e.Message == "" {
			t.Error("the end has no reason")
		}
		if _, more := <-w.events; more {
			t.Error("there is something after the end")
		}
		c.wantFault(400, wire.InvalidRequest, c.do("GET", c.startWith(startAny)+"/live?picture=yes", ""))
	})
}

// TestLiveIsNoWork: a session that somebody looks at is ended as ever.
func TestLiveIsNoWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inBubble(t, shop, server.Options{Limits: server.Limits{Idle: time.Minute}})
		w := c.watch(c.start(), "")
		begin := time.Now()
		w.await("over", nil)
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("it ended after %v", took)
		}
	})
}

// TestVariablesInLive: a value that was typed does not stand in what is shown of a
// page's addresses, titles and texts.
func TestVariablesInLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inBubble(t, shop, server.Options{})
		path := c.start()
		c.must(200, c.post(path+"/act", `{"input":{"selector":"[name=q]","description":"type","method":"fill","arguments":["%what%"]},"options":{"variables":{"what":"xyzzy-42"}}}`))
		c.must(200, c.post(path+"/act", `{"input":{"selector":"form button","description":"go"}}`))
		w := c.watch(path, "?outline=true")
		w.await("outline", nil)
		c.must(200, c.post(path+"/end", "{}"))
		for e := range w.events {
			if raw, _ := json.Marshal(e); strings.Contains(string(raw), "xyzzy") {
				t.Errorf("shown: %s", raw)
			}
		}
		if got := c.do("GET", "/v1/sessions", ""); strings.Contains(string(got.body), "xyzzy") {
			t.Errorf("listed: %s", got.body)
		}
	})
}

// TestTake: while a person has a session other work is refused, and the person's
// input reaches the page; the history says so.
func TestTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inBubble(t, shop, server.Options{})
		path := c.start()
		w := c.watch(path, "")
		page := w.await("state", nil).State.Page
		other := c.watch(path, "")
		c.wantFault(400, wire.InvalidRequest, c.post(path+"/take", `{"viewer":"somebody"}`))
		c.wantFault(409, wire.SessionNotTaken, c.post(path+"/input", w.body(`,"page":"`+page+`","events":[{"type":"back"}]`)))
		c.must(200, c.post(path+"/take", w.body("")))
		w.await("state", func(e *body.LiveEvent) bool { return e.State.Taken == w.viewer && !e.State.Working })
		for _, op := range []string{"act", "observe", "extract", "navigate"} {
			body := map[string]string{"act": `{"input":{"selector":"a","description":"x"}}`, "navigate": `{"url":"https://shop.test/cart"}`}[op]
			if body == "" {
				body = "{}"
			}
			if got := c.post(path+"/"+op, body); got.header.Get("retry-after") == "" {
				t.Errorf("%s: no retry-after", op)
			} else {
				c.wantFault(409, wire.SessionTaken, got)
			}
		}
		c.wantFault(409, wire.SessionTaken, c.post(path+"/take", other.body("")))
		c.wantFault(409, wire.SessionNotTaken, c.post(path+"/input", other.body(`,"page":"`+page+`","events":[{"type":"back"}]`)))
		c.wantFault(409, wire.SessionNotTaken, c.post(path+"/giveBack", other.body("")))
		send := func(status int, events string) answer {
			return c.must(status, c.post(path+"/input", w.body(`,"page":"`+page+`","events":[`+events+`]`)))
		}
		send(200, `{"type":"keydown","key":"Tab"},{"type":"keyup","key":"Tab"},{"type":"keydown","key":"Enter"},{"type":"keyup","key":"Enter"}`)
		w.await("state", func(e *body.LiveEvent) bool { return e.State.URL == "https://shop.test/cart" })
		send(200, `{"type":"back"}`)
		send(200, `{"type":"move","x":5,"y":5},{"type":"down","x":5,"y":5},{"type":"up","x":5,"y":5},{"type":"wheel","x":5,"y":5,"deltaY":10}`)
		send(400, `{"type":"forward"},{"type":"forward"}`)
		send(400, `{"type":"navigate","url":"javascript:1"}`)
		send(400, `{"type":"keydown"}`)
		send(400, `{"type":"jump"}`)
		c.wantFault(404, wire.PageNotFound, c.post(path+"/input", w.body(`,"page":"gone","events":[{"type":"back"}]`)))
		c.must(200, c.post(path+"/giveBack", w.body("")))
		e := w.await("entry", func(e *body.LiveEvent) bool { return e.Entry.Method == "person" })
		if text := fmt.Sprint(e.Entry.Result["message"]); !strings.HasSuffix(text, ": 1 click, 2 keys, 1 scroll, 2 navigations; it was given back") {
			t.Errorf("the history says: %s", text)
		}
		c.must(200, c.post(path+"/observe", `{}`))
	})
}

// TestLease: a session comes back by itself when its viewer goes away or does
// nothing, and what is held is let go.
func TestLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inBubble(t, shop, server.Options{Limits: server.Limits{Idle: time.Hour}})
		path := c.start()
		w := c.watch(path, "")
		page := w.await("state", nil).State.Page
		c.must(200, c.post(path+"/take", w.body("")))
		time.Sleep(50 * time.Second)
		c.must(200, c.post(path+"/input", w.body(`,"page":"`+page+`","events":[{"type":"down","x":3,"y":3},{"type":"keydown","key":"Shift"}]`)))
		time.Sleep(59 * time.Second)
		c.wantFault(409, wire.SessionTaken, c.post(path+"/observe", `{}`))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		c.must(200, c.post(path+"/observe", `{}`))
		c.must(200, c.post(path+"/take", w.body("")))
		c.wantFault(409, wire.SessionTaken, c.post(path+"/observe", `{}`))
		w.close()
		synctest.Wait()
		c.must(200, c.post(path+"/observe", `{}`))
		got := c.do("GET", path+"/replay", "")
		for _, why := range []string{"1 click, 1 key; nothing came for 1m0s", "nothing was done; the viewer went away"} {
			if !strings.Contains(string(got.body), why) {
				t.Errorf("the history has no %q: %s", why, got.body)
			}
		}
		// The end of the session is the end of a hold on it.
		last := c.watch(path, "")
		c.must(200, c.post(path+"/take", last.body("")))
		c.must(200, c.post(path+"/end", "{}"))
		last.await("over", nil)
	})
}

// TestTakeFromAWork: a session is given to a person once what it does has ended;
// one who goes away before gets nothing, and the work goes on.
func TestTakeFromAWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet()
		c := inBubble(t, shop, server.Options{Models: server.Models{Make: p.model}})
		path := c.start()
		w, impatient := c.watch(path, ""), c.watch(path, "")
		acted := later(func() answer {
			return c.post(path+"/act", `{"input":"hang","options":{"timeout":5000}}`)
		})
		<-p.hanging
		first := later(func() answer { return c.post(path+"/take", impatient.body("")) })
		w.await("state", func(e *body.LiveEvent) bool { return e.State.Asked == impatient.viewer && e.State.Working })
		impatient.close()
		c.wantFault(409, wire.SessionNotTaken, <-first)
		begin := time.Now()
		c.must(200, c.post(path+"/take", w.body("")))
		if took := time.Since(begin); took <= 0 || took > 5*time.Second {
			t.Errorf("the session was given after %v", took)
		}
		<-acted
	})
}

// A gated model answers once its gate is open.
type gated struct {
	*worker
	gate chan struct{}
}

func (m *gated) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	<-m.gate
	return m.worker.Generate(ctx, req)
}

// TestAnAgentPauses while a person has its session, and goes on then; what came of
// it is not to be done again without the person.
func TestAnAgentPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &gated{searching(), make(chan struct{})}
		c := inBubble(t, shop, server.Options{Models: server.Models{Make: func(server.ModelRequest) (llm.Model, error) { return m, nil }}})
		path := c.start()
		w := c.watch(path, "")
		resp := c.open("POST", path+"/agentExecute", `{"agentConfig":{},"shouldCache":true,"streamResponse":true,`+searchTask+`}`)
		defer resp.Body.Close()
		lines := make(chan string, 1000)
		go func() {
			defer close(lines)
			for read := bufio.NewScanner(resp.Body); read.Scan(); {
				lines <- read.Text()
			}
		}()
		until := func(words string) {
			for line := range lines {
				if strings.Contains(line, words) {
					return
				}
			}
			t.Fatalf("the stream ended before %q", words)
		}
		taken := later(func() answer { return c.post(path+"/take", w.body("")) })
		w.await("state", func(e *body.LiveEvent) bool { return e.State.Asked == w.viewer })
		close(m.gate)
		until("the agent waits")
		c.must(200, <-taken)
		c.wantFault(409, wire.SessionTaken, c.post(path+"/observe", `{}`))
		time.Sleep(45 * time.Second)
		c.must(200, c.post(path+"/giveBack", w.body("")))
		for line := range lines {
			if strings.Contains(line, `"cacheEntry"`) {
				t.Errorf("a run with a person in it can be stored: %s", line)
			}
		}
		got := c.do("GET", path+"/replay", "")
		if !strings.Contains(string(got.body), "nothing was done; it was given back") {
			t.Errorf("the history = %s", got.body)
		}
	})
}

// TestList: each key sees its own sessions, and an operator's those of all; it
// can look at them and not touch them.
func TestList(t *testing.T) {
	boss := server.NewKey("boss", "key-boss")
	boss.Operator = true
	c := serve(t, shop, &server.Options{Keys: []server.Key{server.NewKey("one", "key-one"), server.NewKey("two", "key-two"), boss}})
	list := func(key string) (l wire.SessionList) {
		c.key = key
		got := c.must(200, c.do("GET", "/v1/sessions", ""))
		var body wire.Success[wire.SessionList]
		if err := json.Unmarshal(got.body, &body); err != nil {
			t.Fatal(err)
		}
		return body.Data
	}
	c.key = "key-one"
	first := c.start()
	c.key = "key-two"
	second := c.start()
	if l := list("key-one"); len(l.Sessions) != 1 || "/v1/sessions/"+l.Sessions[0].ID != first || l.Operator || l.Sessions[0].Title != "Shop" || l.Sessions[0].Key != "" {
		t.Errorf("one sees %+v", l)
	}
	if l := list("key-boss"); len(l.Sessions) != 2 || !l.Operator || l.Sessions[0].Key == l.Sessions[1].Key {
		t.Errorf("the operator sees %+v", l)
	}
	c.must(200, c.do("GET", second+"/replay", ""))
	w := c.watch(second, "")
	for _, path := range []string{"/take", "/giveBack"} {
		c.wantFault(403, wire.Forbidden, c.post(second+path, w.body("")))
	}
	c.wantFault(403, wire.Forbidden, c.post(second+"/input", w.body(`,"page":"x","events":[{"type":"back"}]`)))
	c.wantFault(403, wire.Forbidden, c.post(second+"/act", `{"input":{"selector":"a","description":"x"}}`))
	c.wantFault(403, wire.Forbidden, c.do("GET", second, ""))
	if got := c.must(200, c.do("GET", "/v1/nodes", "")); get[float64](t, got, "data", "nodes", 0, "sessions") != 2 {
		t.Errorf("nodes = %s", got.body)
	}
	c.key = "key-one"
	c.wantFault(403, wire.Forbidden, c.do("GET", "/v1/nodes", ""))
	c.wantFault(403, wire.Forbidden, c.do("GET", second+"/live", ""))
	c.key = "key-three"
	c.wantFault(401, wire.Unauthorized, c.do("GET", "/v1/sessions", ""))
}

// TestLiveInChrome: pictures come as the page changes, and a press and a text of a
// person reach it, to where the policy lets it go.
func TestLiveInChrome(t *testing.T) {
	site := counter(t)
	c := serve(t, startChrome(t), &server.Options{Browsers: server.Browsers{Policy: &engine.Policy{Private: []string{strings.TrimPrefix(site, "http://")}}}})
	path := c.startWith(startAny)
	c.must(200, c.post(path+"/navigate", `{"url":"`+site+`"}`))
	w := c.watch(path, "?picture=true&outline=true")
	p := w.await("picture", nil).Picture
	if p.Width != 1280 || p.Height != 720 || p.JPEG == "" {
		t.Errorf("picture = %v × %v, %d letters", p.Width, p.Height, len(p.JPEG))
	}
	c.must(200, c.post(path+"/take", w.body("")))
	send := func(events string) answer {
		return c.post(path+"/input", w.body(`,"page":"`+p.Page+`","events":[`+events+`]`))
	}
	c.must(200, send(`{"type":"move","x":20,"y":18},{"type":"down","x":20,"y":18,"clicks":1},{"type":"up","x":20,"y":18,"clicks":1}`))
	w.await("outline", func(e *body.LiveEvent) bool { return strings.Contains(e.Outline.Text, "Count 1") })
	c.wantFault(403, wire.Forbidden, send(`{"type":"navigate","url":"http://127.0.0.1:1/"}`))
	c.must(200, send(`{"type":"keydown","key":"é"},{"type":"keyup","key":"é"}`))
	c.must(200, c.post(path+"/giveBack", w.body("")))
}
