package engine_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// scriptedModel chooses the button, as a script of a test does.
type scriptedModel struct{}

func (scriptedModel) Name() string { return "bench/script" }

func (scriptedModel) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	return &llm.Response{Text: fmt.Sprintf(`{"found":true,"ref":%q,"method":"click","arguments":[],"description":"go","reason":"","more":false}`,
		llmtest.Ref(req, "button: Go"))}, nil
}

// benchWeb is the page in memory, with what its script does on Chrome.
func benchWeb(n int) driver.Driver {
	return fake.New(fake.Options{
		Web: fake.Web{shopAddress: benchPage(n)},
		Scripts: map[string]func(*fake.Document){shopAddress: func(d *fake.Document) {
			d.On("click", "#go", func(e *fake.Event) { e.Current.SetAttr("data-n", "1") })
		}},
	})
}

// wholeRun opens a page, reads it, acts with evidence, and closes.
func wholeRun(tb testing.TB, d driver.Driver, address string) {
	ctx := tb.Context()
	session, err := engine.Open(ctx, d, &engine.Options{Model: scriptedModel{}})
	if err != nil {
		tb.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, address, nil); err != nil {
		tb.Fatal(err)
	}
	if _, err := page.Snapshot(ctx, nil); err != nil {
		tb.Fatal(err)
	}
	r, err := page.Act(ctx, "press go", nil)
	if err != nil || r.Evidence.Effect != engine.EffectPage {
		tb.Fatalf("Act = %+v, %v", r, err)
	}
	if err := session.Close(); err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkMemory is a whole run on a page of 1,000 elements in memory.
func BenchmarkMemory(b *testing.B) {
	web := benchWeb(1000)
	b.ReportAllocs()
	for b.Loop() {
		wholeRun(b, web, shopAddress)
	}
}

// BenchmarkMemoryBesideChrome makes the same run in memory, on a Chrome that is
// there already, and on one that is started for it, and prints how many times
// as fast memory is. A run in memory is the mean of twenty in a row.
func BenchmarkMemoryBesideChrome(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", "text/html; charset=utf-8")
		fmt.Fprint(w, benchPage(1000))
	}))
	defer server.Close()
	web, warmChrome := benchWeb(1000), chrome(b)
	const inMemory = 20
	took := func(times int, d driver.Driver, address string) time.Duration {
		start := time.Now()
		for range times {
			wholeRun(b, d, address)
		}
		return time.Since(start) / time.Duration(times)
	}
	took(inMemory, web, shopAddress)
	took(1, warmChrome, server.URL)
	var memory, warm, cold time.Duration
	n := 0
	for b.Loop() {
		memory += took(inMemory, web, shopAddress)
		warm += took(1, warmChrome, server.URL)
		cold += took(1, cdp.Launch{}, server.URL)
		n++
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(n) }
	b.ReportMetric(ms(memory), "memory-ms")
	b.ReportMetric(ms(warm), "warm-ms")
	b.ReportMetric(ms(cold), "cold-ms")
	b.ReportMetric(float64(warm)/float64(memory), "warm-ratio")
	b.ReportMetric(float64(cold)/float64(memory), "cold-ratio")
}
