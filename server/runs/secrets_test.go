package runs_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/policy"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/client"
	"github.com/wayfinder-engine/wayfinder/server/internal/profiles"
	"github.com/wayfinder-engine/wayfinder/server/internal/replays"
	"github.com/wayfinder-engine/wayfinder/server/internal/traces"
	"github.com/wayfinder-engine/wayfinder/server/runs"
	"github.com/wayfinder-engine/wayfinder/server/wire"
	"github.com/wayfinder-engine/wayfinder/trace"
)

const (
	password      = `zX!7 quokka&"93`
	proxyPassword = "pelican-proxy-55"
)

// sealing returns keys; others for another letter.
func sealing(t *testing.T, letters ...string) *profiles.Keys {
	t.Helper()
	text := ""
	for _, letter := range letters {
		text += strings.Repeat(letter, 64) + "\n"
	}
	keys, err := profiles.ParseKeys(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// A vault is a site that shows its password to who has logged in with it.
type vault struct {
	mu  sync.Mutex // protects what follows
	ins int        // log-ins with the right password
}

func (v *vault) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && r.FormValue("password") == password {
		v.mu.Lock()
		v.ins++
		v.mu.Unlock()
		http.SetCookie(w, &http.Cookie{Name: "token", Value: "in"})
		http.SetCookie(w, &http.Cookie{Name: "told", Value: url.QueryEscape(password)}) // as careless sites do
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	w.Header().Set("content-type", "text/html")
	if c, err := r.Cookie("token"); err != nil || c.Value != "in" {
		fmt.Fprint(w, `<!doctype html><title>Vault</title><h1>Vault</h1><form method=post action=/in><input name=password aria-label=Password><button>Sign in</button></form>`)
		return
	}
	said := html.EscapeString(password)
	fmt.Fprintf(w, `<!doctype html><title>%s</title><h1>Welcome</h1><p>Your password is %s</p><a href="/?p=%s">Again</a>`, said, said, url.QueryEscape(password))
}

// A signer is a model that logs in there, by what the newest page says.
type signer struct {
	mu     sync.Mutex // protects what follows
	asked  []byte     // what it was shown
	hangAt int        // the question at which it hangs; 0: none
	count  int
	hangs  chan struct{}
}

func (m *signer) Name() string { return "test/signer" }

var fields = regexp.MustCompile(`\[([0-9]+-[0-9]+)\] (textbox: Password|button: Sign in)`)

func (m *signer) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	raw, err := json.Marshal(req)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	m.asked = append(m.asked, raw...)
	m.count++
	hang := m.count == m.hangAt
	m.mu.Unlock()
	if hang {
		m.hangs <- struct{}{}
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	refs, welcome := map[string]string{}, false
	for _, message := range req.Messages {
		for _, part := range message.Parts {
			if p, ok := part.(llm.Page); ok {
				for _, found := range fields.FindAllStringSubmatch(p.Text, -1) {
					refs[found[2]] = found[1]
				}
				welcome = strings.Contains(p.Text, "Welcome")
			}
		}
	}
	answer := &llm.Response{Stop: llm.StopTools}
	say := func(name, arguments string) {
		answer.ToolCalls = append(answer.ToolCalls, llm.ToolCall{ID: fmt.Sprint("c", len(req.Messages), name), Name: name, Arguments: json.RawMessage(arguments)})
	}
	if welcome {
		say("done", `{"success":true,"message":"I am in with %password%","criteria":[{"criterion":"welcomed","evidence":[{"kind":"text","text":"Welcome"}]}]}`)
	} else {
		say("fill", `{"ref":"`+refs["textbox: Password"]+`","text":"%password%"}`)
		say("click", `{"ref":"`+refs["button: Sign in"]+`"}`)
	}
	return answer, nil
}

// A witness is a store that keeps all that was ever written to it.
type witness struct {
	fleet.Store
	mu      sync.Mutex // protects what follows
	written bytes.Buffer
}

func (w *witness) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	w.mu.Lock()
	fmt.Fprintf(&w.written, "%s=%s\n", key, value)
	w.mu.Unlock()
	return w.Store.Put(ctx, key, value, revision)
}

func (w *witness) all() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.Clone(w.written.Bytes())
}

