package engine_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/gold"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/schema"
)

const teapots = `<title>Teapots</title>
<h1>Teapots</h1>
<ul id="list">
<li><a href="/blue">Blue</a> CHF 30</li>
<li><a href="/red?size=2">Red</a> CHF 40</li>
</ul>
<footer><a href="/imprint">Imprint</a></footer>
<iframe srcdoc="<p>Delivery in two days</p>" title="Delivery"></iframe>`

type teapot struct {
	Name  string  `json:"name"`
	Price float64 `json:"price" jsonschema:"minimum=0"`
	Link  string  `json:"link" jsonschema:"format=uri"`
}

func TestExtractTyped(t *testing.T) {
	script := llmtest.NewScript(t, llmtest.Step{
		Purpose: llm.PurposeExtract, Instruction: "all teapots", Page: "Blue",
		Answer: func(req *llm.Request) any {
			return map[string]any{"value": []any{
				map[string]any{"name": "Blue", "price": 30, "link": mustRef(t, req, "link", "Blue")},
				map[string]any{"name": "Red", "price": 40.5, "link": mustRef(t, req, "link", "Red")},
			}}
		},
	})
	page := openShop(t, teapots, &engine.Options{Model: script})
	got, err := engine.Extract[[]teapot](t.Context(), page, "all teapots", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []teapot{
		{"Blue", 30, "https://shop.test/blue"},
		{"Red", 40.5, "https://shop.test/red?size=2"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A model cannot make up a link: neither an address nor a reference that is
// not on the page, nor that of an element without an address.
func TestExtractRefusesInventedLinks(t *testing.T) {
	invented := func(link func(*llm.Request) string) llmtest.Step {
		return llmtest.Step{Answer: func(req *llm.Request) any {
			return map[string]any{"name": "Blue", "price": 30, "link": link(req)}
		}}
	}
	for name, link := range map[string]func(*llm.Request) string{
		"an address":       func(*llm.Request) string { return "https://shop.test/blue" },
		"an unknown ref":   func(*llm.Request) string { return "0-99999" },
		"a ref of no link": func(req *llm.Request) string { return mustRef(t, req, "heading", "Teapots") },
	} {
		t.Run(name, func(t *testing.T) {
			script := llmtest.NewScript(t, invented(link), llmtest.Step{
				Check: func(req *llm.Request) error {
					if !strings.Contains(requestText(req), "link") {
						return errors.New("the second round does not name the member")
					}
					return nil
				},
				JSON: map[string]any{"name": "Blue", "price": 30, "link": "nothing"},
			})
			page := openShop(t, teapots, &engine.Options{Model: script})
			_, err := engine.Extract[teapot](t.Context(), page, "the blue teapot", nil)
			var failed *llm.Error
			if !errors.As(err, &failed) || failed.Kind != llm.KindSchema || !strings.Contains(err.Error(), "link") {
				t.Errorf("Extract = %v, want kind %s that names the member", err, llm.KindSchema)
			}
		})
	}
}

func TestExtractRepairs(t *testing.T) {
	script := llmtest.NewScript(t,
		llmtest.Step{JSON: map[string]any{"price": -1}},
		llmtest.Step{JSON: map[string]any{"price": 30}})
	page := openShop(t, teapots, &engine.Options{Model: script})
	got, err := engine.Extract[struct {
		Price float64 `json:"price" jsonschema:"minimum=0"`
	}](t.Context(), page, "the price", nil)
	if err != nil || got.Price != 30 {
		t.Errorf("Extract = %v, %v, want 30", got, err)
	}
	sum := page.Session().Metrics().Asks[llm.PurposeExtract]
	if sum.Requests != 1 || sum.Usage.Input != 200 || sum.Errors != 0 {
		t.Errorf("Metrics = %+v, want the usage of both rounds", sum)
	}
}

func TestExtractForms(t *testing.T) {
	data := func(e *engine.Extraction, err error) map[string]string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]string{}
		if err := json.Unmarshal(e.Data, &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	script := llmtest.NewScript(t, llmtest.Step{JSON: map[string]any{"extraction": "CHF 30"}})
	page := openShop(t, teapots, &engine.Options{Model: script})
	ctx := t.Context()

	text := data(page.Extract(ctx, "", nil))["pageText"]
	if !strings.Contains(text, "CHF 40") || strings.Contains(text, "two days") {
		t.Errorf("pageText = %q, want the page without its frames", text)
	}
	text = data(page.Extract(ctx, " ", &engine.ExtractOptions{Frames: true}))["pageText"]
	if !strings.Contains(text, "two days") {
		t.Errorf("pageText = %q, want the frames too", text)
	}
	text = data(page.Extract(ctx, "", &engine.ExtractOptions{Selector: "xpath=//ul/li[2]"}))["pageText"]
	if strings.TrimSpace(text) != "Red CHF 40" {
		t.Errorf("pageText of the second item = %q", text)
	}
	text = data(page.Extract(ctx, "", &engine.ExtractOptions{IgnoreSelectors: []string{"footer", "h1"}}))["pageText"]
	if strings.Contains(text, "Imprint") || strings.Contains(text, "Teapots") {
		t.Errorf("pageText = %q, want neither footer nor heading", text)
	}
	if got := data(page.Extract(ctx, "the price of the blue one", nil))["extraction"]; got != "CHF 30" {
		t.Errorf("extraction = %q", got)
	}
}

func TestExtractBadInput(t *testing.T) {
	page := openShop(t, teapots, nil)
	ctx := t.Context()
	if _, err := page.Extract(ctx, "x", nil); !errors.Is(err, engine.ErrNoModel) {
		t.Errorf("without a model: %v, want %v", err, engine.ErrNoModel)
	}
	if _, err := page.Extract(ctx, "", &engine.ExtractOptions{Selector: "#no"}); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("a selector that matches nothing: %v, want %v", err, engine.ErrNotFound)
	}
	if _, err := page.Extract(ctx, "", &engine.ExtractOptions{Selector: "li["}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("a selector that is none: %v, want %v", err, engine.ErrInvalid)
	}
	form, err := schema.Parse([]byte(`{"type":"object"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Extract[teapot](ctx, page, "x", &engine.ExtractOptions{Schema: form}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("a schema beside a type: %v, want %v", err, engine.ErrInvalid)
	}
	if _, err := engine.Extract[chan int](ctx, page, "x", nil); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("a type without a schema: %v, want %v", err, engine.ErrInvalid)
	}
}

// What the page's own markup structures is read without a model.
func TestExtractDirect(t *testing.T) {
	const labelled = `<title>Teapots</title><table><tr><th>Name<th>Price<tr><td><a href="/blue">Blue</a><td>CHF 30<tr><td><a href="/red?size=2">Red</a><td>CHF 40</table>`
	page := openShop(t, labelled, &engine.Options{Model: llmtest.NewScript(t)})
	got, err := engine.Extract[[]teapot](t.Context(), page, "all teapots", &engine.ExtractOptions{Direct: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []teapot{
		{"Blue", 30, "https://shop.test/blue"},
		{"Red", 40, "https://shop.test/red?size=2"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := page.Session().Metrics().Asks[llm.PurposeExtract].Requests; n != 0 {
		t.Errorf("%d requests to a model, want none", n)
	}
}

// What a direct extraction does not find, it says; without a schema it is
// nothing that can be asked for.
func TestExtractDirectUnfilled(t *testing.T) {
	form, err := schema.Parse([]byte(`{"type":"object","properties":{"designer":{"type":"string"}},"required":["designer"]}`))
	if err != nil {
		t.Fatal(err)
	}
	page := openShop(t, teapots, nil)
	for _, opts := range []engine.ExtractOptions{
		{Direct: true, Schema: form},
		{Direct: true, Schema: form, Selector: "#list", IgnoreSelectors: []string{"li"}},
	} {
		out, err := page.Extract(t.Context(), "", &opts)
		if err != nil {
			t.Fatal(err)
		}
		if string(out.Data) != `{}` || len(out.Unfilled) != 1 || out.Unfilled[0] != "/designer" {
			t.Errorf("Extract = %s, unfilled %q, want {} and /designer", out.Data, out.Unfilled)
		}
	}
	if _, err := page.Extract(t.Context(), "the designer", &engine.ExtractOptions{Direct: true}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("Extract without a schema = %v, want ErrInvalid", err)
	}
	if _, err := engine.Extract[struct {
		Designer string `json:"designer"`
	}](t.Context(), page, "", &engine.ExtractOptions{Direct: true}); err == nil {
		t.Error("Extract of a type with a member that is not on the page: no error")
	}
}

// TestExtractWithoutModel extracts the pages of the corpus with the word matcher: what
// the page's markup structures, and nothing else. What it gives is true.
func TestExtractWithoutModel(t *testing.T) {
	filled, all, whole, share := 0, 0, 0, 0.0
	cases := slices.DeleteFunc(gold.Cases(), func(c gold.Case) bool { return len(c.Gold) > 50_000 })
	for _, c := range cases {
		session, err := engine.Open(t.Context(), fake.Web(c.Web), &engine.Options{Model: offline.New()})
		if err != nil {
			t.Fatal(err)
		}
		form, err := schema.Parse(c.Schema)
		if err != nil {
			t.Fatal(err)
		}
		page := session.Page()
		if _, err := page.Navigate(t.Context(), c.URL, nil); err != nil {
			t.Fatal(err)
		}
		want, err := gold.Leaves(c.Gold)
		if err != nil {
			t.Fatal(err)
		}
		all += len(want)
		read := func(opts *engine.ExtractOptions) (right, wrong int, err error) {
			opts.Schema, opts.Frames = form, true
			out, err := page.Extract(t.Context(), c.Instruction, opts)
			if err != nil {
				return 0, 0, err
			}
			got, err := gold.Leaves(out.Data)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range got {
				if i := slices.IndexFunc(want, func(w gold.Leaf) bool { return w.Pointer == l.Pointer && sameLeaf(w.Value, l.Value) }); i >= 0 {
					right++
				} else {
					wrong++
					t.Logf("%s: %s = %v", c.Name, l.Pointer, l.Value)
				}
			}
			return right, wrong, nil
		}
		right, wrong, err := read(&engine.ExtractOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		if right == len(want) {
			whole++
		}
		if wrong > 0 {
			t.Errorf("%s: %d values are wrong", c.Name, wrong)
		}
		filled += right
		if len(want) > 0 {
			share += float64(right) / float64(len(want)) / float64(len(cases))
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d of %d leaves, %.1f %% of a page on average; %d of %d pages whole", filled, all, 100*share, whole, len(cases))
	if share < 0.38 {
		t.Errorf("%.1f %% of a page's leaves, want at least 38 %%", 100*share)
	}
}

func sameLeaf(a, b any) bool {
	x, ok := a.(json.Number)
	y, also := b.(json.Number)
	if !ok || !also {
		return a == b
	}
	f, err := x.Float64()
	g, err2 := y.Float64()
	return err == nil && err2 == nil && f == g
}
