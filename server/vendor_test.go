package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/internal/body"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// hosted is what the published TypeScript client always sends.
const hosted = `{"modelName":"openai/m","verbose":1,"browserbaseSessionCreateParams":{"projectId":"p","keepAlive":true,
	"browserSettings":{"blockAds":true,"viewport":{"width":1288,"height":711}},"userMetadata":{"stagehand":"true"}}}`

// TestVendorParams are taken: the viewport has its effect, and what has none is
// named.
func TestVendorParams(t *testing.T) {
	opened := &openings{}
	c := serve(t, opened, nil)
	got := c.must(200, c.post("/v1/sessions/start", hosted))
	if size := opened.seen[0].Viewport; size != (driver.Size{Width: 1288, Height: 711}) {
		t.Errorf("viewport = %v, want that of the parameters", size)
	}
	const name = "browserbaseSessionCreateParams."
	want := name + "browserSettings.blockAds, " + name + "keepAlive, " + name + "projectId, " + name + "userMetadata"
	if ignored := got.header.Get("x-ignored-members"); ignored != want {
		t.Errorf("x-ignored-members = %q, want %q", ignored, want)
	}
	for _, params := range []string{`null`, `{}`, `{"browserSettings":null}`, `{"browserSettings":{"viewport":null}}`} {
		got := c.must(200, c.post("/v1/sessions/start", `{"modelName":"openai/m","browserbaseSessionCreateParams":`+params+`}`))
		if ignored, given := got.header["X-Ignored-Members"]; given {
			t.Errorf("%s: x-ignored-members = %q, want none", params, ignored)
		}
	}
	// The interface's own member goes first, and a name can't break a header.
	got = c.must(200, c.post("/v1/sessions/start", `{"modelName":"openai/m","browser":{"launchOptions":{"viewport":{"width":800,"height":600}}},
		"browserbaseSessionCreateParams":{"a\r\nb: c":1,"browserSettings":{"viewport":{"width":1,"height":1}}}}`))
	if size := opened.seen[len(opened.seen)-1].Viewport; size.Width != 800 {
		t.Errorf("viewport = %v, want that of launchOptions", size)
	}
	if ignored := got.header.Get("x-ignored-members"); ignored != name+"browserSettings.viewport" {
		t.Errorf("x-ignored-members = %q", ignored)
	}
}

// TestVendorSession tells of a session as a hosted vendor does, goes on with it,
// and ends it.
func TestVendorSession(t *testing.T) {
	const address = "ws://127.0.0.1:9222/devtools/browser/1"
	c := serve(t, shop, &server.Options{
		Keys:     []server.Key{server.NewKey("one", "key-one"), server.NewKey("two", "key-two")},
		Browsers: server.Browsers{Endpoint: func(driver.Browser) string { return address }},
	})
	c.key = "key-one"
	path := c.start()
	got := c.must(200, c.do("GET", path, ""))
	id := strings.TrimPrefix(path, "/v1/sessions/")
	if get[string](t, got, "id") != id || get[string](t, got, "status") != "RUNNING" || get[string](t, got, "connectUrl") != address {
		t.Errorf("session = %s", got.body)
	}
	got = c.must(200, c.do("GET", path+"/debug", ""))
	if get[string](t, got, "wsUrl") != address || !strings.HasPrefix(get[string](t, got, "pages", 0, "debuggerUrl"), "http://127.0.0.1:9222/devtools/inspector.html?ws=127.0.0.1:9222/devtools/page/") {
		t.Errorf("debug = %s", got.body)
	}
	resume := `{"modelName":"openai/m","browserbaseSessionID":"` + id + `"}`
	if got = c.must(200, c.post("/v1/sessions/start", resume)); get[string](t, got, "data", "sessionId") != id {
		t.Errorf("start = %s, want the session that is there", got.body)
	}
	c.key = "key-two"
	c.wantFault(403, wire.Forbidden, c.do("GET", path, ""))
	c.wantFault(403, wire.Forbidden, c.do("GET", path+"/debug", ""))
	c.wantFault(400, wire.InvalidRequest, c.post("/v1/sessions/start", resume))
	c.key = "key-one"
	c.wantFault(400, wire.InvalidRequest, c.post(path, `{"status":"RUNNING"}`))
	got = c.must(200, c.post(path, `{"projectId":"p","status":"REQUEST_RELEASE"}`))
	if get[string](t, got, "status") != "COMPLETED" {
		t.Errorf("update = %s", got.body)
	}
	c.wantFault(404, wire.SessionNotFound, c.do("GET", path, ""))
	c.wantFault(400, wire.InvalidRequest, c.post("/v1/sessions/start", resume))
}

// TestLogObjects are what one client family reads of the work under way.
func TestLogObjects(t *testing.T) {
	c := serve(t, shop, nil)
	path := c.start()
	got := c.must(200, c.post(path+"/observe", `{}`, "x-stream-response", "true", "x-bb-session-id", "x"))
	var running int
	for part := range strings.SplitSeq(string(got.body), "\n\n") {
		var frame body.LogFrame
		if data, ok := strings.CutPrefix(part, "data: "); ok && strings.Contains(data, `"type":"log"`) {
			if err := json.Unmarshal([]byte(data), &frame); err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			running++
			if m := frame.Data.Message; m.Category != "observe" || m.Message == "" || m.Level != 1 {
				t.Errorf("message = %+v, want a line about observe", m)
			}
		}
	}
	if running == 0 {
		t.Errorf("stream = %s, want lines about the work", got.body)
	}
}

// TestBearer is another way to show a key.
func TestBearer(t *testing.T) {
	c := serve(t, shop, &server.Options{Keys: []server.Key{server.NewKey("one", "key-one")}})
	c.must(200, c.post("/v1/sessions/start", `{"modelName":"openai/m"}`, "authorization", "Bearer key-one"))
	c.must(200, c.post("/v1/sessions/start", `{"modelName":"openai/m"}`, "authorization", "bearer  key-one"))
	for _, wrong := range []string{"Bearer key-two", "Basic key-one", "key-one", "Bearer"} {
		c.wantFault(401, wire.Unauthorized, c.post("/v1/sessions/start", `{"modelName":"openai/m"}`, "authorization", wrong))
	}
}
