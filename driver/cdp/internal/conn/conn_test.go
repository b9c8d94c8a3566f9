package conn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/cbor"
)

func TestParseMessage(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want message
	}{
		{`{"id":7,"result":{}}`, message{id: 7, body: []byte(`{}`)}},
		{`{"id":7,"result":{"a":{}},"sessionId":"AB"}`, message{id: 7, session: "AB", body: []byte(`{"a":{}}`)}},
		// The reply of attachToTarget names another session than its own.
		{`{"id":7,"result":{"sessionId":"CD"},"sessionId":"AB"}`, message{id: 7, session: "AB", body: []byte(`{"sessionId":"CD"}`)}},
		{`{"id":7,"result":{"sessionId":"CD"}}`, message{id: 7, body: []byte(`{"sessionId":"CD"}`)}},
		{`{"id":7,"result":{"v":",\"sessionId\":\"CD\"}"}}`, message{id: 7, body: []byte(`{"v":",\"sessionId\":\"CD\"}"}`)}},
		{`{"method":"A.b","params":{"x":1},"sessionId":"AB"}`, message{method: "A.b", session: "AB", body: []byte(`{"x":1}`)}},
		{`{"method":"A.b","params":{"x":1}}`, message{method: "A.b", body: []byte(`{"x":1}`)}},
		// Other orders than Chrome's are understood, too.
		{`{"sessionId":"AB","result":{"x":1},"id":7}`, message{id: 7, session: "AB", body: []byte(`{"x":1}`)}},
		{`{"method":"A.b"}`, message{method: "A.b"}},
		{`{"id":7,"error":{"code":-1,"message":"no"},"sessionId":"AB"}`, message{id: 7, session: "AB", failure: &Failure{Code: -1, Message: "no"}}},
	} {
		got, err := parseMessage([]byte(c.raw))
		if err != nil {
			t.Errorf("parseMessage(%s): %v", c.raw, err)
			continue
		}
		if got.id != c.want.id || got.session != c.want.session || got.method != c.want.method ||
			string(got.body) != string(c.want.body) || fmt.Sprint(got.failure) != fmt.Sprint(c.want.failure) {
			t.Errorf("parseMessage(%s) = %+v, want %+v", c.raw, got, c.want)
		}
	}
}

