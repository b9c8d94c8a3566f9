package policy

import (
	"context"
	"errors"
	"net"
	"net/http/httptest"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A dialer connects to what the rules allow, however the host is written, and
// remembers why not.
func TestDialer(t *testing.T) {
	server := httptest.NewServer(nil)
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	dialer := func(p Policy, refused func(*RefusedError)) *Dialer {
		t.Helper()
		rules, err := p.Compile()
		if err != nil {
			t.Fatal(err)
		}
		return rules.NewDialer(refused)
	}
	ctx := context.Background()
	open := dialer(Policy{Private: []string{"*"}}, nil)
	for _, host := range []string{"127.0.0.1", "localhost", "0x7f.1", "::ffff:127.0.0.1"} {
		conn, err := open.DialContext(ctx, "tcp", net.JoinHostPort(host, port))
		if err != nil {
			t.Errorf("DialContext(%s) = %v", host, err)
			continue
		}
		conn.Close()
	}
	told := 0
	closed := dialer(Policy{}, func(*RefusedError) { told++ })
	hosts := []string{"127.0.0.1", "localhost", "0x7f.1", "::1", "::ffff:127.0.0.1"}
	for _, host := range hosts {
		conn, err := closed.DialContext(ctx, "tcp", net.JoinHostPort(host, port))
		var refused *RefusedError
		if conn != nil || !errors.As(err, &refused) || refused.Rule != RulePrivate || !errors.Is(err, driver.ErrBlocked) {
			t.Errorf("DialContext(%s) = %v, %v, want it refused as private", host, conn, err)
		}
		if err := closed.Failure("http://" + net.JoinHostPort(host, port)); !errors.As(err, &refused) {
			t.Errorf("Failure(%s) = %v, want the refusal", host, err)
		}
	}
	if told != len(hosts) {
		t.Errorf("told of %d refusals, want %d", told, len(hosts))
	}
	for _, to := range [][2]string{{"udp", "127.0.0.1:" + port}, {"unix", "/run/x"}, {"tcp", "127.0.0.1"}, {"tcp", "a b:80"}} {
		if conn, err := open.DialContext(ctx, to[0], to[1]); err == nil {
			conn.Close()
			t.Errorf("DialContext(%q, %q) succeeded", to[0], to[1])
		}
	}
}
