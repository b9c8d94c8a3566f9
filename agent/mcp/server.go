package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfinder-engine/wayfinder/agent"
)

// ErrClosed: the [Server] was closed.
var ErrClosed = errors.New("the connection to the MCP server is closed")

var errSlow = errors.New("it does not answer in time")

// Options say how a server's tools join. The zero value admits all of them.
type Options struct {
	// Name begins the names of the tools; empty is what the server calls itself.
	Name string

	// Only admits tools by the server's names for them; nil admits all.
	Only []string

	// Class is the class of approval that calls of the tools need, and Classes
	// that of single ones, by the server's names for them. Where neither says
	// anything, a tool that the server calls destructive is of
	// [agent.ClassDelete].
	Class   agent.Class
	Classes map[string]agent.Class

	// MaxAnswer bounds the text of an answer, in bytes; 0 is 32 kB.
	MaxAnswer int

	// ConnectTimeout bounds connecting, and the reading of the list of tools;
	// 0 is 30 s. A call is bounded by [agent.Task].ToolTimeout.
	ConnectTimeout time.Duration

	// Meta, if not nil, returns what goes with each call as its _meta, such as
	// the context of a trace: see TraceContext of package telemetry/spans. It is
	// called with the context of the step, and returns nil for nothing.
	Meta func(ctx context.Context) map[string]any

	// Logger gets what goes wrong at the server; nil is [slog.Default].
	Logger *slog.Logger
}

// A Server is an MCP server, whose tools join those of runs. It may serve
// several runs at once.
type Server struct {
	endpoint Endpoint
	opts     Options
	log      *slog.Logger

	// turn holds one token; who has it may use what follows. It is a channel so
	// that nobody waits longer than a context allows.
	turn chan struct{}
	conn *conn // nil if there was none yet

	life context.Context // ends with Close
	end  context.CancelCauseFunc
}

var _ agent.Integration = (*Server)(nil)

// New sets a server up; opts may be nil. It connects when a run begins.
func New(e Endpoint, opts *Options) (*Server, error) {
	if e == nil {
		return nil, fmt.Errorf("mcp: %w: no endpoint; pass a Command, an HTTP or an SSE", agent.ErrInvalid)
	}
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	return newServer(e, opts)
}

// Connected takes a session that is connected already; opts may be nil. Close
// leaves it open, and so does whatever goes wrong. The bounds of messages are
// those of its client.
func Connected(session *sdk.ClientSession, opts *Options) (*Server, error) {
	if session == nil {
		return nil, fmt.Errorf("mcp: %w: no session", agent.ErrInvalid)
	}
	s, err := newServer(nil, opts)
	if err != nil {
		return nil, err
	}
	s.conn = newConn(context.Background())
	s.conn.session = session
	return s, nil
}

func newServer(e Endpoint, opts *Options) (*Server, error) {
	s := &Server{endpoint: e, turn: make(chan struct{}, 1)}
	if opts != nil {
		s.opts = *opts
	}
	for _, c := range append(slices.Collect(maps.Values(s.opts.Classes)), s.opts.Class) {
		if c != "" && !slices.Contains(agent.Classes(), c) {
			return nil, fmt.Errorf("mcp: %w: there is no class %q; the classes are %v", agent.ErrInvalid, c, agent.Classes())
		}
	}
	s.opts.MaxAnswer = cmp.Or(s.opts.MaxAnswer, defaultAnswer)
	s.opts.ConnectTimeout = cmp.Or(s.opts.ConnectTimeout, 30*time.Second)
	s.log = cmp.Or(s.opts.Logger, slog.Default())
	s.turn <- struct{}{}
	s.life, s.end = context.WithCancelCause(context.Background())
	return s, nil
}

// String names the server.
func (s *Server) String() string {
	switch {
	case s.opts.Name != "":
		return s.opts.Name
	case s.endpoint != nil:
		return s.endpoint.String()
	}
	return "the MCP server"
}

// Tools connects if need be, and lists the server's tools, sorted by name.
func (s *Server) Tools(ctx context.Context) ([]agent.Tool, error) {
	ctx, cancel := s.connecting(ctx)
	defer cancel()
	c, err := s.live(ctx)
	if err != nil {
		return nil, err
	}
	listed, err := c.list(ctx)
	if err != nil {
		return nil, fmt.Errorf("mcp: %s: listing tools: %w", s, c.explain(ctx, err))
	}
	var tools []agent.Tool
	var theirs []string
	for _, t := range s.opts.admitted(listed) {
		tool, err := s.opts.tool(t)
		if err == nil && len(tools) == maxTools {
			err = fmt.Errorf("it has more than %d tools", maxTools)
		}
		if err != nil {
			s.log.Warn("mcp: a tool is left out", "server", s.String(), "tool", oneLine(t.Name, 100), "reason", err)
			continue
		}
		tools, theirs = append(tools, tool), append(theirs, t.Name)
	}
	for i, name := range names(cmp.Or(s.opts.Name, c.name()), theirs) {
		tools[i].Name = name
		tools[i].Run = func(ctx context.Context, call *agent.Call) (*agent.Answer, error) {
			return s.call(ctx, theirs[i], call.Arguments)
		}
	}
	return tools, nil
}

