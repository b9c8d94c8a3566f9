package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// benchPage is a page of about n elements: navigation, tables, forms, nested
// boxes, and a button that changes something each time.
func benchPage(n int) string {
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html><title>Bench</title><button id="go" onclick="this.dataset.n = (this.dataset.n | 0) + 1">Go</button><nav>`)
	for i := range 20 {
		fmt.Fprintf(&b, `<a href="/section/%d">Section %d</a> `, i, i)
	}
	b.WriteString("</nav>")
	for i := 0; i*16 < n-30; i++ {
		fmt.Fprintf(&b, `<div class="card"><div><h3>Item %d</h3><p>A description of item %d with <b>some</b> words.</p>
<table><tr><td>Price</td><td>%d.50</td></tr><tr><td>Stock</td><td>%d</td></tr></table>
<label>Count <input type="number" value="1"></label><a href="/item/%d">More about item %d</a></div></div>`, i, i, i, i%7, i, i)
	}
	return b.String()
}

var benchSizes = []struct {
	name string
	n    int
}{{"p100", 100}, {"p1k", 1000}, {"p10k", 10_000}}

func openBench(b *testing.B, n int, opts *engine.Options) *engine.Page {
	b.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", "text/html; charset=utf-8")
		fmt.Fprint(w, benchPage(n))
	}))
	b.Cleanup(server.Close)
	session, err := engine.Open(b.Context(), chrome(b), opts)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { session.Close() })
	if _, err := session.Page().Navigate(b.Context(), server.URL, nil); err != nil {
		b.Fatal(err)
	}
	return session.Page()
}

// goModel answers at once with the button, or with nothing to extract.
type goModel struct{}

func (goModel) Name() string { return "bench/go" }

func (goModel) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	if req.Purpose == llm.PurposeExtract {
		return &llm.Response{Text: `{"extraction":"x"}`}, nil
	}
	ref, err := refOf(req, "button", "Go")
	if err != nil {
		return nil, err
	}
	if req.Purpose == llm.PurposeObserve {
		return &llm.Response{Text: fmt.Sprintf(`{"actions":[{"ref":%q,"description":"go","method":"click","arguments":[]}]}`, ref)}, nil
	}
	return &llm.Response{Text: fmt.Sprintf(
		`{"found":true,"ref":%q,"method":"click","arguments":[],"description":"go","reason":"","more":false}`, ref)}, nil
}

// settled leaves the page alone until it is quiet, outside of what is measured.
func settled(b *testing.B, page *engine.Page) {
	b.StopTimer()
	if _, err := page.Snapshot(b.Context(), &engine.SnapshotOptions{Selector: "#go"}); err != nil {
		b.Fatal(err)
	}
	b.StartTimer()
}

// bareClick is what the protocol costs alone: find, scroll, measure and
// hit-test in one evaluation, and three pipelined mouse events.
func bareClick(b *testing.B, page *engine.Page) time.Duration {
	b.Helper()
	d := page.Driver()
	start := time.Now()
	raw, err := d.Evaluate(b.Context(), `(() => { const e = document.evaluate('/html[1]/body[1]/button[1]', document, null, 9).singleNodeValue;
		e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect();
		const x = r.left + r.width / 2, y = r.top + r.height / 2; return [x, y, document.elementFromPoint(x, y) === e] })()`, nil)
	if err != nil {
		b.Fatal(err)
	}
	var spot []any
	if err := json.Unmarshal(raw, &spot); err != nil || spot[2] != true {
		b.Fatalf("bare click: %s, %v", raw, err)
	}
	at := driver.Point{X: spot[0].(float64), Y: spot[1].(float64)}
	if err := d.Input(b.Context(), driver.MouseMove{At: at}, driver.MouseDown{At: at, Clicks: 1}, driver.MouseUp{At: at, Clicks: 1}); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

// BenchmarkDo clicks by XPath, without a model, evidence included, and prints
// what the bare protocol takes for the click in the same run.
func BenchmarkDo(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(size.name, func(b *testing.B) {
			page := openBench(b, size.n, nil)
			action := engine.Action{Selector: "xpath=/html[1]/body[1]/button[1]"}
			var bare, ours time.Duration
			n := 0
			for b.Loop() {
				settled(b, page)
				start := time.Now()
				r, err := page.Do(b.Context(), action, nil)
				ours += time.Since(start)
				if err != nil || r.Evidence.Effect != engine.EffectPage {
					b.Fatalf("Do = %+v, %v", r, err)
				}
				settled(b, page)
				b.StopTimer()
				bare += bareClick(b, page)
				b.StartTimer()
				n++
			}
			report(b, ours, bare, n)
		})
	}
}

// BenchmarkDoAgain performs actions back to back, without a pause for the page to
// become quiet in.
func BenchmarkDoAgain(b *testing.B) {
	const field = "xpath=/html[1]/body[1]/div[1]/div[1]/label[1]/input[1]"
	for _, action := range []engine.Action{
		{Method: engine.Click, Selector: "xpath=/html[1]/body[1]/button[1]"},
		{Method: engine.Hover, Selector: "xpath=/html[1]/body[1]/button[1]"},
		{Method: engine.Fill, Selector: field, Arguments: []string{"7"}},
		{Method: engine.Press, Selector: field, Arguments: []string{"ArrowLeft"}},
	} {
		b.Run(string(action.Method), func(b *testing.B) {
			page := openBench(b, 1000, nil)
			settled(b, page)
			var bare, ours time.Duration
			n := 0
			for b.Loop() {
				if action.Method == engine.Fill {
					action.Arguments[0] = strconv.Itoa(n)
				}
				start := time.Now()
				if _, err := page.Do(b.Context(), action, nil); err != nil {
					b.Fatal(err)
				}
				ours += time.Since(start)
				n++
			}
			for range n {
				bare += bareClick(b, page)
			}
			report(b, ours, bare, n)
		})
	}
}

// BenchmarkDoKnown clicks a button that is held to its fingerprint.
func BenchmarkDoKnown(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(size.name, func(b *testing.B) {
			page := openBench(b, size.n, nil)
			action := engine.Action{
				Selector:     "xpath=/html[1]/body[1]/button[1]",
				Fingerprint:  &engine.Fingerprint{Role: "button", Name: "Go", Tag: "button"},
				Surroundings: &engine.Surroundings{Alike: 1},
			}
			var bare, ours time.Duration
			n := 0
			for b.Loop() {
				b.StopTimer()
				time.Sleep(250 * time.Millisecond)
				b.StartTimer()
				start := time.Now()
				if _, err := page.Do(b.Context(), action, nil); err != nil {
					b.Fatal(err)
				}
				ours += time.Since(start)
				b.StopTimer()
				bare += bareClick(b, page)
				b.StartTimer()
				n++
			}
			report(b, ours, bare, n)
		})
	}
}

func report(b *testing.B, ours, bare time.Duration, n int) {
	b.ReportMetric(float64(ours.Microseconds())/1000/float64(n), "ours-ms")
	b.ReportMetric(float64(bare.Microseconds())/1000/float64(n), "bare-ms")
	b.ReportMetric(float64(ours)/float64(bare), "ratio")
}

// bareSnapshot is Chrome's own snapshot of the page, without reading it.
func bareSnapshot(b *testing.B, page *engine.Page) time.Duration {
	b.Helper()
	start := time.Now()
	err := cdp.Send(b.Context(), page.Driver(), "", "DOMSnapshot.captureSnapshot",
		map[string]any{"computedStyles": []string{"display", "visibility", "cursor"}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

// BenchmarkStep measures whole steps with a model that answers at once, on a
// page that is read anew each time, beside Chrome's bare snapshot.
func BenchmarkStep(b *testing.B) {
	for _, size := range benchSizes {
		for name, step := range map[string]func(*engine.Page) error{
			"act":     func(p *engine.Page) error { _, err := p.Act(b.Context(), "go", nil); return err },
			"observe": func(p *engine.Page) error { _, err := p.Observe(b.Context(), "go", nil); return err },
			"extract": func(p *engine.Page) error { _, err := p.Extract(b.Context(), "go", nil); return err },
		} {
			b.Run(size.name+"/"+name, func(b *testing.B) {
				page := openBench(b, size.n, &engine.Options{Model: goModel{}})
				var bare, ours time.Duration
				n := 0
				for b.Loop() {
					b.StopTimer()
					bareClick(b, page) // the page is another
					settle(b, page)
					b.StartTimer()
					start := time.Now()
					if err := step(page); err != nil {
						b.Fatal(err)
					}
					ours += time.Since(start)
					b.StopTimer()
					bare += bareSnapshot(b, page)
					b.StartTimer()
					n++
				}
				report(b, ours, bare, n)
			})
		}
	}
}

// settle waits for a quiet page without reading it.
func settle(b *testing.B, page *engine.Page) {
	b.Helper()
	if _, err := page.Do(b.Context(), engine.Action{Selector: "body", Method: engine.ScrollByPixelOffset, Arguments: []string{"0", "0"}}, nil); err != nil {
		b.Fatal(err)
	}
	time.Sleep(250 * time.Millisecond) // a benchmark may: it measures the step, not the wait
}
