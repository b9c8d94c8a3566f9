package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/server/mcp"
)

// A shop counts the orders that arrive.
type shop struct {
	mu     sync.Mutex
	orders []string
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("content-type", "text/html")
	if r.Method == http.MethodPost {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.orders = append(s.orders, r.FormValue("name"))
		io.WriteString(w, `<title>Thank you</title><p role="status">Order placed</p>`)
		return
	}
	if r.URL.Path == "/long" {
		io.WriteString(w, strings.Repeat("<p>A line of a long list of teapots.", 2000))
		return
	}
	io.WriteString(w, `<title>Shop</title><h1>Teapots</h1><dl><dt>Price<dd>19 EUR</dl>
		<form action="/order" method="post"><label>Name <input name="name"></label><label><input type="checkbox" name="gift"> As a gift</label>
		<button>Buy now</button></form>`)
}

func (s *shop) arrived() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.orders...)
}

// serve makes a server whose browsers are in memory.
func serve(t *testing.T, s *shop, change func(*mcp.Options)) *mcp.Server {
	t.Helper()
	opts := mcp.Options{
		Open: func(ctx context.Context) (*engine.Session, error) {
			return engine.Open(ctx, fake.New(fake.Options{Handler: s}), &engine.Options{Model: offline.New()})
		},
		Agent: agent.Config{NeedApproval: []agent.Class{agent.ClassPay}},
	}
	if change != nil {
		change(&opts)
	}
	server, err := mcp.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return server
}

// A client's user says this to whatever is asked.
type user struct {
	says  *sdk.ElicitResult
	heard []string
	deaf  bool // the client has no elicitation
}

func (u *user) options() *sdk.ClientOptions {
	if u.deaf {
		return nil
	}
	return &sdk.ClientOptions{ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		u.heard = append(u.heard, r.Params.Message)
		return u.says, nil
	}}
}

var yes = &sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": true}}

// connect connects a client over a transport.
func connect(t *testing.T, transport sdk.Transport, u *user, revision string) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, u.options())
	session, err := client.Connect(t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() }) // the other end may have left before
	return session
}

// transports are the ways to a server.
var transports = map[string]func(*testing.T, *mcp.Server) sdk.Transport{
	"streams": func(t *testing.T, s *mcp.Server) sdk.Transport {
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		over := make(chan error, 1)
		go func() { over <- s.Serve(t.Context(), in, out) }()
		t.Cleanup(func() {
			_ = toServer.Close()
			if err := <-over; err != nil {
				t.Errorf("Serve = %v", err)
			}
		})
		return &sdk.IOTransport{Reader: fromServer, Writer: toServer}
	},
	"http": func(t *testing.T, s *mcp.Server) sdk.Transport {
		listener := httptest.NewServer(s.Handler())
		t.Cleanup(listener.Close)
		return &sdk.StreamableClientTransport{Endpoint: listener.URL}
	},
}

// do calls a tool and decodes what it answers.
func do(t *testing.T, c *sdk.ClientSession, name string, args map[string]any) (string, map[string]any, error) {
	t.Helper()
	result, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var text strings.Builder
	for _, content := range result.Content {
		if part, ok := content.(*sdk.TextContent); ok {
			text.WriteString(part.Text)
		}
	}
	raw, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var data map[string]any
	if err := json.Unmarshal(raw, &data); err != nil {
		t.Fatal(err)
	}
	if result.IsError {
		return text.String(), data, errors.New(text.String())
	}
	return text.String(), data, nil
}

func must(t *testing.T, c *sdk.ClientSession, name string, args map[string]any) (string, map[string]any) {
	t.Helper()
	text, data, err := do(t, c, name, args)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return text, data
}

// refOf is the ref of the line of an outline that has these words.
func refOf(t *testing.T, outline, words string) string {
	t.Helper()
	found := regexp.MustCompile(`\[([^\]]+)\] ` + regexp.QuoteMeta(words)).FindStringSubmatch(outline)
	if found == nil {
		t.Fatalf("no %s in\n%s", words, outline)
	}
	return found[1]
}

