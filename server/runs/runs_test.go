package runs_test

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/fleettest"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/policy"
	"github.com/wayfinder-engine/wayfinder/schema"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/internal/traces"
	"github.com/wayfinder-engine/wayfinder/server/runs"
	"github.com/wayfinder-engine/wayfinder/server/wire"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

var shop = fake.Web{
	"https://shop.test/":      `<title>Shop</title><h1>Shop</h1><form action="/order"><button>Order</button></form>`,
	"https://shop.test/order": `<title>Thanks</title><h1>Thank you</h1>`,
}

// An agent presses the button Order and is done, or hangs at a question.
type agent struct {
	hangAt  int32 // the question; 0: none
	asked   atomic.Int32
	hanging chan struct{}
}

func (a *agent) Name() string { return "openai/gpt-5" }

var button = regexp.MustCompile(`\[([0-9]+-[0-9]+)\] button: Order`)

func (a *agent) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if n := a.asked.Add(1); n == a.hangAt {
		a.hanging <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	name, arguments := "done", `{"success":true,"message":"ordered","criteria":[{"criterion":"thanked","evidence":[{"kind":"text","text":"Thank you"}]}]}`
	for _, m := range req.Messages[len(req.Messages)-1:] {
		for _, part := range m.Parts {
			if p, ok := part.(llm.Page); ok {
				if found := button.FindStringSubmatch(p.Text); found != nil {
					name, arguments = "click", `{"ref":"`+found[1]+`"}`
				}
			}
		}
	}
	return &llm.Response{Stop: llm.StopTools, ToolCalls: []llm.ToolCall{{ID: fmt.Sprint(a.asked.Load()), Name: name, Arguments: json.RawMessage(arguments)}}}, nil
}

// A service serves runs from a store until it is stopped.
type service struct {
	t    *testing.T
	url  string
	runs *runs.Runs
	srv  *server.Server
	stop func()
}

func serve(t *testing.T, store fleet.Store, model llm.Model, opts *runs.Options) *service {
	t.Helper()
	return serveWith(t, store, opts, shop, &server.Options{Models: server.Models{Default: model}})
}

// serveWith serves with more of the service's options; what it needs it sets.
func serveWith(t *testing.T, store fleet.Store, opts *runs.Options, d driver.Driver, options *server.Options) *service {
	t.Helper()
	r, err := runs.New(t.Context(), store, opts)
	if err != nil {
		t.Fatal(err)
	}
	options.Parts.Runs, options.Keys = r, []server.Key{server.NewKey("alice", "a"), server.NewKey("bob", "b")}
	if options.Browsers.Policy == nil {
		options.Browsers.Policy = &engine.Policy{Private: []string{"*"}}
	}
	srv, err := server.New(d, options)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(srv)
	ctx, cancel := context.WithCancel(context.Background())
	worked := make(chan struct{})
	go func() { defer close(worked); r.Work(ctx, srv) }()
	s := &service{t: t, url: h.URL, runs: r, srv: srv, stop: sync.OnceFunc(func() {
		cancel()
		_ = srv.Shutdown(ctx) // what is left is cut short
		<-worked
		h.Close()
		r.Close()
	})}
	t.Cleanup(s.stop)
	return s
}

