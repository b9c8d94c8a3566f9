package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/policy"
)

// A tool is one that clients can call.
type tool func(*sdk.Server, *desk)

// A desk is what calls are served from.
type desk struct {
	sessions *sessions
	runs     *runs
	http     *requests
	owner    func(*sdk.RequestExtra) (string, error)
	offerers *policy.Hosts                                                                              // whose pages' tools may be used; nil is none
	began    func(ctx context.Context, tool string, meta map[string]any) (context.Context, func(error)) // nil is none
}

// A kind says what effects a tool may have, for its annotations.
type kind int

const (
	reads   kind = iota // the page stays as it is
	begins              // a session
	ends                // a session
	moves               // to another page
	changes             // what is behind the page, perhaps for good
)

func (k kind) annotations(title string) *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{
		Title:           title,
		ReadOnlyHint:    k == reads,
		DestructiveHint: new(k == changes),
		IdempotentHint:  k == reads || k == ends,
		OpenWorldHint:   new(k != begins && k != ends),
	}
}

// A need is what a tool has to be given.
type need int

const (
	nothing    need = iota
	aSession        // without its browser
	aPage           // of a session that is there
	aPageBegun      // of a session that is begun if there is none
)

// inSession is what the arguments of every tool begin with.
type inSession struct {
	Session string `json:"session,omitempty" jsonschema:"the handle that start returned; leave it out while there is only one session"`
}

func (i inSession) handle() string { return i.Session }

// onPage is what the arguments of a tool begin with that works on a page.
type onPage struct {
	inSession
	Tab string `json:"tab,omitempty" jsonschema:"a tab's id from tabs; empty is the active tab"`
}

func (i onPage) tab() string { return i.Tab }

// An input is what a tool's arguments can be asked for.
type input interface{ handle() string }

// An output is what a tool answers: its JSON is structured content, and this is
// the text beside it.
type output interface{ text() string }

// A call is one call of a tool.
type call struct {
	*desk
	request *sdk.CallToolRequest
	caller  string
	client  client
	session *session     // nil for tools that need none
	page    *engine.Page // nil for tools that need no browser

	content []sdk.Content     // beside the text
	input   *sdk.ElicitParams // what the client's user has to say first
	state   string            // what comes back with that
}

// define makes a tool of a function with typed arguments and a typed answer.
func define[In input, Out output](name, title string, k kind, n need, description string, f func(context.Context, *call, In) (Out, error)) tool {
	return func(s *sdk.Server, d *desk) {
		sdk.AddTool(s, &sdk.Tool{Name: name, Title: title, Description: description, Annotations: k.annotations(title)},
			func(ctx context.Context, req *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
				ctx, left := d.http.follow(ctx, req.Extra)
				defer left()
				ended := func(error) {}
				if d.began != nil {
					ctx, ended = d.began(ctx, name, req.Params.GetMeta())
				}
				c := &call{desk: d, request: req}
				out, err := answer(ctx, c, n, in, f)
				ended(err)
				if c.input != nil {
					return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{asked: c.input}, RequestState: c.state}, out, nil
				}
				return c.result(out, err), out, nil
			})
	}
}

// answer finds the session and the page of a call, and does it.
func answer[In input, Out output](ctx context.Context, c *call, n need, in In, f func(context.Context, *call, In) (Out, error)) (out Out, err error) {
	if c.caller, err = c.owner(c.request.Extra); err != nil {
		return out, err
	}
	c.client = clientOf(c.request, c.caller)
	if n == nothing {
		return f(ctx, c, in)
	}
	if c.session, err = c.sessions.find(c.caller, c.client, in.handle(), n == aPageBegun); err != nil {
		return out, err
	}
	if n == aSession {
		return f(ctx, c, in)
	}
	page, done, err := c.sessions.use(ctx, c.session)
	if err != nil {
		return out, err
	}
	defer done()
	c.page = page
	if on, ok := any(in).(interface{ tab() string }); ok && on.tab() != "" {
		if c.page = page.Session().PageByID(driver.PageID(on.tab())); c.page == nil {
			return out, fmt.Errorf("there is no tab %q: tabs lists them", on.tab())
		}
	}
	return f(ctx, c, in)
}

// asked names the one thing that a client's user is asked in a round.
const asked = "answer"

// result is what a client gets. An error is a result, too: a model has to read
// it, and what is known beside it stays.
func (c *call) result(out output, err error) *sdk.CallToolResult {
	if err == nil {
		return &sdk.CallToolResult{Content: append([]sdk.Content{&sdk.TextContent{Text: out.text()}}, c.content...)}
	}
	message := err.Error()
	if errors.Is(err, context.Canceled) {
		message = "canceled: " + message
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: message}}}
}

// An action is one that act does again.
type action struct {
	Description string   `json:"description"`
	Selector    string   `json:"selector"`
	Method      string   `json:"method"`
	Arguments   []string `json:"arguments,omitempty"`
}

func actionsOf(list []engine.Action) []action {
	out := make([]action, len(list))
	for i, a := range list {
		out[i] = action{a.Description, a.Named(), string(a.Method), a.Arguments}
	}
	return out
}