// A task of five steps with an approval in its middle, over both transports and
// by clients of the newest revision and an earlier one.
func TestTask(t *testing.T) {
	for name, transport := range transports {
		for _, revision := range []string{"2026-07-28", "2025-11-25"} {
			t.Run(name+"/"+revision, func(t *testing.T) {
				s, u := &shop{}, &user{says: yes}
				c := connect(t, transport(t, serve(t, s, nil)), u, revision)
				text, begun := must(t, c, "navigate", map[string]any{"url": "https://shop.test/"})
				if !strings.Contains(text, `"Shop" (200)`) {
					t.Errorf("navigate: %s", text)
				}
				at := begun["session"]
				outline, seen := must(t, c, "snapshot", map[string]any{"session": at})
				must(t, c, "fill_form", map[string]any{"session": at, "fields": []any{
					map[string]any{"ref": refOf(t, outline, "textbox: Name"), "value": "Ada"},
					map[string]any{"ref": refOf(t, outline, "checkbox: As a gift"), "value": "true"},
				}})
				changes, _ := must(t, c, "snapshot", map[string]any{"session": at, "since": seen["reading"]})
				if !strings.Contains(changes, "Ada") || strings.Contains(changes, "Teapots") {
					t.Errorf("changes: %s", changes)
				}
				text, data, err := do(t, c, "agent", map[string]any{"session": at, "task": "click Buy now"})
				if err != nil || data["state"] != "ended" {
					t.Fatalf("agent: %s, %v, %v", text, data, err)
				}
				if got := s.arrived(); len(got) != 1 || got[0] != "Ada" {
					t.Errorf("orders: %q", got)
				}
				if len(u.heard) != 1 || !strings.Contains(u.heard[0], `click button "Buy now"`) {
					t.Errorf("asked %q", u.heard)
				}
				must(t, c, "end", map[string]any{"session": at})
				if _, _, err := do(t, c, "snapshot", map[string]any{"session": at}); err == nil {
					t.Error("a session that was ended is still read")
				}
			})
		}
	}
}

// Checks decide alone whether a task is done.
func TestChecks(t *testing.T) {
	for text, want := range map[string]bool{"request=POST /order": true, "gone=Buy now": true, "shown=No such text": false, "request=POST /cart": false} {
		c := connect(t, transports["streams"](t, serve(t, &shop{}, nil)), &user{says: yes}, "2025-11-25")
		_, begun := must(t, c, "navigate", map[string]any{"url": "https://shop.test/"})
		answer, data, err := do(t, c, "agent", map[string]any{"session": begun["session"], "task": "click Buy now", "checks": []any{text}})
		if err != nil || data["success"] != want {
			t.Errorf("%s: %s, %v, %v; want success %t", text, answer, data, err, want)
		}
	}
	c := connect(t, transports["streams"](t, serve(t, &shop{}, nil)), &user{}, "2025-11-25")
	_, begun := must(t, c, "navigate", map[string]any{"url": "https://shop.test/"})
	if _, _, err := do(t, c, "agent", map[string]any{"session": begun["session"], "task": "click Buy now", "checks": []any{"colour=red"}}); err == nil {
		t.Error("a check that there is none of is taken")
	}
}

