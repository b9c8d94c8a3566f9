package grounding_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/grounding"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// TestListsThatThePageLacks: an empty list is no gap where the page has nothing that is
// called as the list is, nor has what its items ask for. It is unproven, for the page does
// not say that there is none.
func TestListsThatThePageLacks(t *testing.T) {
	for what, items := range map[string]any{
		"texts":   map[string]any{"type": "string"},
		"objects": map[string]any{"type": "object", "properties": map[string]any{"code": map[string]any{"type": "string"}, "reason": map[string]any{"type": "string"}}},
	} {
		all, refused := 0, 0
		for _, s := range append(corpus(t), goldCorpus(t)...) {
			gold, ok := s.gold.(map[string]any)
			if !ok {
				continue
			}
			form := formOf(gold)
			form["properties"].(map[string]any)["refusals"] = map[string]any{"type": "array", "items": items}
			parsed, err := schema.Parse(marshal(form))
			if err != nil {
				t.Fatal(err)
			}
			s.form = parsed
			data := maps.Clone(gold)
			data["refusals"] = []any{}
			all++
			report := check(t, &s, marshal(data))
			for _, g := range report.Missing {
				if g.Pointer == "/refusals" {
					refused++
				}
			}
			if !slices.ContainsFunc(report.Ungrounded, func(f grounding.Finding) bool { return f.Pointer == "/refusals" && f.Degree == grounding.Unproven }) {
				t.Errorf("%s: no doubt about %s that the page does not speak of", s.name, what)
			}
		}
		if refused > 0 || all < 100 {
			t.Errorf("%s that no page has: %d of %d empty lists have a gap, want none", what, refused, all)
		}
	}
}
