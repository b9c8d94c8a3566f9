package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

// depot is a page with a table of n lamps below a few words, and its data.
type depot struct {
	Title string `json:"title"`
	Lamps []lamp `json:"lamps"`
	Terms string `json:"terms"`
}

type lamp struct {
	Number string  `json:"number"`
	Name   string  `json:"name"`
	Price  float64 `json:"price"`
}

func depotOf(n int) (string, depot) {
	d := depot{Title: "Depot Nord", Terms: "Returns within 30 days"}
	var b strings.Builder
	b.WriteString("<main><h1>Depot Nord</h1><table><thead><tr><th>Number<th>Name<th>Price</thead><tbody>")
	for i := range n {
		l := lamp{fmt.Sprintf("N-%05d", i), fmt.Sprintf("Lamp of room %d", i), float64(i%900) + 0.5}
		if i%10 == 9 { // some lamps look the same
			l = lamp{"N-x", "Spare lamp", 5}
		}
		d.Lamps = append(d.Lamps, l)
		fmt.Fprintf(&b, "<tr><td>%s<td>%s<td>€%.2f</tr>", l.Number, l.Name, l.Price)
	}
	b.WriteString("</tbody></table><p>Returns within 30 days</p></main>")
	return b.String(), d
}

// outlineIn is the outline that a request shows.
func outlineIn(req *llm.Request) string {
	for _, m := range req.Messages {
		for _, part := range m.Parts {
			if p, ok := part.(llm.Page); ok && p.Kind == "outline" {
				return p.Text
			}
		}
	}
	return ""
}

// truly answers what the part that is shown says of a depot.
func truly(t testing.TB) func(*llm.Request) any {
	return func(req *llm.Request) any {
		o, err := accessibility.ParseOutline(outlineIn(req))
		if err != nil {
			t.Error(err)
			return err
		}
		lamps, answer := []lamp{}, map[string]any{}
		for _, it := range o.Items {
			switch {
			case it.Role == "heading":
				answer["title"] = it.Name
			case strings.HasPrefix(it.Name, "Returns"):
				answer["terms"] = it.Name
			case it.Role == "row" && !it.Header:
				l := lamp{Number: it.Cells[0].Text, Name: it.Cells[1].Text}
				if _, err := fmt.Sscanf(it.Cells[2].Text, "€%f", &l.Price); err != nil {
					t.Error(err)
				}
				lamps = append(lamps, l)
			}
		}
		answer["lamps"] = lamps
		return answer
	}
}

// A counter is a hook that holds how an extraction went.
type counter struct {
	mu    sync.Mutex // protects the fields below
	asks  []engine.Ask
	parts []engine.PartRead
}

func (c *counter) hooks() *engine.Hooks {
	return &engine.Hooks{
		Asked: func(_ context.Context, a engine.Ask) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.asks = append(c.asks, a)
		},
		PartRead: func(_ context.Context, r engine.PartRead) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.parts = append(c.parts, r)
		},
	}
}

