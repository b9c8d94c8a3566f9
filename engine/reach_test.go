package engine_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// TestUnseenControls: a control that nobody sees is pressed at what stands in for it,
// and where nothing does, the error names the key that works. Each page shows in #out
// whether it was.
func TestUnseenControls(t *testing.T) {
	t.Parallel()
	hidden := `position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip: rect(0, 0, 0, 0)`
	for name, test := range map[string]struct{ html, refused, key string }{
		"a checkbox below another, with its label above": {html: `<section style="position: relative; margin-top: 60px"><input id=c type=checkbox style="position: absolute; opacity: 0"><label for=c style="position: absolute; top: -52px">All</label>
			<input type=checkbox aria-label=first style="position: absolute; opacity: 0; width: 40px; height: 40px"></section>`},
		"a switch without words in its label": {html: `<main>Opacity <label><span style="` + hidden + `"><input id=c type=checkbox role=switch aria-label=Bare></span><i style="display: block; width: 40px; height: 20px; background: gray"></i></label></main>`},
		"a star of a rating":                  {html: `<div onclick="c.click()" style="width: 20px; height: 20px"><span style="` + hidden + `" onclick="event.stopPropagation()"><input id=c type=radio aria-label="4 stars" style="pointer-events: none"></span><svg width=20 height=20><circle cx=10 cy=10 r=9 /></svg></div>`},
		"a select under a face": {html: `<div style="width: 90px; border: 1px solid" onmousedown="out.textContent = 'opened'">Cabin <input id=c role=combobox aria-label=Cabin style="pointer-events: none; opacity: 0"></div>`,
			refused: "around it takes clicks", key: "ArrowDown"},
		"a checkbox that lets the pointer through": {html: `<p>Terms <input id=c type=checkbox style="pointer-events: none; opacity: 0"></p>`, key: "Space"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, address := openOnChrome(t, write(test.html+`<output id=out></output><script>c.onchange = () => out.textContent = 'changed'</script>`), &engine.Options{Patience: 100 * time.Millisecond})
			if _, err := page.Navigate(t.Context(), address, nil); err != nil {
				t.Fatal(err)
			}
			r, err := page.Do(t.Context(), engine.Action{Selector: "#c"}, nil)
			if test.key == "" {
				if err != nil || !r.Success {
					t.Fatalf("Do(click) = %v, %q", err, r.Message)
				}
				shown(t, page, "changed")
				return
			}
			if err == nil || r.Sent != engine.SentNone || !strings.Contains(err.Error(), "press "+test.key) || !strings.Contains(err.Error(), test.refused) {
				t.Fatalf("Do(click) = %v (%s sent), want nothing sent, %q, and the key %s", err, r.Sent, test.refused, test.key)
			}
			if test.key == "Space" {
				if r, err := page.Do(t.Context(), engine.Action{Selector: "#c", Method: engine.Press, Arguments: []string{test.key}}, nil); err != nil || !r.Success {
					t.Fatalf("Do(press) = %v, %q", err, r.Message)
				}
				shown(t, page, "changed")
			}
		})
	}
}

func shown(t *testing.T, page *engine.Page, text string) {
	t.Helper()
	if err := page.WaitFor(t.Context(), engine.TextShown(text)); err != nil {
		t.Error(err)
	}
}

// TestXHTML: the actions that Observe gives of a page in XHTML can be done.
func TestXHTML(t *testing.T) {
	t.Parallel()
	page, address := openOnChrome(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xhtml+xml")
		_, _ = io.WriteString(w, `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><div/><div><button onclick="this.textContent = 'Paid'">Pay</button></div></body></html>`)
	}), nil)
	if _, err := page.Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	found, err := page.Observe(t.Context(), "", nil)
	if err != nil || len(found.Actions) != 1 {
		t.Fatalf("Observe() = %+v, %v, want one action", found, err)
	}
	a := found.Actions[0]
	if want := "xpath=/*[name()='html'][1]/*[name()='body'][1]/*[name()='div'][2]/*[name()='button'][1]"; a.Selector != want {
		t.Errorf("the selector is %s, want %s", a.Selector, want)
	}
	if r, err := page.Do(t.Context(), engine.Action{Selector: a.Selector, Method: engine.Click}, nil); err != nil || !r.Success {
		t.Errorf("Do = %v, %q", err, r.Message)
	}
	shown(t, page, "Paid")
}

