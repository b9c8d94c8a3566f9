package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfinder-engine/wayfinder/agent"
)

// An Endpoint is where a server is: a [Command], an [HTTP] or an [SSE].
type Endpoint interface {
	// String names it without what may be secret: arguments, queries, passwords.
	String() string

	check() error
	// dial makes the transport of one connection. What it starts ends with
	// life, or with the process that it returns.
	dial(life context.Context, g *guard) (sdk.Transport, *process, error)
}

var (
	_ Endpoint = Command{}
	_ Endpoint = HTTP{}
	_ Endpoint = SSE{}
)

// A Command is a server that is started, and speaks on its standard input and
// output. It ends with [Server.Close], with its whole process group where the
// system has them, and on Linux also when this process is killed.
type Command struct {
	Path string // as of [os/exec.Command]
	Args []string
	// Env are variables as key=value, beside PATH, HOME and the like. Nothing
	// else of our environment is passed on.
	Env []string
	Dir string // empty is the current one
}

// String is the program, without its arguments.
func (c Command) String() string { return c.Path }

func (c Command) check() error {
	if c.Path == "" {
		return fmt.Errorf("%w: the command has no Path", agent.ErrInvalid)
	}
	return nil
}

func (c Command) dial(_ context.Context, g *guard) (sdk.Transport, *process, error) {
	theirIn, to, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	from, theirOut, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, theirIn.Close(), to.Close())
	}
	p := &process{exited: make(chan struct{}), ours: [2]*os.File{from, to}}
	p.cmd = exec.Command(c.Path, c.Args...)
	p.cmd.Dir = c.Dir
	p.cmd.Env = []string{} // nil would be all
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			p.cmd.Env = append(p.cmd.Env, name+"="+value)
		}
	}
	p.cmd.Env = append(p.cmd.Env, c.Env...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirIn, theirOut, &p.words
	p.cmd.WaitDelay = time.Second
	ownGroup(p.cmd)
	err = p.run()
	// Their ends are only theirs: each side has to notice the other's end.
	_, _ = theirIn.Close(), theirOut.Close()
	if err != nil {
		_, _ = from.Close(), to.Close()
		return nil, nil, fmt.Errorf("starting %s: %w", c.Path, err)
	}
	return &sdk.IOTransport{Reader: g.lines(from), Writer: &counted{WriteCloser: to, guard: g}}, p, nil
}

// HTTP is a server at an address, by streamable HTTP.
type HTTP struct {
	URL string
	// Headers are sent with every request to the URL's origin, such as
	// Authorization.
	Headers map[string]string
}

// String is the address without user, password and query.
func (h HTTP) String() string { return public(h.URL) }

func (h HTTP) check() error { return checkURL(h.URL) }

func (h HTTP) dial(_ context.Context, g *guard) (sdk.Transport, *process, error) {
	client, err := g.client(h.URL, h.Headers)
	if err != nil {
		return nil, nil, err
	}
	g.resumable = true
	return &sdk.StreamableClientTransport{Endpoint: public(h.URL), HTTPClient: client, DisableStandaloneSSE: true}, nil, nil
}

// SSE is a server at an address, by the transport of revision 2024-11-05.
type SSE struct {
	URL     string
	Headers map[string]string // as of [HTTP]
}

// String is the address without user, password and query.
func (s SSE) String() string { return public(s.URL) }

func (s SSE) check() error { return checkURL(s.URL) }

func (s SSE) dial(life context.Context, g *guard) (sdk.Transport, *process, error) {
	client, err := g.client(s.URL, s.Headers)
	if err != nil {
		return nil, nil, err
	}
	return &stream{life: life, inner: &sdk.SSEClientTransport{Endpoint: public(s.URL), HTTPClient: client}}, nil, nil
}

// A stream is an SSE connection, which lives longer than the call that made it:
// the SDK ties it to the context of Connect.
type stream struct {
	life  context.Context
	inner sdk.Transport
}

func (s *stream) Connect(ctx context.Context) (sdk.Connection, error) {
	life, end := context.WithCancel(s.life)
	stop := context.AfterFunc(ctx, end)
	conn, err := s.inner.Connect(life)
	if !stop() && err == nil { // too late
		err = context.Cause(ctx)
		_ = conn.Close() // nothing was sent
	}
	if err != nil {
		end()
		return nil, err
	}
	// The stream ends with s.life, which its connection ends.
	context.AfterFunc(s.life, end)
	return conn, nil
}

// Parse reads an address:
//
//	https://tools.example/mcp      streamable HTTP, also http:
//	sse+https://tools.example/sse  the older transport, also sse+http:
//	stdio:files-server --root "/My Documents"
//
// The words of a command are separated by spaces; within single or double quotes
// they may hold them. Nothing else is special: no shell reads it. An address that
// a stranger wrote must not be parsed, because it may name any program.
func Parse(address string) (Endpoint, error) {
	scheme, rest, _ := strings.Cut(strings.TrimSpace(address), ":")
	var e Endpoint
	switch strings.ToLower(scheme) {
	case "http", "https":
		e = HTTP{URL: scheme + ":" + rest}
	case "sse+http", "sse+https":
		e = SSE{URL: scheme[len("sse+"):] + ":" + rest}
	case "stdio":
		words, err := split(rest)
		if err != nil {
			return nil, err
		}
		if len(words) == 0 {
			return nil, fmt.Errorf("%w: %q names no program", agent.ErrInvalid, address)
		}
		e = Command{Path: words[0], Args: words[1:]}
	default:
		return nil, fmt.Errorf("%w: the address of an MCP server begins with one of https:, http:, sse+https:, sse+http:, stdio: and names what follows it", agent.ErrInvalid)
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	return e, nil
}

// split splits a command line at spaces outside of quotes.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	open := false // a word has begun, if only by quotes
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, open = r, true
		case r == ' ' || r == '\t':
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(r)
			open = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("%w: a quote (%c) of the command is not closed", agent.ErrInvalid, quote)
	}
	if open {
		words = append(words, word.String())
	}
	return words, nil
}

// public is an address without what may be secret.
func public(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address that is none"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

func checkURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%w: the server's URL has to be one of http or https with a host", agent.ErrInvalid)
	}
	return nil
}