// A table of 5,000 rows comes back with 5,000 rows, those that look the same
// included, and each value has its source.
func TestExtractLongTable(t *testing.T) {
	chrometest.Long(t)
	chrometest.NoRace(t)
	html, want := depotOf(5000)
	var c counter
	page := openShop(t, html, &engine.Options{Hooks: c.hooks(), Model: llmtest.NewScript(t, llmtest.Step{Times: -1, Answer: truly(t)})})
	got, out, err := engine.ExtractWithSources[depot](t.Context(), page, "the depot with all lamps", &engine.ExtractOptions{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	if got.Title != want.Title || got.Terms != want.Terms || !slices.Equal(got.Lamps, want.Lamps) {
		t.Errorf("Extract = %q, %q, %d lamps; want %q, %q, %d", got.Title, got.Terms, len(got.Lamps), want.Title, want.Terms, len(want.Lamps))
	}
	if n, of := out.Grounded(); n != 15001 || of != 15002 || len(out.Ungrounded) != 1 || out.Ungrounded[0].Pointer != "/terms" || len(out.Omitted) > 0 {
		t.Errorf("Grounded() = %d of %d, want all but the terms of 15,002; omitted %v", n, of, out.Omitted)
	}
	if len(c.asks) < 5 || len(c.parts) != len(c.asks) {
		t.Fatalf("%d questions, %d parts", len(c.asks), len(c.parts))
	}
	var usage engine.Usage
	for _, a := range c.asks {
		usage = usage.Add(a.Usage)
	}
	done := 0
	for _, p := range c.parts {
		if done += p.Lines; p.Done != done || p.Err != nil {
			t.Errorf("part %+v, want %d lines done", p, done)
		}
	}
	if last := c.parts[len(c.parts)-1]; last.Done != last.Of {
		t.Errorf("the last part is %+v", last)
	}
	h := page.Session().History()
	if last := h[len(h)-1]; out.Usage.Input != usage.Input || last.Usage.Input != usage.Input || page.Session().Metrics().Total().Input != usage.Input {
		t.Errorf("usage %+v, in the history %+v, want the %d tokens of all questions", out.Usage, last.Usage, usage.Input)
	}
}

// What a bound leaves unread is an error that says so, or is said of the data.
func TestExtractBounds(t *testing.T) {
	html, want := depotOf(600)
	answer := truly(t)
	open := func() *engine.Page {
		var opts engine.Options
		opts.Model = middleware.Meter()(llmtest.NewScript(t, llmtest.Step{Times: -1, Usage: llm.Usage{Input: 2000, Output: 2000}, Answer: func(req *llm.Request) any {
			return map[string]any{"lamps": answer(req).(map[string]any)["lamps"]}
		}}))
		return openShop(t, html, &opts)
	}
	type list struct {
		Lamps []lamp `json:"lamps"`
	}
	for name, opts := range map[string]engine.ExtractOptions{
		"calls":  {PartTokens: 2000, MaxCalls: 3},
		"tokens": {PartTokens: 2000, MaxTokens: 14_000},
		"budget": {PartTokens: 2000},
	} {
		ctx := t.Context()
		if name == "budget" {
			ctx = middleware.WithBudget(ctx, &middleware.Budget{MaxTokens: 14_000})
		}
		_, err := engine.Extract[list](ctx, open(), "all lamps", &opts)
		var rest *engine.IncompleteError
		if !errors.Is(err, engine.ErrIncomplete) || !errors.As(err, &rest) || len(rest.Omitted) == 0 || engine.Kind(err) != "incomplete" && name != "budget" {
			t.Fatalf("%s: Extract = %v, want ErrIncomplete", name, err)
		}
		opts.Partial = true
		if name == "budget" {
			ctx = middleware.WithBudget(t.Context(), &middleware.Budget{MaxTokens: 14_000})
		}
		got, out, err := engine.ExtractWithSources[list](ctx, open(), "all lamps", &opts)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows := 0
		for _, o := range out.Omitted {
			if o.Cause == engine.OmittedByBudget && strings.HasPrefix(o.Noun, "row") {
				rows += o.Count
				if len(o.Refs) == 0 {
					t.Errorf("%s: omitted %+v says not where", name, o)
				}
			}
		}
		all := 600
		if len(got.Lamps) == 0 || got.Lamps[0] != want.Lamps[0] {
			all++ // parts that are asked for at once may spend it all before the first, which has the row of headers, too
		}
		if n := len(got.Lamps); n < 50 || n+rows != all || !inOrder(got.Lamps, want.Lamps) {
			t.Errorf("%s: %d lamps, %d rows omitted (%v), want %d together, in page order", name, n, rows, out.Omitted, all)
		}
		opts.MaxCalls, opts.MaxTokens = 0, 10
		if _, err := engine.Extract[list](t.Context(), open(), "all lamps", &opts); !errors.Is(err, engine.ErrIncomplete) {
			t.Errorf("%s: Extract without any answer = %v, want ErrIncomplete", name, err)
		}
	}
}

// inOrder reports whether all of some is in all, in the same order.
func inOrder(some, all []lamp) bool {
	for _, l := range some {
		i := slices.Index(all, l)
		if i < 0 {
			return false
		}
		all = all[i+1:]
	}
	return true
}

// An answer that the model cuts off at its limit is asked for in halves.
func TestExtractHalves(t *testing.T) {
	html, want := depotOf(300)
	answer := truly(t)
	model := llmtest.NewScript(t, llmtest.Step{Times: -1, Answer: func(req *llm.Request) any {
		if strings.Count(outlineIn(req), " row: ") > 80 {
			return &llm.Error{Provider: "script", Kind: llm.KindLength, Message: "cut off"}
		}
		return answer(req)
	}})
	got, err := engine.Extract[depot](t.Context(), openShop(t, html, &engine.Options{Model: model}), "all", nil)
	if err != nil || !slices.Equal(got.Lamps, want.Lamps) || got.Title != want.Title || got.Terms != want.Terms {
		t.Errorf("Extract = %d lamps, %v, want %d", len(got.Lamps), err, len(want.Lamps))
	}
}

// A text is put together from what the parts say; so is data of any root.
func TestExtractPartsOfAnyForm(t *testing.T) {
	html, _ := depotOf(200)
	words := llmtest.NewScript(t, llmtest.Step{Times: -1, Answer: func(req *llm.Request) any {
		if strings.Contains(outlineIn(req), "N-00100 |") {
			return map[string]any{"extraction": "Lamp of room 100"}
		}
		return map[string]any{"extraction": ""}
	}})
	out, err := openShop(t, html, &engine.Options{Model: words}).Extract(t.Context(), "which lamp is N-00100?", &engine.ExtractOptions{PartTokens: 1500})
	if err != nil || string(out.Data) != `{"extraction":"Lamp of room 100"}` {
		t.Errorf("Extract of a text = %s, %v", out.Data, err)
	}
	root := func(v any) *llmtest.Script {
		return llmtest.NewScript(t, llmtest.Step{Times: -1, Answer: func(req *llm.Request) any {
			if strings.Contains(outlineIn(req), "N-00100 |") {
				return map[string]any{"value": v}
			}
			return map[string]any{"value": nil}
		}})
	}
	opts := &engine.ExtractOptions{PartTokens: 1500, Strict: true}
	if n, err := engine.Extract[float64](t.Context(), openShop(t, html, &engine.Options{Model: root(100.5)}), "the price of N-00100", opts); err != nil || n != 100.5 {
		t.Errorf("Extract of a number = %v, %v", n, err)
	}
	if s, err := engine.Extract[string](t.Context(), openShop(t, html, &engine.Options{Model: root("Lamp of room 100")}), "the name of N-00100", opts); err != nil || s != "Lamp of room 100" {
		t.Errorf("Extract of a string = %v, %v", s, err)
	}
	_, err = engine.Extract[float64](t.Context(), openShop(t, html, &engine.Options{Model: root(nil)}), "the price of N-77777", opts)
	var model *llm.Error
	if !errors.As(err, &model) || model.Kind != llm.KindSchema {
		t.Errorf("Extract of what no part says = %v, want an error of the schema", err)
	}
}

// A repair is asked for of the part that needs it. What stands in other parts is nothing
// that this one leaves out.
func TestExtractStrictParts(t *testing.T) {
	html, want := depotOf(200)
	html = strings.Replace(html, "<p>Returns within 30 days</p>", "<dl><dt>Terms<dd>Returns within 30 days</dl>", 1)
	for _, opts := range []*engine.ExtractOptions{{PartTokens: 1500, Strict: true}, {PartTokens: 1500, StrictAll: true}} {
		answer, wrong := truly(t), 0
		model := llmtest.NewScript(t, llmtest.Step{Times: -1, Answer: func(req *llm.Request) any {
			data := answer(req)
			if strings.Contains(outlineIn(req), "N-00100 |") {
				if wrong++; wrong == 1 {
					data.(map[string]any)["lamps"].([]lamp)[0].Name = "Marlow Quint"
				}
			}
			return data
		}})
		got, err := engine.Extract[depot](t.Context(), openShop(t, html, &engine.Options{Model: model}), "all", opts)
		if err != nil || !slices.Equal(got.Lamps, want.Lamps) || wrong != 2 {
			t.Errorf("Extract with %+v = %d lamps, %v, after %d questions about the part", opts, len(got.Lamps), err, wrong)
		}
	}
}

// An error ends the other questions, and none goes on when Extract returns.
func TestExtractPartsEnd(t *testing.T) {
	html, _ := depotOf(600)
	synctest.Test(t, func(t *testing.T) {
		fail := func(cause error) (asked, ended int, err error) {
			var mu sync.Mutex
			model := llmtest.NewScript(t, llmtest.Step{Times: -1, Answer: func(*llm.Request) any { return nil }})
			hang := hanging{Model: model, ask: func(ctx context.Context, req *llm.Request) error {
				mu.Lock()
				asked++
				mu.Unlock()
				if cause != nil && strings.Contains(outlineIn(req), "N-00000 |") {
					time.Sleep(time.Second)
					return cause
				}
				<-ctx.Done()
				mu.Lock()
				ended++
				mu.Unlock()
				return ctx.Err()
			}}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if cause == nil {
				time.AfterFunc(time.Minute, cancel)
			}
			page := openShop(t, html, &engine.Options{Model: hang})
			_, err = engine.Extract[depot](ctx, page, "all", &engine.ExtractOptions{PartTokens: 1500})
			page.Session().Close()
			return asked, ended, err
		}
		broken := &llm.Error{Provider: "script", Kind: llm.KindAuth, Message: "no"}
		if asked, ended, err := fail(broken); !errors.Is(err, broken) || asked != 4 || ended != 3 {
			t.Errorf("Extract = %v, %d questions asked, %d ended; want the error, 4, 3", err, asked, ended)
		}
		if asked, ended, err := fail(nil); !errors.Is(err, context.Canceled) || asked != 4 || ended != 4 {
			t.Errorf("Extract = %v, %d questions asked, %d ended; want Canceled, 4, 4", err, asked, ended)
		}
	})
}

// Parts take as long as their questions need; the limit of the caller holds.
func TestExtractPartsTime(t *testing.T) {
	html, want := depotOf(300)
	synctest.Test(t, func(t *testing.T) {
		answer := truly(t)
		slow := hanging{Model: llmtest.NewScript(t, llmtest.Step{Times: -1, Answer: answer}), ask: func(ctx context.Context, _ *llm.Request) error {
			select {
			case <-time.After(100 * time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}
		page := openShop(t, html, &engine.Options{Model: slow})
		if got, err := engine.Extract[depot](t.Context(), page, "all", &engine.ExtractOptions{PartTokens: 1500}); err != nil || len(got.Lamps) != len(want.Lamps) {
			t.Errorf("Extract of slow parts = %d lamps, %v", len(got.Lamps), err)
		}
		if _, err := engine.Extract[depot](t.Context(), page, "all", &engine.ExtractOptions{PartTokens: 1500, Timeout: 150 * time.Second}); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "2m30s") {
			t.Errorf("Extract with a limit = %v, want its end", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		if _, err := engine.Extract[depot](ctx, page, "all", &engine.ExtractOptions{PartTokens: 1500}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Extract with a deadline = %v, want its end", err)
		}
		page.Session().Close()
	})
}

// A hanging model waits before it answers.
type hanging struct {
	engine.LLM
	Model *llmtest.Script
	ask   func(context.Context, *llm.Request) error
}

func (h hanging) Name() string { return "script/hanging" }

func (h hanging) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := h.ask(ctx, req); err != nil {
		return nil, err
	}
	return h.Model.Generate(ctx, req)
}

// Texts longer than any line shows otherwise are read whole; one longer than a
// part is said to be cut.
func TestExtractLongText(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("A sentence about lamps. ", 300))
	type article struct {
		Text string `json:"text"`
	}
	var shown string
	model := llmtest.NewScript(t, llmtest.Step{Times: -1, Answer: func(req *llm.Request) any {
		shown = outlineIn(req)
		return json.RawMessage(`{"text":"A sentence about lamps."}`)
	}})
	page := openShop(t, "<h1>Lamps</h1><p>"+text+"</p>", &engine.Options{Model: model})
	if _, err := engine.Extract[article](t.Context(), page, "the article", nil); err != nil || !strings.Contains(shown, text) {
		t.Errorf("Extract = %v, the model saw\n%.100s… (%d bytes)", err, shown, len(shown))
	}
	_, err := engine.Extract[article](t.Context(), page, "the article", &engine.ExtractOptions{PartTokens: 800})
	if !errors.Is(err, engine.ErrIncomplete) || !strings.Contains(err.Error(), "characters") {
		t.Errorf("Extract of a text longer than a part = %v, want ErrIncomplete", err)
	}
}

// BenchmarkExtractLong reads pages that take several questions, by a model that
// answers at once: what is left is the engine's own time.
func BenchmarkExtractLong(b *testing.B) {
	for _, rows := range []int{5000, 12_500} { // the second has 50,000 elements
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			html, want := depotOf(rows)
			var c counter
			answer := truly(b)
			model := llmtest.NewScript(b, llmtest.Step{Times: -1, Answer: func(req *llm.Request) any {
				raw, err := json.Marshal(answer(req))
				if err != nil {
					b.Error(err)
				}
				return &llm.Response{Text: string(raw), Usage: llm.Usage{Input: llm.Estimate(req), Output: accessibility.Tokens(string(raw))}}
			}})
			session, err := engine.Open(b.Context(), fake.Web{"https://shop.test/": html}, &engine.Options{Model: model, Hooks: c.hooks()})
			if err != nil {
				b.Fatal(err)
			}
			defer session.Close()
			if _, err := session.Page().Navigate(b.Context(), "https://shop.test/", nil); err != nil {
				b.Fatal(err)
			}
			var out *engine.Extraction
			for b.Loop() {
				var got depot
				if got, out, err = engine.ExtractWithSources[depot](b.Context(), session.Page(), "the depot with all lamps", nil); err != nil || !slices.Equal(got.Lamps, want.Lamps) {
					b.Fatalf("Extract = %d lamps, %v, want %d", len(got.Lamps), err, rows)
				}
			}
			n, of := out.Grounded()
			if n != of {
				b.Errorf("%d of %d values are grounded", n, of)
			}
			b.ReportMetric(float64(len(c.asks))/float64(b.N), "calls/op")
			b.ReportMetric(float64(out.Usage.Input), "tokens-in/op")
			b.ReportMetric(float64(out.Usage.Output), "tokens-out/op")
		})
	}
}
