package server_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

const (
	clickGo     = `{"input":{"selector":"button","description":"d","method":"click"}}`
	clickGoSoon = `{"input":{"selector":"button","description":"d","method":"click"},"options":{"timeout":300}}`
	fill        = `{"input":{"selector":"input","description":"d","method":"fill","arguments":["tea"]}}`
	fillSoon    = `{"input":{"selector":"input","description":"d","method":"fill","arguments":["tea"]},"options":{"timeout":300}}`
)

// TestActionSent: every answer to an act says in its header whether input was
// sent, and every one that leaves that open says it in words.
func TestActionSent(t *testing.T) {
	for _, test := range []struct {
		name   string
		fault  func() *faults.Fault
		body   string
		status int
		sent   wire.Sent
	}{
		{"done", nil, clickGo, 200, wire.SentAll},
		{"no such element", nil, `{"input":{"selector":"#none","description":"d"}}`, 200, wire.SentNone},
		{"not valid", nil, `{"input":7}`, 400, wire.SentNone},
		{"failed before", func() *faults.Fault { return faults.At(1, "locate", errors.New("odd")) }, clickGo, 200, wire.SentNone},
		{"answer lost", func() *faults.Fault { return faults.Lose(1, "input", errors.New("odd")) }, clickGo, 200, wire.SentPossible},
		{"no time left before", func() *faults.Fault { return faults.Delay(1, "locate", time.Hour) }, clickGoSoon, 408, wire.SentNone},
		{"no time left in between", func() *faults.Fault { return faults.Delay(1, "input", time.Hour) }, clickGoSoon, 408, wire.SentPossible},
		{"no time left after", func() *faults.Fault { return faults.Delay(2, "state", time.Hour) }, fillSoon, 408, wire.SentAll},
		{"model failed", nil, `{"input":"refuse it"}`, 502, wire.SentNone},
		{"panic", nil, `{"input":"panic"}`, 500, wire.SentPossible},
		{"connection dropped", func() *faults.Fault { return faults.Drop().On(2, "state") }, fill, 503, wire.SentAll},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := driver.Driver(shop)
			if test.fault != nil {
				d = faults.Wrap(d, test.fault())
			}
			c := serve(t, d, &server.Options{Models: server.Models{Make: newPuppet().model}})
			got := c.must(test.status, c.post(c.start()+"/act", test.body))
			if sent := wire.Sent(got.header.Get(wire.HeaderSent)); sent != test.sent {
				t.Errorf("%s = %q, want %q", wire.HeaderSent, sent, test.sent)
			}
			open := test.sent != wire.SentNone && test.name != "done"
			if strings.Contains(string(got.body), "look at the page before you retry") != open {
				t.Errorf("the answer is %s", got.body)
			}
			if test.status == 400 {
				return // it is no stream
			}

			// A stream says it in the trailer and in the last frame.
			if test.fault != nil {
				d = faults.Wrap(shop, test.fault())
			}
			c = serve(t, d, &server.Options{Models: server.Models{Make: newPuppet().model}})
			resp := c.open("POST", c.start()+"/act", test.body, "x-stream-response", "true")
			defer resp.Body.Close()
			if sent := resp.Header.Get(wire.HeaderSent); sent != "" {
				t.Errorf("%s = %q before the work has begun", wire.HeaderSent, sent)
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if sent := wire.Sent(resp.Trailer.Get(wire.HeaderSent)); sent != test.sent {
				t.Errorf("trailer %s = %q, want %q", wire.HeaderSent, sent, test.sent)
			}
			list := frames(t, body)
			if last := list[len(list)-1].Data; strings.Contains(last.Error+string(last.Result), "look at the page before you retry") != open {
				t.Errorf("the last frame is %+v", last)
			}
		})
	}
}
