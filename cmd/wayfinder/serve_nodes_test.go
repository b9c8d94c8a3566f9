package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	nats "github.com/nats-io/nats-server/v2/server"

	"github.com/wayfinder-engine/wayfinder/server/client"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// TestServeNodesUsage: what can't be a node of several is refused at once, before
// anything is waited for, in words that say what to do.
func TestServeNodesUsage(t *testing.T) {
	peers := []string{"--peer", "127.0.0.1:7101,127.0.0.1:7102", "--node-addr", "127.0.0.1:7101"}
	known := "WAYFINDER_CLUSTER_SECRET=between the nodes"
	for _, c := range []struct {
		variable string
		args     []string
		want     string
	}{
		{"", []string{"--node-addr", "127.0.0.1:7101"}, "name them by --peer"},
		{"", []string{"--advertise", "127.0.0.1:7101"}, "name them by --peer"},
		{"", []string{"--label", "zone=north"}, "name them by --peer"},
		{known, nil, "name them by --peer"},
		{"", peers, "set WAYFINDER_CLUSTER_SECRET"},
		{"", []string{"--cluster", "nats://127.0.0.1:1"}, "set WAYFINDER_CLUSTER_SECRET"},
		{known, append(peers, "--cluster", "nats://127.0.0.1:1"), "choose one"},
		{known, []string{"--cluster", "nats://127.0.0.1:1", "--node-addr", "127.0.0.1:7101"}, "--node-addr goes with --peer"},
		{known, []string{"--cluster", "http://user:password@127.0.0.1:1"}, "as nats://host:4222"},
		{known, []string{"--cluster", "nats://127.0.0.1:1, 127.0.0.1"}, "as nats://host:4222"},
		{known, []string{"--peer", "127.0.0.1"}, `"127.0.0.1": write host:port`},
		{known, []string{"--peer", "127.0.0.1:0"}, "write host:port"},
		{known, []string{"--peer", ":7101"}, "write host:port"},
		{known, []string{"--peer", "127.0.0.1:7101,127.0.0.1:7101"}, "there twice"},
		{known, []string{"--peer", "127.0.0.1:7101"}, `--node-addr "": it is the one of --peer`},
		{known, []string{"--peer", "127.0.0.1:7101", "--node-addr", "127.0.0.1:7102"}, "the one of --peer that this node is: 127.0.0.1:7101"},
		{known, []string{"--peer", "127.0.0.1:7101", "--node-addr", "127.0.0.1:7101"}, "names this node alone"},
		{known, append(peers, "--advertise", "node-1"), "write the host:port"},
		{known, append(peers, "--advertise", "0.0.0.0:8080"), "--advertise is needed"},
		{known, append(peers, "--addr", "0.0.0.0:8080"), "no other node reaches this one at 0.0.0.0:8080"},
		{known, append(peers, "--addr", ":8080"), "--advertise is needed"},
		{known, append(peers, "--label", "north"), "must be formatted as key=value"},
		{known, append(peers, "--label", "=north"), "as zone=north"},
		{"", []string{"--attach-base", "wss://a.test"}, "goes with --attach"},
		{"", []string{"--attach", "--attach-base", "https://a.test"}, "wss://"},
		{"", []string{"--attach", "--cdp", "http://127.0.0.1:9222", "--driver", "chrome"}, "clients attach there"},
	} {
		e := wayfinderIn(t, []string{c.variable}, append([]string{"serve", "--driver", "memory", "--keys", sha256Of("key")}, c.args...)...)
		if e.code != exitUsage || !strings.Contains(e.err, c.want) {
			t.Errorf("serve %v = %d, %q; want %d with %q", c.args, e.code, e.err, exitUsage, c.want)
		}
		if strings.Contains(e.err, "password") || strings.Contains(e.err, "between the nodes") {
			t.Errorf("serve %v tells a secret: %s", c.args, e.err)
		}
	}
	// What shows only later has an end, too.
	e := wayfinderIn(t, []string{known}, "serve", "--driver", "memory", "--cluster", "nats://"+unused(t))
	if e.code != exitEnvironment || !strings.Contains(e.err, "the records cannot be opened") {
		t.Errorf("without servers of NATS: %+v", e)
	}
}

