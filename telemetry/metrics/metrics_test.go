package metrics_test

import (
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/telemetry/metrics"
)

func scrape(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	text, err := io.ReadAll(w.Body)
	if err != nil || w.Code != 200 {
		t.Fatalf("the metrics answer %d, %v", w.Code, err)
	}
	return string(text)
}

// TestSessionIsCounted: what a session does stands in the metrics, by method,
// outcome, effect and model.
func TestSessionIsCounted(t *testing.T) {
	prices := new(middleware.Prices).With(map[string]middleware.Price{"script/test": {Input: 2, Cached: 1, Output: 10}})
	m := metrics.New(prices)
	m.Gauge("sessions", "Open sessions.", func() float64 { return 7 })
	web := fake.Web{"https://a.test/": `<a href=/there>Go</a><button disabled>No</button>`, "https://a.test/there": "<h1>There</h1>"}
	model := llmtest.NewScript(t,
		llmtest.Step{JSON: map[string]string{"extraction": "Go"}, Usage: llm.Usage{Input: 1000, Cached: 400, Output: 50, Reasoning: 20}},
		llmtest.Step{Err: &llm.Error{Provider: "script", Kind: llm.KindQuota}})
	session, err := engine.Open(t.Context(), web, &engine.Options{Hooks: m.Hooks(), Model: model})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(t.Context(), "https://a.test/", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := page.Extract(t.Context(), "the link", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := page.Extract(t.Context(), "the link", nil); err == nil {
		t.Fatal("an extract without an answer succeeded")
	}
	if _, err := page.Do(t.Context(), engine.Action{Selector: "button", Method: engine.Click}, nil); err == nil {
		t.Fatal("a disabled button was clicked")
	}
	if _, err := page.Do(t.Context(), engine.Action{Selector: "a", Method: engine.Click}, nil); err != nil {
		t.Fatal(err)
	}
	refusing, err := engine.Open(t.Context(), web, &engine.Options{Hooks: engine.JoinHooks(m.Hooks(), &engine.Hooks{}), Policy: &engine.Policy{Allow: []string{"b.test"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer refusing.Close()
	if _, err := refusing.Page().Navigate(t.Context(), "https://a.test/", nil); err == nil {
		t.Fatal("what the policy refuses was opened")
	}
	m.SessionStarted("")
	m.SessionStarted("too_many_sessions")
	m.SessionEnded("idle")
	m.Waited("page", 30*time.Millisecond)
	m.BrowserStarted("shared", nil)
	m.BrowserStarted("own", fmt.Errorf("no"))
	m.BrowserCrashed("own")
	text := scrape(t, m)
	for _, line := range []string{
		`wayfinder_policy_refusals_total{rule="allow"} 1`, `wayfinder_sessions_started_total{outcome="started"} 1`,
		`wayfinder_sessions_started_total{outcome="too_many_sessions"} 1`, `wayfinder_sessions_ended_total{reason="idle"} 1`,
		`wayfinder_queue_wait_seconds_count{queue="page"} 1`, `wayfinder_browser_starts_total{kind="shared",outcome="started"} 1`,
		`wayfinder_browser_starts_total{kind="own",outcome="failed"} 1`, `wayfinder_browser_crashes_total{kind="own"} 1`, `wayfinder_build_info{go="go`,
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the metrics lack %s", line)
		}
	}
	for _, line := range []string{
		`wayfinder_calls_total{method="navigate",outcome="done"} 1`,
		`wayfinder_calls_total{method="do",outcome="done"} 1`,
		`wayfinder_calls_total{method="do",outcome="disabled"} 1`,
		`wayfinder_actions_total{effect="navigation",method="click",sent="all"} 1`,
		`wayfinder_call_duration_seconds_count{method="do"} 2`,
		`wayfinder_calls_total{method="extract",outcome="model_quota"} 1`,
		`wayfinder_model_requests_total{model="script/test",outcome="answered",purpose="extract"} 1`,
		`wayfinder_model_requests_total{model="script/test",outcome="quota",purpose="extract"} 1`,
		`wayfinder_model_tokens_total{kind="input",model="script/test"} 1000`,
		`wayfinder_model_tokens_total{kind="reasoning",model="script/test"} 20`,
		// 600 fresh at 2, 400 cached at 1, 50 out at 10 dollars a million.
		`wayfinder_model_cost_dollars_total{model="script/test"} 0.0021`,
		`wayfinder_sessions 7`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("the metrics lack %s", line)
		}
	}
}

// TestCacheIsCounted: hits and misses of the act cache, with their reasons.
func TestCacheIsCounted(t *testing.T) {
	m := metrics.New(nil)
	cached := m.Hooks().Cached
	cached(t.Context(), engine.CacheUse{Result: engine.CacheMiss, Reason: engine.ReasonAbsent})
	cached(t.Context(), engine.CacheUse{Result: engine.CacheHit})
	text := scrape(t, m)
	for _, line := range []string{
		`wayfinder_act_cache_total{outcome="miss",reason="absent"} 1`,
		`wayfinder_act_cache_total{outcome="hit",reason=""} 1`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("the metrics lack %s", line)
		}
	}
}

// TestRequests: requests of the service are counted by route and status.
func TestRequests(t *testing.T) {
	m := metrics.New(nil)
	m.Request("POST /v1/sessions/{id}/act", 200, time.Millisecond)
	m.Request("POST /v1/sessions/{id}/act", 408, time.Second)
	text := scrape(t, m)
	for _, line := range []string{
		`wayfinder_http_requests_total{route="POST /v1/sessions/{id}/act",status="408"} 1`,
		`wayfinder_http_request_duration_seconds_bucket{route="POST /v1/sessions/{id}/act",le="0.0025"} 1`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("the metrics lack %s", line)
		}
	}
}

// TestModelNamesAreBounded: a client that makes up models does not fill memory.
func TestModelNamesAreBounded(t *testing.T) {
	m := metrics.New(nil)
	asked := m.Hooks().Asked
	for i := range 1000 {
		asked(t.Context(), engine.Ask{Model: fmt.Sprintf("made/up-%d", i), Purpose: "act"})
	}
	text := scrape(t, m)
	if n := strings.Count(text, "wayfinder_model_requests_total{"); n != 101 {
		t.Errorf("1,000 models gave %d series, want 100 and one for the others", n)
	}
	if !strings.Contains(text, `wayfinder_model_requests_total{model="other",outcome="answered",purpose="act"} 900`+"\n") {
		t.Error("the others were not counted together")
	}
}
