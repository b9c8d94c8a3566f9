package engine_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// A guarded site is one server under all names: what differs is who may be asked.
type guardedSite struct {
	port string
	dns  *nameServer

	mu   sync.Mutex
	seen []string // "host/path" of the requests
}

// guardedPages are the site's, by path. $HOST stands for "bad.test:port".
var guardedPages = map[string]string{
	"/":         `<title>home</title><a href="http://$HOST/secret">link</a> <a href="http://$HOST/secret" target="_blank">popup</a> <a href="/away">redirected</a> <a href="/fine">fine</a>`,
	"/fine":     `<title>fine</title>fine`,
	"/secret":   `<title>secret</title>secret`,
	"/frame":    `<title>framed</title><iframe src="http://$HOST/secret"></iframe>`,
	"/style":    `<title>styled</title><link rel="stylesheet" href="http://$HOST/secret">`,
	"/restyle":  `<title>styled</title><link rel="stylesheet" href="/away">`,
	"/image":    `<title>image</title><img src="http://$HOST/secret">`,
	"/prefetch": `<title>prefetch</title><link rel="prefetch" href="http://$HOST/secret"><link rel="preconnect" href="http://$HOST"><link rel="preload" as="script" href="http://$HOST/secret">`,
	"/fetch":    `<title>fetch</title><script>fetch("http://$HOST/secret", {mode: "no-cors"}).catch(() => {}).finally(() => { document.title = "done" })</script>`,
	"/beacon":   `<title>beacon</title><script>navigator.sendBeacon("http://$HOST/secret", "x"); setTimeout(() => { document.title = "done" }, 100)</script>`,
	"/socket":   `<title>socket</title><script>const s = new WebSocket("ws://$HOST/secret"); s.onerror = () => { document.title = "done" }</script>`,
	"/worker":   `<title>worker</title><script>const w = new Worker("/worker.js"); w.onmessage = () => { document.title = "done" }</script>`,
	"/open":     `<title>open</title><button onclick='window.open("http://$HOST/secret")'>open</button>`,
}

func serveGuarded(t *testing.T) *guardedSite {
	s := &guardedSite{dns: startNames(t)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.port = server.URL[strings.LastIndexByte(server.URL, ':')+1:]
	return s
}

func (s *guardedSite) url(host, path string) string { return "http://" + host + ":" + s.port + path }

func (s *guardedSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.Host)
	s.mu.Lock()
	s.seen = append(s.seen, host+r.URL.Path)
	s.mu.Unlock()
	switch r.URL.Path {
	case "/away":
		http.Redirect(w, r, s.url("bad.test", "/secret"), http.StatusFound)
	case "/worker.js":
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, `fetch(%q, {mode: "no-cors"}).catch(() => {}).finally(() => postMessage(1))`, s.url("bad.test", "/secret"))
	default:
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, strings.ReplaceAll(guardedPages[r.URL.Path], "$HOST", "bad.test:"+s.port))
	}
}

func (s *guardedSite) secretSeen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.seen, func(v string) bool { return strings.HasSuffix(v, "/secret") })
}

// A nameServer answers for every name under test. with the addresses that it
// is given, in turn: the last one stays.
type nameServer struct {
	conn net.PacketConn

	mu    sync.Mutex
	addrs map[string][]netip.Addr
}

func startNames(t *testing.T) *nameServer {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &nameServer{conn: conn, addrs: map[string][]netip.Addr{}}
	var running sync.WaitGroup
	running.Go(n.serve)
	t.Cleanup(func() { conn.Close(); running.Wait() })
	return n
}

func (n *nameServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", n.conn.LocalAddr().String())
	}}
}

func (n *nameServer) name(host string, addrs ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, a := range addrs {
		n.addrs[host+"."] = append(n.addrs[host+"."], netip.MustParseAddr(a))
	}
}

func (n *nameServer) serve() {
	buf := make([]byte, 1500)
	for {
		size, from, err := n.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buf[:size]) != nil || len(m.Questions) != 1 {
			continue
		}
		q := m.Questions[0]
		m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
		n.mu.Lock()
		known := n.addrs[q.Name.String()]
		if len(known) == 0 {
			m.RCode = dnsmessage.RCodeNameError
		} else if q.Type == dnsmessage.TypeA {
			m.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
				Body:   &dnsmessage.AResource{A: known[0].As4()},
			}}
			if len(known) > 1 {
				n.addrs[q.Name.String()] = known[1:]
			}
		}
		n.mu.Unlock()
		out, err := m.Pack()
		if err == nil {
			_, _ = n.conn.WriteTo(out, from) // who asked asks again
		}
	}
}