// freePorts returns addresses of this machine that nobody listens at. They are
// held until all are known.
func freePorts(t *testing.T, n int) []string {
	t.Helper()
	var all []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		all = append(all, l.Addr().String())
	}
	return all
}

// TestServeNodes: three processes are one service. A session is at the node of its
// label, each node takes its requests, limits of a key hold over all of them, and
// its sessions are gone when the node has ended.
func TestServeNodes(t *testing.T) {
	_, site := shop(t)
	peers := freePorts(t, 3)
	secret := []string{"WAYFINDER_CLUSTER_SECRET=between the nodes", "WAYFINDER_KEYS=" + sha256Of("key") + " alice", "WAYFINDER_PEER=" + strings.Join(peers, ",")}
	var all []*served
	for i, peer := range peers {
		all = append(all, startService(t, secret, "--driver", "memory", "--allow-private", "127.0.0.1", "--node-addr", peer, "--label", fmt.Sprint("number=", i), "--data", t.TempDir()))
	}
	for _, v := range all {
		v.await()
	}
	testNodes(t, all, site)
}

// TestServeCluster: the same with records that servers of NATS keep.
func TestServeCluster(t *testing.T) {
	_, site := shop(t)
	testNodes(t, cluster(t, "--driver", "memory"), site)
}

