package engine_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/gold"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// Empty data is no answer where the page has something to say.
func TestExtractStrictEmpty(t *testing.T) {
	empty := map[string]any{"name": "", "price": 0}
	form, err := schema.Parse([]byte(`{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}},"required":["name","price"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, strict := range []bool{true, false} {
		page := openShop(t, teapots, &engine.Options{Model: llmtest.NewScript(t, llmtest.Step{JSON: empty}, llmtest.Step{JSON: empty})})
		if _, err := page.Extract(t.Context(), "the teapot", &engine.ExtractOptions{Schema: form, Strict: strict}); !errors.Is(err, engine.ErrUngrounded) {
			t.Errorf("Extract of empty data, strict %v = %v, want ErrUngrounded", strict, err)
		} else if kind := engine.Kind(err); kind != "ungrounded" {
			t.Errorf("Kind(%v) = %q, want ungrounded", err, kind)
		}
	}
	page := openShop(t, `<dl><dt>Name</dt><dd>-</dd><dt>Price</dt><dd></dd></dl>`, &engine.Options{Model: llmtest.NewScript(t, llmtest.Step{JSON: empty})})
	if out, err := page.Extract(t.Context(), "the teapot", &engine.ExtractOptions{Schema: form}); err != nil || out.Sources["/name"].Kind != engine.SourceEmpty {
		t.Errorf("Extract of empty data from an empty page = %v, %v", out, err)
	}
	// No list of a page that has records is empty unseen: the model is reminded once,
	// and may have been asked for what the page does not have.
	none := llmtest.Step{JSON: map[string]any{"value": []any{}}}
	page = openShop(t, teapots, &engine.Options{Model: llmtest.NewScript(t, none, none)})
	got, out, err := engine.ExtractWithSources[[]teapot](t.Context(), page, "green teapots", &engine.ExtractOptions{Strict: true})
	if err != nil || len(got) != 0 || len(out.Omitted) != 1 || out.Omitted[0].Count != 2 {
		t.Errorf("Extract of an empty list = %v, %v, %+v; want the two teapots omitted", got, err, out)
	}
	page = openShop(t, teapots, &engine.Options{Model: llmtest.NewScript(t, none, none)})
	if got, err := engine.Extract[[]teapot](t.Context(), page, "green teapots", &engine.ExtractOptions{StrictAll: true}); !errors.Is(err, engine.ErrUngrounded) {
		t.Errorf("Extract of an empty list, StrictAll = %v, %v, want ErrUngrounded", got, err)
	}
}

// A value that the model saw as a placeholder stands on the page, and no source,
// reason or error shows it.
func TestExtractSourcesHideVariables(t *testing.T) {
	const secret = "tango-ninety"
	vars := map[string]engine.Variable{"pass": {Value: secret}}
	html := `<h1>Account</h1><dl><dt>Code</dt><dd>` + secret + `</dd><dt>Name</dt><dd>Ann</dd></dl>`
	form, err := schema.Parse([]byte(`{"type":"object","properties":{"code":{"type":"string"},"name":{"type":"string"}},"required":["code","name"]}`))
	if err != nil {
		t.Fatal(err)
	}
	open := func(answers ...any) *engine.Page {
		steps := []llmtest.Step{{Text: "yes"}}
		for _, a := range answers {
			steps = append(steps, llmtest.Step{Purpose: llm.PurposeExtract, JSON: a})
		}
		page := openShop(t, html, &engine.Options{Model: llmtest.NewScript(t, steps...)})
		ask := &llm.Request{Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "ready?"}}}}}
		if _, err := page.Session().Generate(t.Context(), ask, &engine.GenerateOptions{Variables: vars}); err != nil {
			t.Fatal(err)
		}
		return page
	}
	out, err := open(map[string]any{"code": "%pass%", "name": "Ann"}).Extract(t.Context(), "the account", &engine.ExtractOptions{Schema: form, Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	if source := out.Sources["/code"]; source.Text != "%pass%" || source.End != 0 || strings.Contains(string(raw), secret) {
		t.Errorf("the source is %+v in %s, want no value and no length", source, raw)
	}
	if source := out.Sources["/name"]; source.Text != "Ann" || source.Kind != engine.SourceText {
		t.Errorf("source of the name: %+v", source)
	}
	swap := map[string]any{"code": "Ann " + secret, "name": secret + " Ann"}
	_, err = open(swap, swap).Extract(t.Context(), "the account", &engine.ExtractOptions{Schema: form, Strict: true})
	var refused *engine.UngroundedError
	if !errors.As(err, &refused) || strings.Contains(err.Error(), secret) || strings.Contains(refused.Error(), secret) {
		t.Errorf("Extract = %v (%v), want ErrUngrounded without the value", err, refused)
	}
}

// A list that shows a part of its entries says so, read by a model or without.
func TestExtractOmittedByPage(t *testing.T) {
	for name, want := range map[string]engine.Omission{
		"virtual-list": {Noun: "items", Count: 812},
		"virtual-grid": {Noun: "rows", Count: 5000},
	} {
		c, ok := gold.Find(name)
		if !ok {
			t.Fatal("no page", name)
		}
		for _, direct := range []bool{false, true} {
			if direct && name == "virtual-list" {
				continue // its entries have no labels: it is left open
			}
			var answers []json.RawMessage
			if !direct {
				answers = append(answers, c.Gold)
			}
			out, err := openGold(t, c, answers...).extract(t, engine.ExtractOptions{Direct: direct})
			if err != nil {
				t.Fatal(err)
			}
			if len(out.Omitted) != 1 || out.Omitted[0].Cause != engine.OmittedByPage || out.Omitted[0].Noun != want.Noun ||
				out.Omitted[0].Count >= want.Count || out.Omitted[0].Count < want.Count-100 || len(out.Omitted[0].Refs) != 1 || !strings.HasPrefix(out.Omitted[0].Pointer, "/") {
				t.Errorf("%s, direct %t: omitted %+v, want %d %s less what is shown", name, direct, out.Omitted, want.Count, want.Noun)
			}
		}
	}
}
