package policy

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// through is a client that goes through a gate with the policy's rules.
func through(t *testing.T, p Policy, refused func(*RefusedError)) (*Gate, *http.Client) {
	t.Helper()
	rules, err := p.Compile()
	if err != nil {
		t.Fatal(err)
	}
	g, err := rules.OpenGate(refused)
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := url.Parse(g.Server())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(proxy)}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := errors.Join(g.Close(), g.Close()); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return g, &http.Client{Transport: transport}
}

func TestGate(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(w, r.Body)
		io.WriteString(w, r.URL.Path)
	}))
	defer server.Close()
	local := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)

	_, open := through(t, Policy{Private: []string{"*"}}, nil)
	for _, address := range []string{server.URL, local} {
		res, err := open.Post(address+"/there", "text/plain", strings.NewReader(strings.Repeat("x", 1<<20)))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || len(body) != 1<<20+len("/there") {
			t.Errorf("%d bytes came through, error %v", len(body), err)
		}
	}

	var told []*RefusedError
	g, closed := through(t, Policy{}, func(e *RefusedError) { told = append(told, e) })
	for _, address := range []string{server.URL, local} {
		if res, err := closed.Get(address); err == nil {
			res.Body.Close()
			t.Errorf("%s was connected to", address)
		}
		err := g.Failure(address)
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Rule != RulePrivate || !errors.Is(err, driver.ErrBlocked) {
			t.Errorf("Failure(%s) = %v, want it refused as private", address, err)
		}
	}
	if len(told) != 2 {
		t.Errorf("told of %d refusals, want 2", len(told))
	}
	if err := g.Failure("http://127.0.0.1:1/"); err != nil {
		t.Errorf("Failure of what was not tried = %v", err)
	}
}

// A client that speaks something else, or nothing, is let go.
func TestGateRefusesOtherTalk(t *testing.T) {
	g, _ := through(t, Policy{Private: []string{"*"}}, nil)
	address := strings.TrimPrefix(g.Server(), "socks5://")
	for name, said := range map[string]string{
		"http":        "GET / HTTP/1.1\r\n\r\n",
		"SOCKS 4":     "\x04\x01\x00\x50\x7f\x00\x00\x01\x00",
		"bind":        "\x05\x01\x00" + "\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50",
		"no kind":     "\x05\x01\x00" + "\x05\x01\x00\x09\x00\x50",
		"no name":     "\x05\x01\x00" + "\x05\x01\x00\x03\x00\x00\x50",
		"odd name":    "\x05\x01\x00" + "\x05\x01\x00\x03\x05a b/c\x00\x50",
		"half a word": "\x05\x02",
	} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, said); err != nil {
			t.Fatal(err)
		}
		_ = conn.(*net.TCPConn).CloseWrite() // the gate may have reset the connection by now
		answer, _ := io.ReadAll(conn)        // a reset ends it as well
		if len(answer) > 3 && answer[3] == socksOK {
			t.Errorf("%s: answered %x", name, answer)
		}
		conn.Close()
	}
}

// Connections end with the gate, also those that stand open.
func TestGateCloseEndsConnections(t *testing.T) {
	hold := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-hold
	}))
	defer server.Close()
	defer close(hold)
	g, client := through(t, Policy{Private: []string{"127.0.0.1"}}, nil)
	res, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("the connection outlived the gate")
	}
}

// Names are looked up where there is no gate, and one that cannot be is refused.
func TestCheckName(t *testing.T) {
	down := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no network") }}
	rules, err := (&Policy{Resolver: down, Deny: []string{"denied.test"}}).Compile()
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]Rule{
		"https://somewhere.test/": RuleName,
		"https://denied.test/":    RuleDeny,
		"http://localhost/":       RulePrivate,
		"file:///etc/passwd":      RuleScheme,
		"http://a b/":             RuleAddress,
		"https://8.8.8.8/":        "",
		"about:blank":             "",
	} {
		err := rules.CheckName(t.Context(), address)
		var refused *RefusedError
		if errors.As(err, &refused); (err == nil) != (want == "") || err != nil && refused.Rule != want {
			t.Errorf("CheckName(%s) = %v, want %q", address, err, want)
		}
	}
	for server, want := range map[string]Rule{
		"socks5://127.0.0.1:1080": RulePrivate, "http://denied.test:3128": RuleDeny, "10.0.0.1:3128": RulePrivate,
		"http://": RuleProxy, "http://8.8.8.8:3128": "",
	} {
		err := rules.CheckProxy(t.Context(), &driver.Proxy{Server: server})
		var refused *RefusedError
		if errors.As(err, &refused); (err == nil) != (want == "") || err != nil && refused.Rule != want {
			t.Errorf("CheckProxy(%s) = %v, want %q", server, err, want)
		}
	}
}
