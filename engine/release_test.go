package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// showOnChrome opens a page on Chrome.
func showOnChrome(t *testing.T, html string) *engine.Page {
	t.Helper()
	page, address := openOnChrome(t, write(html), nil)
	if _, err := page.Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	return page
}

// A press whose click reached neither the element nor what is in it is not reported as
// a click: it is an error that says so.
func TestPressWithoutClick(t *testing.T) {
	for name, page := range map[string]string{
		"a style of the pressed button": `<style>button:active { transform: translateX(300px) }</style><button id=b onclick="seen.push('click')">Buy</button>`,
		"a style, and a change beside":  `<style>button:active { transform: translateX(300px) }</style><p id=p></p><button id=b onmousedown="p.textContent += 'x'" onclick="seen.push('click')">Buy</button>`,
		"a view transition":             `<p id=p></p><button id=b onpointerdown="document.startViewTransition(() => { p.textContent += 'x' })" onclick="seen.push('click')">Buy</button>`,
	} {
		t.Run(name, func(t *testing.T) {
			page := showOnChrome(t, `<title>Press</title><script>const seen = []</script>`+page)
			r, err := page.Do(t.Context(), engine.Action{Selector: "#b"}, nil)
			raw, evaluated := page.Driver().Evaluate(t.Context(), "seen.length", &driver.EvaluateOptions{World: driver.Main})
			if evaluated != nil {
				t.Fatal(evaluated)
			}
			if clicked := string(raw) != "0"; clicked != (err == nil) || err != nil && !strings.Contains(err.Error(), "no click") {
				t.Errorf("Do = %+v, %v, and the page had the click: %t", r, err, clicked)
			}
		})
	}
}

// A press without a click that may have been enough is a success whose message says that
// no click followed, on Chrome and in memory.
func TestPressWithoutClickIsSaid(t *testing.T) {
	const button = `<p id=p></p><button id=b><i id=i>Buy</i></button>`
	for name, test := range map[string]struct {
		script string
		change func(*fake.Document)
	}{
		"what was pressed within it is gone": {`b.onmousedown = () => { b.innerHTML = 'Buying' }`, func(d *fake.Document) { d.Find("#b").SetHTML("Buying") }},
		"it is disabled by then":             {`b.onmousedown = () => { b.disabled = true }`, func(d *fake.Document) { d.Find("#b").SetAttr("disabled", "") }},
		"it is gone":                         {`b.onmousedown = () => { b.remove() }`, func(d *fake.Document) { d.Find("#b").Remove() }},
	} {
		check := func(t *testing.T, p *engine.Page) {
			r, err := p.Do(t.Context(), engine.Action{Selector: "#b"}, nil)
			if err != nil || r.Evidence.Effect != engine.EffectPage || !strings.Contains(r.Message, "no click followed") {
				t.Errorf("Do = %+v, %v, want the words that no click followed", r, err)
			}
		}
		t.Run(name+"/chrome", func(t *testing.T) {
			check(t, showOnChrome(t, `<title>Press</title>`+button+`<script>`+test.script+`</script>`))
		})
		t.Run(name+"/memory", func(t *testing.T) {
			check(t, openOn(t, fake.New(fake.Options{Web: fake.Web{shopAddress: button}, Scripts: map[string]func(*fake.Document){"*": func(d *fake.Document) {
				d.On("mousedown", "#b", func(*fake.Event) { test.change(d) })
			}}}), nil))
		})
	}
	t.Run("another element has the pointer", func(t *testing.T) {
		p := showOnChrome(t, `<title>Press</title><button id=b>Buy</button><button id=c>Other</button><script>b.onpointerdown = (e) => c.setPointerCapture(e.pointerId)</script>`)
		if r, err := p.Do(t.Context(), engine.Action{Selector: "#b"}, nil); err != nil || !strings.Contains(r.Message, "it had no click") {
			t.Errorf("Do = %+v, %v, want the words that it had no click", r, err)
		}
	})
}

// A widget that acts on the press, and is gone or covered when the button is released,
// is pressed.
func TestPressThatIsEnough(t *testing.T) {
	for name, page := range map[string]string{
		"a list that closes":      `<p id=p></p><ul id=l><li id=b role=option onmousedown="p.textContent = 'chosen'; l.hidden = true">One</ul>`,
		"a field that is covered": `<input id=b onmousedown="c.hidden = false"><div id=c hidden style="position:fixed;inset:0;background:white">Calendar</div>`,
	} {
		t.Run(name, func(t *testing.T) {
			page := showOnChrome(t, `<title>Press</title>`+page)
			if r, err := page.Do(t.Context(), engine.Action{Selector: "#b"}, nil); err != nil || r.Evidence.Effect != engine.EffectPage {
				t.Errorf("Do = %+v, %v, want an effect on the page", r, err)
			}
		})
	}
}