func FuzzParseMessage(f *testing.F) {
	f.Add([]byte(`{"id":7,"result":{"sessionId":"CD"},"sessionId":"AB"}`))
	f.Add([]byte(`{"method":"A.b","params":{},"sessionId":"AB"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		idOf(raw[:min(len(raw), headLength)])
		m, err := parseMessage(raw)
		if err != nil {
			return
		}
		var full map[string]json.RawMessage
		if json.Unmarshal(raw, &full) != nil {
			return
		}
		if id, err := strconv.ParseInt(string(full["id"]), 10, 32); err == nil && id != m.id {
			t.Errorf("id %d of %s", m.id, raw)
		}
		var session string
		if json.Unmarshal(full["sessionId"], &session) == nil && session != m.session && utf8.Valid(raw) && !bytes.Contains(raw, []byte(`\`)) {
			t.Errorf("session %q of %s", m.session, raw)
		}
		if len(m.body) > 0 && !bytes.Equal(m.body, full["params"]) && !bytes.Equal(m.body, full["result"]) {
			t.Errorf("body %s of %s", m.body, raw)
		}
	})
}

// A message of CBOR says what it says as JSON.
func FuzzParseBinary(f *testing.F) {
	for _, raw := range []string{
		`{"id":7,"result":{"x":[1.5,"ä"]},"sessionId":"AB"}`, `{"method":"A.b","params":{},"sessionId":"AB"}`,
		`{"id":7,"error":{"code":-32000,"message":"no"}}`, `{"id":1,"id":2,"extra":[]}`,
	} {
		b, err := cbor.Append(nil, []byte(raw))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		idOf(append(bytes.Clone(raw[:min(len(raw), headLength)]), make([]byte, max(0, headLength-len(raw)))...))
		m, err := parseBinary(raw)
		if err != nil {
			return
		}
		whole, err := cbor.AppendJSON(nil, raw)
		if err != nil {
			return // in the body, which is looked at later, or what is not
		}
		var full map[string]json.RawMessage
		if err := json.Unmarshal(whole, &full); err != nil {
			t.Fatalf("%q is %s: %v", raw, whole, err)
		}
		if id, ok := full["id"]; ok && string(id) != strconv.FormatInt(m.id, 10) {
			t.Errorf("id %d of %s", m.id, whole)
		}
		body, err := m.json()
		if err != nil {
			t.Fatalf("the body of %s: %v", whole, err)
		}
		if len(body) > 0 && !bytes.Equal(body, full["params"]) && !bytes.Equal(body, full["result"]) {
			t.Errorf("body %s of %s", body, whole)
		}
	})
}

// A peer plays Chrome at the other end of a pipe.
type peer struct {
	t   *testing.T
	in  Link
	out *os.File
}

// A jsonPipe is a pipe that carries JSON, each message ended by a zero byte: what a
// socket carries, without one.
type jsonPipe struct{ *pipe }

func (jsonPipe) binary() bool { return false }

func (p jsonPipe) receive(limit int) ([]byte, error) {
	message, err := p.in.ReadBytes(0)
	switch {
	case err != nil:
		return nil, err
	case len(message) > limit:
		return message[:headLength], errOverLimit
	}
	return message[:len(message)-1], nil
}

type events func(method string)

func (e events) Event(method string, _ []byte) { e(method) }

type untyped = Method[any, json.RawMessage]

// A refused command, as the driver would say it.
type refused struct{ method, message string }

func (r *refused) Error() string { return r.method + ": " + r.message }

// onBoth runs a test on a pipe of JSON and on one of CBOR.
func onBoth(t *testing.T, test func(t *testing.T, m *Conn, p *peer)) {
	for name, open := range map[string]func(from, to *os.File) Link{
		"JSON": func(from, to *os.File) Link { return jsonPipe{NewPipe(from, to)} },
		"CBOR": func(from, to *os.File) Link { return NewPipe(from, to) },
	} {
		t.Run(name, func(t *testing.T) {
			m, p := connect(t, open)
			test(t, m, p)
		})
	}
}

// connect returns a connection and the one at its other end.
func connect(t *testing.T, open func(from, to *os.File) Link) (*Conn, *peer) {
	t.Helper()
	fromUs, toPeer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromPeer, toUs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	m := New(open(fromPeer, toPeer), Options{
		Log: slog.New(slog.DiscardHandler), Root: events(func(string) {}),
		Refused: func(_ Handler, method string, f *Failure) error { return &refused{method, f.Message} },
		End:     func(err error) error { return fmt.Errorf("gone: %w", driver.ErrCrashed) },
	})
	p := &peer{t: t, in: open(fromUs, toUs), out: toUs}
	t.Cleanup(func() {
		_ = p.out.Close()
		_ = p.in.Close()
		<-m.ended
	})
	return m, p
}

func (p *peer) next() (c struct {
	ID        int64
	Method    string
	SessionID string
	Params    json.RawMessage
}) {
	p.t.Helper()
	raw := p.hear(1 << 20)
	if err := json.Unmarshal(raw, &c); err != nil {
		p.t.Fatalf("%s: %v", raw, err)
	}
	return c
}

// hear returns the next message as JSON.
func (p *peer) hear(limit int) []byte {
	p.t.Helper()
	raw, err := p.in.receive(limit)
	if err == nil && p.in.binary() {
		raw, err = cbor.AppendJSON(nil, raw)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return raw
}

func (p *peer) say(format string, args ...any) {
	p.t.Helper()
	message := fmt.Append(nil, fmt.Sprintf(format, args...), "\x00")
	if p.in.binary() {
		var err error
		if message, err = cbor.Append(nil, message[:len(message)-1]); err != nil {
			p.t.Fatal(err)
		}
	}
	if _, err := p.out.Write(message); err != nil {
		p.t.Fatal(err)
	}
}

func TestEventsComeBeforeTheReplyBehindThem(t *testing.T) {
	onBoth(t, eventsComeBeforeTheReplyBehindThem)
}

func eventsComeBeforeTheReplyBehindThem(t *testing.T, m *Conn, p *peer) {
	var seen []string
	m.root.handler = events(func(method string) { seen = append(seen, method) })
	m.Run()
	for round := range 200 {
		seen = nil
		calls, err := m.root.Start(t.Context(), untyped("A.a").With(nil))
		if err != nil {
			t.Fatal(err)
		}
		id := p.next().ID
		p.say(`{"method":"E.one","params":{}}`)
		p.say(`{"method":"E.two","params":{}}`)
		p.say(`{"id":%d,"result":{}}`, id)
		if _, err := calls[0].Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		// Not guarded by a lock: the race detector proves the order.
		if !slices.Equal(seen, []string{"E.one", "E.two"}) {
			t.Fatalf("round %d: events before the reply = %v, want both", round, seen)
		}
	}
}

func TestBatchIsOneWriteInOrder(t *testing.T) { onBoth(t, batchIsOneWriteInOrder) }

func batchIsOneWriteInOrder(t *testing.T, m *Conn, p *peer) {
	m.Run()
	s := m.Open("AB", events(func(string) {}))
	done := make(chan error, 1)
	go func() {
		first, last := untyped("A.a").With(nil), untyped("A.c").With(json.RawMessage(`{"y":2}`))
		err := s.Batch(context.Background(), first, untyped("A.b").With(map[string]int{"x": 1}), last)
		for want, r := range map[string]*Request[json.RawMessage]{`{"n":1}`: first, `{"n":3}`: last} {
			got, rerr := r.Wait(context.Background())
			if rerr == nil && string(got) != want {
				rerr = fmt.Errorf("result = %s, want %s", got, want)
			}
			err = errors.Join(err, rerr)
		}
		done <- err
	}()
	for i, want := range []string{"A.a ", `A.b {"x":1}`, `A.c {"y":2}`} {
		c := p.next()
		if got := c.Method + " " + string(c.Params); got != want || c.SessionID != "AB" {
			t.Errorf("command %d = %q of session %q, want %q of AB", i, got, c.SessionID, want)
		}
		p.say(`{"id":%d,"result":{"n":%d},"sessionId":"AB"}`, c.ID, i+1)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestCallErrors(t *testing.T) { onBoth(t, callErrors) }

func callErrors(t *testing.T, m *Conn, p *peer) {
	m.Run()
	call := func(ctx context.Context, s *Session) chan error {
		done := make(chan error, 1)
		go func() { done <- s.Call(ctx, "DOM.resolveNode", nil, nil) }()
		return done
	}

	done := call(context.Background(), m.root)
	p.say(`{"id":%d,"error":{"code":-32000,"message":"No node with given id found"}}`, p.next().ID)
	var no *refused
	if err := <-done; !errors.As(err, &no) || no.method != "DOM.resolveNode" || no.message != "No node with given id found" {
		t.Errorf("a refused command gives %v, want what Refused makes of it", err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	done = call(ctx, m.root)
	late := p.next().ID
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled command gives %v", err)
	}
	p.say(`{"id":%d,"result":{}}`, late) // is thrown away

	s := m.Open("AB", events(func(string) {}))
	done = call(context.Background(), s)
	p.next()
	s.Drop(driver.ErrDetached)
	if err := <-done; !errors.Is(err, driver.ErrDetached) {
		t.Errorf("a command of a dropped session gives %v, want ErrDetached", err)
	}
	if err := s.Call(context.Background(), "A.a", nil, nil); !errors.Is(err, driver.ErrDetached) {
		t.Errorf("a later command gives %v, want ErrDetached", err)
	}

	done = call(context.Background(), m.root)
	p.next()
	if err := p.out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, driver.ErrCrashed) {
		t.Errorf("a command whose connection ends gives %v, want ErrCrashed", err)
	}
	if err := m.root.Call(context.Background(), "A.a", nil, nil); !errors.Is(err, driver.ErrCrashed) {
		t.Errorf("a later command gives %v, want ErrCrashed", err)
	}
}

func TestTooLarge(t *testing.T) { onBoth(t, tooLarge) }

func tooLarge(t *testing.T, m *Conn, p *peer) {
	m.limit = 100_000
	m.Run()
	calls, err := m.root.Start(t.Context(), untyped("A.big").With(nil), untyped("A.small").With(nil))
	if err != nil {
		t.Fatal(err)
	}
	p.say(`{"id":%d,"result":{"v":"%s"}}`, p.next().ID, strings.Repeat("x", 3*m.limit))
	p.say(`{"id":%d,"result":{}}`, p.next().ID)
	if _, err := calls[0].Wait(t.Context()); !errors.Is(err, driver.ErrTooLarge) {
		t.Errorf("an answer over the limit gives %v, want ErrTooLarge", err)
	}
	if _, err := calls[1].Wait(t.Context()); err != nil {
		t.Errorf("the answer behind it gives %v", err)
	}
	huge := json.RawMessage(make([]byte, sendLimit+1))
	if err := m.root.Call(t.Context(), "A.a", huge, nil); !errors.Is(err, driver.ErrTooLarge) {
		t.Errorf("a command over the limit gives %v, want ErrTooLarge", err)
	}
}

// A peer that reads nothing must not hold up a call beyond its context.
func TestStuckPeer(t *testing.T) { onBoth(t, stuckPeer) }

func stuckPeer(t *testing.T, m *Conn, p *peer) {
	m.Run()
	large := json.RawMessage(`{"v":"` + strings.Repeat("x", 1<<20) + `"}`)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for range 3 {
		if err := m.root.Call(ctx, "A.a", large, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("call = %v, want the context's error", err)
		}
	}
	// It wakes up: everything that was sent arrives whole and in order.
	calls, err := m.root.Start(t.Context(), untyped("A.last").With(nil))
	if err != nil {
		t.Fatal(err)
	}
	for c := p.nextLarge(); c != "A.last"; c = p.nextLarge() {
		if c != "A.a" {
			t.Fatalf("got %q", c)
		}
	}
	p.say(`{"id":%d,"result":{}}`, calls[0].id)
	if _, err := calls[0].Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

func (p *peer) nextLarge() string {
	p.t.Helper()
	var c struct{ Method string }
	if err := json.Unmarshal(p.hear(1<<22), &c); err != nil {
		p.t.Fatal(err)
	}
	return c.Method
}

// An answer that is wanted as it comes outlives the next message, short or long.
func TestWire(t *testing.T) { onBoth(t, wire) }

func wire(t *testing.T, m *Conn, p *peer) {
	m.Run()
	as := Method[any, Wire]("A.a")
	for _, length := range []int{1, 3 * pipeBuffer} {
		text := strings.Repeat("x", length)
		first, second := as.With(nil), as.With(nil)
		if _, err := m.root.Start(t.Context(), first, second); err != nil {
			t.Fatal(err)
		}
		p.say(`{"id":%d,"result":{"v":"%s"}}`, p.next().ID, text)
		p.say(`{"id":%d,"result":{"w":"%s"}}`, p.next().ID, text)
		if _, err := second.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		raw, err := first.Wait(t.Context())
		got := []byte(raw)
		if err == nil && p.in.binary() {
			got, err = cbor.AppendJSON(nil, raw)
		}
		if want := `{"v":"` + text + `"}`; err != nil || string(got) != want {
			t.Errorf("the answer is %.40q, %v, want %.40q", got, err, want)
		}
	}
}
