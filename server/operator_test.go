package server_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

func TestPages(t *testing.T) {
	c := serve(t, shop, nil)
	path := c.start()
	c.wantFault(404, wire.PageNotFound, c.post(path+"/observe", `{"frameId":"no such"}`))
	c.wantFault(404, wire.PageNotFound, c.post(path+"/agentExecute", `{"agentConfig":{},"executeOptions":{"instruction":"x"},"frameId":"no such"}`))
	for _, frame := range []string{`null`, `""`} {
		c.must(200, c.post(path+"/observe", `{"frameId":`+frame+`}`))
	}
}

func TestNavigations(t *testing.T) {
	c := serve(t, shop, nil)
	path := c.start()
	got := c.must(200, c.post(path+"/navigate", `{"url":"https://shop.test/old"}`))
	if url := get[string](t, got, "data", "result", "url"); url != "https://shop.test/cart" {
		t.Errorf("url = %q, want that after the redirect", url)
	}
	got = c.must(200, c.post(path+"/navigate", `{"url":"https://shop.test/gone","options":{"waitUntil":"domcontentloaded","referer":"https://shop.test/"}}`))
	if get[float64](t, got, "data", "result", "status") != 410 || get[bool](t, got, "data", "result", "ok") {
		t.Errorf("navigate = %s", got.body)
	}
	got = c.must(200, c.post(path+"/navigate", `{"url":"about:blank"}`))
	if get[any](t, answer{body: []byte(`{"is":` + fmt.Sprint(strings.Contains(string(got.body), `"result":null`)) + `}`)}, "is") != true {
		t.Errorf("navigate = %s, want a result of null", got.body)
	}
	f := c.wantFault(400, wire.InvalidRequest, c.post(path+"/navigate", `{"url":"https://nowhere.test/"}`))
	if !strings.Contains(f.Message, "host name was not found") {
		t.Errorf("message = %q", f.Message)
	}
}

// TestPolicyIsOn: without a word of the operator's, nothing on the server's own
// networks can be reached.
func TestPolicyIsOn(t *testing.T) {
	c := serve(t, shop, &server.Options{Browsers: server.Browsers{Policy: new(engine.Policy)}})
	path := c.startWith(`{"modelName":"openai/m"}`)
	for _, url := range []string{"http://127.0.0.1/", "http://[::1]:9/", "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data", "file:///etc/passwd", "http://0x7f000001/"} {
		c.wantFault(403, wire.Forbidden, c.post(path+"/navigate", `{"url":"`+url+`"}`))
	}
}

// TestOperatorOnly asks for each option that is the operator's to give.
func TestOperatorOnly(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(secret, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := serve(t, shop, nil)
	for _, option := range []string{`"executablePath":"/bin/sh"`, `"args":["--x"]`, `"userDataDir":"/tmp"`, `"port":9222`, `"downloadsPath":"/tmp"`, `"cdpUrl":"http://127.0.0.1:9222"`,
		`"ignoreDefaultArgs":["--proxy-server"]`, `"ignoreDefaultArgs":true`, `"chromiumSandbox":false`, `"chromiumSandbox":true`, `"preserveUserDataDir":true`, `"pageTools":true`} {
		f := c.wantFault(403, wire.Forbidden, c.post("/v1/sessions/start", `{"modelName":"openai/m","browser":{"launchOptions":{`+option+`}}}`))
		if name, _, _ := strings.Cut(option[1:], `"`); !strings.Contains(f.Message, name) {
			t.Errorf("message = %q, want the name %s", f.Message, name)
		}
	}
	c.wantFault(403, wire.Forbidden, c.post("/v1/sessions/start", `{"modelName":"openai/m","browser":{"cdpUrl":"http://127.0.0.1:9222"}}`))
	c.startWith(`{"modelName":"openai/m","browser":{"launchOptions":{"ignoreDefaultArgs":false,"preserveUserDataDir":false}}}`)
	path := c.start()
	c.wantFault(403, wire.Forbidden, c.post(path+"/act", `{"input":{"selector":"input","description":"d","method":"setInputFiles","arguments":["`+secret+`"]}}`))
}

// TestProfileWithoutPlace would stay on the disk for ever, known to nobody.
func TestProfileWithoutPlace(t *testing.T) {
	c := serve(t, shop, &server.Options{Allow: server.Allow{PreserveUserDataDir: true, UserDataDir: true}})
	f := c.wantFault(400, wire.InvalidRequest, c.post("/v1/sessions/start", `{"modelName":"openai/m","browser":{"launchOptions":{"preserveUserDataDir":true}}}`))
	if !strings.Contains(f.Message, "userDataDir") {
		t.Errorf("message = %q", f.Message)
	}
}

// TestFilesOfOneDirectory are all that pages get.
func TestFilesOfOneDirectory(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret.txt")
	for _, name := range []string{filepath.Join(dir, "list.txt"), outside} {
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	web := map[string]string{"https://shop.test/": `<input type=file>`}
	c := serve(t, fakeWeb(web), &server.Options{Browsers: server.Browsers{FilesDir: dir}})
	path := c.start()
	do := func(file string) answer {
		return c.post(path+"/act", `{"input":{"selector":"input","description":"d","method":"setInputFiles","arguments":["`+file+`"]}}`)
	}
	if got := c.must(200, do(filepath.Join(dir, "list.txt"))); !get[bool](t, got, "data", "result", "success") {
		t.Errorf("a file of the directory: %s", got.body)
	}
	for _, file := range []string{outside, filepath.Join(dir, "link.txt"), dir + "/../" + filepath.Base(filepath.Dir(outside)) + "/secret.txt", "list.txt", filepath.Join(dir, "none")} {
		c.wantFault(403, wire.Forbidden, do(file))
	}
	// A variable's value is no way around.
	got := c.must(200, c.post(path+"/act", `{"input":{"selector":"input","description":"d","method":"setInputFiles","arguments":["%file%"]},"options":{"variables":{"file":"`+outside+`"}}}`))
	if get[bool](t, got, "data", "result", "success") {
		t.Errorf("a file by a variable: %s", got.body)
	}
}

// TestFilesOfRelativeDirectory: the directory may be named from where the server runs.
func TestFilesOfRelativeDirectory(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "list.txt")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(dir))
	c := serve(t, fakeWeb(map[string]string{"https://shop.test/": `<input type=file>`}), &server.Options{Browsers: server.Browsers{FilesDir: filepath.Base(dir)}})
	got := c.must(200, c.post(c.start()+"/act", `{"input":{"selector":"input","description":"d","method":"setInputFiles","arguments":["`+file+`"]}}`))
	if !get[bool](t, got, "data", "result", "success") {
		t.Errorf("a file of the directory: %s", got.body)
	}
}

