package offline_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// fuzzForms are the forms of answers, by what a fuzzed number picks.
func fuzzForms() []struct {
	purpose llm.Purpose
	form    string
} {
	return []struct {
		purpose llm.Purpose
		form    string
	}{
		{llm.PurposeAct, actSchema},
		{llm.PurposeObserve, observeSchema},
		{llm.PurposeExtract, textSchema},
	}
}

// FuzzGenerate: no panic; an answer satisfies its schema and names only refs of
// the outline; the same request has the same answer; else an error of the contract.
func FuzzGenerate(f *testing.F) {
	pages := []string{outline(f, "home"), outline(f, "cart"), outline(f, "checkout"), outline(f, "meridian-compass")}
	for _, instruction := range []string{
		"click Cart", "type \"x\" into 'City'", "choose Map case and Lens cloth in Free extras", "scroll to 40%", "the second link in Categories",
		"drag a to b to c", "set x = y = z", "press ctrl+", "the first three products", "what is the weight?", "\ue000\ue001", "upload in to in to", "' ' \"",
	} {
		for i := range pages {
			f.Add(instruction, pages[i], byte(i))
		}
	}
	f.Add("click", "[0-1] document\n  … 3 more rows, ask with ref 0-1\n", byte(0))
	f.Add("all rows", "[0-1] table\n  [0-2] row: A | ↓ (header)\n  [0-3] row: ↓ | ↓\n", byte(3))
	forms := fuzzForms()
	f.Fuzz(func(t *testing.T, instruction, page string, pick byte) {
		if len(page) > 20_000 || len(instruction) > 500 {
			return
		}
		what := forms[int(pick)%len(forms)]
		text, err := ask(what.purpose, page, what.form, instruction)
		again, errAgain := ask(what.purpose, page, what.form, instruction)
		if text != again || (err == nil) != (errAgain == nil) {
			t.Fatalf("the same request gave %q and %q", text, again)
		}
		if err != nil {
			var failed *llm.Error
			if !errors.As(err, &failed) || strings.TrimSpace(failed.Message) == "" {
				t.Fatalf("error %v, want an *llm.Error with a message", err)
			}
			return
		}
		form, err := schema.Parse([]byte(what.form))
		if err != nil {
			t.Fatal(err)
		}
		if err := form.Validate([]byte(text)); err != nil {
			t.Fatalf("the answer %s does not satisfy its schema: %v", text, err)
		}
		if what.purpose == llm.PurposeAct {
			var c choice
			if err := json.Unmarshal([]byte(text), &c); err != nil {
				t.Fatal(err)
			}
			o, err := accessibility.ParseOutline(page)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := o.Find(accessibility.Ref(c.Ref)); c.Found && !ok {
				t.Fatalf("the answer names %q, which is not in the outline", c.Ref)
			}
			if !c.Found && c.Reason == "" {
				t.Fatal("nothing was found, and nothing says why")
			}
		}
	})
}