// An opening driver keeps what browsers were opened with.
type opening struct {
	driver.Driver
	mu     sync.Mutex // protects opened
	opened []driver.BrowserOptions
}

func (o *opening) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	o.mu.Lock()
	o.opened = append(o.opened, *opts)
	o.mu.Unlock()
	return o.Driver.Open(ctx, opts)
}

func (o *opening) DialsItself() bool { return driver.DialsItself(o.Driver) }

// A safe buffer takes a log.
type safeBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

// leaks reports the secrets that stand in something, however they are written.
func leaks(t *testing.T, where string, text []byte) {
	t.Helper()
	for _, secret := range []string{password, proxyPassword} {
		quoted, err := json.Marshal(secret)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{secret, strings.Trim(string(quoted), `"`), url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret), base64.StdEncoding.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte("u:" + secret))} {
			if i := bytes.Index(text, []byte(form)); i >= 0 {
				t.Errorf("%s has %q: …%s", where, form, text[max(0, i-300):i+len(form)])
			}
		}
	}
}

func filesBelow(t *testing.T, dir string) (all []byte) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		all = append(append(all, raw...), '\n')
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// erased waits until the store has no secrets any more.
func erased(t *testing.T, store fleet.Store) {
	t.Helper()
	left, none := map[string]bool{}, make(chan struct{}, 1)
	begun := false
	see := func() {
		if begun && len(left) == 0 {
			select {
			case none <- struct{}{}:
			default:
			}
		}
	}
	var mu sync.Mutex // protects left and begun
	stop, err := store.Watch(t.Context(), "runs.secret.", func(r fleet.Record) {
		mu.Lock()
		defer mu.Unlock()
		if delete(left, r.Key); !r.Deleted {
			left[r.Key] = true
		}
		see()
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	mu.Lock()
	begun = true
	see()
	mu.Unlock()
	select {
	case <-none:
	case <-t.Context().Done():
	}
}

// TestSecrets: the values of a run's variables, and its proxy's password, reach the
// browser, are the same after the process's end, and stand in no byte of the
// records, events, webhooks, logs, replays and traces; they are erased once the run
// is over.
func TestSecrets(t *testing.T) {
	for name, open := range map[string]func(*testing.T, string) fleet.Store{
		"memory": func(*testing.T, string) fleet.Store { return new(fleet.Memory) },
		"JetStream": func(t *testing.T, dir string) fleet.Store {
			store, err := jetstream.Open(t.Context(), &jetstream.Options{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(store.Close)
			return store
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, hooked := t.TempDir(), make(chan []byte, 1)
			store := &witness{Store: open(t, dir)}
			site := new(vault)
			proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if want := "Basic " + base64.StdEncoding.EncodeToString([]byte("u:"+proxyPassword)); r.Header.Get("Proxy-Authorization") != want || r.Host != "vault.test" {
					http.Error(w, "not for you", http.StatusProxyAuthRequired)
					return
				}
				site.ServeHTTP(w, r)
			}))
			defer proxy.Close()
			receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body) // what is missing of it is missing below
				hooked <- body
			}))
			defer receiver.Close()
			logs := new(safeBuffer)
			kept, err := traces.Open(t.TempDir(), nil)
			if err != nil {
				t.Fatal(err)
			}
			d, history := &opening{Driver: fake.Network()}, replays.New(store, nil)
			begin := func(model llm.Model) *service {
				log := slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
				return serveWith(t, store, &runs.Options{Keys: sealing(t, "a"), Logger: log, Webhooks: &policy.Policy{Private: []string{"*"}}},
					d, &server.Options{Models: server.Models{Default: model}, Logger: log, Parts: server.Parts{Kept: &server.Kept{Traces: kept, Replays: history}}})
			}
			body := `{"task":"log in with %password%","url":"http://vault.test/","trace":true,"webhook":"` + receiver.URL + `",
				"variables":{"password":{"value":` + mustJSON(password) + `,"description":"of the vault"}},
				"browser":{"launchOptions":{"locale":"de-CH","viewport":{"width":800,"height":600},"proxy":{"server":"` + proxy.URL + `","username":"u","password":"` + proxyPassword + `"}}}}`
			first := &signer{hangAt: 2, hangs: make(chan struct{}, 1)}
			s := begin(first)
			run := s.call(201, "a", "POST", "/v1/runs", body, "idempotency-key", "1")
			<-first.hangs // it is logged in
			if again := s.call(200, "a", "POST", "/v1/runs", body, "idempotency-key", "1"); again.ID != run.ID {
				t.Errorf("sent again it is %s, want %s", again.ID, run.ID)
			}
			for _, other := range []string{strings.Replace(body, "quokka", "wombat", 1), strings.Replace(body, "pelican", "penguin", 1), strings.Replace(body, "800", "801", 1)} {
				s.call(422, "a", "POST", "/v1/runs", other, "idempotency-key", "1")
			}
			s.stop()
			history.Flush(t.Context())
			second := new(signer)
			s = begin(second)
			all := s.events("a", run.ID)
			last := all[len(all)-1].Run
			if last.Status != wire.RunSucceeded {
				t.Errorf("the run ended as %+v, %+v", last, last.Error)
			}
			if site.ins != 1 {
				t.Errorf("there were %d log-ins, want 1", site.ins)
			}
			if n := len(d.opened); n != 2 {
				t.Fatalf("%d browsers were opened, want 2", n)
			}
			for _, o := range d.opened {
				if o.Locale != "de-CH" || o.Viewport != (driver.Size{Width: 800, Height: 600}) || o.Proxy == nil || o.Proxy.Password != proxyPassword {
					t.Errorf("a browser was opened with %+v, proxy %+v", o, o.Proxy)
				}
			}
			erased(t, store)
			if again := s.call(200, "a", "POST", "/v1/runs", body, "idempotency-key", "1"); again.ID != run.ID {
				t.Errorf("sent again after the end it is %s, want %s", again.ID, run.ID)
			}
			if !bytes.Contains(second.asked, []byte("Your password is %password%")) || !bytes.Contains(store.all(), []byte("runs.secret."+run.ID)) {
				t.Error("the model was not shown the page, or there was no secret: nothing is proved")
			}
			leaks(t, "the model's first questions", first.asked)
			leaks(t, "the model's last questions", second.asked)
			leaks(t, "the webhook", <-hooked)
			for _, path := range []string{"/v1/runs", "/v1/runs/" + run.ID, "/v1/runs/" + run.ID + "/events"} {
				leaks(t, path, s.read("a", path))
			}
			for _, e := range all {
				if e.Session != "" {
					leaks(t, "the replay", s.read("a", "/v1/sessions/"+e.Session+"/replay"))
				}
			}
			html := s.read("a", "/v1/sessions/"+all[slices.IndexFunc(all, func(e event) bool { return e.Type == "resumed" })].Session+"/trace")
			bundle, err := trace.Bundle(html)
			if err != nil {
				t.Fatal(err)
			}
			leaks(t, "the trace", slices.Concat(html, bundle))
			s.stop()
			leaks(t, "the records", store.all())
			leaks(t, "the directory", filesBelow(t, dir))
			leaks(t, "the log", logs.Bytes())
		})
	}
}

func mustJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // a string always encodes
	}
	return string(raw)
}

// TestSecretsErased: they go with a run that is cancelled, or fails.
func TestSecretsErased(t *testing.T) {
	store := new(fleet.Memory)
	model := &signer{hangAt: 1, hangs: make(chan struct{}, 1)}
	s := serveWith(t, store, &runs.Options{Keys: sealing(t, "a"), Workers: 1}, fake.Network(), &server.Options{Models: server.Models{Default: model}})
	const body = `{"task":"log in","variables":{"password":"hunter2"}}`
	first := s.call(201, "a", "POST", "/v1/runs", body)
	<-model.hangs
	second := s.call(201, "a", "POST", "/v1/runs", body)
	if left, err := fleet.List(t.Context(), store, "runs.secret."); err != nil || len(left) != 2 {
		t.Errorf("there are %d secrets, %v; want 2", len(left), err)
	}
	for _, run := range []wire.Run{second, first} {
		s.call(200, "a", "DELETE", "/v1/runs/"+run.ID, "")
		s.events("a", run.ID)
	}
	erased(t, store)
	failing := s.call(201, "a", "POST", "/v1/runs", `{"task":"log in","url":"ftp://nowhere","variables":{"password":"hunter2"}}`)
	if all := s.events("a", failing.ID); all[len(all)-1].Run.Status != wire.RunFailed {
		t.Errorf("the run ended as %+v", all[len(all)-1].Run)
	}
	erased(t, store)
}