// Nobody, a refusal and a client without elicitation all mean no.
func TestApprovalIsAClearYes(t *testing.T) {
	for name, u := range map[string]*user{
		"declined": {says: &sdk.ElicitResult{Action: "decline"}},
		"canceled": {says: &sdk.ElicitResult{Action: "cancel"}},
		"false":    {says: &sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": false}}},
		"deaf":     {deaf: true},
	} {
		for _, revision := range []string{"2026-07-28", "2025-11-25"} {
			t.Run(name+"/"+revision, func(t *testing.T) {
				s := &shop{}
				c := connect(t, transports["streams"](t, serve(t, s, nil)), u, revision)
				must(t, c, "navigate", map[string]any{"url": "https://shop.test/"})
				text, data, err := do(t, c, "agent", map[string]any{"task": "click Buy now"})
				if got := s.arrived(); len(got) > 0 {
					t.Errorf("ordered %q", got)
				}
				if data["success"] == true {
					t.Errorf("agent: %s, %v, %v", text, data, err)
				}
			})
		}
	}
}

// Whoever leaves ends the task, also after a question was put to the user.
func TestLeaveAfterAnswer(t *testing.T) {
	s := &shop{}
	ctx, leave := context.WithCancel(t.Context())
	m := &stuck{leave: leave, freed: make(chan struct{})}
	server := serve(t, s, func(o *mcp.Options) {
		o.Open = func(ctx context.Context) (*engine.Session, error) {
			return engine.Open(ctx, fake.New(fake.Options{Handler: s}), &engine.Options{Model: m})
		}
	})
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			m.stick.Store(true)
			return &sdk.ElicitResult{Action: "decline"}, nil
		},
	})
	c, err := client.Connect(t.Context(), transports["streams"](t, server), &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // the other end may have left before
	must(t, c, "navigate", map[string]any{"url": "https://shop.test/"})
	if _, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "agent", Arguments: map[string]any{"task": "click Buy now"}}); err == nil {
		t.Error("a call that was given up has an answer")
	}
	select {
	case <-m.freed:
	case <-time.After(time.Minute):
		t.Error("the task goes on after its caller has left")
	}
}

// A stuck model answers as the offline one does until it is to hang.
type stuck struct {
	stick atomic.Bool
	leave func()
	freed chan struct{} // closed when a hanging call was canceled
	once  sync.Once
}

func (m *stuck) Name() string { return "test/stuck" }

func (m *stuck) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if m.stick.Load() {
		m.leave()
		<-ctx.Done()
		m.once.Do(func() { close(m.freed) })
		return nil, ctx.Err()
	}
	return offline.New().Generate(ctx, req)
}

// What a caller has, no other reaches.
func TestSessionsHaveOwners(t *testing.T) {
	s := &shop{}
	server := serve(t, s, func(o *mcp.Options) {
		o.Sessions = 2
		o.Owner = func(h http.Header) (string, error) {
			if key := h.Get("Authorization"); strings.HasPrefix(key, "Bearer ") {
				return key, nil
			}
			return "", errors.New("a key is needed, as Authorization: Bearer")
		}
	})
	listener := httptest.NewServer(server.Handler())
	t.Cleanup(listener.Close)
	as := func(key string) *sdk.ClientSession {
		return connect(t, &sdk.StreamableClientTransport{Endpoint: listener.URL, HTTPClient: &http.Client{Transport: withKey(key)}}, &user{}, "")
	}
	ada, bob := as("ada"), as("bob")
	_, data := must(t, ada, "start", nil)
	must(t, ada, "navigate", map[string]any{"url": "https://shop.test/", "session": data["session"]})
	for _, tool := range []string{"snapshot", "end", "replay"} {
		if _, _, err := do(t, bob, tool, map[string]any{"session": data["session"]}); err == nil || !strings.Contains(err.Error(), "no such session") {
			t.Errorf("%s of another's session: %v", tool, err)
		}
	}
	must(t, ada, "start", nil)
	if _, _, err := do(t, ada, "start", nil); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("a third session: %v", err)
	}
	if _, _, err := do(t, ada, "snapshot", nil); err == nil || !strings.Contains(err.Error(), "say which one") {
		t.Errorf("a call that could mean two sessions: %v", err)
	}
	must(t, ada, "navigate", map[string]any{"url": "https://shop.test/long", "session": data["session"]})
	_, long := must(t, ada, "extract", map[string]any{"session": data["session"]})
	address, _ := long["resource"].(string)
	if got, err := ada.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: address}); err != nil || len(got.Contents) != 1 || len(got.Contents[0].Text) < 40_000 {
		t.Errorf("ReadResource(%s) = %v, %v", address, got, err)
	}
	if _, err := bob.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: address}); err == nil {
		t.Error("another caller reads the data")
	}
	answer, err := http.Post(listener.URL, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a key: %d", answer.StatusCode)
	}
}

