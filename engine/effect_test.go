package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// An effectCase is one action on a page, and the effect that its result must name.
type effectCase struct {
	name   string
	html   string
	of     string // default #b
	method engine.Method
	args   []string
	want   engine.Effect
	says   string // in the message
	floats bool   // in the only window that a Chrome floats above all pages
}

// floating is held while a case has that window: another would close it.
var floating sync.Mutex

// checkEffects does the actions on Chrome, with and without a reading of the page
// before.
func checkEffects(t *testing.T, cases []effectCase) {
	for _, test := range cases {
		for _, read := range []bool{false, true} {
			name := test.name + "/unread"
			if read {
				name = test.name + "/read"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if test.floats {
					floating.Lock()
					t.Cleanup(floating.Unlock) // after the page is closed
				}
				page, address := openOnChrome(t, write(`<!DOCTYPE html><meta charset=utf-8><title>Effects</title>`+test.html), nil)
				ctx := t.Context()
				if _, err := page.Navigate(ctx, address, nil); err != nil {
					t.Fatal(err)
				}
				if read {
					if _, err := page.Snapshot(ctx, nil); err != nil {
						t.Fatal(err)
					}
				}
				action := engine.Action{Selector: test.of, Method: test.method, Arguments: test.args}
				if test.of == "" {
					action.Selector = "#b"
				}
				r, err := page.Do(ctx, action, nil)
				if err != nil {
					t.Fatal(err)
				}
				if r.Evidence.Effect != test.want || !strings.Contains(r.Message, test.says) {
					t.Errorf("Do() = %q, effect %s, want %q and effect %s", r.Message, r.Evidence.Effect, test.says, test.want)
				}
				if s := r.Evidence.Scroll; test.want == engine.EffectScroll && (s == nil || s.BeforeX == s.AfterX && s.BeforeY == s.AfterY) {
					t.Errorf("Scroll = %+v, want two positions", s)
				}
			})
		}
	}
}

// The focus is one of several effects of a key: what the page shows besides counts
// more. A focus that moved, and a position, are effects wherever the key went.
func TestEffectsBesideTheFocus(t *testing.T) {
	t.Parallel()
	const edit = `<p id="label">Old</p><input id="b" value="New" autofocus><button id="next">Next</button><script>
const take = () => { label.textContent = b.value; b.hidden = true };`
	const far = `<div style="height: 5000px">Far</div>`
	const box = `<div id="b" tabindex="0" style="height: 100px; overflow: auto">` + far + `</div>`
	checkEffects(t, []effectCase{
		{name: "Enter ends an edit", html: edit + `b.onkeydown = (e) => e.key === 'Enter' && take()</script>`,
			method: engine.Press, args: []string{"Enter"}, want: engine.EffectPage, says: "the page changed"},
		{name: "Enter ends an edit by the focus", html: edit + `b.onblur = take; b.onkeydown = (e) => e.key === 'Enter' && next.focus()</script>`,
			method: engine.Press, args: []string{"Enter"}, want: engine.EffectPage, says: "the page changed"},
		{name: "Enter ends an edit later", html: edit + `b.onkeydown = (e) => { if (e.key === 'Enter') { next.focus(); setTimeout(take) } }</script>`,
			method: engine.Press, args: []string{"Enter"}, want: engine.EffectPage, says: "the page changed"},
		{name: "Enter sets another field", html: `<input id="b"><input id="other"><button id="next">Next</button><script>b.onkeydown = (e) => { if (e.key === 'Enter') { next.focus(); other.value = 'x' } }</script>`,
			method: engine.Press, args: []string{"Enter"}, want: engine.EffectPage, says: "the page changed"},
		{name: "Tab", html: edit + `</script>`,
			method: engine.Press, args: []string{"Tab"}, want: engine.EffectFocus, says: "the focus moved on"},
		{name: "Tab on the page", html: `<button id="x">X</button><button id="y">Y</button>`,
			of: "body", method: engine.Press, args: []string{"Tab"}, want: engine.EffectFocus, says: "the focus moved on"},
		{name: "Tab on the page from a field", html: `<button id="x" autofocus>X</button><button id="y">Y</button>`,
			of: "body", method: engine.Press, args: []string{"Tab"}, want: engine.EffectFocus, says: "the focus moved on"},
		{name: "Tab where nothing takes it", html: `<p>Nothing</p>`,
			of: "body", method: engine.Press, args: []string{"F2"}, want: engine.EffectNone, says: "no change was noticed"},
		{name: "End scrolls the page", html: far,
			of: "body", method: engine.Press, args: []string{"End"}, want: engine.EffectScroll, says: "scrolled"},
		{name: "PageDown scrolls a box", html: box,
			method: engine.Press, args: []string{"PageDown"}, want: engine.EffectScroll, says: "scrolled"},
		{name: "PageDown in a field scrolls the page", html: `<input id="b">` + far,
			method: engine.Press, args: []string{"PageDown"}, want: engine.EffectScroll, says: "scrolled"},
		{name: "ArrowDown at a button scrolls the page", html: `<button id="b">B</button>` + far,
			method: engine.Press, args: []string{"ArrowDown"}, want: engine.EffectScroll, says: "scrolled"},
		{name: "a wheel scrolls a box", html: box,
			method: engine.Wheel, args: []string{"0", "300"}, want: engine.EffectScroll, says: "scrolled"},
		{name: "a wheel scrolls the page", html: `<p id="b">Here</p>` + far,
			method: engine.Wheel, args: []string{"0", "300"}, want: engine.EffectScroll, says: "scrolled"},
		{name: "a wheel scrolls a long page a little", html: `<p id="b">Here</p>` + strings.Repeat(far, 20),
			method: engine.Wheel, args: []string{"0", "50"}, want: engine.EffectScroll, says: "scrolled"},
		{name: "a wheel at the end", html: `<p id="b">Here</p>`,
			method: engine.Wheel, args: []string{"0", "300"}, want: engine.EffectNone, says: "no change was noticed"},
	})
}