// TestInternal hides what went wrong from the client, and logs it.
func TestInternal(t *testing.T) {
	var log logged
	d := faults.Wrap(shop, faults.At(1, "capture", errors.New("the inner secret")))
	c := serve(t, d, &server.Options{Logger: log.logger()})
	path := c.start()
	f := c.wantFault(500, wire.Internal, c.post(path+"/observe", `{}`))
	if strings.Contains(f.Message, "inner") {
		t.Errorf("message = %q", f.Message)
	}
	if !strings.Contains(log.String(), "the inner secret") {
		t.Errorf("log = %s", log.String())
	}
}

// TestPanic is a failure like others, in a body and in a stream.
func TestPanic(t *testing.T) {
	p := newPuppet()
	var log logged
	c := serve(t, shop, &server.Options{Models: server.Models{Make: p.model}, Logger: log.logger()})
	path := c.start()
	c.wantFault(500, wire.Internal, c.post(path+"/act", `{"input":"panic"}`))
	c.must(200, c.post(path+"/act", `{"input":"panic","streamResponse":true}`))
	c.must(200, c.post(path+"/observe", `{}`))
	if !strings.Contains(log.String(), "the puppet's own") {
		t.Error("the panic is not in the log")
	}
}

func TestReadiness(t *testing.T) {
	notYet := errors.New("not yet")
	c := serve(t, shop, &server.Options{Probes: server.Probes{Ready: func(context.Context) error { return notYet }}})
	if got := c.do("GET", "/readyz", ""); got.status != 503 || get[string](t, got, "status") != "unavailable" || get[string](t, got, "reason") != "not yet" {
		t.Errorf("readyz = %d %s", got.status, got.body)
	}
	notYet = nil
	c.must(200, c.do("GET", "/readyz", ""))
	path := c.start()
	c.server.Drain()
	if got := c.do("GET", "/readyz", ""); got.status != 503 || get[string](t, got, "status") != "draining" {
		t.Errorf("readyz = %d %s", got.status, got.body)
	}
	c.must(200, c.do("GET", "/healthz", ""))
	c.wantFault(503, wire.Draining, c.post("/v1/sessions/start", `{"modelName":"openai/m"}`))
	c.wantFault(503, wire.Draining, c.post(path+"/observe", `{}`))
	c.must(200, c.do("GET", path+"/replay", ""))
	c.must(200, c.post(path+"/end", ""))
}

func TestBrowserThatDoesNotOpen(t *testing.T) {
	d := driverFunc(func(context.Context, *driver.BrowserOptions) (driver.Browser, error) {
		return nil, errors.New("/usr/bin/chrome: secret")
	})
	c := serve(t, d, nil)
	f := c.wantFault(503, wire.BrowserUnavailable, c.post("/v1/sessions/start", `{"modelName":"openai/m"}`))
	if strings.Contains(f.Message, "secret") {
		t.Errorf("message = %q", f.Message)
	}
	slow := driverFunc(func(ctx context.Context, _ *driver.BrowserOptions) (driver.Browser, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	c = serve(t, slow, &server.Options{Limits: server.Limits{StartTime: time.Millisecond}})
	c.wantFault(503, wire.BrowserUnavailable, c.post("/v1/sessions/start", `{"modelName":"openai/m"}`))
}
