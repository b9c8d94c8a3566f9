package guests_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/guests"
)

// A service is a server whose sessions can be attached to.
type service struct {
	t *testing.T
	*httptest.Server
}

func serve(t *testing.T, d driver.Driver) service {
	t.Helper()
	visitors := guests.New(nil)
	srv, err := server.New(d, &server.Options{Parts: server.Parts{Guests: visitors.Open}})
	if err != nil {
		t.Fatal(err)
	}
	routes := http.NewServeMux()
	routes.Handle("/", srv)
	routes.Handle(guests.Path, visitors)
	s := service{t, httptest.NewServer(routes)}
	t.Cleanup(func() {
		if err := srv.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		s.Close()
	})
	return s
}

// call makes a request and returns the answer's text.
func (s service) call(method, path, body string) string {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("content-type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		s.t.Fatalf("%s %s: %s %s %v", method, path, res.Status, text, err)
	}
	return string(text)
}

// start opens a session.
func (s service) start() (id string, address *string) {
	s.t.Helper()
	var started struct {
		Data struct {
			SessionID string
			CDPURL    *string
		}
	}
	if err := json.Unmarshal([]byte(s.call("POST", "/v1/sessions/start", `{"modelName":"openai/m"}`)), &started); err != nil {
		s.t.Fatal(err)
	}
	return started.Data.SessionID, started.Data.CDPURL
}

func dial(t *testing.T, address string) *websocket.Conn {
	t.Helper()
	conn, res, err := websocket.DefaultDialer.DialContext(t.Context(), address, nil)
	if err != nil {
		t.Fatal(err, res)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// status dials an address that nobody is let in at.
func status(t *testing.T, address string, header http.Header) int {
	t.Helper()
	conn, res, err := websocket.DefaultDialer.DialContext(t.Context(), address, header)
	if err == nil {
		conn.Close()
		return http.StatusSwitchingProtocols
	}
	if res == nil {
		t.Fatal(err)
	}
	return res.StatusCode
}

// TestAttach: a client changes the page of a session in Chrome, the session sees
// it, and both ends go together.
func TestAttach(t *testing.T) {
	chrome, err := cdp.Start(t.Context(), cdp.Launch{})
	chrometest.Need(t, err)
	defer chrome.Close()
	s := serve(t, chrome)
	id, address := s.start()
	if address == nil || !strings.HasPrefix(*address, "ws://"+strings.TrimPrefix(s.URL, "http://")+guests.Path) {
		t.Fatalf("cdpUrl: %v", address)
	}
	if got := s.call("GET", strings.TrimPrefix(*address, strings.Replace(s.URL, "http", "ws", 1))+"/json/version/", ""); !strings.Contains(got, *address) || !strings.Contains(got, "Chrom") {
		t.Errorf("version: %s", got)
	}
	if got := s.call("GET", "/v1/sessions/"+id, ""); !strings.Contains(got, *address) {
		t.Errorf("the vendor's session: %s", got)
	}
	conn := dial(t, *address)
	wait := func(what string) (found struct {
		Params struct{ SessionID string }
		Error  any
	}) {
		t.Helper()
		for {
			_, message, err := conn.ReadMessage()
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(message), what) {
				if err := json.Unmarshal(message, &found); err != nil || found.Error != nil {
					t.Fatalf("%s %v", message, err)
				}
				return found
			}
		}
	}
	say := func(format string, args ...any) {
		t.Helper()
		if err := conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, format, args...)); err != nil {
			t.Fatal(err)
		}
	}
	s.call("POST", "/v1/sessions/"+id+"/observe", `{}`)
	say(`{"id":1,"method":"Target.setAutoAttach","params":{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}}`)
	page := wait("Target.attachedToTarget").Params.SessionID
	say(`{"id":2,"sessionId":%q,"method":"Runtime.evaluate","params":{"expression":"document.body.innerHTML = '<button>By a guest</button>'"}}`, page)
	wait(`"id":2`)
	if got := s.call("POST", "/v1/sessions/"+id+"/observe", `{}`); !strings.Contains(got, "By a guest") {
		t.Errorf("the session does not see what the client did: %s", got)
	}
	if got := s.call("GET", "/v1/sessions/"+id+"/replay", ""); !strings.Contains(got, "attached") || !strings.Contains(got, "Runtime.evaluate") {
		t.Errorf("history: %s", got)
	}
	s.call("POST", "/v1/sessions/"+id+"/end", `{}`)
	var closed *websocket.CloseError
	for err == nil {
		_, _, err = conn.ReadMessage()
	}
	if !errors.As(err, &closed) || closed.Code != websocket.CloseGoingAway {
		t.Errorf("the connection ended by %v", err)
	}
	if got := status(t, *address, nil); got != http.StatusNotFound {
		t.Errorf("after the end: %d", got)
	}
}

// TestNoHost: a browser in memory speaks no protocol.
func TestNoHost(t *testing.T) {
	if _, address := serve(t, fake.Network()).start(); address != nil {
		t.Errorf("cdpUrl: %s", *address)
	}
}

// A host lets everybody in and says what a test has it say.
type host struct {
	driver.Browser
	err  error
	done chan struct{}

	mu     sync.Mutex
	o      *driver.GuestOptions
	closed int
}

func (h *host) Version() string { return "Chrome/1" }

func (h *host) Admit(_ context.Context, o *driver.GuestOptions) (driver.Guest, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.o = o
	return let{h}, h.err
}

// A let is who was let in.
type let struct{ *host }

