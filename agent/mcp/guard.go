package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// Bounds of what a server may send.
const (
	maxMessage  = 16 << 20 // bytes of one message
	maxDepth    = 100      // levels of objects and lists in a message; the SDK's decoder recurses
	maxUnasked  = 64 << 20 // bytes between two calls, or in a minute
	maxRequests = 1000     // of the server to us, likewise
	window      = time.Minute
)

// A guard stands between a server and the SDK. It passes on messages that are
// whole, not too large and not too deep, and drops notifications: the SDK queues
// what it gets without a bound.
type guard struct {
	sent      atomic.Int64 // messages and requests that may have reached the server
	resumable bool         // ids of events mean something
	onFault   func()       // ends the connection; does not wait

	mu       sync.Mutex // guards what follows
	began    time.Time  // of the window
	bytes    int
	requests int
	fault    error // the first thing that the server did wrong
}

// expect begins a new window: we asked for something.
func (g *guard) expect() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.began, g.bytes, g.requests = time.Now(), 0, 0
}

// blame notes what the server did wrong and ends the connection.
func (g *guard) blame(err error) error {
	g.mu.Lock()
	first := g.fault == nil
	if first {
		g.fault = err
	}
	g.mu.Unlock()
	if first && g.onFault != nil {
		g.onFault() // before anybody reads the error: a call that follows must not go out on a connection that ends
	}
	return err
}

// blamed returns what the server did wrong; nil is nothing.
func (g *guard) blamed() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fault
}

// count notes bytes, and a request of the server.
func (g *guard) count(bytes, requests int) error {
	g.mu.Lock()
	if now := time.Now(); now.Sub(g.began) > window {
		g.began, g.bytes, g.requests = now, 0, 0
	}
	g.bytes += bytes
	g.requests += requests
	flooded := g.bytes > maxUnasked || g.requests > maxRequests
	g.mu.Unlock()
	if flooded {
		return g.blame(errors.New("it sends without end"))
	}
	return nil
}

// judge reports whether a message is for the SDK.
func (g *guard) judge(message []byte) (keep bool, err error) {
	if err := shallow(message); err != nil {
		return false, g.blame(err)
	}
	var head struct {
		ID     json.RawMessage `json:"id"`
		Method *string         `json:"method"`
	}
	if err := json.Unmarshal(message, &head); err != nil {
		return false, g.blame(fmt.Errorf("it sent what is no message: %w", err))
	}
	if head.Method == nil {
		return true, nil // an answer
	}
	if len(head.ID) == 0 || string(head.ID) == "null" {
		return false, nil // a notification
	}
	return true, g.count(0, 1)
}