// TestObserveInCanvas: what a canvas falls back to has no place to press; Observe offers
// the key, and that works.
func TestObserveInCanvas(t *testing.T) {
	t.Parallel()
	page, address := openOnChrome(t, write(`<canvas width=200 height=100><button onclick="out.textContent = 'drawn'">Draw</button></canvas><output id=out></output>`), nil)
	if _, err := page.Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	found, err := page.Observe(t.Context(), "", nil)
	if err != nil || len(found.Actions) != 1 || found.Actions[0].Method != engine.Press {
		t.Fatalf("Observe() = %+v, %v, want one action, a key", found, err)
	}
	if r, err := page.Do(t.Context(), found.Actions[0], nil); err != nil || !r.Success {
		t.Errorf("Do(%+v) = %v, %q", found.Actions[0], err, r.Message)
	}
	shown(t, page, "drawn")
}

// facePage has a select that nobody sees, and what a component shows in its place: one
// that follows the select at once, one that does so later, and one that never does.
const facePage = `<!DOCTYPE html><title>Rooms</title><style>select { position: absolute; opacity: 0; pointer-events: none } div { width: 120px; height: 30px; border: 1px solid }</style>
<div><select id=now aria-label=Now><option>Choose<option>Single<option>Double</select><b id=nowface>Choose</b></div>
<div><select id=later aria-label=Later><option>Choose<option>Single<option>Double</select><b id=laterface>Choose</b></div>
<div><select id=never aria-label=Never><option>Choose<option>Single<option>Double</select><b id=neverface>Choose</b></div>
<div><select multiple id=many aria-label=Many style="pointer-events: auto"><option>Single<option>Double</select></div><p id=said></p>`

const faceScript = `<script>
now.onchange = () => { nowface.textContent = now.value };
later.onchange = () => { setTimeout(() => { laterface.textContent = later.value }, 100) };
neverface.onclick = () => { said.textContent += 'opened ' };
</script>`

func facesInMemory() *fake.Driver {
	return fake.New(fake.Options{
		Web: fake.Web{shopAddress: facePage},
		Scripts: map[string]func(*fake.Document){shopAddress: func(d *fake.Document) {
			d.On("change", "#now", func(*fake.Event) { d.Find("#nowface").SetText(d.Find("#now").Value()) })
			d.On("change", "#later", func(*fake.Event) {
				d.After(100*time.Millisecond, func() { d.Find("#laterface").SetText(d.Find("#later").Value()) })
			})
			d.On("click", "#neverface", func(*fake.Event) { d.Find("#said").SetText(d.Find("#said").Text() + "opened ") })
		}},
	})
}

// A choice in a list that nobody sees is a success where what stands for the list
// follows; else the error says what a person still reads. A press on the list goes to
// what stands for it.
func TestChoiceThatNobodySees(t *testing.T) {
	onEach(t, facesInMemory(), facePage+faceScript, noOptions, func(t *testing.T, page *engine.Page) {
		choose := func(id string) (*engine.ActResult, error) {
			return page.Do(t.Context(), engine.Action{Selector: "#" + id, Method: engine.SelectOption, Arguments: []string{"Double"}}, nil)
		}
		for _, id := range []string{"now", "later"} {
			if r, err := choose(id); err != nil || !r.Success {
				t.Errorf("choosing in %s = %v, %+v", id, err, r)
			}
		}
		r, err := choose("never")
		if !errors.Is(err, engine.ErrMayHaveHappened) || !strings.Contains(err.Error(), `still says "Choose"`) || r.Success || r.Sent != engine.SentAll {
			t.Errorf("choosing where nothing follows = %v, %+v", err, r)
		}
		r, err = choose("many")
		if !errors.Is(err, engine.ErrMayHaveHappened) || !strings.Contains(err.Error(), "nothing else on the page changed") || r.Success {
			t.Errorf("choosing where nothing says what is chosen = %v, %+v", err, r)
		}
		if _, err := page.Do(t.Context(), engine.Action{Selector: "#never", Method: engine.Click}, nil); err != nil {
			t.Errorf("pressing the list = %v", err)
		}
		if got := said(t, page); got != "opened" {
			t.Errorf("the page says %q", got)
		}
	})
}

