package dashboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/dashboard"
	"github.com/wayfinder-engine/wayfinder/server/internal/nodes"
	"github.com/wayfinder-engine/wayfinder/server/internal/replays"
	"github.com/wayfinder-engine/wayfinder/server/internal/traces"
	"github.com/wayfinder-engine/wayfinder/server/runs"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// hostile is a text that would like to be more than one.
const hostile = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`

var shop = fake.Web{
	"https://shop.test/":     `<title>Shop</title><h1>Shop</h1><a href="/cart">Cart</a><form action="/cart"><label>Note <input name=note></label><button>Order</button></form>`,
	"https://shop.test/cart": `<title>Cart</title><h1>Your cart</h1><p>Total: 12</p><button>Pay</button>`,
	"https://shop.test/evil": `<title>&lt;img src=x onerror="document.title='taken'"></title><h1>&lt;img src=x onerror="document.title='taken'">&lt;script>document.title='taken'&lt;/script></h1><button>&lt;b>bold&lt;/b></button>`,
}

// theChrome is that of all tests.
var theChrome struct {
	sync.Once
	*cdp.Chrome
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if theChrome.Chrome != nil {
		theChrome.Close()
	}
	os.Exit(code)
}

func chrome(t *testing.T) *cdp.Chrome {
	t.Helper()
	chrometest.Long(t)
	theChrome.Do(func() { theChrome.Chrome, theChrome.err = cdp.Start(context.Background(), cdp.Launch{}) })
	chrometest.Need(t, theChrome.err)
	return theChrome.Chrome
}

// A service is one of the test's own, with its page.
type service struct {
	t   *testing.T
	url string
	srv *server.Server
	*httptest.Server
}

// serve starts a service, with runs; store is the records of several, or nil.
func serve(t *testing.T, d driver.Driver, store fleet.Store, keys ...server.Key) *service {
	t.Helper()
	alone := store == nil
	if alone {
		store = new(fleet.Memory)
	}
	tasks, err := runs.New(t.Context(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := traces.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	history := replays.New(store, nil)
	options := &server.Options{
		Parts: server.Parts{Kept: &server.Kept{Replays: history, Traces: kept}, Runs: tasks, Dashboard: dashboard.New()}, Models: server.Models{Default: offline.New()}, Browsers: server.Browsers{Policy: &engine.Policy{Private: []string{"*"}}}, Keys: keys,
		Limits: server.Limits{Sessions: 10, StartQueue: -1},
	}
	h := httptest.NewUnstartedServer(nil)
	s := &service{t: t, url: "http://" + h.Listener.Addr().String(), Server: h}
	var node *nodes.Node
	if !alone {
		node, err = nodes.Join(t.Context(), store, &nodes.Options{Address: h.Listener.Addr().String(), Secret: "s", Capacity: 100, Pressure: func() float64 { return 0.3 }})
		if err != nil {
			t.Fatal(err)
		}
		options.Parts.Node = node
	}
	if s.srv, err = server.New(d, options); err != nil {
		t.Fatal(err)
	}
	h.Config.Handler = s.srv
	h.Start()
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { tasks.Work(ctx, s.srv) })
	all.Go(func() { history.Run(ctx) })
	if node != nil {
		all.Go(func() { s.srv.KeepNode(ctx) })
	}
	t.Cleanup(func() {
		stop()
		_ = s.srv.Shutdown(ctx) // work that a test left is cut short
		all.Wait()
		h.CloseClientConnections()
		h.Close()
		if node != nil {
			node.Close(context.Background())
		}
		tasks.Close()
	})
	return s
}

// call makes a request with a key, and returns the answer's data.
func call[T any](s *service, key, method, path string, body any) (data T) {
	s.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(string(raw)))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("content-type", "application/json")
	r.Header.Set("x-svc-api-key", key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Data    T
		Message string
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode >= 300 {
		s.t.Fatalf("%s %s: %s %s %v", method, path, resp.Status, answer.Message, err)
	}
	return answer.Data
}

// session starts a session at an address, and returns its id.
func (s *service) session(key, address string) string {
	s.t.Helper()
	id := call[wire.SessionStarted](s, key, "POST", "/v1/sessions/start", struct{}{}).SessionID
	call[any](s, key, "POST", "/v1/sessions/"+id+"/navigate", wire.NavigateRequest{URL: address})
	return id
}

// A viewer is a Chrome that shows the page.
type viewer struct {
	t    *testing.T
	page *engine.Page

	mu   sync.Mutex // protects what follows
	said []string   // what went wrong, by Chrome's word
}

var (
	desk   = driver.Size{Width: 1280, Height: 900}
	phone  = driver.Size{Width: 360, Height: 740}
	narrow = driver.Size{Width: 390, Height: 844}
)

func look(t *testing.T, address string, size driver.Size, scheme driver.ColorScheme) *viewer {
	t.Helper()
	v := &viewer{t: t}
	say := func(format string, args ...any) {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.said = append(v.said, fmt.Sprintf(format, args...))
	}
	session, err := engine.Open(t.Context(), chrome(t), &engine.Options{
		Browser: engine.BrowserOptions{Emulation: driver.Emulation{Viewport: size, ColorScheme: scheme}},
		Timeout: 2 * time.Minute,
		Hooks: &engine.Hooks{
			Console:   func(m driver.ConsoleMessage) { say("console: %s", m.Text) },
			PageError: func(e driver.PageError) { say("error: %s", e.Text) },
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		v.mu.Lock()
		defer v.mu.Unlock()
		for _, line := range v.said {
			t.Errorf("the page: %s", line)
		}
	})
	v.page = session.Page()
	v.open(address)
	return v
}

func (v *viewer) open(address string) {
	v.t.Helper()
	if _, err := v.page.Navigate(v.t.Context(), address, nil); err != nil {
		v.t.Fatal(err)
	}
}

// shows waits for a text.
func (v *viewer) shows(text string) {
	v.t.Helper()
	if err := v.page.WaitFor(v.t.Context(), engine.TextShown(text)); err != nil {
		raw, _ := v.page.Driver().Evaluate(v.t.Context(), "document.body.innerText", nil)
		v.t.Fatalf("%v\n%s", err, raw)
	}
}

// until waits for an expression of the page to be true.
func (v *viewer) until(expression string) {
	v.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; {
		raw, err := v.page.Driver().Evaluate(v.t.Context(), `new Promise((done) => {
			const end = Date.now() + 5000;
			const is = () => { try { return `+expression+`; } catch { return false; } }; // what it asks about is not there yet
			const look = () => { if (is()) done(true); else if (Date.now() > end) done(false); else setTimeout(look, 20); };
			look();
		})`, nil)
		if err == nil && string(raw) == "true" {
			return
		}
		if err != nil || time.Now().After(deadline) {
			text, _ := v.page.Driver().Evaluate(v.t.Context(), "document.body.innerText", nil)
			v.t.Fatalf("%s never was true: %v\n%s", expression, err, text)
		}
	}
}

// do does something to what has a role and a name, as somebody does who hears the page.
func (v *viewer) do(role axtree.Role, name string, method engine.Method, args ...string) {
	v.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		snap, err := v.page.Snapshot(v.t.Context(), nil)
		if err != nil {
			v.t.Fatal(err)
		}
		for i := range snap.Nodes {
			if n := snap.Nodes[i]; n.Role == role && (n.Name == name || role == "tab" && strings.HasPrefix(n.Name, name+" ")) {
				if _, err := v.page.DoTo(v.t.Context(), engine.Target{Snapshot: snap, Ref: n.Ref}, engine.Command{Method: method, Arguments: args}, nil); err != nil {
					v.t.Fatalf("%s %s %q: %v", method, role, name, err)
				}
				return
			}
		}
		if time.Now().After(deadline) {
			v.t.Fatalf("no %s %q in\n%s", role, name, snap.Outline())
		}
	}
}

func (v *viewer) press(name string)       { v.t.Helper(); v.do("button", name, engine.Click) }
func (v *viewer) fill(name, value string) { v.t.Helper(); v.do("textbox", name, engine.Fill, value) }

// savesATrace presses the button, and waits for the file.
func (v *viewer) savesATrace() {
	v.t.Helper()
	_, err := v.page.Driver().Evaluate(v.t.Context(), `(() => {
		const make = URL.createObjectURL;
		URL.createObjectURL = (blob) => {
			blob.text().then((text) => { document.body.dataset.saved = blob.type + " " + text.includes("Wayfinder trace") + " " + text.includes("shop.test"); });
			return make(blob);
		};
	})()`, &driver.EvaluateOptions{World: driver.Main})
	if err != nil {
		v.t.Fatal(err)
	}
	v.press("Save the trace")
	v.until(`/^text\/html.* true true$/.test(document.body.dataset.saved)`)
}

// fits fails the test where the page is wider than its window.
func (v *viewer) fits() {
	v.t.Helper()
	raw, err := v.page.Driver().Evaluate(v.t.Context(), "document.documentElement.scrollWidth - innerWidth", nil)
	if err != nil || string(raw) != "0" && !strings.HasPrefix(string(raw), "-") {
		v.t.Errorf("the page is %s pixels wider than its window, %v", raw, err)
	}
}

// shot keeps a picture, where somebody wants to look at it.
func (v *viewer) shot(name string) {
	v.t.Helper()
	dir := os.Getenv("WAYFINDER_SHOTS")
	if dir == "" {
		return
	}
	picture, err := v.page.Screenshot(v.t.Context(), &driver.ScreenshotOptions{FullPage: true})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o600)
	}
	if err != nil {
		v.t.Error(err)
	}
}

// TestFiles: the page is served with its policy, whole and by its tag.
func TestFiles(t *testing.T) {
	s := serve(t, shop, nil, server.NewKey("one", "key-one"))
	for path, kind := range map[string]string{"/": "text/html; charset=utf-8", "/dashboard/dashboard.js": "text/javascript; charset=utf-8", "/dashboard/dashboard.css": "text/css; charset=utf-8", "/dashboard/icon.svg": "image/svg+xml"} {
		tag := ""
		for _, want := range []int{200, 304} {
			r, err := http.NewRequestWithContext(t.Context(), "GET", s.url+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("if-none-match", tag)
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			h := resp.Header
			if resp.StatusCode != want || want == 200 && h.Get("content-type") != kind || h.Get("x-content-type-options") != "nosniff" || h.Get("referrer-policy") != "no-referrer" ||
				!strings.Contains(h.Get("content-security-policy"), "default-src 'none'; script-src 'self'; style-src 'self';") {
				t.Errorf("%s: %d %v", path, resp.StatusCode, h)
			}
			tag = h.Get("etag")
		}
	}
	for path, want := range map[string]int{"/dashboard/": 404, "/dashboard/doc.go": 404, "/dashboard/../dashboard.go": 404, "/nothing": 404} {
		resp, err := http.Get(s.url + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, resp.StatusCode, want)
		}
	}
}

// TestKeysOfThePage: without a key nothing is shown, with one its own, and with an
// operator's all.
func TestKeysOfThePage(t *testing.T) {
	boss := server.NewKey("boss", "key-boss")
	boss.Operator = true
	s := serve(t, shop, nil, server.NewKey("one", "key-one"), server.NewKey("two", "key-two"), boss)
	s.session("key-one", "https://shop.test/")
	s.session("key-two", "https://shop.test/cart")
	v := look(t, s.url, phone, driver.LightScheme)
	v.shows("This service wants a key")
	v.shot("key-phone-light")
	v.fits()
	v.fill("Key", "key-three")
	v.press("Use the key")
	v.shows("the key is not known here")
	v.fill("Key", "key-one")
	v.press("Use the key")
	v.shows("https://shop.test/")
	v.until(`document.querySelectorAll("[data-list] > li").length === 1 && !location.href.includes("key")`)
	v.press("Forget the key")
	v.fill("Key", "key-boss")
	v.press("Use the key")
	v.until(`document.querySelectorAll("[data-list] > li").length === 2`)
	v.do("link", "Nodes", engine.Click)
	v.shows("2 of 10 sessions")
	v.fits()
	v.until(`localStorage.length === 0 && sessionStorage.length === 1`)
}

// TestTheShopInMemory: what a session is shown to be without pictures; everything
// is tried, and a page that would like to be more than text is text.
func TestTheShopInMemory(t *testing.T) {
	s := serve(t, shop, nil)
	v := look(t, s.url, desk, driver.LightScheme)
	v.shows("No session is open.")
	v.shot("empty-desk-light")
	v.fill("Address", "https://shop.test/evil")
	v.do("checkbox", "Record a trace", engine.Check)
	v.press("Start")
	v.shows("this browser paints nothing: it opens pages in memory")
	v.shows(`<img src=x onerror="document.title='taken'">`)
	v.until(`!document.title.startsWith("taken") && document.title.includes("onerror") && !document.querySelector("main img[src=x], main script, main b")`)
	// If something of it got into the page as more than text, it would not run.
	raw, err := v.page.Driver().Evaluate(t.Context(), `(text => {
		const box = document.createElement("div"), script = document.createElement("script");
		box.innerHTML = text;
		script.textContent = "document.title = 'taken'";
		document.body.append(box, script);
		const blocked = document.title !== "taken";
		box.remove();
		script.remove();
		return blocked;
	})`, &driver.EvaluateOptions{World: driver.Main, Args: []any{hostile}})
	if err != nil || string(raw) != "true" {
		t.Errorf("the policy lets scripts of others run: %s, %v", raw, err)
	}
	v.do("tab", "Try", engine.Click)
	v.do("radio", "Navigate", engine.Check)
	v.fill("Address", "https://shop.test/")
	v.press("Do it")
	v.shows("200 https://shop.test/")
	v.do("radio", "Act", engine.Check)
	v.press("Do it")
	v.shows("Say what is to be done")
	v.fill("What to do", "click Cart")
	v.press("Do it")
	v.shows("went to https://shop.test/cart")
	v.do("radio", "Observe", engine.Check)
	v.fill("What to look for (empty is everything)", "")
	v.press("Do it")
	v.press(`Do it: click button "Pay"`)
	v.shows("no change was noticed")
	v.do("radio", "Extract", engine.Check)
	v.fill("What to read (empty is all text)", "")
	v.fill("Schema, as JSON", "{")
	v.press("Do it")
	v.shows("The schema is not JSON")
	v.fill("Schema, as JSON", "")
	v.press("Do it")
	v.shows("Total: 12")
	v.do("radio", "Agent", engine.Check)
	v.fill("Task", "click Pay")
	v.press("Do it")
	v.until(`document.querySelector("[data-outcome] .verdict") && document.querySelector("[data-outcome] .lines li")`)
	v.shot("try-desk-light")
	v.do("tab", "History", engine.Click)
	v.until(`document.querySelectorAll("[data-history] > li").length >= 7`)
	v.savesATrace()
	v.do("tab", "Outline", engine.Click)
	v.until(`document.querySelector("[data-outline]").textContent.includes("button: Pay")`)
	v.press("End the session")
	v.press("Really end it")
	v.shows("No session is open.")
	v.until(`document.querySelectorAll("[data-past-list] > li").length === 1`)
}

// TestRunsOfThePage: a task is given, done in a session that can be watched, and
// what came of it is shown; the list has it.
func TestRunsOfThePage(t *testing.T) {
	s := serve(t, shop, nil)
	v := look(t, s.url+"/#/runs", phone, driver.DarkScheme)
	v.shows("There are no runs.")
	v.fits()
	v.fill("Task", "click Cart")
	v.fill("Where it begins", "https://shop.test/")
	v.do("checkbox", "Record a trace", engine.Check)
	v.press("Begin")
	v.until(`["succeeded", "done, not proven", "failed"].includes(document.querySelector("[data-state]").textContent)`)
	v.until(`document.querySelectorAll("[data-events] > li").length >= 2`)
	v.shows("click Cart")
	v.fits()
	v.shot("run-phone-dark")
	v.savesATrace()
	v.do("link", "Its session", engine.Click)
	v.shows("What was done")
	v.until(`document.querySelectorAll("[data-history] > li").length >= 2`)
	v.fits()
	v.shot("ended-phone-dark")
	v.do("link", "Its run", engine.Click)
	v.until(`!document.querySelector("[data-result]").hidden`)
	v.do("link", "Runs", engine.Click)
	v.until(`document.querySelectorAll("[data-list] > li").length === 1`)
	v.shot("runs-phone-dark")
}

// TestEndedSessions: they are listed, the latest first and some at a time, to their
// key, at each node; what was done in one is shown, and its trace is there.
func TestEndedSessions(t *testing.T) {
	store := new(fleet.Memory)
	keys := []server.Key{server.NewKey("one", "key-one"), server.NewKey("two", "key-two")}
	s, other := serve(t, shop, store, keys...), serve(t, shop, store, keys...)
	end := func(id string) { call[any](s, "key-one", "POST", "/v1/sessions/"+id+"/end", struct{}{}) }
	const n = 33
	for range n - 1 {
		end(s.session("key-one", "https://shop.test/cart"))
	}
	long := call[wire.SessionStarted](s, "key-one", "POST", "/v1/sessions/start", wire.SessionStart{Trace: true}).SessionID
	for range 205 {
		call[any](s, "key-one", "POST", "/v1/sessions/"+long+"/navigate", wire.NavigateRequest{URL: "https://shop.test/cart"})
	}
	call[any](s, "key-one", "POST", "/v1/sessions/"+long+"/navigate", wire.NavigateRequest{URL: "https://shop.test/evil"})
	end(long)
	end(call[wire.SessionStarted](s, "key-one", "POST", "/v1/sessions/start", struct{}{}).SessionID) // nothing was done
	open := s.session("key-one", "https://shop.test/")

	const rows = `document.querySelectorAll("[data-past-list] > li").length`
	var views []*viewer
	for i, at := range []*service{s, other} {
		v := look(t, at.url, []driver.Size{desk, narrow}[i], []driver.ColorScheme{driver.LightScheme, driver.DarkScheme}[i])
		v.fill("Key", "key-one")
		v.press("Use the key")
		v.until(rows + ` === 30`)
		v.shot([]string{"past-desk-light", "past-narrow-dark"}[i])
		v.press("Show more")
		v.until(fmt.Sprintf(rows+` === %d && document.querySelector("[data-more]").hidden`, n))
		v.fits()
		views = append(views, v)
	}
	end(open)
	for _, v := range views {
		v.until(fmt.Sprintf(rows+` === %d`, n+1))
		// Its old address leads to what is kept of it.
		v.open(v.page.URL() + "#/session/" + long)
		v.until(`document.querySelectorAll("[data-history] > li").length === 200 && location.hash.startsWith("#/ended/")`)
		v.shows("https://shop.test/evil")
		v.until(`!document.title.startsWith("taken") && !document.querySelector("main img[src=x], main script, main b")`)
		v.fits()
	}
	views[0].shot("ended-desk-light")
	views[1].shot("ended-narrow-dark")
	views[0].press("Show earlier")
	views[0].until(`document.querySelectorAll("[data-history] > li").length === 206 && document.querySelector("[data-earlier]").hidden`)
	views[0].savesATrace()
	views[1].savesATrace() // each node has a directory of its own
	views[0].press("Forget the key")
	views[0].fill("Key", "key-two")
	views[0].press("Use the key")
	views[0].shows("the session belongs to another key")
	views[0].do("link", "Sessions", engine.Click)
	views[0].shows("No session has ended in which something was done.")
}

// TestTakingOver: a session in Chrome is seen as it changes; a person's press and
// letters reach it, and others learn that it was a person.
func TestTakingOver(t *testing.T) {
	var mu sync.Mutex
	var typed string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		mu.Lock()
		typed = r.URL.Query().Get("note")
		mu.Unlock()
		w.Header().Set("content-type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!DOCTYPE html><title>Desk</title><body style="margin:0;font:24px system-ui"><form><input name=note aria-label=Note style="display:block;width:900px;height:200px;font-size:60px"><button style="width:900px;height:200px;font-size:60px">Send</button></form>`)
	}))
	defer site.Close()
	s := serve(t, chrome(t), nil)
	id := s.session("", site.URL)
	v := look(t, s.url, desk, driver.DarkScheme)
	v.shows("Desk")
	v.shot("sessions-desk-dark")
	v.open(s.url + "/#/session/" + id)
	v.until(`(p => !p.hidden && p.naturalWidth === 1280 && p.naturalHeight === 720)(document.querySelector("[data-picture]"))`)
	v.shot("live-desk-dark")
	v.press("Take over")
	v.press("Give back")
	v.press("Take over")
	v.until(`document.querySelector(".screen.taken") === document.activeElement`)
	// What is pressed in the picture is pressed in the page that it shows.
	at := func(x, y float64) {
		t.Helper()
		o := driver.Offset{}
		raw, err := v.page.Driver().Evaluate(t.Context(), fmt.Sprintf(`(r => ({X: %g / 1280 * r.width, Y: %g / 720 * r.height}))(document.querySelector("[data-picture]").getBoundingClientRect())`, x, y), nil)
		if err == nil {
			err = json.Unmarshal(raw, &o)
		}
		if err == nil {
			_, err = v.page.DoTo(t.Context(), engine.Target{Selector: "[data-screen]", At: &o}, engine.Command{}, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	at(200, 100)
	for _, key := range []string{"t", "e", "a"} {
		if err := v.page.Driver().Input(t.Context(), driver.KeyDown{Key: key}, driver.KeyUp{Key: key}); err != nil {
			t.Fatal(err)
		}
	}
	v.fill("Text to type into the page", " für zwei")
	v.press("Type")
	v.shot("taken-desk-dark")
	at(200, 300)
	v.shows("?note=tea+f%C3%BCr+zwei")
	mu.Lock()
	if typed != "tea für zwei" {
		t.Errorf("the page got %q", typed)
	}
	mu.Unlock()
	v.do("tab", "Try", engine.Click)
	v.do("radio", "Observe", engine.Check)
	v.press("Do it")
	v.shows("a person has the session; ask again once it is given back")
	v.press("Give back")
	v.until(`[...document.querySelectorAll("[data-history] > li")].some(li => li.textContent.includes("2 clicks, 3 keys, 1 text; it was given back"))`)
	v.press("Do it")
	v.press(`Do it: click button "Send"`)

	// On a phone, and once more as somebody who goes away.
	narrow := look(t, s.url+"/#/session/"+id, phone, driver.LightScheme)
	narrow.until(`document.querySelector("[data-picture]").naturalWidth === 1280`)
	narrow.press("Take over")
	narrow.until(`document.querySelector(".screen.taken")`)
	narrow.fits()
	narrow.shot("taken-phone-light")
	v.shows("a person has it")
	narrow.open("about:blank")
	v.until(`[...document.querySelectorAll("[data-history] > li")].some(li => li.textContent.includes("the viewer went away"))`)
	v.do("tab", "History", engine.Click)
	v.shot("history-desk-dark")
}

// TestNodesOfThePage: two services are one: a session of the other node is listed
// and looked at, and after a restart the page goes on by itself.
func TestNodesOfThePage(t *testing.T) {
	store := new(fleet.Memory)
	first, second := serve(t, shop, store), serve(t, shop, store)
	for range 4 {
		first.session("", "https://shop.test/")
	}
	v := look(t, second.url+"/#/nodes", desk, driver.LightScheme)
	v.until(`document.querySelectorAll("main [data-list] > li").length === 2`)
	v.shows("this page is from here")
	v.shot("nodes-desk-light")
	v.do("link", "Sessions", engine.Click)
	v.until(`document.querySelectorAll("main [data-list] > li").length === 4`)
	v.shot("sessions-desk-light")
	var at string
	for _, one := range call[wire.SessionList](first, "", "GET", "/v1/sessions", nil).Sessions {
		if first.srv.Load().Sessions > 0 && one.Node != "" {
			at = one.ID
		}
	}
	for _, s := range []*service{first, second} {
		v.open(s.url + "/#/session/" + at)
		v.until(`document.querySelector("[data-outline]").textContent.includes("link: Cart")`)
	}
	// Its connections break, and it opens others.
	second.CloseClientConnections()
	call[any](first, "", "POST", "/v1/sessions/"+at+"/navigate", wire.NavigateRequest{URL: "https://shop.test/cart"})
	v.until(`document.querySelector("[data-title]").textContent === "Cart"`)
}