func (s *service) open(key, method, path, body string, headers ...string) *http.Response {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("authorization", "Bearer "+key)
	if body != "" {
		req.Header.Set("content-type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp
}

// The schemas of the contract that check uses, from the first service that a test calls.
var (
	contract sync.Once
	forms    = map[string]*schema.Schema{}
)

// check holds a body against a schema of the contract.
func (s *service) check(component string, body []byte) {
	s.t.Helper()
	contract.Do(func() {
		resp := s.open("a", "GET", "/v1/openapi.json", "")
		defer resp.Body.Close()
		var doc struct{ Components json.RawMessage }
		if err := json.NewDecoder(resp.Body).Decode(&doc); err != nil {
			s.t.Fatal(err)
		}
		for _, name := range []string{"RunResponse", "RunListResponse", "RunEvent", "Error"} {
			form, err := schema.Parse(fmt.Appendf(nil, `{"$ref":"#/components/schemas/%s","components":%s}`, name, doc.Components))
			if err != nil {
				s.t.Fatal(err)
			}
			forms[name] = form
		}
	})
	if err := forms[component].Validate(body); err != nil {
		s.t.Errorf("%s is no %s: %v", body, component, err)
	}
}

// call sends a request, wants its status, 0 for any, and returns its run.
func (s *service) call(want int, key, method, path, body string, headers ...string) wire.Run {
	s.t.Helper()
	resp := s.open(key, method, path, body, headers...)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if resp.StatusCode != want && want != 0 {
		s.t.Fatalf("%s %s = %d %s, want %d", method, path, resp.StatusCode, raw, want)
	}
	var answer wire.Success[wire.RunData]
	if resp.StatusCode/100 != 2 {
		s.check("Error", raw)
	} else {
		s.check("RunResponse", raw)
		if err := json.Unmarshal(raw, &answer); err != nil {
			s.t.Fatal(err)
		}
	}
	return answer.Data.Run
}

// An event is one of a stream.
type event struct {
	id string
	wire.RunEvent
}

// events reads a run's events to the last one.
func (s *service) events(key, id string, headers ...string) (all []event) {
	s.t.Helper()
	resp := s.open(key, "GET", "/v1/runs/"+id+"/events", "", headers...)
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	var e event
	for lines.Scan() {
		if number, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			e.id = number
		}
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			s.check("RunEvent", []byte(data))
			if err := json.Unmarshal([]byte(data), &e.RunEvent); err != nil {
				s.t.Fatal(err)
			}
			all = append(all, e)
			e = event{}
		}
	}
	if n := len(all); resp.StatusCode != 200 || n == 0 || all[n-1].Type != "over" || all[n-1].Run == nil {
		s.t.Fatalf("events = %d %+v, want over at the end", resp.StatusCode, all)
	}
	return all
}