// connecting bounds a context by ConnectTimeout.
func (s *Server) connecting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.opts.ConnectTimeout, fmt.Errorf("it does not answer within %v", s.opts.ConnectTimeout))
}

// live returns a connection, and makes one where there is none or it is over.
func (s *Server) live(ctx context.Context) (*conn, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.life, func() { cancel(ErrClosed) })()
	select {
	case <-s.turn:
		defer func() { s.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, fmt.Errorf("mcp: %s: %w", s, context.Cause(ctx))
	}
	if s.life.Err() != nil {
		return nil, fmt.Errorf("mcp: %s: %w", s, ErrClosed)
	}
	if s.conn != nil {
		if s.conn.alive() || s.endpoint == nil {
			return s.conn, nil
		}
		s.log.Warn("mcp: a server is connected anew", "server", s.String(), "reason", s.conn.reason())
		if err := s.conn.close(); err != nil {
			s.log.Warn("mcp: the old connection", "server", s.String(), "error", err)
		}
		s.conn = nil
	}
	c, err := s.connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("mcp: connecting %s: %w", s, err)
	}
	s.conn = c
	return c, nil
}

// connect makes a connection. A server of an older revision may choke on the
// question that the newest one begins with: it gets a part of the time.
func (s *Server) connect(ctx context.Context) (*conn, error) {
	first := ctx
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		first, cancel = context.WithTimeoutCause(ctx, min(time.Until(end)/2, 5*time.Second), errSlow)
		defer cancel()
	}
	c, err := dial(first, s.endpoint, "")
	if err == nil || ctx.Err() != nil || !isOld(err) {
		return c, err
	}
	s.log.Debug("mcp: trying an older revision", "server", s.String(), "error", err)
	return dial(ctx, s.endpoint, lastLegacy)
}

// call has the server do something.
func (s *Server) call(ctx context.Context, tool string, arguments []byte) (*agent.Answer, error) {
	for again := false; ; again = true {
		connecting, cancel := s.connecting(ctx)
		c, err := s.live(connecting)
		cancel()
		if err != nil {
			return nil, err // nothing was sent
		}
		params := &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)}
		if s.opts.Meta != nil {
			params.Meta = s.opts.Meta(ctx)
		}
		result, sent, err := c.call(ctx, params)
		if err == nil {
			return answer(result, s.opts.MaxAnswer)
		}
		if !sent && !again && ctx.Err() == nil && s.endpoint != nil {
			_ = c.end() // it was broken before
			continue
		}
		return nil, fmt.Errorf("mcp: %s: %w", s, err)
	}
}

// Close disconnects, and ends what was started. Calls that are under way fail.
// It may be called again.
func (s *Server) Close() error {
	s.end(ErrClosed) // connecting ends
	<-s.turn
	defer func() { s.turn <- struct{}{} }()
	if s.conn == nil {
		return nil
	}
	err := s.conn.close()
	s.conn = nil
	if err != nil {
		return fmt.Errorf("mcp: closing %s: %w", s, err)
	}
	return nil
}

// tool makes an agent's tool of a server's, without its Run and its name.
func (o *Options) tool(t *sdk.Tool) (agent.Tool, error) {
	parameters, err := parameters(t.InputSchema)
	if err != nil {
		return agent.Tool{}, err
	}
	description := cmp.Or(oneLine(t.Description, maxDescription), oneLine(t.Title, maxDescription))
	return agent.Tool{Description: description, Parameters: parameters, Class: o.class(t)}, nil
}

// class is the class of approval that a tool's calls need.
func (o *Options) class(t *sdk.Tool) agent.Class {
	if c, ok := o.Classes[t.Name]; ok {
		return c
	}
	if o.Class != "" {
		return o.Class
	}
	if a := t.Annotations; a != nil && a.DestructiveHint != nil && *a.DestructiveHint {
		return agent.ClassDelete
	}
	return ""
}

// admitted are a server's tools that Only lets through, sorted by name, each
// once.
func (o *Options) admitted(tools []*sdk.Tool) []*sdk.Tool {
	tools = slices.DeleteFunc(tools, func(t *sdk.Tool) bool { return o.Only != nil && !slices.Contains(o.Only, t.Name) })
	slices.SortStableFunc(tools, func(a, b *sdk.Tool) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(tools, func(a, b *sdk.Tool) bool { return a.Name == b.Name })
}
