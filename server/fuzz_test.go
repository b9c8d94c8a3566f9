package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/server"
)

// FuzzBody sends any bytes to any operation: no panic, no failure of the
// server, and always a body of the contract.
func FuzzBody(f *testing.F) {
	operations := []string{"start", "act", "observe", "extract", "navigate", "agentExecute", "end"}
	for i := range operations {
		for _, body := range []string{
			``, `{}`, `{"modelName":"openai/m"}`, `{"input":"click Go","options":{"variables":{"a":{"value":1}}}}`,
			`{"input":{"selector":"a","description":"d","method":"click"},"streamResponse":true}`, `{"url":"https://shop.test/cart"}`,
			`{"instruction":"x","schema":{"type":"array","items":{"type":"string","format":"uri"}}}`, `{"input":"a","input":5}`, `{"Input":"a"}`,
			`{"agentConfig":{"model":{"modelName":"m","provider":"<provider_1>"}},"executeOptions":{"instruction":"x"}}`, "{\"url\":\"\\ud800\"}", "\xff",
		} {
			f.Add(uint8(i), body)
		}
	}
	p := newPuppet()
	handler, err := server.New(shop, &server.Options{
		Models:   server.Models{Make: func(server.ModelRequest) (llm.Model, error) { return p, nil }},
		Browsers: server.Browsers{Policy: &engine.Policy{Private: []string{"*"}}}, Limits: server.Limits{Sessions: -1},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { handler.Shutdown(ended) })
	f.Fuzz(func(t *testing.T, which uint8, body string) {
		if strings.Contains(body, "hang") || strings.Contains(body, "panic") {
			t.Skip("what the test's own model does on these words")
		}
		checked := newChecker(t, nil)
		send := func(path, body string) (*http.Response, []byte) {
			r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
			r.Header.Set("content-type", "application/json")
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			resp := w.Result()
			checked.check(r, resp, w.Body.Bytes(), true)
			return resp, w.Body.Bytes()
		}
		_, started := send("/v1/sessions/start", startAny)
		session := "/v1/sessions/" + get[string](t, answer{body: started}, "data", "sessionId")
		defer send(session+"/end", "")
		path := session + "/" + operations[int(which)%len(operations)]
		if strings.HasSuffix(path, "/start") {
			path = "/v1/sessions/start"
		}
		resp, got := send(path, body)
		if resp.StatusCode == 200 && strings.HasSuffix(path, "/start") {
			send("/v1/sessions/"+get[string](t, answer{body: got}, "data", "sessionId")+"/end", "")
		}
		if resp.StatusCode >= 500 && resp.StatusCode != 501 && resp.StatusCode != 502 {
			t.Errorf("%s %q: %d %s", path, body, resp.StatusCode, got)
		}
	})
}