// job is a run as the queue has it, also after the service's end.
func (s *service) job(id string) fleet.Job {
	s.t.Helper()
	job, err := s.runs.Queue().Get(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return job
}

const order = `{"task":"order it","url":"https://shop.test/"}`

// TestRunChecks: a run's checks decide alone whether it succeeded, whatever its model
// claims, and those that no page can be held to are refused at once.
func TestRunChecks(t *testing.T) {
	s := serve(t, new(fleet.Memory), &agent{}, nil)
	body := func(checks string) string {
		return `{"task":"order it","url":"https://shop.test/","checks":[` + checks + `]}`
	}
	for checks, success := range map[string]bool{
		`{"shown":"Thank you"},{"address":"*/order*"}`: true,
		`{"shown":"Thank you"},{"gone":"Thank you"}`:   false,
	} {
		all := s.events("a", s.call(201, "a", "POST", "/v1/runs", body(checks)).ID)
		last := all[len(all)-1].Run
		var result wire.AgentResult
		err := json.Unmarshal(last.Result, &result)
		found, _ := result.Metadata["checks"].([]any)
		if err != nil || result.Success != success || (last.Status == wire.RunSucceeded) != success || len(found) != 2 {
			t.Errorf("%s: %s, %s, %v; want success %t", checks, last.Status, last.Result, err, success)
		}
	}
	s.call(400, "a", "POST", "/v1/runs", body(`{"shown":"Thank you","gone":"Thank you"}`))
	s.call(400, "a", "POST", "/v1/runs", body(`{}`))
}

// TestRun: a run is done while nobody waits; its result and its events are its
// key's, and streams go on where they were left.
func TestRun(t *testing.T) {
	s := serve(t, new(fleet.Memory), &agent{}, nil)
	run := s.call(201, "a", "POST", "/v1/runs", order, "idempotency-key", "1")
	all := s.events("a", run.ID)
	last := all[len(all)-1].Run
	var result wire.AgentResult
	if err := json.Unmarshal(last.Result, &result); err != nil || last.Status != wire.RunSucceeded || result.Message != "ordered" || len(result.Actions) != 2 {
		t.Errorf("the run ended as %+v, %v", last, err)
	}
	if all[0].Type != "begun" || all[0].id != "1" || all[1].Type != "step" || len(all) < 4 {
		t.Errorf("events = %+v", all)
	}
	rest := s.events("a", run.ID, "last-event-id", all[1].id)
	if len(rest) != len(all)-2 || rest[0].id != all[2].id || rest[0].Message != all[2].Message {
		t.Errorf("events after 2 = %+v", rest)
	}
	if got := s.call(200, "a", "GET", "/v1/runs/"+run.ID, ""); got.Status != wire.RunSucceeded || string(got.Result) != string(last.Result) || got.Ended == nil {
		t.Errorf("GET = %+v", got)
	}
	if again := s.call(200, "a", "POST", "/v1/runs", order, "idempotency-key", "1"); again.ID != run.ID {
		t.Errorf("sent again = %+v", again)
	}
	s.call(422, "a", "POST", "/v1/runs", `{"task":"another"}`, "idempotency-key", "1")
	s.call(404, "b", "GET", "/v1/runs/"+run.ID, "")
	s.call(404, "b", "DELETE", "/v1/runs/"+run.ID, "")
	s.call(404, "b", "GET", "/v1/runs/"+run.ID+"/events", "")
	s.call(404, "a", "GET", "/v1/runs/a%2Fb", "")
	s.call(400, "a", "POST", "/v1/runs", `{"task":""}`)
	s.call(400, "a", "POST", "/v1/runs", `{"task":"x","variables":{"a b":"c"}}`)
	s.call(400, "a", "POST", "/v1/runs", `{"task":"x","browser":{"profile":"a/b"}}`)
	s.call(400, "a", "GET", "/v1/runs/"+run.ID+"/events", "", "last-event-id", "x")
	for key, want := range map[string]int{"a": 1, "b": 0} {
		resp := s.open(key, "GET", "/v1/runs?status=succeeded", "")
		var list wire.Success[wire.RunList]
		raw, _ := io.ReadAll(resp.Body) // what is missing of it is missing below
		s.check("RunListResponse", raw)
		if err := json.Unmarshal(raw, &list); err != nil || len(list.Data.Runs) != want {
			t.Errorf("the list of %s = %+v, %v", key, list, err)
		}
		resp.Body.Close()
	}
}

// TestRunTraceReplays: the trace of a run, whose log is kept beside it, plays again
// offline, and all is as it was.
func TestRunTraceReplays(t *testing.T) {
	kept, err := traces.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := serveWith(t, new(fleet.Memory), nil, shop, &server.Options{Models: server.Models{Default: &agent{}}, Parts: server.Parts{Kept: &server.Kept{Traces: kept}}})
	all := s.events("a", s.call(201, "a", "POST", "/v1/runs", `{"task":"order it","url":"https://shop.test/","trace":true}`).ID)
	if last := all[len(all)-1].Run; last.Status != wire.RunSucceeded {
		t.Fatalf("the run ended as %+v", last)
	}
	file := filepath.Join(t.TempDir(), "run.html")
	if err := os.WriteFile(file, s.read("a", "/v1/sessions/"+all[0].Session+"/trace"), 0o600); err != nil {
		t.Fatal(err)
	}
	if history := wayfindertest.Replay(t, file).History(); len(history) < 4 {
		t.Errorf("the replay has done %d calls, want all", len(history))
	}
}

// A thinker thinks so many times before it is done.
type thinker struct{ times, asked int32 }

func (m *thinker) Name() string { return "openai/gpt-5" }

func (m *thinker) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	n := atomic.AddInt32(&m.asked, 1)
	call := llm.ToolCall{ID: fmt.Sprint(n), Name: "think", Arguments: json.RawMessage(fmt.Sprintf(`{"thought":"number %d"}`, n))}
	if n > m.times {
		call.Name, call.Arguments = "done", json.RawMessage(`{"success":true,"message":"thought","criteria":[{"criterion":"shown","evidence":[{"kind":"text","text":"Shop"}]}]}`)
	}
	return &llm.Response{Stop: llm.StopTools, ToolCalls: []llm.ToolCall{call}}, nil
}

// A stuck is a client that reads nothing.
type stuck struct {
	http.ResponseWriter
	reads chan struct{} // closed when it reads on
}

func (w stuck) Write(p []byte) (int, error) {
	<-w.reads
	return w.ResponseWriter.Write(p)
}

