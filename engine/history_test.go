package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A history tells what was seen of each action, and hides values wherever they
// came to stand, addresses included.
func TestHistoryHidesValues(t *testing.T) {
	const value = "correct horse"
	page := openOn(t, fake.Web{
		shopAddress:          `<form action=/find><input name=q><button>Go</button></form>`,
		shopAddress + "find": `<h1>Found</h1>`,
	}, nil)
	opts := &engine.ActOptions{Variables: map[string]engine.Variable{"q": {Value: value}}}
	for _, a := range []engine.Action{
		{Selector: "input", Method: engine.Fill, Arguments: []string{"%q%"}},
		{Selector: "button"},
	} {
		if _, err := page.Do(t.Context(), a, opts); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := page.Reload(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	history := page.Session().History()
	if text := fmt.Sprintf("%+v %+v", history, history[2].Evidence.Navigation); strings.Contains(text, "correct") {
		t.Errorf("the history holds the value: %s", text)
	}
	if got := history[2].Evidence.Effect; got != engine.EffectNavigation {
		t.Errorf("the effect of the click = %q, want %q", got, engine.EffectNavigation)
	}
	if got := history[3].PageURL; got != shopAddress+"find?q=%q%" {
		t.Errorf("PageURL = %q, want the placeholder in it", got)
	}
}