// cluster starts two nodes whose records a server of NATS keeps. They listen at
// every address, and tell each other which one is theirs.
func cluster(t *testing.T, args ...string) []*served {
	t.Helper()
	running, err := nats.NewServer(&nats.Options{Host: "127.0.0.1", Port: nats.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	running.Start()
	t.Cleanup(func() {
		running.Shutdown()
		running.WaitForShutdown()
	})
	variables := []string{"WAYFINDER_CLUSTER_SECRET=between the nodes", "WAYFINDER_KEYS=" + sha256Of("key") + " alice", "WAYFINDER_CLUSTER=nats://" + running.Addr().String()}
	ports := freePorts(t, 2)
	var all []*served
	for i, addr := range ports {
		_, port, _ := strings.Cut(addr, ":")
		all = append(all, startService(t, variables, append(args, "--allow-private", "127.0.0.1", "--addr", "0.0.0.0:"+port, "--advertise", addr, "--label", fmt.Sprint("number=", i))...))
	}
	for i, v := range all {
		v.await()
		v.address = "http://" + ports[i]
	}
	return all
}

// TestServeNodesAttach: a client of the DevTools protocol that asks any node is
// brought to the session's own, by an address of the node that it knows, and to
// nobody without the secret.
func TestServeNodesAttach(t *testing.T) {
	needChrome(t)
	_, site := shop(t)
	all := cluster(t, "--driver", "chrome", "--attach")
	s, err := all[0].client("key").Start(t.Context(), &wire.SessionStart{ModelName: "offline", Browser: &wire.Browser{Labels: map[string]string{"number": "1"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Navigate(t.Context(), &wire.NavigateRequest{URL: site}); err != nil {
		t.Fatal(err)
	}
	address := s.CDPURL()
	asked, path, ok := strings.Cut(strings.TrimPrefix(address, "ws://"), "/")
	if !ok || "http://"+asked != all[0].address {
		t.Fatalf("the session's address is %q, and it was asked for at %s", address, all[0].address)
	}
	for i, v := range all {
		if status, body := v.get("/" + path + "/json/version/"); status != 200 || !strings.Contains(body, strings.Replace(v.address, "http", "ws", 1)+"/"+path) {
			t.Errorf("node %d: /json/version = %d %s", i, status, body)
		}
		if status, _ := v.get("/" + path + "x/json/version"); status != 404 {
			t.Errorf("node %d: with another secret: %d", i, status)
		}
		conn := attach101(t, v.address+"/"+path)
		fmt.Fprint(conn, textFrame(`{"id":1,"method":"Target.getTargets"}`))
		if got := readUntil(t, conn, `"id":1`); !strings.Contains(got, site) {
			t.Errorf("node %d: the browser's targets are %s", i, got)
		}
		defer conn.Close()
	}
	conn := attach101(t, all[0].address+"/"+path)
	if err := s.End(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Logf("the connection ended with %v", err) // as it may
	}
	if status, _ := all[0].get("/" + path + "/json/version"); status != 404 {
		t.Errorf("after the session's end: %d", status)
	}
	for _, log := range []string{all[0].logged(), all[1].logged()} {
		if strings.Contains(log, path) {
			t.Error("the address is in the log")
		}
	}
}

// attach101 has an address upgrade to a WebSocket, and returns the connection.
func attach101(t *testing.T, address string) io.ReadWriteCloser {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"connection": "Upgrade", "upgrade": "websocket", "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="} {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	conn, ok := response.Body.(io.ReadWriteCloser)
	if response.StatusCode != http.StatusSwitchingProtocols || !ok {
		t.Fatalf("%s: %s", address, response.Status)
	}
	return conn
}

// textFrame is a short message of a WebSocket's client, under a mask of zeros.
func textFrame(text string) string {
	return string([]byte{0x81, 0x80 | byte(len(text)), 0, 0, 0, 0}) + text
}

// readUntil returns what has arrived once it has a word, and 64 bytes after it.
func readUntil(t *testing.T, r io.Reader, word string) string {
	t.Helper()
	var got strings.Builder
	for part := make([]byte, 4096); ; {
		n, err := r.Read(part)
		got.Write(part[:n])
		if i := strings.Index(got.String(), word); i >= 0 && strings.HasSuffix(got.String(), "}") {
			return got.String()
		}
		if err != nil {
			t.Fatalf("%v after %s", err, got.String())
		}
	}
}

func testNodes(t *testing.T, all []*served, site string) {
	t.Helper()
	at := func(i int, s *client.Session) *client.Session { return all[i%len(all)].client("key").Session(s.ID()) }
	var sessions []*client.Session
	for i := range all {
		// Asked for at another node than that which has the label.
		want := &wire.Browser{Labels: map[string]string{"number": fmt.Sprint(i)}}
		s, err := all[(i+1)%len(all)].client("key").Start(t.Context(), &wire.SessionStart{ModelName: "offline", Browser: want})
		if err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, s)
		if _, err := at(i+1, s).Navigate(t.Context(), &wire.NavigateRequest{URL: site}); err != nil {
			t.Fatal(err)
		}
		if act, err := at(i+2, s).Act(t.Context(), client.Say("type compass into the search field")); err != nil || !act.Result.Success {
			t.Errorf("act: %+v, %v", act, err)
		}
		if body := metricsOf(t, all[i], "key"); !strings.Contains(body, "wayfinder_sessions 1\n") {
			t.Errorf("node %d has not the session of its label: %s", i, body)
		}
	}
	none := &wire.Browser{Labels: map[string]string{"number": "none"}}
	var refused *client.Error
	if _, err := all[0].client("key").Start(t.Context(), &wire.SessionStart{ModelName: "offline", Browser: none}); !errors.As(err, &refused) || refused.Status != 429 {
		t.Errorf("a label of no node: %v", err)
	}
	last := len(all) - 1
	if err := all[last].cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-all[last].ended
	if all[last].err != nil {
		t.Errorf("it ended with %v", all[last].err)
	}
	for i := range last {
		var err error
		waitUntil(t, func() bool { // the news of its end is on its way
			_, err = at(i, sessions[last]).Act(t.Context(), client.Say("press the Search button"))
			return !errors.As(err, &refused) || refused.Code != wire.NodeUnavailable
		})
		if !errors.As(err, &refused) || refused.Status != 410 {
			t.Errorf("a session of the node that has ended, at node %d: %v", i, err)
		}
		var replay *wire.Replay
		waitUntil(t, func() bool { // the node that ended may have led the records
			replay, err = at(i, sessions[last]).Replay(t.Context())
			return !errors.As(err, &refused) || refused.Code != wire.NodeUnavailable
		})
		if err != nil || len(replay.Pages) == 0 {
			t.Errorf("what was done in it, at node %d: %+v, %v", i, replay, err)
		}
		if act, err := at(i, sessions[0]).Act(t.Context(), client.Say("press the Search button")); err != nil || !act.Result.Success {
			t.Errorf("a session of node 0, at node %d: %+v, %v", i, act, err)
		}
	}
}

// metricsOf returns the metrics, for a key.
func metricsOf(t *testing.T, v *served, key string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.address+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("x-svc-api-key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
