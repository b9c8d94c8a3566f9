package trace_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A viewer is a Chrome that shows a trace.
type viewer struct {
	t    *testing.T
	page *engine.Page

	mu   sync.Mutex // protects what follows
	said []string   // what went wrong, by Chrome's word
}

func show(t *testing.T, file []byte, size driver.Size, scheme driver.ColorScheme) *viewer {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.html")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	v := &viewer{t: t}
	say := func(format string, args ...any) {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.said = append(v.said, fmt.Sprintf(format, args...))
	}
	session, err := engine.Open(t.Context(), chrome(t), &engine.Options{
		Browser: engine.BrowserOptions{Emulation: driver.Emulation{Viewport: size, ColorScheme: scheme}},
		Hooks: &engine.Hooks{
			Console:   func(m driver.ConsoleMessage) { say("console: %s", m.Text) },
			PageError: func(e driver.PageError) { say("error: %s", e.Text) },
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	v.page = session.Page()
	if _, err := v.page.Navigate(t.Context(), "file://"+path, nil); err != nil {
		t.Fatal(err)
	}
	return v
}

// press presses what a selector names.
func (v *viewer) press(selector string) {
	v.t.Helper()
	if _, err := v.page.DoTo(v.t.Context(), engine.Target{Selector: selector}, engine.Command{}, nil); err != nil {
		v.t.Fatal(err)
	}
}

// key presses a key where the focus is.
func (v *viewer) key(name string) {
	v.t.Helper()
	if err := v.page.Driver().Input(v.t.Context(), driver.KeyDown{Key: name}, driver.KeyUp{Key: name}); err != nil {
		v.t.Fatal(err)
	}
}

// is waits until an expression of the page gives the wanted value. The handlers
// that a press starts run in tasks of the page (hashchange is one), so that they may
// come after the press has been answered.
func (v *viewer) is(expression, want string) {
	v.t.Helper()
	got, err := v.page.Driver().Evaluate(v.t.Context(), `async (want) => {
		const value = () => { try { return String(`+expression+`); } catch (e) { return "error: " + e; } };
		let is = value();
		for (const end = Date.now() + 20000; is !== want && Date.now() < end; is = value()) await new Promise((r) => setTimeout(r, 10));
		return is;
	}`, &driver.EvaluateOptions{Args: []any{want}})
	if err != nil || strings.Trim(string(got), `"`) != want {
		v.t.Errorf("%s = %s, %v; want %s", expression, got, err, want)
	}
}

const visible = `document.querySelectorAll(".step:not([hidden])").length`

// TestControls presses every control of the page, with the page of a site that
// would like to be more than text in it.
func TestControls(t *testing.T) {
	tr, file := written(t, inChrome(t))
	noValue(t, file)
	for _, s := range tr.Steps {
		if s.Status == "done" && s.Tool == "click" && (s.Shot == nil || s.Shot.Box == nil || s.Shot.Point == nil || s.After == nil) {
			t.Errorf("%s has no pictures, box and point: %+v, %+v", s.ID(), s.Shot, s.After)
		}
	}
	if len(tr.Console) < 2 || len(tr.Requests) < 3 || len(tr.Dialogs) != 1 || tr.Dialogs[0].Answer == nil {
		t.Errorf("the trace has %d messages, %d requests and the dialogs %+v", len(tr.Console), len(tr.Requests), tr.Dialogs)
	}
	v := show(t, file, driver.Size{Width: 1280, Height: 900}, driver.LightScheme)
	v.is(`document.title.includes("taken") && !document.title.startsWith("Order")`, "false")
	v.is(visible, "7")
	v.is(`[...document.images].every(i => i.complete && i.naturalWidth > 0) && document.images.length`, "7")

	for filter, want := range map[string]string{"failed": "1", "notRun": "1", "changed": "3", "asked": "5", "trouble": "1", "all": "7"} {
		v.press(`[data-filter=` + filter + `]`)
		v.is(visible, want)
	}
	if _, err := v.page.DoTo(t.Context(), engine.Target{Selector: "#search"}, engine.Command{Method: engine.Fill, Arguments: []string{"order now"}}, nil); err != nil {
		t.Fatal(err)
	}
	v.is(`document.querySelector("#shown").textContent.includes("of 7 steps")`, "true")
	if _, err := v.page.DoTo(t.Context(), engine.Target{Selector: "#search"}, engine.Command{Method: engine.Fill, Arguments: []string{"nowhere to be found"}}, nil); err != nil {
		t.Fatal(err)
	}
	v.is(visible, "0")
	v.press("#clear")
	v.is(visible, "7")

	v.press("#unfold")
	v.is(`document.querySelectorAll(".step details:not([open])").length`, "0")
	v.is(`document.querySelector("#unfold").textContent`, "Fold all")
	v.press("#unfold")
	v.is(`document.querySelectorAll(".step details[open]").length`, "0")
	v.press("#step-2 details:nth-of-type(1) > summary")
	v.is(`document.querySelectorAll(".step details[open]").length`, "1")

	for _, want := range []string{"dark", "light", "auto"} {
		v.press("#theme")
		v.is(`document.querySelector("#theme span").textContent`, want)
	}
	v.press("#step-2 figure:first-child .shot")
	v.is(`document.querySelector("#large").open && document.querySelectorAll("#large img, #large .mark rect").length`, "2")
	v.press("#large button")
	v.is(`document.querySelector("#large").open`, "false")
	v.press("#help-open")
	v.is(`document.querySelector("#help").open`, "true")
	v.press("#help button")

	v.press(`.criteria a[href="#step-2"]`)
	v.is(`location.hash + document.querySelector(".here").id`, "#step-2step-2")
	v.key("j")
	v.is(`location.hash`, "#step-3")
	v.key("k")
	v.key("k")
	v.is(`location.hash`, "#step-1")
	v.key("o")
	v.is(`document.querySelectorAll("#step-1 details:not([open])").length`, "0")
	v.key("/")
	v.is(`document.activeElement.id`, "search")
	v.key("x")
	v.is(`document.querySelector("#search").value`, "x")
	v.key("Escape")
	v.is(visible, "7")
	v.key("f")
	v.is(`document.querySelector("[data-filter][aria-pressed=true]").dataset.filter`, "changed")
	v.key("Escape")
	v.key("e")
	v.is(`document.querySelectorAll(".step details:not([open])").length`, "0")
	v.key("t")
	v.is(`document.documentElement.dataset.theme`, "dark")
	v.key("?")
	v.is(`document.querySelector("#help").open`, "true")
	v.key("Escape")
	v.is(`document.querySelector("#help").open`, "false")

	for _, name := range []string{"go-test", "script"} {
		v.press(`[data-copy=` + name + `]`)
		if err := v.page.WaitFor(t.Context(), engine.TextShown("Copied.")); err != nil {
			t.Error(err)
		}
		v.is(`(document.querySelector("#copied").textContent = "")`, "")
	}
	shown, err := v.page.Driver().Evaluate(t.Context(), `document.querySelector("#script").textContent`, nil)
	var text string
	if err == nil {
		err = json.Unmarshal(shown, &text)
	}
	copied, failed := script.Parse([]byte(text))
	if want, none := tr.Compile(nil); err != nil || failed != nil || none != nil || copied.String() != want.String() {
		t.Errorf("the script is no script: %v, %v, %v\n%s", err, failed, none, text)
	}
	v.press("#save")
	if err := v.page.WaitFor(t.Context(), engine.TextShown("Saved.")); err != nil {
		t.Error(err)
	}
	// What got in as markup all the same could neither run nor load anything.
	v.is(`(() => { const s = document.createElement("script"); s.textContent = "document.title = 'taken'"; document.body.append(s); const b = document.createElement("div"); b.innerHTML = "<p style='display:none'>x</p>"; document.body.append(b); const shown = getComputedStyle(b.firstChild).display; s.remove(); b.remove(); return document.title !== "taken" && shown })()`, "block")
	v.press(`.lane.tool a:last-of-type`)
	v.is(`location.hash`, "#step-6")
	v.nothingWrong()
}

// nothingWrong fails the test if Chrome had something to say: an error of a
// script, or a breach of the policy.
func (v *viewer) nothingWrong() {
	v.t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.said {
		v.t.Error(s)
	}
	v.is(`performance.getEntriesByType("resource").filter(e => !e.name.startsWith("data:") && !e.name.startsWith("blob:")).length`, "0")
}

// TestNarrowAndDark: nothing is wider than a phone, in either color.
func TestNarrowAndDark(t *testing.T) {
	_, file := written(t, inChrome(t))
	for _, scheme := range []driver.ColorScheme{driver.LightScheme, driver.DarkScheme} {
		v := show(t, file, driver.Size{Width: 400, Height: 800}, scheme)
		v.key("e")
		v.is(`document.documentElement.scrollWidth <= 400`, "true")
		v.is(`(c => c.reduce((a, b) => a + b))(getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).map(Number)) > 380`, fmt.Sprint(scheme == driver.LightScheme))
		v.nothingWrong()
	}
}
