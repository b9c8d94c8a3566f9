package server_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// TestWhoGetsAStream: the header or the body asks; the body wins.
func TestWhoGetsAStream(t *testing.T) {
	c := serve(t, shop, nil)
	path := c.start()
	for _, test := range []struct {
		header, body string
		want         bool
	}{
		{"", `{}`, false}, {"true", `{}`, true}, {"false", `{}`, false},
		{"", `{"streamResponse":true}`, true}, {"", `{"streamResponse":false}`, false},
		{"true", `{"streamResponse":false}`, false}, {"false", `{"streamResponse":true}`, true},
	} {
		headers := []string{"accept", "text/event-stream"}
		if test.header != "" {
			headers = append(headers, "x-stream-response", test.header)
		}
		got := c.must(200, c.post(path+"/observe", test.body, headers...))
		if is := got.header.Get("content-type") == "text/event-stream"; is != test.want {
			t.Errorf("header %q, body %s: streamed %t, want %t", test.header, test.body, is, test.want)
		}
	}
	for _, odd := range []string{"yes", "True", "1"} {
		c.wantFault(400, wire.InvalidRequest, c.post(path+"/observe", `{}`, "x-stream-response", odd))
		c.wantFault(400, wire.InvalidRequest, c.post(path+"/observe", `{"streamResponse":true}`, "x-stream-response", odd))
	}
}

// TestErrorsBeforeAStream are plain.
func TestErrorsBeforeAStream(t *testing.T) {
	c := serve(t, shop, &server.Options{Keys: []server.Key{server.NewKey("one", "key-one")}})
	ask := []string{"x-stream-response", "true"}
	c.wantFault(401, wire.Unauthorized, c.post("/v1/sessions/x/observe", `{}`, ask...))
	c.key = "key-one"
	c.wantFault(404, wire.SessionNotFound, c.post("/v1/sessions/x/observe", `{}`, ask...))
	path := c.start()
	c.wantFault(400, wire.InvalidRequest, c.post(path+"/act", `{}`, ask...))
	c.wantFault(400, wire.InvalidRequest, c.post(path+"/navigate", `{"url":"none"}`, ask...))
	c.wantFault(404, wire.PageNotFound, c.post(path+"/observe", `{"frameId":"none"}`, ask...))
	c.wantFault(415, wire.UnsupportedMediaType, c.post(path+"/observe", `{}`, append(ask, "content-type", "text/plain")...))
}

func TestFramesWithoutNames(t *testing.T) {
	c := serve(t, shop, nil)
	path := c.start()
	for _, header := range [][2]string{{"x-bb-session-id", "anything"}, {"x-stream-format", "data"}} {
		got := c.must(200, c.post(path+"/observe", `{"streamResponse":true}`, header[0], header[1]))
		if strings.Contains(string(got.body), "event:") || !strings.HasPrefix(string(got.body), `data: {"data":{"status":"starting"},"type":"system","id":"`) {
			t.Errorf("%s: %.200s", header[0], got.body)
		}
	}
}

// TestRunning tells as much as the session's verbosity wants.
func TestRunning(t *testing.T) {
	p := newPuppet()
	c := serve(t, shop, &server.Options{Models: server.Models{Make: p.model}})
	want := map[string][]string{
		"0": nil,
		"1": {"acting: click Go", "asked openai/gpt-5: 1000 tokens in, 100 out", `clicked button "Go": went to https://shop.test/search?q= (200)`},
		"2": {"acting: click Go", "read https://shop.test/: ", "asked openai/gpt-5", "clicked"},
	}
	for verbose, lines := range want {
		for _, written := range []string{verbose, `"` + verbose + `"`} {
			path := c.startWith(`{"modelName":"openai/gpt-5","verbose":` + written + `}`)
			c.must(200, c.post(path+"/navigate", `{"url":"https://shop.test/"}`))
			list := frames(t, c.must(200, c.post(path+"/act", `{"input":"click Go","streamResponse":true}`)).body)
			var got []string
			for _, f := range list {
				if f.Data.Status == wire.Running {
					got = append(got, f.Data.Message)
					if f.Type != "log" {
						t.Errorf("type of %+v", f)
					}
				}
			}
			if len(got) != len(lines) {
				t.Fatalf("verbose %s: %q, want %q", written, got, lines)
			}
			for i := range lines {
				if !strings.HasPrefix(got[i], lines[i]) {
					t.Errorf("verbose %s: %q, want %q", written, got[i], lines[i])
				}
			}
		}
	}
}

// TestKeepAlive: a comment for every 15 s of silence, and the first frames at
// once.
func TestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet()
		c := inBubble(t, shop, server.Options{Models: server.Models{Make: p.model}})
		path := c.startWith(startAny)
		begin := time.Now()
		resp := c.open("POST", path+"/observe", `{"instruction":"hang","streamResponse":true,"options":{"timeout":50000}}`)
		defer resp.Body.Close()
		var comments []time.Duration
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			if lines.Text() == "event: connected" && time.Since(begin) > 0 {
				t.Errorf("the first frames came after %v", time.Since(begin))
			}
			if lines.Text() == ": keep-alive" {
				comments = append(comments, time.Since(begin))
			}
		}
		if len(comments) != 3 || comments[0] != 15*time.Second || comments[2] != 45*time.Second {
			t.Errorf("comments after %v, want 15s, 30s and 45s", comments)
		}
	})
}

// TestAReaderThatStops does not hold the work up, and is let go.
func TestAReaderThatStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet()
		c := inBubble(t, shop, server.Options{Models: server.Models{Make: p.model}, Limits: server.Limits{WriteTime: 10 * time.Second}})
		path := c.startWith(startAny)
		resp := c.open("POST", path+"/observe", `{"instruction":"hang","streamResponse":true}`)
		defer resp.Body.Close()
		// Nothing is read. The session serves others soon after the deadline.
		time.Sleep(11 * time.Second)
		begin := time.Now()
		c.must(200, c.post(path+"/observe", `{}`))
		if waited := time.Since(begin); waited > 0 {
			t.Errorf("the page was held for %v more", waited)
		}
		if _, err := io.ReadAll(resp.Body); err == nil {
			t.Error("the stream ended as if nothing had been")
		}
	})
}

// TestFirstFrameBeforeTheWork: the frames are on the wire while the work waits.
func TestFirstFrameBeforeTheWork(t *testing.T) {
	p := newPuppet()
	c := serve(t, shop, &server.Options{Models: server.Models{Make: p.model}})
	path := c.start()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	resp, err := c.http.Do(c.request(ctx, http.MethodPost, path+"/act", `{"input":"hang","streamResponse":true}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for _, want := range []string{"event: starting", "data: ", "", "event: connected", "data: ", "", "event: running"} {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), want) {
			t.Fatalf("line %q, want %q", lines.Text(), want)
		}
	}
}
