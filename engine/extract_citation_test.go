package engine_test

import (
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// The question asks for citations, and the data has none of them. One that is wrong is
// no error, and makes nothing true: the place is found, and the source says so.
func TestExtractCitations(t *testing.T) {
	const html = `<p>Prep time: 15 minutes</p><p>Cook time: 20 minutes</p><p>Servings: 4</p><ol><li>Thread 2 pieces<li>Wait 18 minutes</ol>`
	form, err := schema.Parse([]byte(`{"type":"object","properties":{"prep_minutes":{"type":"integer"},"servings":{"type":"integer"}},"required":["prep_minutes","servings"],"additionalProperties":false}`))
	if err != nil {
		t.Fatal(err)
	}
	asks := func(answer func(snap *engine.Snapshot) any) (*engine.Extraction, error) {
		var snap *engine.Snapshot
		page := openShop(t, html, &engine.Options{Model: llmtest.NewScript(t, llmtest.Step{Times: -1, Answer: func(req *llm.Request) any {
			if !strings.Contains(string(req.Schema.Schema), `"_ref"`) {
				t.Errorf("the schema asks for no citations: %s", req.Schema.Schema)
			}
			return answer(snap)
		}})})
		if snap, err = page.Snapshot(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		return page.Extract(t.Context(), "the recipe", &engine.ExtractOptions{Schema: form, Strict: true})
	}
	ref := func(snap *engine.Snapshot, text string) string {
		for i := range snap.Nodes {
			if strings.Contains(snap.Nodes[i].Name, text) && snap.Nodes[i].Role != "document" {
				return string(snap.Nodes[i].Ref)
			}
		}
		t.Errorf("%q is not on the page", text)
		return ""
	}
	out, err := asks(func(snap *engine.Snapshot) any {
		return map[string]any{"_ref": map[string]any{"prep_minutes": ref(snap, "Prep"), "servings": ref(snap, "Cook")}, "prep_minutes": 15, "servings": 4}
	})
	if err != nil {
		t.Fatal(err)
	}
	if string(out.Data) != `{"prep_minutes":15,"servings":4}` || out.Sources["/prep_minutes"].Found || !out.Sources["/servings"].Found || len(out.Ungrounded) > 0 {
		t.Errorf("Extract = %s, %+v, %v; want data without citations, and the servings found", out.Data, out.Sources, out.Ungrounded)
	}
	for _, wrong := range []struct {
		member, at string
		value      int
	}{{"prep_minutes", "Cook", 20}, {"prep_minutes", "Wait", 18}, {"servings", "Thread", 2}} {
		_, err := asks(func(snap *engine.Snapshot) any {
			data := map[string]any{"prep_minutes": 15, "servings": 4, "_ref": map[string]any{wrong.member: ref(snap, wrong.at)}}
			data[wrong.member] = wrong.value
			return data
		})
		if kind := engine.Kind(err); err == nil || !strings.Contains(err.Error(), "/"+wrong.member) {
			t.Errorf("%s: %d, cited at %q, is accepted: %v (%v)", wrong.member, wrong.value, wrong.at, err, kind)
		}
	}
}