type withKey string

func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(k))
	return http.DefaultTransport.RoundTrip(r)
}

// Each wrong call says what to do instead, and none needs a browser for that.
func TestBadCalls(t *testing.T) {
	s := &shop{}
	c := connect(t, transports["streams"](t, serve(t, s, nil)), &user{}, "")
	if _, _, err := do(t, c, "act", map[string]any{"action": "click Buy now"}); err == nil || !strings.Contains(err.Error(), "navigate begins one") {
		t.Errorf("an act without a session: %v", err)
	}
	must(t, c, "navigate", map[string]any{"url": "shop.test"})
	for _, bad := range []struct {
		tool, says string
		args       map[string]any
	}{
		{"click", "one way", map[string]any{}},
		{"click", "one way", map[string]any{"ref": "0-1", "x": 1, "y": 1}},
		{"click", "has none yet", map[string]any{"ref": "0-1"}},
		{"click", "left, right or middle", map[string]any{"x": 1, "y": 1, "button": "back"}},
		{"click", "1, 2 or 3", map[string]any{"x": 1, "y": 1, "count": 9}},
		{"click", "one of the viewport", map[string]any{"x": 1, "y": 1, "at": map[string]any{"x": 1, "y": 1}}},
		{"act", "in words", map[string]any{}},
		{"snapshot", "not known any more", map[string]any{"since": "r77"}},
		{"find", "query is empty", map[string]any{"query": " "}},
		{"fill_form", "name one", map[string]any{"fields": []any{}}},
		{"tabs", "no tab", map[string]any{"action": "switch", "tab": "x"}},
		{"tabs", "list, new", map[string]any{"action": "sort"}},
		{"wait_for", "one thing", map[string]any{}},
		{"wait_for", "one thing", map[string]any{"text": "Teapots", "text_gone": "Teapots"}},
		{"agent", "task is empty", map[string]any{"task": ""}},
		{"agent", "above zero", map[string]any{"task": "click Buy now", "max_steps": -1}},
		{"agent", "above zero", map[string]any{"task": "click Buy now", "max_cost": -0.01}},
		{"replay", "for a script", map[string]any{"variables": map[string]any{"name": "Ada"}}},
		{"replay", "for a script", map[string]any{"start": "https://shop.test/"}},
		{"agent_status", "no such run", map[string]any{"run": "run-1"}},
		{"snapshot", "no tab", map[string]any{"tab": "x"}},
		{"start", "leave session out", map[string]any{"session": "mine"}},
	} {
		if text, _, err := do(t, c, bad.tool, bad.args); err == nil || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%s %v = %s, %v, want an error with %q", bad.tool, bad.args, text, err, bad.says)
		}
	}
	must(t, c, "wait_for", map[string]any{"text": "Teapots", "seconds": 1e300})
	if got := s.arrived(); len(got) > 0 {
		t.Errorf("ordered %q", got)
	}
}