// An animation that follows the scrolling, and not the time, stands still.
func TestAnimationThatFollowsScrolling(t *testing.T) {
	p := lateOnChrome(t, `<!DOCTYPE html><title>Head</title><style>
		@keyframes shrink { from { translate: 0 0 } to { translate: 0 30px } }
		header { position: fixed; top: 0; animation: shrink linear both; animation-timeline: scroll() }
		main { height: 3000px; padding-top: 200px }</style>
		<header><button onclick="document.title = 'pressed'">Menu</button></header><main>Text</main>`, nil)
	_, err := p.Do(t.Context(), engine.Action{Selector: "text=Menu", Method: engine.Click}, nil)
	if title := evaluate(t, p, "document.title"); title != `"pressed"` || err != nil {
		t.Errorf("the title is %s, %v", title, err)
	}
}

// A region that does not scroll itself has what lies over its middle scrolled, as a wheel has.
func TestScrollsWhatIsWithin(t *testing.T) {
	p := lateOnChrome(t, `<!DOCTYPE html><title>List</title><div id=r role=region aria-label=List style="height: 200px; width: 200px"><div id=v style="height: 100%; overflow: auto"><p style="height: 2000px">Rows</div></div>`, nil)
	for _, a := range []engine.Action{
		{Selector: "#r", Method: engine.ScrollTo, Arguments: []string{"50%"}},
		{Selector: "#r", Method: engine.NextChunk},
	} {
		before := evaluate(t, p, "v.scrollTop")
		r, err := p.Do(t.Context(), a, nil)
		if top := evaluate(t, p, "v.scrollTop"); top == before || err != nil {
			t.Errorf("%s left it at %s: %q, %v", a.Method, top, r.Message, err)
		}
	}
}