// A press that leads to a page of its own has that page as its effect, by whichever
// button or key it is opened.
func TestEffectOfOpening(t *testing.T) {
	t.Parallel()
	const link = `<a id="b" href="/other">Other</a>`
	checkEffects(t, []effectCase{
		{name: "Control", html: link, args: []string{"Control"}, want: engine.EffectNewPage, says: "a new page opened: "},
		{name: "Shift", html: link, args: []string{"Shift"}, want: engine.EffectNewPage, says: "a new page opened: "},
		{name: "middle", html: link, args: []string{"middle"}, want: engine.EffectNewPage, says: "a new page opened: "},
		{name: "noopener", html: `<a id="b" href="/other" target=_blank rel=noopener>Other</a>`, want: engine.EffectNewPage, says: "a new page opened: "},
		{name: "fullscreen", html: `<button id="b" onclick="document.documentElement.requestFullscreen()">Full</button>`, want: engine.EffectPage, says: "the page changed"},
		{name: "fullscreen once the page draws again", html: `<button id="b" onclick="document.startViewTransition(() => new Promise((done) => setTimeout(done, 400))); document.documentElement.requestFullscreen()">Full</button>`, want: engine.EffectPage, says: "the page changed"},
		{name: "fullscreen of an element", html: `<div id=at><p>Film</p></div><button id="b" onclick="at.requestFullscreen()">Full</button>`, want: engine.EffectPage, says: "the page changed"},
		{name: "picture in picture", html: `<video id=film muted onloadedmetadata="b.disabled = false"></video><canvas id=c></canvas><button id="b" disabled onclick="film.requestPictureInPicture()">Float</button>
<script>c.getContext('2d').fillRect(0, 0, 9, 9); film.srcObject = c.captureStream(); film.play()</script>`, want: engine.EffectPage, says: "the page changed", floats: true},
		{name: "a document in a window of its own", html: `<button id="b" onclick="documentPictureInPicture.requestWindow()">Float</button>`, want: engine.EffectNewPage, says: "a new page opened", floats: true},
		{name: "select", html: `<style>select, ::picker(select) { appearance: base-select }</style><select id="b"><option>One<option>Two</select>`, want: engine.EffectPage, says: "the page changed"},
	})
}

// A drag after which everything is as it was changed nothing, though the page wrote to
// attributes and texts what they held.
func TestDragThatChangesNothing(t *testing.T) {
	t.Parallel()
	const card = `<p id="said">Text</p><div id="b" style="left: 5px; width: 90px">Card</div><script>
const text = said.firstChild;
b.onpointerup = () => { %s }</script>`
	for name, test := range map[string]struct {
		does    string
		changes bool
	}{
		"an attribute as it was":   {`b.setAttribute('style', b.getAttribute('style'))`, false},
		"there and back":           {`b.className = 'x'; b.title = 'y'; b.removeAttribute('class'); b.removeAttribute('title')`, false},
		"a text as it was":         {`text.data = text.data`, false},
		"another attribute":        {`b.style.color = 'red'`, true},
		"there, back and there":    {`b.title = 'x'; b.title = ''; b.title = 'x'`, true},
		"an attribute of a prefix": {`b.setAttributeNS('urn:x', 'x:title', 'y')`, true},
		"another text":             {`text.data = 'Other'`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, address := openOnChrome(t, write(fmt.Sprintf(card, test.does)), nil)
			if _, err := page.Navigate(t.Context(), address, nil); err != nil {
				t.Fatal(err)
			}
			r, err := page.Do(t.Context(), engine.Action{Selector: "#b", Method: engine.DragByPixelOffset, Arguments: []string{"20", "0"}}, nil)
			switch {
			case test.changes && (err != nil || r.Evidence.Effect != engine.EffectPage):
				t.Errorf("Do() = %q, effect %s, %v, want effect page", r.Message, r.Evidence.Effect, err)
			case !test.changes && !errors.Is(err, engine.ErrNoEffect):
				t.Errorf("Do() = %q, effect %s, %v, want ErrNoEffect", r.Message, r.Evidence.Effect, err)
			}
		})
	}
}