// TestClickWithin: a click at a place within an element, and confirms answered in the call
// that raises them; without an answer they are dismissed.
func TestClickWithin(t *testing.T) {
	const address = "https://place.test/"
	var heard []string
	browser := fake.New(fake.Options{
		Web: fake.Web{address: `<title>Place</title><button id=map style="position:relative;width:200px;height:100px">Map<span id=right style="position:absolute;left:130px;top:0;width:70px;height:100px"></span></button><button id=del>Delete</button>`},
		Scripts: map[string]func(*fake.Document){address: func(d *fake.Document) {
			d.On("click", "#right", func(*fake.Event) { heard = append(heard, "right") })
			d.On("click", "#del", func(*fake.Event) {
				sure := d.Confirm("Sure?")
				why, _ := d.Prompt("Why?", "")
				heard = append(heard, fmt.Sprintf("%v %s", sure, why))
			})
		}},
	})
	c := connect(t, transports["streams"](t, serve(t, &shop{}, func(o *mcp.Options) {
		o.Open = func(ctx context.Context) (*engine.Session, error) {
			return engine.Open(ctx, browser, &engine.Options{Model: offline.New()})
		}
	})), &user{}, "")
	must(t, c, "navigate", map[string]any{"url": address})
	yes := map[string]any{"accept": true}
	must(t, c, "click", map[string]any{"selector": "#map", "at": map[string]any{"x": 150, "y": 20}})
	must(t, c, "click", map[string]any{"selector": "#del", "dialogs": []any{yes, map[string]any{"accept": true, "text": "old"}}})
	must(t, c, "act", map[string]any{"action": "click Delete", "dialogs": []any{yes}})
	must(t, c, "click", map[string]any{"selector": "#del"})
	if want := []string{"right", "true old", "true ", "false "}; !slices.Equal(heard, want) {
		t.Errorf("the page heard %q, want %q", heard, want)
	}
}

// TestFillFormWhole: where a field is not there, none is filled.
func TestFillFormWhole(t *testing.T) {
	c := connect(t, transports["streams"](t, serve(t, &shop{}, nil)), &user{}, "")
	must(t, c, "navigate", map[string]any{"url": "https://shop.test/"})
	outline, seen := must(t, c, "snapshot", nil)
	_, data, err := do(t, c, "fill_form", map[string]any{"fields": []any{
		map[string]any{"ref": refOf(t, outline, "textbox: Name"), "value": "Ada"},
		map[string]any{"ref": "0-999", "value": "true"},
	}})
	if err == nil || !strings.Contains(err.Error(), "no field was filled") {
		t.Errorf("fill_form = %v, %v", data, err)
	}
	if changes, _ := must(t, c, "snapshot", map[string]any{"since": seen["reading"]}); strings.Contains(changes, "Ada") {
		t.Errorf("the first field was filled: %s", changes)
	}
}

// TestOtherButtons: the right button is not the left one.
func TestOtherButtons(t *testing.T) {
	s := &shop{}
	c := connect(t, transports["streams"](t, serve(t, s, nil)), &user{}, "")
	must(t, c, "navigate", map[string]any{"url": "https://shop.test/"})
	for _, button := range []string{"right", "middle", "left"} {
		if got := s.arrived(); len(got) > 0 {
			t.Errorf("before the %s button: ordered %q", button, got)
		}
		_, _, _ = do(t, c, "click", map[string]any{"selector": "button", "button": button}) // what it does is told by what arrives
	}
	if got := s.arrived(); len(got) != 1 {
		t.Errorf("ordered %q, want once", got)
	}
}

// A task in the background goes on between calls, and ends with its session.
func TestBackground(t *testing.T) {
	s, u := &shop{}, &user{says: yes}
	c := connect(t, transports["streams"](t, serve(t, s, nil)), u, "")
	must(t, c, "navigate", map[string]any{"url": "https://shop.test/"})
	_, begun := must(t, c, "agent", map[string]any{"task": "click Buy now", "background": true})
	if begun["state"] == "ended" {
		t.Errorf("agent = %v, and the purchase was not approved", begun)
	}
	_, data := must(t, c, "agent_status", map[string]any{"run": begun["run"], "wait_seconds": 600})
	if data["state"] != "ended" || len(s.arrived()) != 1 || len(u.heard) != 1 {
		t.Errorf("agent_status = %v, orders %q, asked %q", data, s.arrived(), u.heard)
	}
}