// TestSecretsNeedAKey: a run with values is refused where nothing encrypts them, waits
// where another key does, and is the same request under a new key.
func TestSecretsNeedAKey(t *testing.T) {
	const body = `{"task":"log in","variables":{"password":"hunter2"}}`
	without := serveWith(t, new(fleet.Memory), nil, fake.Network(), &server.Options{Models: server.Models{Default: new(signer)}})
	for _, given := range []string{body, `{"task":"x","browser":{"launchOptions":{"proxy":{"server":"http://127.0.0.1:9","username":"u","password":"hunter2"}}}}`} {
		resp := without.open("a", "POST", "/v1/runs", given)
		raw, _ := io.ReadAll(resp.Body) // what is missing of it is missing below
		resp.Body.Close()
		if resp.StatusCode != http.StatusNotImplemented || !bytes.Contains(raw, []byte("--profile-key-file")) || bytes.Contains(raw, []byte("hunter2")) {
			t.Errorf("POST of %s = %d %s, want 501 and what to set", given, resp.StatusCode, raw)
		}
	}
	without.call(201, "a", "POST", "/v1/runs", `{"task":"x","variables":{},"browser":{"launchOptions":{"proxy":{"server":"http://127.0.0.1:9"}}}}`)

	store := new(fleet.Memory)
	model := &signer{hangAt: 1, hangs: make(chan struct{}, 1)}
	s := serveWith(t, store, &runs.Options{Keys: sealing(t, "a")}, fake.Network(), &server.Options{Models: server.Models{Default: model}})
	run := s.call(201, "a", "POST", "/v1/runs", body, "idempotency-key", "1")
	<-model.hangs
	s.stop()
	waiting := func() bool {
		job := s.job(run.ID)
		return job.State == fleet.Waiting && job.Attempt > 1 && !job.After.IsZero()
	}
	other := serveWith(t, store, &runs.Options{Keys: sealing(t, "b")}, fake.Network(), &server.Options{Models: server.Models{Default: new(signer)}})
	if _, err := other.runs.Queue().Await(t.Context(), run.ID, func(fleet.Job) bool { return waiting() }); err != nil {
		t.Fatal(err)
	}
	other.call(422, "a", "POST", "/v1/runs", body, "idempotency-key", "1")
	other.stop()
	both := serveWith(t, store, &runs.Options{Keys: sealing(t, "b", "a")}, fake.Network(), &server.Options{Models: server.Models{Default: new(signer)}})
	if again := both.call(200, "a", "POST", "/v1/runs", body, "idempotency-key", "1"); again.ID != run.ID {
		t.Errorf("under a new key it is %s, want %s", again.ID, run.ID)
	}
	both.call(422, "a", "POST", "/v1/runs", strings.Replace(body, "hunter2", "hunter3", 1), "idempotency-key", "1")
}

