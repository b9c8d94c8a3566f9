package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// shop is the site that the tests act on.
var shop = fake.Web{
	"https://shop.test/": `<title>Shop</title><h1>Shop</h1><a href="/cart">Cart</a>
		<form action="/search"><label>Search <input name="q"></label><button>Go</button></form>
		<iframe src="/frame"></iframe>`,
	"https://shop.test/cart":   `<title>Cart</title><h1>Your cart</h1><button>Pay</button>`,
	"https://shop.test/frame":  `<button>Inside</button>`,
	"https://shop.test/search": `<title>Results</title><h1>Results</h1>`,
	"https://shop.test/old":    "HTTP/1.1 302 Found\nLocation: /cart\n\n",
	"https://shop.test/gone":   "HTTP/1.1 410 Gone\nContent-Type: text/html\n\n<h1>Gone</h1>",
}

// A client talks to a server of the test's own. Every response is held against
// the contract.
type client struct {
	t      testing.TB
	server *server.Server
	http   *http.Client
	url    string
	key    string
}

func serve(t testing.TB, d driver.Driver, opts *server.Options) *client {
	t.Helper()
	var own server.Options
	if opts != nil {
		own = *opts
	}
	if own.Browsers.Policy == nil { // the tests' hosts are known to nobody else
		own.Browsers.Policy = &engine.Policy{Private: []string{"*"}}
	}
	handler, err := server.New(d, &own)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(handler)
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		handler.Shutdown(ctx) // work that a test left is cut short
		s.Close()
	})
	return &client{t: t, server: handler, http: &http.Client{Transport: newChecker(t, s.Client().Transport)}, url: s.URL}
}

// An answer is a response that was read.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (c *client) do(method, path, body string, headers ...string) answer {
	c.t.Helper()
	resp := c.open(method, path, body, headers...)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer{resp.StatusCode, resp.Header, raw}
}

// open sends a request and leaves the body to be read. headers are names and
// values in turn.
func (c *client) open(method, path, body string, headers ...string) *http.Response {
	c.t.Helper()
	req := c.request(c.t.Context(), method, path, body, headers...)
	resp, err := c.http.Do(req)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return resp
}

func (c *client) request(ctx context.Context, method, path, body string, headers ...string) *http.Request {
	c.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("content-type", "application/json")
	}
	if c.key != "" {
		req.Header.Set("x-svc-api-key", c.key)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return req
}

func (c *client) post(path, body string, headers ...string) answer {
	c.t.Helper()
	return c.do(http.MethodPost, path, body, headers...)
}

// start opens a session on the shop's front page and returns its path.
func (c *client) start() string {
	c.t.Helper()
	path := c.startWith(`{"modelName":"openai/gpt-5"}`)
	c.must(200, c.post(path+"/navigate", `{"url":"https://shop.test/"}`))
	return path
}

func (c *client) startWith(body string) string {
	c.t.Helper()
	got := c.must(200, c.post("/v1/sessions/start", body))
	return "/v1/sessions/" + get[string](c.t, got, "data", "sessionId")
}

// must has the test fail here if the status is another.
func (c *client) must(status int, got answer) answer {
	c.t.Helper()
	if got.status != status {
		c.t.Fatalf("status = %d, want %d: %s", got.status, status, got.body)
	}
	return got
}

// wantFault checks status and code of a failure, and returns it.
func (c *client) wantFault(status int, code wire.Code, got answer) wire.Failure {
	c.t.Helper()
	var f wire.Failure
	if err := json.Unmarshal(got.body, &f); err != nil {
		c.t.Fatalf("body %s: %v", got.body, err)
	}
	if got.status != status || f.Code != code {
		c.t.Errorf("answer = %d %s, want %d %s: %s", got.status, f.Code, status, code, f.Message)
	}
	return f
}

// get reads a member of a body.
func get[T any](t testing.TB, a answer, path ...any) T {
	t.Helper()
	var v any
	if err := json.Unmarshal(a.body, &v); err != nil {
		t.Fatalf("body %s: %v", a.body, err)
	}
	for _, step := range path {
		switch step := step.(type) {
		case string:
			v = at(v, step)
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				t.Fatalf("body %s has no %v", a.body, path)
			}
			v = list[step]
		}
	}
	got, ok := v.(T)
	if !ok {
		t.Fatalf("%v of %s is %T, want %T", path, a.body, v, got)
	}
	return got
}

// frames reads a stream's frames.
func frames(t testing.TB, body []byte) []wire.Frame {
	t.Helper()
	var list []wire.Frame
	lines := bufio.NewScanner(bytes.NewReader(body))
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var f wire.Frame
			if err := json.Unmarshal([]byte(data), &f); err != nil {
				t.Fatal(err)
			}
			list = append(list, f)
		}
	}
	return list
}

func TestASession(t *testing.T) {
	c := serve(t, shop, nil)
	path := c.start()
	found := c.must(200, c.post(path+"/observe", `{}`))
	link := get[map[string]any](t, found, "data", "result", 0)
	if link["description"] != `click link "Cart"` {
		t.Errorf("first action = %v, want the link", link)
	}
	raw, err := json.Marshal(map[string]any{"input": link})
	if err != nil {
		t.Fatal(err)
	}
	done := c.must(200, c.post(path+"/act", string(raw)))
	if !get[bool](t, done, "data", "result", "success") {
		t.Errorf("act = %s", done.body)
	}
	read := c.must(200, c.post(path+"/extract", `{}`))
	if text := get[string](t, read, "data", "result", "pageText"); !strings.Contains(text, "Your cart") {
		t.Errorf("pageText = %q", text)
	}
	replay := c.must(200, c.do("GET", path+"/replay", ""))
	if url := get[string](t, replay, "data", "pages", 1, "url"); url != "https://shop.test/cart" {
		t.Errorf("second page = %q in %s", url, replay.body)
	}
	if got := c.must(200, c.post(path+"/end", ``)); string(got.body) != `{"success":true}` {
		t.Errorf("end = %s", got.body)
	}
	c.wantFault(404, wire.SessionNotFound, c.post(path+"/act", `{"input":"click Pay"}`))
}

func TestAStream(t *testing.T) {
	c := serve(t, shop, nil)
	path := c.start()
	got := c.must(200, c.post(path+"/navigate", `{"url":"https://shop.test/cart","streamResponse":true}`))
	list := frames(t, got.body)
	last := list[len(list)-1].Data
	if last.Status != wire.Finished || !strings.Contains(string(last.Result), `"status":200`) || last.ActionID == "" {
		t.Errorf("stream = %s", got.body)
	}
	for name, want := range map[string]string{
		"content-type": "text/event-stream", "cache-control": "no-cache, no-transform", "x-accel-buffering": "no",
	} {
		if got := got.header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if !strings.HasPrefix(string(got.body), "event: starting\ndata: {") {
		t.Errorf("stream begins with %.40q", got.body)
	}
}

func fakeWeb(pages map[string]string) driver.Driver { return fake.Web(pages) }

// driverFunc is a driver that is a function.
type driverFunc func(context.Context, *driver.BrowserOptions) (driver.Browser, error)

func (f driverFunc) Open(ctx context.Context, o *driver.BrowserOptions) (driver.Browser, error) {
	return f(ctx, o)
}
func (f driverFunc) String() string { return "a test's" }

// logged is a log that a test reads.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func (l *logged) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// raw sends bytes, says that no more will come, and returns the answer.
func (c *client) raw(request string) string {
	c.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		c.t.Fatal(err)
	}
	_ = conn.(*net.TCPConn).CloseWrite() // the server may have answered and closed by now
	got, err := io.ReadAll(conn)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(got)
}