func (h let) Command(m []byte) error {
	if strings.Contains(string(m), "nonsense") {
		return errors.New("this is nonsense")
	}
	h.o.Acted("A.b")
	h.o.Send([]byte(`{"answer":` + string(m) + `}`))
	return nil
}

func (h let) Done() <-chan struct{} { return h.done }

func (h let) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed++
}

// room opens an address for a host.
func room(t *testing.T, h *host, o *guests.Options) (address string, end func(), notes func() string) {
	t.Helper()
	g := guests.New(o)
	site := httptest.NewServer(g)
	t.Cleanup(site.Close)
	var mu sync.Mutex
	var written strings.Builder
	h.done = make(chan struct{})
	at, end := g.Open(server.GuestSession{ID: "s", Browser: h, Touch: func() {}, Note: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		written.WriteString(text + "\n")
	}})
	t.Cleanup(end)
	r := httptest.NewRequest("GET", site.URL, nil)
	return at(r), end, func() string {
		mu.Lock()
		defer mu.Unlock()
		return written.String()
	}
}

func TestWhoIsLetIn(t *testing.T) {
	address, _, _ := room(t, &host{}, &guests.Options{PerSession: 1})
	if len(address) < 60 {
		t.Errorf("the address can be guessed: %s", address)
	}
	for what, c := range map[string]struct {
		address string
		header  http.Header
		want    int
	}{
		"another token": {address[:len(address)-2] + "xx", nil, 404},
		"no token":      {address[:strings.LastIndex(address, "/")+1], nil, 404},
		"below":         {address + "/page", nil, 404},
		"a web page":    {address, http.Header{"Origin": {"http://a.test"}}, 403},
	} {
		if got := status(t, c.address, c.header); got != c.want {
			t.Errorf("%s: %d, not %d", what, got, c.want)
		}
	}
	dial(t, address)
	if got := status(t, address, nil); got != http.StatusServiceUnavailable {
		t.Errorf("one client too many: %d", got)
	}
}

func TestEnds(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	for name, c := range map[string]struct {
		host *host
		opts guests.Options
		do   func(h *host, conn *websocket.Conn, end func())
		code int
	}{
		"the session ends":     {do: func(_ *host, _ *websocket.Conn, end func()) { end() }, code: websocket.CloseGoingAway},
		"the browser ends":     {do: func(h *host, _ *websocket.Conn, _ func()) { close(h.done) }, code: websocket.CloseGoingAway},
		"nonsense":             {do: func(_ *host, c *websocket.Conn, _ func()) { c.WriteMessage(1, []byte(`"nonsense"`)) }, code: websocket.CloseNormalClosure},
		"bytes":                {do: func(_ *host, c *websocket.Conn, _ func()) { c.WriteMessage(2, []byte(`{}`)) }, code: websocket.CloseNormalClosure},
		"a message too large":  {opts: guests.Options{Message: 1000}, do: func(_ *host, c *websocket.Conn, _ func()) { c.WriteMessage(1, []byte(big)) }, code: websocket.CloseMessageTooBig},
		"the client is behind": {opts: guests.Options{Buffer: 1000}, do: func(_ *host, c *websocket.Conn, _ func()) { c.WriteMessage(1, []byte(big)) }, code: websocket.ClosePolicyViolation},
		"the browser says no":  {host: &host{err: errors.New("no")}, do: func(*host, *websocket.Conn, func()) {}, code: websocket.CloseNormalClosure},
		"the client is silent": {opts: guests.Options{Silence: time.Millisecond}, do: func(_ *host, c *websocket.Conn, _ func()) {
			c.SetPingHandler(func(string) error { return nil }) // an answer could come to a connection that is closed by then
		}, code: websocket.CloseNormalClosure},
		"the client takes none": {opts: guests.Options{WriteTime: time.Millisecond}, do: func(h *host, c *websocket.Conn, end func()) { flood(h, big); end() }},
	} {
		t.Run(name, func(t *testing.T) {
			h := c.host
			if h == nil {
				h = &host{}
			}
			address, end, notes := room(t, h, &c.opts)
			conn := dial(t, address)
			for h.admitted() == nil {
				time.Sleep(time.Millisecond)
			}
			c.do(h, conn, end)
			if c.code != 0 {
				var closed *websocket.CloseError
				var err error
				for err == nil {
					_, _, err = conn.ReadMessage()
				}
				if !errors.As(err, &closed) || closed.Code != c.code {
					t.Errorf("it ended by %v", err)
				}
			}
			end() // waits for the visit
			if h.err == nil && h.closed == 0 {
				t.Error("the browser was not told")
			}
			if !strings.Contains(notes(), "left") {
				t.Errorf("history: %s", notes())
			}
		})
	}
}

func (h *host) admitted() *driver.GuestOptions {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.o
}

// flood sends more than a connection takes.
func flood(h *host, message string) {
	for range 30 {
		h.o.Send([]byte(message))
	}
}

// TestStory: what a client does stands in the history at once, and then by and by.
func TestStory(t *testing.T) {
	address, end, notes := room(t, &host{}, nil)
	conn := dial(t, address)
	for range 3 {
		if err := conn.WriteMessage(websocket.TextMessage, []byte(`{}`)); err != nil {
			t.Fatal(err)
		}
		if _, message, err := conn.ReadMessage(); err != nil || string(message) != `{"answer":{}}` {
			t.Fatalf("%s %v", message, err)
		}
	}
	end()
	want := "a client of the DevTools protocol attached\na client of the DevTools protocol sent A.b (1)\na client of the DevTools protocol sent A.b (2); left\n"
	if got := notes(); got != want {
		t.Errorf("history:\n%s", got)
	}
}