// shallow refuses a message that nests too deep.
func shallow(message []byte) error {
	depth, quoted := 0, false
	for i := 0; i < len(message); i++ {
		switch c := message[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return fmt.Errorf("it sent a message that nests deeper than %d levels", maxDepth)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

var errLong = fmt.Errorf("it sent a message of more than %d MB", maxMessage>>20)

// line reads up to the end of a line, which it leaves out.
func (g *guard) line(r *bufio.Reader, room int) ([]byte, error) {
	var line []byte
	for {
		piece, err := r.ReadSlice('\n')
		if e := g.count(len(piece), 0); e != nil {
			return nil, e
		}
		if line = append(line, piece...); len(line) > room {
			return nil, g.blame(errLong)
		}
		if err == nil || errors.Is(err, io.EOF) && len(line) > 0 {
			return bytes.TrimRight(line, "\r\n"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

// A filter is a server's stream as the SDK gets it. next gives the next piece.
type filter struct {
	source io.Closer
	next   func() ([]byte, error)
	rest   []byte
	err    error
}

func (f *filter) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		f.rest, f.err = f.next()
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

func (f *filter) Close() error { return f.source.Close() }

// lines passes messages on that stand on a line each. Other lines are a
// program's chatter, and are dropped.
func (g *guard) lines(source io.ReadCloser) *filter {
	r := bufio.NewReaderSize(source, 64<<10)
	return &filter{source: source, next: func() ([]byte, error) {
		line, err := g.line(r, maxMessage)
		if err != nil {
			return nil, err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] != '{' && line[0] != '[' {
			return nil, nil
		}
		messages := []json.RawMessage{line}
		if line[0] == '[' { // a batch
			if err := shallow(line); err != nil {
				return nil, g.blame(err)
			}
			messages = nil
			if json.Unmarshal(line, &messages) != nil {
				return nil, nil
			}
		}
		var out []byte
		for _, m := range messages {
			keep, err := g.judge(m)
			if err != nil {
				return nil, err
			}
			if keep {
				out = append(append(out, m...), '\n')
			}
		}
		return out, nil
	}}
}

// events passes server-sent events on that hold a message for the SDK.
func (g *guard) events(source io.ReadCloser) *filter {
	r := bufio.NewReaderSize(source, 64<<10)
	return &filter{source: source, next: func() ([]byte, error) {
		var block, data, id []byte
		name := ""
		for {
			line, err := g.line(r, maxMessage-len(block))
			if err != nil {
				return nil, err // an event without its end is none
			}
			if len(line) == 0 {
				break
			}
			field, value, _ := bytes.Cut(line, []byte(":"))
			value = bytes.TrimPrefix(value, []byte(" "))
			switch string(field) {
			case "data":
				data = append(append(data, value...), '\n')
			case "event":
				name = string(value)
			case "id":
				id = append(bytes.Clone(line), '\n')
			}
			block = append(append(block, line...), '\n')
		}
		keep := name == "endpoint" || len(data) == 0 && g.resumable
		if data = bytes.TrimSpace(data); len(data) > 0 && (name == "" || name == "message") {
			var err error
			if keep, err = g.judge(data); err != nil {
				return nil, err
			}
		}
		switch {
		case keep && len(block) > 0:
			return append(block, '\n'), nil
		case len(id) > 0 && g.resumable:
			return append(id, '\n'), nil // where to continue
		}
		return nil, nil
	}}
}

// whole passes a body on that is one message.
func (g *guard) whole(source io.ReadCloser) *filter {
	done := false
	return &filter{source: source, next: func() ([]byte, error) {
		if done {
			return nil, io.EOF
		}
		done = true
		body, err := io.ReadAll(io.LimitReader(source, maxMessage+1))
		if err != nil {
			return nil, err
		}
		if len(body) > maxMessage {
			return nil, g.blame(errLong)
		}
		if err := shallow(body); err != nil {
			return nil, g.blame(err)
		}
		return body, g.count(len(body), 0)
	}}
}

// client is an HTTP client that talks to the origin of an address alone. The
// SDK knows the address without its query and its user, which are put in here,
// so that no error repeats them.
func (g *guard) client(address string, headers map[string]string) (*http.Client, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the server's URL is none") // the error would repeat it
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxResponseHeaderBytes = 256 << 10
	return &http.Client{Transport: &traveller{guard: g, home: u, headers: headers, inner: transport}}, nil
}

// A traveller does HTTP requests for the SDK.
type traveller struct {
	guard   *guard
	home    *url.URL
	headers map[string]string
	inner   *http.Transport
}

// CloseIdleConnections is what [http.Client.CloseIdleConnections] calls.
func (t *traveller) CloseIdleConnections() { t.inner.CloseIdleConnections() }

func (t *traveller) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != t.home.Scheme || req.URL.Host != t.home.Host {
		return nil, fmt.Errorf("the server sends us to %s://%s, which is not its own origin", req.URL.Scheme, req.URL.Host)
	}
	req = req.Clone(req.Context())
	if req.URL.RawQuery == "" && req.URL.Path == t.home.Path {
		req.URL.RawQuery = t.home.RawQuery
	}
	if user := t.home.User; user != nil {
		password, _ := user.Password()
		req.SetBasicAuth(user.Username(), password)
	}
	for name, value := range t.headers {
		req.Header.Set(name, value)
	}
	// A request may reach the server as soon as it has a connection.
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { t.guard.sent.Add(1) }}
	resp, err := t.inner.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil {
		return nil, err
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/event-stream" && resp.StatusCode < 300 {
		resp.Body = t.guard.events(resp.Body)
	} else {
		resp.Body = t.guard.whole(resp.Body)
	}
	return resp, nil
}
