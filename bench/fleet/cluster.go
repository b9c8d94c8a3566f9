package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// A cluster is three nodes on loopback, each a process.
type cluster struct {
	ctx    context.Context
	client *http.Client
	nodes  []*child
}

// A child is one node's process, now or after its restart.
type child struct {
	process
	input *os.File // nil: none
	cmd   *exec.Cmd
	ended chan struct{}
}

// start starts three nodes, and returns when they serve.
func start(ctx context.Context, think time.Duration, runs int) (*cluster, error) {
	c := &cluster{ctx: ctx, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}}}
	var peers, addresses []string
	var held []net.Listener
	for range 6 { // ports that are free: held until all are known
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		held = append(held, l)
		if len(peers) < 3 {
			peers = append(peers, l.Addr().String())
		} else {
			addresses = append(addresses, l.Addr().String())
		}
	}
	for _, l := range held {
		_ = l.Close() // nobody has connected
	}
	for i := range peers {
		c.nodes = append(c.nodes, &child{process: process{
			Name: fmt.Sprint("n", i), HTTP: addresses[i], Route: peers[i], Peers: peers, Think: think, Runs: runs, Term: 3 * time.Second,
		}})
	}
	var all sync.WaitGroup
	failed := make(chan error, len(c.nodes))
	for _, n := range c.nodes {
		all.Go(func() { failed <- n.start(ctx) })
	}
	all.Wait()
	for range c.nodes {
		if err := <-failed; err != nil {
			c.stop()
			return nil, err
		}
	}
	return c, nil
}

// start starts the process and returns when it serves.
func (n *child) start(ctx context.Context) error {
	raw, err := json.Marshal(n.process)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	n.cmd = exec.CommandContext(ctx, program)
	n.cmd.Env = append(os.Environ(), processVariable+"="+string(raw))
	n.cmd.Stderr = os.Stderr
	if n.input != nil {
		n.cmd.Stdin = n.input
	}
	out, err := n.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := n.cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	n.ended = make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		_ = n.cmd.Wait() // how it ended was asked for
		close(n.ended)
	}()
	if err != nil || first != "ready\n" {
		return fmt.Errorf("node %s says %q, %v", n.Name, first, err)
	}
	return nil
}

// end sends a signal and waits for the end.
func (n *child) end(s os.Signal) {
	if n.cmd == nil || n.cmd.Process == nil {
		return
	}
	_ = n.cmd.Process.Signal(s) // it may have ended
	<-n.ended
}

// stop kills all.
func (c *cluster) stop() {
	for _, n := range c.nodes {
		n.end(syscall.SIGKILL)
	}
}

// An answer is what came of a request; a status of 0 is no answer.
type answer struct {
	status int
	retry  string
	body   []byte
	took   time.Duration
}

// call sends a request to a node.
func (c *cluster) call(node int, method, path, body string, headers ...string) answer {
	begun := time.Now()
	req, err := http.NewRequestWithContext(c.ctx, method, "http://"+c.nodes[node].HTTP+path, nil)
	if err != nil {
		return answer{}
	}
	if body != "" {
		req, _ = http.NewRequestWithContext(c.ctx, method, req.URL.String(), bytesOf(body)) // as above
		req.Header.Set("content-type", "application/json")
	}
	req.Header.Set("x-svc-api-key", key)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return answer{}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}
	}
	return answer{resp.StatusCode, resp.Header.Get("retry-after"), raw, time.Since(begun)}
}

// session starts one; empty: there is none.
func (c *cluster) session(node int) string {
	a := c.call(node, "POST", "/v1/sessions/start", `{}`)
	var started struct{ Data struct{ SessionID string } }
	if json.Unmarshal(a.body, &started) != nil {
		return ""
	}
	return started.Data.SessionID
}
