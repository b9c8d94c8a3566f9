package offline_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
)

const textSchema = `{"type":"object","properties":{"extraction":{"type":"string"}},"required":["extraction"],"additionalProperties":false}`

// Without a schema the matcher quotes the one text that the words name.
func TestExtractText(t *testing.T) {
	ranks := "[0-1] document: Wiki\n  [0-2] heading: User tools (level 3)\n  [0-3] heading: Tea (level 1)\n  [0-4] heading: Kinds (level 2)\n"
	cases := []struct{ page, instruction, want string }{
		{ranks, "the heading", "Tea"},
		{"meridian-compass", "the heading", "Meridian compass"},
		{"meridian-compass", "extract the title of the page", "Meridian compass · Northlight"},
		{"meridian-compass", "what is the weight?", "112 g"},
		{"checkout", "the country", "Switzerland"},
		{"search", "get the products found", "3 products found"},
	}
	for _, c := range cases {
		page := c.page
		if page != ranks {
			page = outline(t, c.page)
		}
		text, err := ask(llm.PurposeExtract, page, textSchema, c.instruction)
		if err != nil {
			t.Errorf("%s: extract(%q): %v", c.page, c.instruction, err)
			continue
		}
		var got struct{ Extraction string }
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if got.Extraction != c.want {
			t.Errorf("%s: extract(%q) = %q, want %q", c.page, c.instruction, got.Extraction, c.want)
		}
	}
}

// What it cannot do is an error that says so, never data that was not asked for: a
// schema is never filled, and of two texts neither is taken.
func TestExtractRefuses(t *testing.T) {
	cut := "[0-1] document: Note\n  [0-2] textbox: Note value=\"Lorem ipsum\" … 1,200 more characters\n"
	two := "[0-1] document: Note\n  [0-2] descriptionlist\n    [0-3] term: Size\n    [0-4] definition: 3\n    [0-5] term: Size\n    [0-6] definition: 4\n"
	rows := "[0-1] document: Shop\n  [0-2] list: Fruits\n    [0-3] listitem: Apple\n    … 1 more item, ask with ref 0-2\n"
	cases := []struct {
		page, instruction, form string
		kind                    llm.ErrorKind
		want                    string
	}{
		{outline(t, "home"), "the cheapest product", textSchema, llm.KindUnsupported, `"cheapest"`},
		{outline(t, "home"), "products of more than CHF 100", textSchema, llm.KindUnsupported, "more than"},
		{outline(t, "home"), "the launch codes", textSchema, llm.KindRefusal, "launch codes"},
		{cut, "the note", textSchema, llm.KindRefusal, "more than the outline shows"},
		{"[0-1] document: Note\n  [0-2] heading: Tea (level 2)\n  [0-3] heading: Milk (level 2)\n", "the heading", textSchema, llm.KindRefusal, "no one text"},
		{two, "the size", textSchema, llm.KindRefusal, "no one text"},
		{rows, "the fruits", textSchema, llm.KindRefusal, "1 more item"},
		{outline(t, "home"), "all of it", `{"type":"string"}`, llm.KindUnsupported, "does not fill schemas"},
		{outline(t, "home"), "the products", `{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}}}`, llm.KindUnsupported, "markup"},
	}
	for _, c := range cases {
		text, err := ask(llm.PurposeExtract, c.page, c.form, c.instruction)
		var failed *llm.Error
		if !errors.As(err, &failed) || failed.Kind != c.kind || !strings.Contains(err.Error(), c.want) {
			t.Errorf("extract(%q) = %s, %v, want an error of kind %s with %s", c.instruction, text, err, c.kind, c.want)
		}
	}
}