// A stored action waits for an element that is there and not shown yet, as for one that is
// not there yet.
func TestStoredActionWaitsForWhatIsHidden(t *testing.T) {
	for _, hides := range []string{"visibility: hidden", "display: none"} {
		for name, shows := range map[string]string{
			"by a timer": "setTimeout(() => { app.style = '' }, 400)",
			"by frames":  "let n = 0; const f = () => { if (++n > 25) app.style = ''; else requestAnimationFrame(f) }; f()",
		} {
			t.Run(hides+" "+name, func(t *testing.T) {
				p := lateOnChrome(t, `<!DOCTYPE html><title>Plan</title><div id=app style="`+hides+`"><button onclick="document.title = 'pressed'">Early</button></div><script>`+shows+`</script>`, nil)
				r, err := p.DoTo(t.Context(), engine.Locator("text=Early").Target(), engine.Command{}, nil)
				if err != nil {
					t.Fatal(err)
				}
				again := r.Actions[0]
				again.BackendNodeID = 0
				if _, err := p.Reload(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				_, err = p.Do(t.Context(), again, nil)
				if title := evaluate(t, p, "document.title"); title != `"pressed"` || err != nil {
					t.Errorf("the title is %s, %v", title, err)
				}
			})
		}
	}
}

// Rows that one listener above them all serves have lines of their own, and what is done to
// one is done to that. A card of several lines stays one line.
func TestRowsUnderOneListener(t *testing.T) {
	for name, rows := range map[string]string{
		"table":  `<table><tr><td>Anna<td>Bonn<tr><td>Berta<td>Kiel<tr><td>Clara<td>Ulm</table>`,
		"zebra":  `<table><tr class=odd><td>Anna<td>Bonn<tr class=even><td>Berta<td>Kiel<tr class=odd><td>Clara<td>Ulm</table>`,
		"chosen": `<div class="row on"><i>Anna</i> Bonn</div><div class=row><i>Berta</i> Kiel</div>`,
		"boxes":  `<div>Anna</div><div>Berta</div><div>Clara</div>`,
		"lines":  `<p class=x><b>Anna</b> Bonn</p><p class=x><b>Berta</b> Kiel</p><p class=x><b>Clara</b> Ulm</p>`,
	} {
		t.Run(name, func(t *testing.T) {
			p := lateOnChrome(t, `<!DOCTYPE html><title>People</title><div id=app>`+rows+`</div><script>
				let said = '';
				app.onclick = (e) => { said += e.target.closest('tr, div, p').textContent + ';' }</script>`, nil)
			snap, err := p.Snapshot(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(snap.Nodes, func(n accessibility.Node) bool { return strings.Contains(n.Name, "Anna") })
			if _, err := p.DoTo(t.Context(), engine.Target{Snapshot: snap, Ref: snap.Nodes[i].Ref}, engine.Command{}, nil); err != nil {
				t.Error(err)
			}
			if said := evaluate(t, p, "said"); !strings.HasPrefix(said, `"Anna`) || strings.Contains(said, "Berta") {
				t.Errorf("pressed %s in\n%s", said, snap.Outline())
			}
		})
	}
	p := lateOnChrome(t, `<!DOCTYPE html><title>Shop</title><div onclick="document.title = 'card'"><div class=name>Teapot</div><div class=price>12.50</div></div>`, nil)
	snap, err := p.Snapshot(t.Context(), nil)
	if err != nil || !strings.Contains(snap.Outline(), "Teapot 12.50") {
		t.Errorf("%v\n%s", err, snap.Outline())
	}
}

// The pointer leaves a menu that lies over the page, or keeps it from the pointer, as long as the
// pointer is there.
func TestPointerLeavesMenu(t *testing.T) {
	for name, page := range map[string]string{
		"lies over it": `<style>#menu { position: absolute; z-index: 2; top: 30px; height: 60px; width: 200px; background: #ccc; display: none } #head:hover #menu { display: block }</style>
			<div id=head style="position: absolute; top: 0; height: 30px"><a href="#shop">Shop</a><div id=menu><a href="#music">Music</a></div></div>`,
		"keeps it": `<style>.kept { pointer-events: none } .kept a { pointer-events: auto }</style><a href="#shop" onmouseenter="document.body.className = 'kept'">Shop</a>
			<script>document.addEventListener('mousemove', (e) => { if (e.target.localName !== 'a') document.body.className = '' })</script>`,
	} {
		t.Run(name, func(t *testing.T) {
			p := lateOnChrome(t, `<!DOCTYPE html><title>Site</title><body>`+page+`<button style="position: absolute; top: 50px; left: 20px" onclick="document.title = 'begun'">Start</button>`, nil)
			for _, a := range []engine.Action{{Selector: "text=Shop", Method: engine.Hover}, {Selector: "text=Start", Method: engine.Click}} {
				if _, err := p.Do(t.Context(), a, nil); err != nil {
					t.Error(err)
				}
			}
			if title := evaluate(t, p, "document.title"); title != `"begun"` {
				t.Errorf("the title is %s", title)
			}
		})
	}
}

// A box that is mixed may be on after one click: it is off after another.
func TestUncheckMixed(t *testing.T) {
	for _, box := range []string{
		`<input type=checkbox aria-label=All>`,
		`<div role=checkbox tabindex=0 aria-label=All aria-checked=mixed onclick="ariaChecked = ariaChecked != 'true'">All</div>`,
	} {
		p := lateOnChrome(t, box+`<script>const b = document.querySelector('[aria-label]'); if (b.type) b.indeterminate = true</script>`, nil)
		for _, m := range []engine.Method{engine.Uncheck, engine.Check} {
			r, err := p.Do(t.Context(), engine.Action{Selector: "label=All", Method: m}, nil)
			if on := evaluate(t, p, "b.type ? b.checked && !b.indeterminate : b.ariaChecked == 'true'"); on != strconv.FormatBool(m == engine.Check) || err != nil {
				t.Errorf("%s: on is %s, %q, %v", m, on, r.Message, err)
			}
		}
	}
}

// Of several labels of one box that nobody sees, each is to be pressed where it stands.
func TestLabelsOfOneBox(t *testing.T) {
	p := lateOnChrome(t, `<!DOCTYPE html><title>Modal</title><style>#box { position: fixed; opacity: 0; width: 0; height: 0; appearance: none } .modal { display: none; position: fixed; inset: 0; background: #ddd } #box:checked + .modal { display: block }</style>
		<label for=box>Open it</label><input type=checkbox id=box><div class=modal role=dialog><h3>Hello</h3><label for=box>Close it</label></div>`, nil)
	for _, c := range []struct{ label, is string }{{"Open it", "true"}, {"Close it", "false"}} {
		_, err := p.Do(t.Context(), engine.Action{Selector: "text=" + c.label, Method: engine.Click}, nil)
		if is := evaluate(t, p, "box.checked"); is != c.is || err != nil {
			t.Errorf("%s: it is %s, %v", c.label, is, err)
		}
	}
}