func listed(actions []action) string {
	lines := make([]string, len(actions))
	for i, a := range actions {
		lines[i] = a.Description
	}
	return strings.Join(lines, "\n")
}

// pageNow is what a page shows.
func (c *call) pageNow(ctx context.Context, answered *driver.Response) (pageOut, error) {
	title, err := c.page.Title(ctx)
	out := pageOut{Session: c.session.id, URL: c.page.URL(), Title: title}
	if answered != nil {
		out.Status = answered.Status
	}
	return out, err
}

// report is what an act came to. What is known beside an error stays.
func (c *call) report(r *engine.ActResult, err error) (actOut, error) {
	if r == nil {
		return actOut{Session: c.session.id, URL: c.page.URL(), Sent: string(engine.SentNone), Actions: []action{}}, err
	}
	return actOut{
		Session: c.session.id, Success: r.Success, Message: r.Message, Sent: string(r.Sent), URL: c.page.URL(),
		Actions: actionsOf(r.Actions), Evidence: asJSON[object](r.Evidence),
	}, err
}

// offered are the page's tools that the operator lets be used.
func (c *call) offered(ctx context.Context) ([]engine.PageTool, error) {
	all, err := c.page.Tools(ctx)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, fmt.Errorf("this browser has no tools of pages: %w", err)
	}
	var out []engine.PageTool
	for _, t := range all {
		if c.offerers.Holds(t.Origin + "/") {
			out = append(out, t)
		}
	}
	return out, err
}

// notify tells the client of a step; false: it does not listen, or not any more. It gets
// the answer all the same.
func (c *call) notify(ctx context.Context, step int, message string) bool {
	token := c.request.Params.GetProgressToken()
	return token != nil && c.request.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(step), Message: message}) == nil
}

// await waits until a run does not work, and tells the client of its steps.
func (c *call) await(ctx context.Context, r *run, progress bool) {
	told := 0
	for {
		c.runs.mu.Lock()
		working, steps, changed := r.working, r.steps, r.changed
		c.runs.mu.Unlock()
		for ; progress && told < len(steps); told++ {
			progress = c.notify(ctx, told+1, steps[told])
		}
		if !working {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// follow waits for the end of a run, and ends it where the caller leaves.
func (c *call) follow(ctx context.Context, r *run) (agentOut, error) {
	c.await(ctx, r, true)
	out, err := c.settle(ctx, r)
	if ctx.Err() != nil {
		c.runs.stop(func(other *run) bool { return other == r })
	}
	return out, err
}

// settle returns what there is to say of a run, after its questions were put to
// the client's user.
func (c *call) settle(ctx context.Context, r *run) (agentOut, error) {
	for {
		out, pending, err := c.runs.report(r)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if pending == nil {
			return out, err
		}
		question := elicitation(pending)
		init := c.request.Session.InitializeParams()
		switch {
		case init != nil && (init.Capabilities == nil || init.Capabilities.Elicitation == nil):
			c.runs.decide(ctx, r, agent.Decision{Reason: "nobody can be asked: the client has no elicitation"})
		case init == nil || init.ProtocolVersion >= severalRounds:
			c.input, c.state = question, r.id
			return out, nil
		default:
			said, err := c.request.Session.Elicit(ctx, question)
			if err != nil {
				said = &sdk.ElicitResult{Action: "cancel"}
			}
			c.runs.decide(ctx, r, decisionOf(said))
		}
		c.await(ctx, r, true)
	}
}

// goOn takes the answer of a further round.
func (c *call) goOn(ctx context.Context, id string) (agentOut, error) {
	r, err := c.runs.find(c.caller, id)
	if err != nil {
		return agentOut{}, err
	}
	said, _ := c.request.Params.InputResponses[asked].(*sdk.ElicitResult)
	if said == nil {
		said = &sdk.ElicitResult{Action: "cancel"}
	}
	c.runs.decide(ctx, r, decisionOf(said))
	return c.follow(ctx, r)
}

// replayScript does a script. Nothing heals it: its caller is a model, and reads what
// a step expected and what was there.
func (c *call) replayScript(ctx context.Context, in replayIn, out *replayOut) error {
	raw, err := json.Marshal(in.Script)
	if err != nil {
		return err
	}
	program, err := script.Parse(raw)
	if err != nil {
		return err
	}
	opts := &script.Options{Start: in.Start, Variables: map[string]engine.Variable{}}
	for name, value := range in.Variables {
		opts.Variables[name] = engine.Variable{Value: value}
	}
	opts.Stepped = func(r script.StepResult) {
		out.Steps = append(out.Steps, asJSON[scriptStep](r))
		words := slices.DeleteFunc([]string{r.Name, r.Do, r.Target, string(r.Outcome)}, func(s string) bool { return s == "" })
		c.notify(ctx, len(out.Steps), strings.Join(words, " "))
	}
	if _, err := script.Replay(ctx, c.page, program, opts); err != nil {
		return err
	}
	out.Proved = true
	return nil
}
