package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// An openings driver keeps what browsers were opened with.
type openings struct{ seen []driver.BrowserOptions }

func (o *openings) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	o.seen = append(o.seen, *opts)
	return shop.Open(ctx, opts)
}

func (o *openings) String() string { return "openings" }

// everyOption is a browser with every launch option.
const everyOption = `{"type":"local","launchOptions":{"args":["--a","--b"],"executablePath":"/opt/chrome","port":9333,"userDataDir":"/tmp/profile",
	"preserveUserDataDir":true,"headless":false,"devtools":true,"chromiumSandbox":false,"ignoreDefaultArgs":["--mute-audio"],
	"proxy":{"server":"http://proxy.test:1","bypass":"a.test","username":"u","password":"p"},"locale":"de-CH","viewport":{"width":800,"height":600},
	"deviceScaleFactor":2,"hasTouch":true,"ignoreHTTPSErrors":true,"connectTimeoutMs":1500,"downloadsPath":"DOWNLOADS","acceptDownloads":true,"pageTools":true}}`

// TestEveryLaunchOption arrives: at the driver that is made for the session, or
// in the options of its browser.
func TestEveryLaunchOption(t *testing.T) {
	var asked wire.LaunchOptions
	opened := &openings{}
	c := serve(t, shop, &server.Options{
		Allow: server.Allow{ExecutablePath: true, Args: true, UserDataDir: true, Port: true, DownloadsPath: true,
			IgnoreDefaultArgs: true, ChromiumSandbox: true, PreserveUserDataDir: true, PageTools: true},
		Browsers: server.Browsers{Launch: func(o wire.LaunchOptions) (driver.Driver, error) { asked = o; return opened, nil }},
	})
	downloads := filepath.Join(t.TempDir(), "new")
	browser := strings.Replace(everyOption, "DOWNLOADS", downloads, 1)
	c.startWith(`{"modelName":"openai/m","browser":` + browser + `}`)

	var want struct{ LaunchOptions wire.LaunchOptions }
	if err := json.Unmarshal([]byte(browser), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.LaunchOptions, asked); diff != "" {
		t.Errorf("the driver was made with (-want +got):\n%s", diff)
	}
	wantBrowser := driver.BrowserOptions{
		Emulation:         driver.Emulation{Viewport: driver.Size{Width: 800, Height: 600}, Scale: 2, Touch: true, Locale: "de-CH"},
		IgnoreHTTPSErrors: true, PageTools: true,
		Proxy:       &driver.Proxy{Server: "http://proxy.test:1", Bypass: "a.test", Username: "u", Password: "p"},
		DownloadDir: downloads,
		MaxDownload: 1 << 30,
	}
	if diff := cmp.Diff(wantBrowser, opened.seen[0], cmpopts.IgnoreFields(driver.BrowserOptions{}, "Allow", "Dialog")); diff != "" {
		t.Errorf("the browser was opened with (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(downloads); err != nil {
		t.Error(err)
	}
}

func TestDownloads(t *testing.T) {
	opened := &openings{}
	c := serve(t, opened, nil)
	path := c.startWith(`{"modelName":"openai/m","useTouch":true,"browser":{"launchOptions":{"acceptDownloads":true}}}`)
	dir := opened.seen[0].DownloadDir
	if _, err := os.Stat(dir); dir == "" || err != nil {
		t.Fatalf("downloads go to %q: %v", dir, err)
	}
	if !opened.seen[0].Touch {
		t.Error("useTouch had no effect")
	}
	c.must(200, c.post(path+"/end", ""))
	if _, err := os.Stat(dir); err == nil {
		t.Errorf("%s is left", dir)
	}
	for _, body := range []string{`{"modelName":"openai/m"}`, `{"modelName":"openai/m","browser":{"type":"local","launchOptions":{"acceptDownloads":false,"headless":true}}}`} {
		c.startWith(body)
		if dir := opened.seen[len(opened.seen)-1].DownloadDir; dir != "" {
			t.Errorf("%s: downloads go to %q", body, dir)
		}
	}
}

func TestAttach(t *testing.T) {
	var asked []server.Address
	c := serve(t, shop, &server.Options{
		Allow:    server.Allow{CDPURL: true, Args: true},
		Browsers: server.Browsers{Attach: func(a server.Address) (driver.Driver, error) { asked = append(asked, a); return shop, nil }, Endpoint: func(driver.Browser) string { return "ws://here.test/devtools" }},
	})
	got := c.must(200, c.post("/v1/sessions/start", `{"modelName":"openai/m","browser":{"cdpUrl":"ws://a.test/x","launchOptions":{"cdpHeaders":{"a":"b"},"connectTimeoutMs":100}}}`))
	if get[string](t, got, "data", "cdpUrl") != "ws://here.test/devtools" {
		t.Errorf("start = %s", got.body)
	}
	c.must(200, c.post("/v1/sessions/start", `{"modelName":"openai/m","browser":{"launchOptions":{"cdpUrl":"http://b.test:9222"}}}`))
	want := []server.Address{
		{URL: "ws://a.test/x", Headers: map[string]string{"a": "b"}, Timeout: 100 * time.Millisecond},
		{URL: "http://b.test:9222"},
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("attached (-want +got):\n%s", diff)
	}
	for _, browser := range []string{
		`{"cdpUrl":"ws://a.test/x","launchOptions":{"cdpUrl":"ws://b.test/x"}}`,
		`{"cdpUrl":"ws://a.test/x","launchOptions":{"args":[]}}`,
		`{"cdpUrl":"file:///a"}`,
	} {
		c.wantFault(400, wire.InvalidRequest, c.post("/v1/sessions/start", `{"modelName":"openai/m","browser":`+browser+`}`))
	}
}

// TestWishesThatCannotBeMet: what the operator's functions say is told.
func TestWishesThatCannotBeMet(t *testing.T) {
	wrong := errors.New("the profile is in use")
	c := serve(t, shop, &server.Options{
		Allow:    server.Allow{CDPURL: true},
		Browsers: server.Browsers{Launch: func(wire.LaunchOptions) (driver.Driver, error) { return nil, wrong }, Attach: func(server.Address) (driver.Driver, error) { return nil, wrong }},
	})
	for _, browser := range []string{`{"launchOptions":{"devtools":true}}`, `{"cdpUrl":"http://a.test"}`} {
		body := `{"modelName":"openai/m","browser":` + browser + `}`
		if f := c.wantFault(400, wire.InvalidRequest, c.post("/v1/sessions/start", body)); !strings.Contains(f.Message, "the profile is in use") {
			t.Errorf("message = %q", f.Message)
		}
	}
	wrong = fmt.Errorf("no browser here: %w", errors.ErrUnsupported)
	c.wantFault(501, wire.NotImplemented, c.post("/v1/sessions/start", `{"modelName":"openai/m","browser":{"launchOptions":{"devtools":true}}}`))
}

// TestSessionOptions: what a session is started with holds for its work.
func TestSessionOptions(t *testing.T) {
	p := newPuppet()
	c := serve(t, shop, &server.Options{Models: server.Models{Make: p.model}})
	path := c.startWith(`{"modelName":"openai/m","actTimeoutMs":1,"selfHeal":false,"domSettleTimeoutMs":10,"systemPrompt":"be brief","experimental":true,"waitForCaptchaSolves":true}`)
	c.wantFault(408, wire.Timeout, c.post(path+"/act", `{"input":"hang"}`))
}

// TestClientLanguage comes back in the replay.
func TestClientLanguage(t *testing.T) {
	c := serve(t, shop, nil)
	got := c.must(200, c.post("/v1/sessions/start", startAny, "x-language", "python"))
	replay := c.must(200, c.do("GET", "/v1/sessions/"+get[string](t, got, "data", "sessionId")+"/replay", ""))
	if get[string](t, replay, "data", "clientLanguage") != "python" {
		t.Errorf("replay = %s", replay.body)
	}
}

// TestReplay tells what was done, with times, tokens and costs, and no values.
func TestReplay(t *testing.T) {
	p := newPuppet()
	c := serve(t, shop, &server.Options{Models: server.Models{Make: p.model}, Browsers: server.Browsers{Policy: &engine.Policy{Private: []string{"*"}}}})
	path := c.start()
	c.must(200, c.post(path+"/act", `{"input":{"selector":"input","description":"fill the search","method":"fill","arguments":["%q%"]},"options":{"variables":{"q":"secret-words"}}}`))
	c.must(200, c.post(path+"/act", `{"input":"click Go"}`))
	c.must(200, c.post(path+"/extract", `{"instruction":"the title"}`))
	c.must(200, c.post(path+"/act", `{"input":"click What is not there"}`))
	replay := c.must(200, c.do("GET", path+"/replay", ""))
	if strings.Contains(string(replay.body), "secret-words") {
		t.Errorf("a variable's value shows: %s", replay.body)
	}
	var body struct{ Data wire.Replay }
	if err := json.Unmarshal(replay.body, &body); err != nil {
		t.Fatal(err)
	}
	type line struct {
		URL, Method string
		Success     bool
		Tokens      int
	}
	var got []line
	for _, page := range body.Data.Pages {
		for _, a := range page.Actions {
			l := line{URL: page.URL, Method: a.Method, Success: a.Result["success"] == true}
			if a.TokenUsage != nil {
				l.Tokens = a.TokenUsage.InputTokens
			}
			if a.EndTime < a.Timestamp || page.Timestamp > a.Timestamp {
				t.Errorf("times of %+v on %+v", a, page)
			}
			got = append(got, l)
		}
	}
	results := "https://shop.test/search?q=%q%"
	want := []line{
		{"https://shop.test/", "navigate", true, 0}, {"https://shop.test/", "do", true, 0}, {"https://shop.test/", "act", true, 1000},
		{results, "extract", true, 1000}, {results, "act", false, 1000},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("replay (-want +got):\n%s\n%s", diff, replay.body)
	}
}

// TestDeepPaths: a result names its element by a deep XPath, however the
// request did.
func TestDeepPaths(t *testing.T) {
	c := serve(t, shop, nil)
	path := c.start()
	got := c.must(200, c.post(path+"/act", `{"input":{"selector":"input[name=q]","description":"fill","method":"fill","arguments":["x"]}}`))
	if selector := get[string](t, got, "data", "result", "actions", 0, "selector"); selector != "xpath=//form/label[1]/input[1]" {
		t.Errorf("selector = %q", selector)
	}
}

// TestServedContract is the file, as JSON.
func TestServedContract(t *testing.T) {
	c := serve(t, shop, nil)
	got := c.must(200, c.do("GET", "/v1/openapi.json", ""))
	doc, err := readOpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(doc.tree)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(get[any](t, answer{body: want}), get[any](t, got)); diff != "" {
		t.Errorf("served (-file +served):\n%s", diff)
	}
	if version := get[string](t, got, "openapi"); version != "3.1.0" {
		t.Errorf("openapi = %q", version)
	}
}

// TestPasswordsInAddresses are not told to anybody.
func TestPasswordsInAddresses(t *testing.T) {
	var log logged
	c := serve(t, shop, &server.Options{Logger: log.logger()})
	path := c.start()
	f := c.wantFault(400, wire.InvalidRequest, c.post(path+"/navigate", `{"url":"https://ann:hidden-word@nowhere.test/"}`))
	stream := c.must(200, c.post(path+"/navigate", `{"url":"https://ann:hidden-word@nowhere.test/","streamResponse":true}`))
	for _, text := range []string{f.Message, string(stream.body), log.String()} {
		if strings.Contains(text, "hidden-word") {
			t.Errorf("the password shows in %s", text)
		}
	}
}