// TestClient: the client of Go has runs done, with values, and reads what happens.
func TestClient(t *testing.T) {
	site := httptest.NewServer(new(vault))
	defer site.Close()
	s := serveWith(t, new(fleet.Memory), &runs.Options{Keys: sealing(t, "a")}, fake.Network(), &server.Options{Models: server.Models{Default: new(signer)}})
	c, err := client.New(s.url, &client.Options{APIKey: "a"})
	if err != nil {
		t.Fatal(err)
	}
	request := &wire.RunCreate{Task: "log in", URL: site.URL, Variables: map[string]wire.Variable{"password": {Value: password, Description: "of the vault"}}}
	run, err := c.StartRun(t.Context(), request, "1")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := c.StartRun(t.Context(), request, "1"); err != nil || again.ID != run.ID {
		t.Errorf("StartRun again = %+v, %v", again, err)
	}
	var last client.RunEvent
	numbers := 0
	for e, err := range c.RunEvents(t.Context(), run.ID, 1) {
		if err != nil {
			t.Fatal(err)
		}
		if last = e; e.Number > 1 {
			numbers++
		}
	}
	if last.Run == nil || last.Run.Status != wire.RunSucceeded || numbers < 2 {
		t.Errorf("after %d events the last is %+v", numbers, last)
	}
	if got, err := c.Run(t.Context(), run.ID); err != nil || got.Result == nil {
		t.Errorf("Run = %+v, %v", got, err)
	}
	if got, err := c.CancelRun(t.Context(), run.ID); err != nil || got.Status != wire.RunSucceeded {
		t.Errorf("CancelRun of one that is over = %+v, %v", got, err)
	}
	for status, want := range map[wire.RunStatus]int{"": 1, wire.RunSucceeded: 1, wire.RunFailed: 0} {
		if all, err := c.Runs(t.Context(), status); err != nil || len(all) != want {
			t.Errorf("Runs(%q) = %+v, %v", status, all, err)
		}
	}
	var refused *client.Error
	if _, err := c.Run(t.Context(), "none"); !errors.As(err, &refused) || refused.Code != wire.RunNotFound {
		t.Errorf("Run of none = %v", err)
	}
	for _, err := range c.RunEvents(t.Context(), "none", 0) {
		if !errors.As(err, &refused) || refused.Code != wire.RunNotFound {
			t.Errorf("RunEvents of none = %v", err)
		}
	}
}

// TestRunBrowser: what a session's browser is not given, or a run's cannot have, is
// refused when the run is made.
func TestRunBrowser(t *testing.T) {
	d := &opening{Driver: shop}
	s := serveWith(t, new(fleet.Memory), nil, d, &server.Options{
		Models: server.Models{Default: &agent{}}, Browsers: server.Browsers{Policy: &engine.Policy{}}, Allow: server.Allow{CDPURL: true, Args: true, Port: true, UserDataDir: true, PageTools: true},
	})
	for options, want := range map[string]int{
		`"cdpUrl":"http://127.0.0.1:1"`:                                      400,
		`"labels":{"gpu":"yes"}`:                                             400,
		`"type":"hosted"`:                                                    400,
		`"profile":"nowhere"`:                                                501,
		`"launchOptions":{"cdpUrl":"http://127.0.0.1:1"}`:                    400,
		`"launchOptions":{"cdpHeaders":{"a":"b"}}`:                           400,
		`"launchOptions":{"connectTimeoutMs":5}`:                             400,
		`"launchOptions":{"port":1}`:                                         400,
		`"launchOptions":{"args":["--x"]}`:                                   400,
		`"launchOptions":{"userDataDir":"/x"}`:                               400,
		`"launchOptions":{"executablePath":"/x"}`:                            400,
		`"launchOptions":{"ignoreDefaultArgs":true}`:                         400,
		`"launchOptions":{"chromiumSandbox":false}`:                          400,
		`"launchOptions":{"headless":false}`:                                 400,
		`"launchOptions":{"devtools":true}`:                                  400,
		`"launchOptions":{"downloadsPath":"/x"}`:                             400,
		`"launchOptions":{"pageTools":true}`:                                 400,
		`"launchOptions":{"viewport":{"width":0,"height":1}}`:                400,
		`"launchOptions":{"locale":"de_CH"}`:                                 400,
		`"launchOptions":{"nonsense":1}`:                                     400,
		`"launchOptions":{"proxy":{"server":"http://127.0.0.1:9"}}`:          403, // the policy
		`"launchOptions":{"headless":true,"hasTouch":true,"locale":"de-CH"}`: 201,
	} {
		run := s.call(want, "a", "POST", "/v1/runs", `{"task":"order it","url":"https://shop.test/","browser":{`+options+`}}`)
		if want == 201 {
			s.events("a", run.ID)
		}
	}
	if len(d.opened) != 1 || d.opened[0].Locale != "de-CH" || !d.opened[0].Touch {
		t.Errorf("opened %+v", d.opened)
	}
}

// read returns the body at an address.
func (s *service) read(key, path string) []byte {
	s.t.Helper()
	resp := s.open(key, "GET", path, "")
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("GET %s = %d %s, %v", path, resp.StatusCode, raw, err)
	}
	return raw
}
