package engine_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// chooseMore is a choice after which another action has to follow.
func chooseMore(t *testing.T, role, name, method string, args ...string) llmtest.Step {
	step := choose(t, role, name, method, args...)
	answer := step.Answer
	step.Answer = func(req *llm.Request) any {
		choice := answer(req).(map[string]any)
		choice["more"] = true
		return choice
	}
	return step
}

func pageParts(req *llm.Request) map[string]string {
	parts := map[string]string{}
	for _, part := range req.Messages[0].Parts {
		if page, ok := part.(llm.Page); ok {
			parts[page.Kind] += page.Text
		}
	}
	return parts
}

// The second step of an act is asked for with what the first has changed.
func TestSecondStepSeesChanges(t *testing.T) {
	script := llmtest.NewScript(t, chooseMore(t, "button", "Account", "click"), choose(t, "link", "Sign out", "click"))
	page := openShop(t, basket, &engine.Options{Model: script})
	r, err := page.Act(t.Context(), "sign out", nil)
	if err != nil || len(r.Actions) != 2 {
		t.Fatalf("Act = %+v, %v, want two actions", r, err)
	}
	first, second := pageParts(script.Requests()[0]), pageParts(script.Requests()[1])
	if _, ok := first["changes"]; ok {
		t.Error("the first question tells of changes")
	}
	if got := second["changes"]; !strings.Contains(got, "link: Sign out") || strings.Contains(got, "Elsewhere") {
		t.Errorf("changes = %q, want what opened and nothing else", got)
	}
	if n := page.Session().Metrics().Acts; n != 1 {
		t.Errorf("%d acts, want one of two steps", n)
	}
}

// A plain field may suggest something, too: that a model wants more after typing
// is a reason to wait for it.
func TestSecondStepWaitsForSuggestions(t *testing.T) {
	script := llmtest.NewScript(t, chooseMore(t, "textbox", "Language", "fill", "Go"), choose(t, "listitem", "Golang", "click"))
	page, site := openOnChrome(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!DOCTYPE html><title>Suggestions</title><label>Language <input id="field"></label><ul id="hints"></ul><script>
			let timer
			field.oninput = () => { clearTimeout(timer); timer = setTimeout(() => { hints.innerHTML = '<li onclick="document.title = 7">Golang</li>' }, 300) }
		</script>`)
	}), &engine.Options{Model: script})
	if _, err := page.Navigate(t.Context(), site, nil); err != nil {
		t.Fatal(err)
	}
	if r, err := page.Act(t.Context(), "choose Golang as the language", nil); err != nil || len(r.Actions) != 2 {
		t.Errorf("Act = %+v, %v, want two actions", r, err)
	}
}

const covered = `<style>body { margin: 0 } #under { position: absolute; top: 0; width: 100px; height: 30px }
#cover { position: absolute; top: 0; left: 0; width: 300px; height: 100px; background: white } #rest { position: absolute; top: 200px }</style>
<button id="under">Save</button><div id="cover" role="dialog" aria-label="Cookies">We use cookies</div><a id="rest" href="/saved">Keep</a>`

// Healing is: look again, ask again with the reason, act once. The result and
// the metrics tell of it, and NoHeal leaves it out.
func TestHeal(t *testing.T) {
	t.Run("asked again", func(t *testing.T) {
		script := llmtest.NewScript(t, choose(t, "button", "Save", "click"), choose(t, "link", "Keep", "click"))
		page := openShop(t, covered, &engine.Options{Model: script})
		r, err := page.Act(t.Context(), "save", nil)
		if err != nil || !r.Healed || len(r.Actions) != 1 {
			t.Fatalf("Act = %+v, %v, want one action, healed", r, err)
		}
		if again := requestText(script.Requests()[1]); !strings.Contains(again, `covered by another: dialog "Cookies"`) {
			t.Errorf("the second question does not say why:\n%s", again)
		}
		if n := page.Session().Metrics().Healed; n != 1 {
			t.Errorf("Metrics().Healed = %d, want 1", n)
		}
	})
	t.Run("left out", func(t *testing.T) {
		script := llmtest.NewScript(t, choose(t, "button", "Save", "click"))
		page := openShop(t, covered, &engine.Options{Model: script, NoHeal: true})
		r, err := page.Act(t.Context(), "save", nil)
		if !errors.Is(err, driver.ErrObscured) || r.Healed || len(r.Actions) != 0 {
			t.Errorf("Act = %+v, %v, want %v, and no second question", r, err, driver.ErrObscured)
		}
	})
	t.Run("not after input", func(t *testing.T) {
		script := llmtest.NewScript(t, choose(t, "textbox", "Code", "fill", "123456"))
		page := openShop(t, `<label>Code <input maxlength="3"></label>`, &engine.Options{Model: script})
		r, err := page.Act(t.Context(), "enter the code", nil)
		if !errors.Is(err, engine.ErrNoEffect) || r.Healed || len(r.Actions) != 1 {
			t.Errorf("Act = %+v, %v, want %v after one action", r, err, engine.ErrNoEffect)
		}
	})
	t.Run("a value in another form", func(t *testing.T) {
		script := llmtest.NewScript(t, choose(t, "date", "Day", "fill", "31.3.2026"), choose(t, "date", "Day", "fill", "2026-03-31"))
		page := openShop(t, `<label>Day <input type="date"></label>`, &engine.Options{Model: script})
		r, err := page.Act(t.Context(), "set the day to the last of March 2026", nil)
		if err != nil || !r.Healed || r.Evidence.Value == nil || r.Evidence.Value.After != "2026-03-31" {
			t.Errorf("Act = %+v, %v, want the day, healed", r, err)
		}
	})
}
