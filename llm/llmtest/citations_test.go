package llmtest

import (
	"bytes"
	"context"
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// A recording whose request asked for no citations answers the request that does.
func TestReplayFromBeforeCitations(t *testing.T) {
	form, err := schema.Parse([]byte(`{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	cites, err := form.WithCitations()
	if err != nil {
		t.Fatal(err)
	}
	request := func(s *schema.Schema) *llm.Request {
		strict, err := s.Strict(schema.Plain)
		if err != nil {
			t.Fatal(err)
		}
		req := ask("two", "a page")
		req.Schema = &llm.ResponseSchema{Name: "extraction", Schema: strict.JSON()}
		return req
	}
	var file bytes.Buffer
	model := Record(NewScript(t, Step{Text: `{"value":[{"name":"Mug"}]}`}), &file)
	if _, err := model.Generate(context.Background(), request(form)); err != nil {
		t.Fatal(err)
	}
	if resp, err := Replay(t, &file, Strict).Generate(context.Background(), request(cites.Schema())); err != nil || resp.Text != `{"value":[{"name":"Mug"}]}` {
		t.Errorf("the recording gives %v, %v", resp, err)
	}
}