// What comes to lie below the pointer when a press removes its element gets nothing of
// that press; the document sees its end.
func TestReleaseOverNeighbor(t *testing.T) {
	const page = `<title>Release</title><style>button { display: block; width: 100px; height: 40px; margin: 0 }</style>
<button id=a onmousedown="this.remove()">Remove</button><button id=b>Delete all</button><script>
const seen = [];
for (const kind of ['pointerup', 'mouseup', 'click']) {
  b.addEventListener(kind, () => seen.push(kind + ' b'));
  document.addEventListener(kind, (e) => { if (e.target === document) seen.push(kind) });
}</script>`
	p := showOnChrome(t, page)
	if _, err := p.Do(t.Context(), engine.Action{Selector: "#a"}, nil); err != nil {
		t.Errorf("Do = %v", err)
	}
	raw, err := p.Driver().Evaluate(t.Context(), "seen.join()", &driver.EvaluateOptions{World: driver.Main})
	if want := `"pointerup,mouseup"`; err != nil || string(raw) != want {
		t.Errorf("the page felt %s, %v, want %s", raw, err, want)
	}
}

// A text stops where the page carries the focus into another ordinary field, and the
// error says what stands in the first.
func TestTypeStopsAtAnotherField(t *testing.T) {
	for _, test := range []struct{ fields, want string }{
		{`<input id=a oninput="if (value.length === 3) b.focus()"><input id=b>`, "abc/"},
		{`<input id=a maxlength=1 oninput="b.focus()"><input id=b maxlength=1 oninput="c.focus()"><input id=c maxlength=1>`, "a/b"},
	} {
		p := showOnChrome(t, `<title>Type</title>`+test.fields)
		text := map[bool]string{true: "abcdefgh", false: "abc"}[test.want == "abc/"]
		_, err := p.Do(t.Context(), engine.Action{Selector: "#a", Method: engine.Type, Arguments: []string{text}}, nil)
		raw, evaluated := p.Driver().Evaluate(t.Context(), "a.value + '/' + b.value", &driver.EvaluateOptions{World: driver.Main})
		if evaluated != nil {
			t.Fatal(evaluated)
		}
		if string(raw) != `"`+test.want+`"` {
			t.Errorf("the fields hold %s, want %s", raw, test.want)
		}
		if stops := test.want == "abc/"; stops != (err != nil) || stops && (!errors.Is(err, engine.ErrMayHaveHappened) || !strings.Contains(err.Error(), `"abc"`)) {
			t.Errorf("%s: Do = %v", test.fields, err)
		}
	}
}

// An input that gets another's name while Chrome gives it files keeps none, and its page
// sees none.
func TestFilesAreHeldToTheirInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "paper.txt")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	// The name is changed by the last script that runs before the files are there: the
	// page's own tasks, between the check and Chrome's setting them.
	const page = `<title>Files</title><input type=file id=a aria-label=Passport><input type=file id=b aria-label=Photo><script>
const seen = [];
for (const e of [a, b]) for (const kind of ['input', 'change']) e.addEventListener(kind, () => seen.push(kind + ' ' + e.ariaLabel + ' ' + e.files.length));
const swap = () => { [a.id, b.id] = [b.id, a.id]; [a.ariaLabel, b.ariaLabel] = [b.ariaLabel, a.ariaLabel] };
const [first] = document.querySelectorAll('input');
const turn = new MessageChannel();
turn.port1.onmessage = () => { swap(); turn.port2.postMessage(0) };
turn.port2.postMessage(0);</script>`
	p := showOnChrome(t, page)
	wrong, given := 0, 0
	for range 15 {
		_, err := p.Do(t.Context(), engine.Action{Selector: "[aria-label=Passport]", Method: engine.SetInputFiles, Arguments: []string{path}}, nil)
		raw, evaluated := p.Driver().Evaluate(t.Context(), "seen.splice(0).join()", &driver.EvaluateOptions{World: driver.Main})
		if evaluated != nil {
			t.Fatal(evaluated)
		}
		if strings.Contains(string(raw), "Photo 1") {
			wrong++
			t.Errorf("the page felt %s (%v)", raw, err)
		}
		if strings.Contains(string(raw), "Passport 1") {
			given++
		}
	}
	t.Logf("%d given, %d wrong", given, wrong)
}