// What a tool answers satisfies what it has announced, and no outline comes that
// nobody asked for. The list is the same each time.
func TestTools(t *testing.T) {
	c := connect(t, transports["streams"](t, serve(t, &shop{}, nil)), &user{}, "")
	list := func() []byte {
		tools, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools.Tools {
			if tool.InputSchema == nil || tool.OutputSchema == nil || tool.Annotations == nil || tool.Description == "" {
				t.Errorf("%s lacks a schema, annotations or a description", tool.Name)
			}
		}
		raw, err := json.Marshal(tools)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	first := list()
	// A schema may be true by the standard; the field's TypeScript clients refuse
	// the whole list then.
	var tools struct {
		Tools []struct {
			Name                      string
			InputSchema, OutputSchema struct{ Properties map[string]json.RawMessage }
			Annotations               struct{ ReadOnlyHint bool }
		}
	}
	if err := json.Unmarshal(first, &tools); err != nil {
		t.Fatal(err)
	}
	var reads []string
	for _, tool := range tools.Tools {
		if tool.Annotations.ReadOnlyHint {
			reads = append(reads, tool.Name)
		}
		for _, schema := range []map[string]json.RawMessage{tool.InputSchema.Properties, tool.OutputSchema.Properties} {
			for member, of := range schema {
				if !strings.HasPrefix(string(of), "{") {
					t.Errorf("%s: the schema of %s is %s", tool.Name, member, of)
				}
			}
		}
	}
	slices.Sort(reads) // a client may call these without asking its user
	if want := []string{"agent_status", "extract", "find", "observe", "screenshot", "snapshot", "wait_for"}; !slices.Equal(reads, want) {
		t.Errorf("tools that only read: %q, want %q", reads, want)
	}
	if string(first) != string(list()) {
		t.Error("the list of tools changes")
	}
	t.Logf("the list of tools is %d bytes", len(first))
	for _, name := range []string{"start", "end", "navigate", "act", "observe", "extract"} {
		if !strings.Contains(string(first), `"name":"`+name+`"`) {
			t.Errorf("no tool %s", name)
		}
	}
	must(t, c, "navigate", map[string]any{"url": "https://shop.test/"})
	text, data := must(t, c, "act", map[string]any{"action": "type Ada into Name"})
	raw, _ := json.Marshal(data)
	if strings.Contains(text+string(raw), "Teapots") || data["sent"] != "all" {
		t.Errorf("act = %s, %s", text, raw)
	}
	_, found := must(t, c, "find", map[string]any{"query": "Buy"})
	_, seen := must(t, c, "observe", nil)
	_, read := must(t, c, "extract", map[string]any{"instruction": "the price", "sources": true, "schema": map[string]any{
		"type": "object", "properties": map[string]any{"price": map[string]any{"type": "string"}}, "required": []any{"price"},
	}})
	_, did := must(t, c, "replay", nil)
	for name, v := range map[string]any{"find": found["lines"], "observe": seen["actions"], "replay": did["calls"], "extract": read["data"], "extract's sources": read["sources"]} {
		if raw, _ := json.Marshal(v); len(raw) < 5 {
			t.Errorf("%s = %s", name, raw)
		}
	}
	for _, until := range []map[string]any{
		{"text": "Teapots"}, {"selector": "role=button[name=\"Buy now\"]"}, {"condition": "count=1 role=textbox"}, {"condition": `value="Ada" label=Name`},
		{"condition": "text-gone=Loading"},
	} {
		must(t, c, "wait_for", until)
	}
	must(t, c, "tabs", map[string]any{"action": "new", "url": "https://shop.test/"})
	if _, data := must(t, c, "tabs", nil); len(data["tabs"].([]any)) != 2 {
		t.Errorf("tabs = %v", data)
	}
}
