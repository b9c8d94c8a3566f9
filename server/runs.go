package server

import (
	"bytes"
	"context"
	"io"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/profiles"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// callerKey is the key of the caller in a request's context.
type callerKey struct{}

// Caller returns whose a request to [Options.Runs] is: the SHA-256 of the
// caller's key in hexadecimal digits; empty where the server has no keys.
func Caller(ctx context.Context) string {
	caller, _ := ctx.Value(callerKey{}).(string)
	return caller
}

// operatorKey is the key of the context of an operator's request.
type operatorKey struct{}

// Operator reports that a request to [Options.Runs] is that of an operator, who
// sees the runs of all and changes only those that are the caller's.
func Operator(ctx context.Context) bool {
	operator, _ := ctx.Value(operatorKey{}).(bool)
	return operator
}

// As returns a context for requests that a program makes to its own [Server] in
// the name of a caller, without the key: with its rights, its sessions and its
// limits, as long as the server knows the key. Requests from a network get no
// such context.
func As(ctx context.Context, caller string) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// A Saved is what another process has done of a run: an [agent.Saved] or a
// [script.Saved].
type Saved interface {
	// Prepare has a session begin as the run's browser was.
	Prepare(opts *engine.Options, variables map[string]engine.Variable) error
}

var (
	_ Saved = (*agent.Saved)(nil)
	_ Saved = (*script.Saved)(nil)
)

// A Lasting is the run of an agent, or of a script, that another process can go on
// with.
type Lasting struct {
	// Run is its ID.
	Run string
	// Store has the run's log. Everything that is about to be done is written
	// there first.
	Store runs.Store
	// Saved is what another process has done; nil begins anew. A session that is
	// started with it has the cookies and the storage of the run's browser, and
	// an agent's task, or a script, in it goes on with the run.
	Saved Saved
	// NoModel reports that nobody will ask one in the run's session, which then
	// begins without.
	NoModel bool
	// Variables are those of the run. The log has their names alone.
	Variables map[string]wire.Variable
	// Leave, when it is closed, ends the run after the step that is under way,
	// for another process to go on with. The caller is answered
	// [wire.Draining].
	Leave <-chan struct{}
}

// lastingKey is the key of a *Lasting in a request's context.
type lastingKey struct{}

// WithLasting returns a context for the requests with which a program starts a
// session at its own [Server], and has an agent do a task, or a script replayed
// there, so that the run outlives the process.
func WithLasting(ctx context.Context, l *Lasting) context.Context {
	return context.WithValue(ctx, lastingKey{}, l)
}

// GoesOn reports whether a context is one of [WithLasting] with a run that
// another process has begun.
func GoesOn(ctx context.Context) bool { return lasting(ctx).Saved != nil }

// lasting returns what [WithLasting] was given; without that it has no store.
func lasting(ctx context.Context) *Lasting {
	if l, _ := ctx.Value(lastingKey{}).(*Lasting); l != nil {
		return l
	}
	return &Lasting{}
}

// prepare has a session begin with what the run's browser had.
func (l *Lasting) prepare(opts *engine.Options) error {
	if l.Saved == nil {
		return nil
	}
	profile := opts.Browser.StorageState
	opts.Browser.StorageState = nil
	err := l.Saved.Prepare(opts, variables(l.Variables))
	if profile != nil { // it is as old as its last write, and the log has the run's last step
		opts.Browser.StorageState = profiles.Merge(profile, opts.Browser.StorageState)
	}
	return err
}

// left reports that the run is to be left to another process.
func (l *Lasting) left() bool {
	select {
	case <-l.Leave: // never, of nil
		return true
	default:
		return false
	}
}

// known finds the holder for a caller that the program itself names.
func (s *Server) known(list []*holder, caller string) (*holder, error) {
	for _, h := range list {
		if h.caller() == caller {
			return h, nil
		}
	}
	return nil, newFault(wire.Unauthorized, "the key is not known here any more")
}

// runs passes a request on to who does runs.
func (s *Server) runs(c *call) error {
	if s.opts.Runs == nil {
		return newFault(wire.NotImplemented, "this server does no runs")
	}
	ctx := context.WithValue(As(c.r.Context(), c.holder.caller()), operatorKey{}, c.holder.operator())
	s.opts.Runs.ServeHTTP(c, c.r.WithContext(ctx))
	return nil
}

// runCreate holds the request against the contract first.
func (s *Server) runCreate(c *call) error {
	done, err := s.beginWork()
	if err != nil {
		return err
	}
	defer done()
	req, err := read[wire.RunCreate](c)
	if err != nil {
		return err
	}
	if err := s.checkRun(req); err != nil {
		return err
	}
	if err := s.checkRunBrowser(c, req); err != nil {
		return err
	}
	raw, err := encode(req)
	if err != nil {
		return err
	}
	c.r.Body = io.NopCloser(bytes.NewReader(raw))
	return s.runs(c)
}

// checkRun refuses what no session is needed for to be refused.
func (s *Server) checkRun(req *wire.RunCreate) error {
	if req.Task == "" == (req.Script == nil) {
		return invalid([]any{"task"}, "give a task or a script, and not both")
	}
	if req.Model == "" && s.opts.Default == nil && (req.Script == nil || req.Heal) {
		return invalid([]any{"model"}, "is required: this server's operator has named no model")
	}
	type member struct {
		name  string
		given bool
	}
	others, kind := []member{{"heal", req.Heal}, {"files", req.Files != nil}}, "a script"
	if req.Script != nil {
		others, kind = []member{{"mode", req.Mode != ""}, {"maxSteps", req.MaxSteps != 0}, {"systemPrompt", req.SystemPrompt != ""}}, "a task"
	}
	for _, m := range others {
		if m.given {
			return invalid([]any{m.name}, "is for %s; leave it out", kind)
		}
	}
	if req.Script == nil {
		return nil
	}
	_, err := s.checkScript(req.Script, &wire.ScriptOptions{Start: req.URL, Variables: req.Variables, Files: req.Files}, map[string][]any{"start": {"url"}})
	return err
}

// checkRunBrowser holds the browser of a run against what sessions may have, and
// refuses what belongs to one machine: which one does the run is not known yet.
func (s *Server) checkRunBrowser(c *call, req *wire.RunCreate) error {
	b, o := wire.Browser{}, wire.LaunchOptions{}
	if req.Browser != nil {
		b = *req.Browser
	}
	if b.LaunchOptions != nil {
		o = *b.LaunchOptions
	}
	b.LaunchOptions = &o
	for _, one := range []struct {
		asked bool
		path  []any
	}{
		{b.CDPURL != "", []any{"cdpUrl"}},
		{len(b.Labels) > 0, []any{"labels"}},
		{o.CDPURL != "", []any{"launchOptions", "cdpUrl"}},
		{o.CDPHeaders != nil, []any{"launchOptions", "cdpHeaders"}},
		{o.ConnectTimeoutMs != 0, []any{"launchOptions", "connectTimeoutMs"}},
		{o.DownloadsPath != "", []any{"launchOptions", "downloadsPath"}},
		{ownProcess(&o) != "", []any{"launchOptions", ownProcess(&o)}},
	} {
		if one.asked {
			return invalid(append([]any{"browser"}, one.path...), "is not for a run, which has a browser of the service's own at whichever machine takes it; leave it out, or start a session")
		}
	}
	if o.PageTools {
		return invalid([]any{"browser", "launchOptions", "pageTools"}, "is not for a run, whose agent takes no tools of pages; leave it out, or start a session")
	}
	if err := s.checkBrowser(&b, req.Trace); err != nil {
		return err
	}
	if b.Profile != "" {
		if err := s.checkProfile(c, b.Profile); err != nil {
			return err
		}
	}
	return s.checkProxy(c.r.Context(), &b)
}

// checkProxy holds a proxy against the operator's policy, as the browser's opening
// does.
func (s *Server) checkProxy(ctx context.Context, b *wire.Browser) error {
	rules, err := s.policyFor(b).Compile()
	if err != nil {
		return err
	}
	if b.LaunchOptions.Proxy == nil || rules.Open() {
		return nil
	}
	return rules.CheckProxy(ctx, proxyOf(b.LaunchOptions))
}