// TestEventsOfLongRun: a stream begins late in a log of any length, and a client
// that reads nothing keeps neither the run nor other clients waiting.
func TestEventsOfLongRun(t *testing.T) {
	for name, store := range map[string]func() fleet.Store{
		"memory": func() fleet.Store { return new(fleet.Memory) },
		"jetstream": func() fleet.Store {
			store, err := jetstream.Open(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(store.Close)
			return store
		},
	} {
		t.Run(name, func(t *testing.T) {
			const steps = 120
			s := serve(t, store(), &thinker{times: steps}, nil)
			run := s.call(201, "a", "POST", "/v1/runs", `{"task":"think","url":"https://shop.test/","maxSteps":200}`)
			late := stuck{httptest.NewRecorder(), make(chan struct{})}
			read := make(chan struct{})
			go func() {
				defer close(read)
				r := httptest.NewRequest("GET", "/v1/runs/"+run.ID+"/events", nil)
				r.Header.Set("x-svc-api-key", "a")
				s.srv.ServeHTTP(late, r)
			}()
			all := s.events("a", run.ID)
			if n := len(all); n < steps {
				t.Errorf("%d events, want %d at least", n, steps)
			}
			again := s.events("a", run.ID) // after its end
			if len(again) != len(all) {
				t.Errorf("%d events when it was over, %d before", len(again), len(all))
			}
			close(late.reads)
			<-read
			if n := strings.Count(late.ResponseWriter.(*httptest.ResponseRecorder).Body.String(), "\nevent: "); n != len(all) {
				t.Errorf("the slow client has %d events, the others %d", n, len(all))
			}
		})
	}
}

// TestRunCancel: one that waits is over at once, and one that is done ends.
func TestRunCancel(t *testing.T) {
	model := &agent{hangAt: 1, hanging: make(chan struct{}, 1)}
	s := serve(t, new(fleet.Memory), model, &runs.Options{Workers: 1})
	first := s.call(201, "a", "POST", "/v1/runs", order)
	<-model.hanging
	second := s.call(201, "a", "POST", "/v1/runs", order)
	if got := s.call(200, "a", "DELETE", "/v1/runs/"+second.ID, ""); got.Status != wire.RunCanceled {
		t.Errorf("DELETE of one that waits = %+v", got)
	}
	s.call(200, "a", "DELETE", "/v1/runs/"+first.ID, "")
	all := s.events("a", first.ID)
	if last := all[len(all)-1].Run; last.Status != wire.RunCanceled || last.Error != nil {
		t.Errorf("the run ended as %+v", last)
	}
}

// TestNoSession: a run for which no session begins, as the records of limits cannot
// be reached, waits for its next turn and does not count as lost.
func TestNoSession(t *testing.T) {
	for _, code := range []wire.Code{wire.NodeUnavailable, wire.BrowserUnavailable} {
		r, err := runs.New(t.Context(), new(fleet.Memory), &runs.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		worked := make(chan struct{})
		go func() {
			defer close(worked)
			r.Work(ctx, refusing(code))
		}()
		job, _, err := r.Queue().Enqueue(ctx, fleet.Request{Payload: []byte(`{"run":{"task":"x"}}`)})
		if err != nil {
			t.Fatal(err)
		}
		bounded, stop := context.WithTimeout(ctx, 10*time.Second)
		got, err := r.Queue().Await(bounded, job.ID, func(j fleet.Job) bool { return j.Attempt > 0 && j.State != fleet.Running })
		if err != nil || got.State != fleet.Waiting || got.Losses > 0 {
			t.Errorf("after %s the run is %+v, %v", code, got, err)
		}
		stop()
		cancel()
		<-worked
		r.Close()
	}
}

// refusing is a service that starts no session, and says so by a code.
type refusing wire.Code

func (code refusing) StartRun(context.Context, *server.Run, *wire.SessionStart) (*server.RunSession, error) {
	return nil, &server.RunError{Code: wire.Code(code), Message: "x"}
}

// TestShutdown: a run that is under way when its process ends is gone on with by
// another one.
func TestShutdown(t *testing.T) {
	store := new(fleet.Memory)
	model := &agent{hangAt: 2, hanging: make(chan struct{}, 1)}
	s := serve(t, store, model, nil)
	run := s.call(201, "a", "POST", "/v1/runs", order)
	<-model.hanging // after the press
	s.stop()
	if got := s.job(run.ID); got.State != fleet.Waiting || got.Losses != 0 {
		t.Errorf("after the end of its process the run is %+v", got)
	}
	model = &agent{}
	s = serve(t, store, model, nil)
	all := s.events("a", run.ID)
	var result wire.AgentResult
	last := all[len(all)-1].Run
	if err := json.Unmarshal(last.Result, &result); err != nil || last.Status != wire.RunSucceeded || len(result.Actions) != 2 {
		t.Errorf("the run ended as %+v, %v, with %+v", last, err, result.Actions)
	}
	if n := model.asked.Load(); n != 1 {
		t.Errorf("the model was asked %d times by the second process, want once: the press was done", n)
	}
	var kinds []string
	for _, e := range all {
		kinds = append(kinds, e.Type)
	}
	if got := strings.Join(kinds, " "); !strings.HasPrefix(got, "begun step ") || !strings.Contains(got, " resumed ") {
		t.Errorf("events = %s", got)
	}
}

// TestRestart: what waits is done after a restart, and what had begun is gone on
// with, also where its process could not say that it ends.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	open := func() *jetstream.Store {
		t.Helper()
		store, err := jetstream.Open(t.Context(), &jetstream.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(store.Close)
		return store
	}
	// The link is cut when the process would be killed.
	store := open()
	link := fleettest.NewNetwork(store).Link()
	model := &agent{hangAt: 2, hanging: make(chan struct{}, 1)}
	opts := &runs.Options{Workers: 1, Term: 2 * time.Second}
	s := serve(t, link, model, opts)
	begun := s.call(201, "a", "POST", "/v1/runs", order)
	<-model.hanging // after the press
	waits := s.call(201, "a", "POST", "/v1/runs", order)
	link.Cut()
	go s.stop() // it cannot write what has become of it
	store.Close()
	model = &agent{}
	s = serve(t, open(), model, opts)
	for _, run := range []wire.Run{waits, begun} {
		all := s.events("a", run.ID)
		if last := all[len(all)-1].Run; last.Status != wire.RunSucceeded {
			t.Errorf("the run ended as %+v, %+v", last, last.Error)
		}
	}
	if n := model.asked.Load(); n != 3 {
		t.Errorf("the model was asked %d times after the restart, want 3: twice in one run, once in the other, whose press was done", n)
	}
}

// TestWebhook: it is sent until it is taken, and its signature is that of the
// caller's key.
func TestWebhook(t *testing.T) {
	got := make(chan error, 10)
	var bodies []wire.RunData
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		digest := sha256.Sum256([]byte("a"))
		mac := hmac.New(sha256.New, []byte(hex.EncodeToString(digest[:])))
		fmt.Fprintf(mac, "%s.%s.%s", r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp"), body)
		var data wire.RunData
		err := json.Unmarshal(body, &data)
		if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); err == nil && r.Header.Get("webhook-signature") != want {
			err = fmt.Errorf("signature = %q, want %q", r.Header.Get("webhook-signature"), want)
		}
		bodies = append(bodies, data)
		got <- err
	}))
	defer receiver.Close()
	body := `{"task":"order it","url":"https://shop.test/","webhook":"` + receiver.URL + `"}`

	private := serve(t, new(fleet.Memory), &agent{}, nil)
	private.call(403, "a", "POST", "/v1/runs", body)
	private.call(400, "a", "POST", "/v1/runs", `{"task":"x","webhook":"ftp://example.com"}`)

	s := serve(t, new(fleet.Memory), &agent{}, &runs.Options{Webhooks: &policy.Policy{Private: []string{"127.0.0.1"}}})
	run := s.call(201, "a", "POST", "/v1/runs", body)
	s.events("a", run.ID)
	if err := <-got; err != nil {
		t.Error(err)
	}
	if len(bodies) != 1 || bodies[0].Run.ID != run.ID || bodies[0].Run.Status != wire.RunSucceeded {
		t.Errorf("delivered %+v", bodies)
	}
}
