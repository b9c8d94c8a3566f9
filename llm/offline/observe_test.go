package offline_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

const observeSchema = `{"type":"object","properties":{"actions":{"type":"array","items":{"type":"object","properties":{
	"ref":{"type":"string"},"description":{"type":"string"},"method":{"type":"string"},
	"arguments":{"type":"array","items":{"type":"string"}}},
	"required":["ref","description","method","arguments"],"additionalProperties":false}}},
	"required":["actions"],"additionalProperties":false}`

func observe(t *testing.T, page, instruction string) []string {
	t.Helper()
	text, err := ask(llm.PurposeObserve, page, observeSchema, instruction)
	if err != nil {
		t.Fatalf("Generate(%q): %v", instruction, err)
	}
	var list struct{ Actions []choice }
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, a := range list.Actions {
		a.Found = true
		out = append(out, a.said(t, page))
	}
	return out
}

func TestObserve(t *testing.T) {
	cases := []struct{ page, instruction, want string }{
		{"home", "find the links in Categories", "click link Navigation; click link Optics; click link Light; click link Safety; click link Carry"},
		{"home", "the buttons", "click button Search"},
		{"search", "all dropdowns", "selectOption combobox Category; selectOption combobox Sort by"},
		{"cart", "the remove buttons", "click button Remove Meridian compass, Brass; click button Remove Ember lantern, Copper"},
		{"cart", "buttons in Summary", "click button Redeem"},
		{"checkout", "what fields are in the Address group?", "fill textbox Street and number; fill textbox Postcode; fill textbox City; selectOption combobox Country"},
		{"checkout", "checkboxes", "check checkbox Gift wrap; check checkbox Send me the newsletter"},
		{"checkout", "type Bern into City", "fill textbox City <Bern>"},
		{"meridian-compass", "how to add it to the cart: Add to cart", ""},
		{"home", "find the unicorn", ""},
	}
	for _, c := range cases {
		if got := strings.Join(observe(t, outline(t, c.page), c.instruction), "; "); got != c.want {
			t.Errorf("%s: observe(%q) = %s, want %s", c.page, c.instruction, got, c.want)
		}
	}
	if got := observe(t, outline(t, "checkout"), "what can I do here?"); len(got) < 30 {
		t.Errorf("observe(everything) = %d actions, want all of them", len(got))
	}
}

// What it does not answer is refused, in words that say what it is.
func TestRefuses(t *testing.T) {
	page := llm.Page{Kind: "outline", Text: outline(t, "home")}
	ok := llm.Instruction{Text: "click Cart"}
	form := &llm.ResponseSchema{Name: "a", Schema: json.RawMessage(actSchema)}
	message := func(parts ...llm.Part) []llm.Message { return []llm.Message{{Role: llm.User, Parts: parts}} }
	cases := map[string]struct {
		req  llm.Request
		kind llm.ErrorKind
	}{
		"an agent":       {llm.Request{Purpose: llm.PurposeAgent, Messages: message(ok, page), Schema: form}, llm.KindUnsupported},
		"tools":          {llm.Request{Purpose: llm.PurposeAct, Messages: message(ok, page), Schema: form, Tools: []llm.Tool{{Name: "t"}}}, llm.KindUnsupported},
		"a picture":      {llm.Request{Purpose: llm.PurposeAct, Messages: message(ok, page, llm.Image{}), Schema: form}, llm.KindUnsupported},
		"free text":      {llm.Request{Purpose: llm.PurposeAct, Messages: message(ok, page)}, llm.KindUnsupported},
		"no page":        {llm.Request{Purpose: llm.PurposeAct, Messages: message(ok), Schema: form}, llm.KindUnsupported},
		"no words":       {llm.Request{Purpose: llm.PurposeAct, Messages: message(llm.Instruction{Text: "…"}, page), Schema: form}, llm.KindInvalid},
		"no outline":     {llm.Request{Purpose: llm.PurposeAct, Messages: message(ok, llm.Page{Kind: "outline", Text: "hello"}), Schema: form}, llm.KindInvalid},
		"another schema": {llm.Request{Purpose: llm.PurposeAct, Messages: message(ok, page), Schema: &llm.ResponseSchema{Schema: json.RawMessage(`{"required":["x"]}`)}}, llm.KindSchema},
		"no schema":      {llm.Request{Purpose: llm.PurposeAct, Messages: message(ok, page), Schema: &llm.ResponseSchema{Schema: json.RawMessage(`{"type":7}`)}}, llm.KindInvalid},
	}
	for name, c := range cases {
		resp, err := offline.New().Generate(context.Background(), &c.req)
		var failed *llm.Error
		if !errors.As(err, &failed) || failed.Kind != c.kind || failed.Provider != "offline" {
			t.Errorf("%s: Generate = %v, %v, want an error of kind %s", name, resp, err, c.kind)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := offline.New().Generate(ended, &llm.Request{Purpose: llm.PurposeAct}); !errors.Is(err, context.Canceled) {
		t.Errorf("Generate with an ended context = %v, want one that wraps it", err)
	}
}

func TestUsageIsZero(t *testing.T) {
	resp, err := offline.New().Generate(context.Background(), &llm.Request{
		Purpose:  llm.PurposeAct,
		Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Instruction{Text: "click Cart"}, llm.Page{Kind: "outline", Text: outline(t, "home")}}}},
		Schema:   &llm.ResponseSchema{Name: "a", Schema: json.RawMessage(actSchema)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if resp.Usage != (llm.Usage{}) || resp.Model != "offline/words" || resp.Stop != llm.StopEnd {
		t.Errorf("response = %+v, want no usage, and the model's own name", resp)
	}
}
