package engine_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// A stage is a page in one of the two browsers, which a test changes.
type stage struct {
	*testing.T
	page   *engine.Page
	memory bool
	meddled
}

// meddled opens browsers whose pages can be meddled with.
type meddled struct {
	driver.Driver
	pages map[driver.PageID]*meddler // all tests' own
}

func (d meddled) Open(ctx context.Context, opts *driver.BrowserOptions) (driver.Browser, error) {
	b, err := d.Driver.Open(ctx, opts)
	return meddledBrowser{b, d.pages}, err
}

type meddledBrowser struct {
	driver.Browser
	pages map[driver.PageID]*meddler
}

func (b meddledBrowser) Pages() []driver.Page {
	pages := b.Browser.Pages()
	for i, p := range pages {
		if b.pages[p.ID()] == nil {
			b.pages[p.ID()] = &meddler{Page: p}
		}
		pages[i] = b.pages[p.ID()]
	}
	return pages
}

// meddle changes the page right before the nth call of an operation.
func (s *stage) meddle(op string, n int, change func()) {
	m := s.page.Driver().(*meddler)
	m.op, m.n, m.change = op, n, change
}

// browser is the page without the meddler.
func (s *stage) browser() driver.Page { return s.page.Driver().(*meddler).Page }

func (s *stage) find(css string) driver.NodeRef {
	s.Helper()
	found, err := s.browser().Find(s.Context(), driver.NodeRef{}, driver.Selector{Text: css})
	if err != nil || len(found) == 0 {
		s.Fatalf("Find(%s) = %v, %v", css, found, err)
	}
	return found[0]
}

// onStage shows a page in both browsers.
func onStage(t *testing.T, html string, run func(*stage)) {
	html = "<!DOCTYPE html>" + html
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		d := meddled{fake.Web{shopAddress: html}, map[driver.PageID]*meddler{}}
		run(&stage{t, openOn(t, d, nil), true, d})
	})
	t.Run("chrome", func(t *testing.T) {
		t.Parallel()
		server := httptest.NewServer(write(html[len("<!DOCTYPE html>"):]))
		t.Cleanup(server.Close)
		d := meddled{chrome(t), map[driver.PageID]*meddler{}}
		session, err := engine.Open(t.Context(), d, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := session.Close(); err != nil {
				t.Errorf("Close() = %v", err)
			}
		})
		if _, err := session.Page().Navigate(t.Context(), server.URL, nil); err != nil {
			t.Fatal(err)
		}
		run(&stage{t, session.Page(), false, d})
	})
}

// texts writes texts into elements, by pairs of a selector and a text.
func (s *stage) texts(pairs ...string) {
	s.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if s.memory {
			err := fake.Change(s.Context(), s.browser(), func(d *fake.Document) { d.Find(pairs[i]).SetText(pairs[i+1]) })
			if err != nil {
				s.Fatal(err)
			}
			continue
		}
		_, err := s.browser().Evaluate(s.Context(), "(s, t) => { document.querySelector(s).textContent = t }",
			&driver.EvaluateOptions{Args: []any{pairs[i], pairs[i+1]}})
		if err != nil {
			s.Fatal(err)
		}
	}
}

// ref returns the ref of an element; see refOf.
func (s *stage) ref(snap *engine.Snapshot, role, name string) accessibility.Ref {
	s.Helper()
	ref, err := refIn(snap.Outline(), role, name)
	if err != nil {
		s.Fatal(err)
	}
	return ref
}

func (s *stage) read() *engine.Snapshot {
	s.Helper()
	snap, err := s.page.Snapshot(s.Context(), nil)
	if err != nil {
		s.Fatal(err)
	}
	return snap
}

const kettles = `<ul><li><span id=a>Kettle</span><details id=x><summary>Remove</summary>x</details></li><li><span id=b>Teapot</span><details id=y><summary>Remove</summary>x</details></li></ul>`

// open tells which details are open.
func (s *stage) open() (ids []string) {
	s.Helper()
	for _, id := range []string{"x", "y"} {
		found, err := s.browser().Find(s.Context(), driver.NodeRef{}, driver.Selector{Text: "#" + id + "[open]"})
		if err != nil {
			s.Fatal(err)
		}
		if len(found) > 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// A ref is of the reading in which it was chosen: the row, too.
func TestTargetRef(t *testing.T) {
	for _, c := range []struct {
		what  string
		texts []string // after the reading
		open  []string
		err   error
	}{
		{"nothing changed", nil, []string{"y"}, nil},
		{"the rows changed places", []string{"#a", "Teapot", "#b", "Kettle"}, []string{"x"}, nil},
		{"the row is gone", []string{"#a", "Pan", "#b", "Kettle"}, nil, engine.ErrMismatch},
	} {
		t.Run(c.what, func(t *testing.T) {
			onStage(t, kettles, func(s *stage) {
				snap := s.read()
				teapot := engine.Target{Snapshot: snap, Ref: s.ref(snap, "button:2", "Remove")}
				s.texts(c.texts...)
				r, err := s.page.DoTo(s.Context(), teapot, engine.Command{}, nil)
				if !errors.Is(err, c.err) {
					s.Errorf("DoTo = %v, want %v", err, c.err)
				}
				open := s.open()
				if !slices.Equal(open, c.open) {
					s.Errorf("opened %v, want %v", open, c.open)
				}
				if err != nil {
					return
				}
				// What was done can be done again.
				if _, err := s.page.Do(s.Context(), r.Actions[0], nil); err != nil || len(s.open()) != 0 {
					s.Errorf("Do(%+v) = %v, and %v is open, want it closed", r.Actions[0], err, s.open())
				}
			})
		})
	}
}

const pad = `<style>* { margin: 0; padding: 0 } #pad { position: absolute; left: 100px; top: 50px; width: 200px; height: 100px; background: #eee }</style>` +
	`<div id=pad role=button tabindex=0 aria-label=Pad></div><input aria-label=Name style="position:absolute; top: 200px; left: 100px; width: 200px; height: 20px">`

// A point comes to the element that lies there, and what was done is done again
// at the same place of the same element.
func TestTargetPoint(t *testing.T) {
	onStage(t, pad, func(s *stage) {
		point := engine.Target{At: &driver.Offset{X: 110, Y: 70}}
		r, err := s.page.DoTo(s.Context(), point, engine.Command{Button: driver.Right, Modifiers: driver.Shift}, nil)
		if err != nil {
			s.Fatal(err)
		}
		got := r.Actions[0]
		if want := []string{"right", "Shift", "at 10,20"}; !slices.Equal(got.Arguments, want) || got.Fingerprint == nil || got.Fingerprint.Name != "Pad" {
			s.Errorf("action = %+v, want the pad with %q", got, want)
		}
		if r, err := s.page.Do(s.Context(), got, nil); err != nil {
			s.Errorf("Do = %+v, %v", r, err)
		}
		// What is no pointer's method is done to the element.
		field := engine.Target{At: &driver.Offset{X: 150, Y: 210}}
		r, err = s.page.DoTo(s.Context(), field, engine.Command{Method: engine.Fill, Arguments: []string{"Anna"}}, nil)
		if err != nil || r.Evidence.Value == nil || r.Evidence.Value.After != "Anna" {
			s.Errorf("DoTo(fill) = %+v, %v", r, err)
		}
		r, err = s.page.DoTo(s.Context(), engine.Target{Focused: true}, engine.Command{Method: engine.Press, Arguments: []string{"x"}}, nil)
		if err != nil || r.Actions[0].Fingerprint.Name != "Name" {
			s.Errorf("DoTo(focused) = %+v, %v", r, err)
		}
	})
}

// A target has to be one thing.
func TestTargetCheck(t *testing.T) {
	page := openShop(t, pad, nil)
	snap, err := page.Snapshot(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		target  engine.Target
		command engine.Command
	}{
		{engine.Target{}, engine.Command{}},
		{engine.Target{Snapshot: snap}, engine.Command{}},
		{engine.Target{Ref: "0-1"}, engine.Command{}},
		{engine.Target{Snapshot: snap, Ref: "0-99999"}, engine.Command{}},
		{engine.Target{Selector: "#pad", Focused: true}, engine.Command{}},
		{engine.Target{Selector: "#pad"}, engine.Command{Method: engine.Fill, Arguments: []string{"x"}, Button: driver.Right}},
		{engine.Target{Selector: "#pad"}, engine.Command{Drop: &engine.Target{Selector: "input"}}},
		{engine.Target{Selector: "#pad"}, engine.Command{Method: engine.DragAndDrop, Drop: &engine.Target{}}},
		{engine.Target{Selector: "#pad"}, engine.Command{Arguments: []string{"twice"}}},
	} {
		if _, err := page.DoTo(t.Context(), c.target, c.command, nil); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("DoTo(%+v, %+v) = %v, want ErrInvalid", c.target, c.command, err)
		}
	}
}

// A stored action carries its row, as one that comes back without it does.
func TestStoredActionKeepsRow(t *testing.T) {
	for _, c := range []struct {
		what string
		bare bool     // as over HTTP: without what tells the element from others
		text []string // after the reading
		open []string
		err  error
	}{
		{"nothing changed", false, nil, []string{"y"}, nil},
		{"another order", false, []string{"#a", "Teapot", "#b", "Kettle"}, []string{"x"}, nil},
		{"another order, bare", true, []string{"#a", "Teapot", "#b", "Kettle"}, []string{"x"}, nil},
		{"another row", false, []string{"#b", "Pan"}, nil, engine.ErrMismatch},
		{"another row, bare", true, []string{"#b", "Pan"}, nil, engine.ErrMismatch},
		{"a longer text", true, []string{"#b", "Teapot (3 left)"}, nil, engine.ErrMismatch},
	} {
		t.Run(c.what, func(t *testing.T) {
			onStage(t, kettles, func(s *stage) {
				found, err := s.page.Observe(s.Context(), "", nil)
				if err != nil || len(found.Actions) != 2 {
					s.Fatalf("Observe = %+v, %v, want two actions", found, err)
				}
				action := found.Actions[1]
				if action.Surroundings == nil || action.Surroundings.Row != "Teapot" && action.Surroundings.Row != "Teapot x" || action.Surroundings.Alike != 2 {
					s.Errorf("surroundings = %+v, want those of the teapot", action.Surroundings)
				}
				if c.bare {
					action.Fingerprint, action.Surroundings = nil, nil
				}
				s.texts(c.text...)
				_, err = s.page.Do(s.Context(), action, nil)
				if open := s.open(); !errors.Is(err, c.err) || !slices.Equal(open, c.open) {
					s.Errorf("Do = %v, and %v is open, want %v, and %v", err, open, c.err, c.open)
				}
			})
		})
	}
}

// A hand-made action is what it says.
func TestHandMadeActionStays(t *testing.T) {
	onStage(t, kettles, func(s *stage) {
		found, err := s.page.Observe(s.Context(), "", nil)
		if err != nil {
			s.Fatal(err)
		}
		s.texts("#a", "Teapot", "#b", "Kettle")
		if _, err := s.page.Do(s.Context(), engine.Action{Selector: found.Actions[1].Selector}, nil); err != nil || !slices.Equal(s.open(), []string{"y"}) {
			s.Errorf("Do = %v, and %v is open, want what the selector names", err, s.open())
		}
	})
}

const gestures = `<style>* { margin: 0; padding: 0 } #pad { position: absolute; left: 100px; top: 50px; width: 200px; height: 100px }
#far { position: absolute; top: 3000px; left: 100px; width: 60px; height: 60px } #grip { position: absolute; left: 100px; top: 200px; width: 40px; height: 40px }</style>
<div id=pad role=button tabindex=0 aria-label=Pad></div><div id=grip role=button aria-label=Grip></div><div id=far role=button aria-label=Far></div><p id=log></p><script>
const log = (text) => { document.querySelector('#log').textContent += text + ' ' }
const pad = document.querySelector('#pad')
const where = (e) => (e.shiftKey ? 'shift+' : '') + (e.ctrlKey ? 'ctrl+' : '') + e.type + e.offsetX + ',' + e.offsetY
for (const type of ['contextmenu', 'auxclick', 'dblclick']) pad.addEventListener(type, (e) => { e.preventDefault(); log(where(e)) })
pad.addEventListener('click', (e) => log(where(e) + 'x' + e.detail))
pad.addEventListener('wheel', (e) => { e.preventDefault(); log(where(e) + 'by' + e.deltaX + ',' + e.deltaY) }, { passive: false })
pad.addEventListener('mousemove', (e) => { if (e.shiftKey) log(where(e)) }, { once: true })
let grip = null
document.querySelector('#grip').addEventListener('mousedown', (e) => { grip = [e.clientX, e.clientY] })
document.addEventListener('mouseup', (e) => { if (grip) log(e.target.id + (e.clientX - grip[0]) + ',' + (e.clientY - grip[1])); grip = null })
</script>`

// What the pointer does arrives at the page as it was asked for.
func TestGestures(t *testing.T) {
	page, address := openOnChrome(t, write(gestures), nil)
	pad := engine.Target{Selector: "#pad", At: &driver.Offset{X: 12, Y: 34}}
	for _, c := range []struct {
		target  engine.Target
		command engine.Command
		want    string
	}{
		{pad, engine.Command{}, "click12,34x1"},
		{engine.Target{At: &driver.Offset{X: 112, Y: 84}}, engine.Command{}, "click12,34x1"},
		{pad, engine.Command{Button: driver.Right}, "contextmenu12,34 auxclick12,34"},
		{pad, engine.Command{Button: driver.Middle, Modifiers: driver.Control}, "ctrl+auxclick12,34"},
		{pad, engine.Command{Method: engine.TripleClick}, "click12,34x1 click12,34x2 dblclick12,34 click12,34x3"},
		{pad, engine.Command{Modifiers: driver.Shift | driver.Control, Method: engine.DoubleClick}, "shift+ctrl+mousemove12,34 shift+ctrl+click12,34x1 shift+ctrl+click12,34x2 shift+ctrl+dblclick12,34"},
		{pad, engine.Command{Method: engine.Wheel, Arguments: []string{"0", "40"}}, "wheel12,34by0,40"},
		{engine.Target{Selector: "#grip"}, engine.Command{Method: engine.DragByPixelOffset, Arguments: []string{"30", "-20"}}, "30,-20"},
		{engine.Target{Selector: "#grip"}, engine.Command{Method: engine.DragAndDrop, Drop: &pad}, "pad-8,-136"},
		{engine.Target{Selector: "#grip"}, engine.Command{Method: engine.DragAndDrop, Drop: &engine.Target{Selector: "#far"}}, "far"},
	} {
		if _, err := page.Navigate(t.Context(), address, nil); err != nil {
			t.Fatal(err)
		}
		r, err := page.DoTo(t.Context(), c.target, c.command, nil)
		raw, evaluated := page.Driver().Evaluate(t.Context(), "document.querySelector('#log').textContent.trim()", nil)
		if err != nil || evaluated != nil || !strings.HasSuffix(string(raw), c.want+`"`) && !(c.want == "far" && strings.HasPrefix(string(raw), `"far`)) {
			t.Errorf("DoTo(%+v, %+v) = %+v, %v, and the page felt %s (%v), want %s", c.target, c.command, r, err, raw, evaluated, c.want)
		}
	}
}

// A model may say how the pointer does it.
func TestActRightClick(t *testing.T) {
	page := openShop(t, pad, &engine.Options{Model: llmtest.NewScript(t, choose(t, "button", "Pad", "click", "right", "Shift"))})
	r, err := page.Act(t.Context(), "right-click the pad with Shift", nil)
	if err != nil || !slices.Equal(r.Actions[0].Arguments, []string{"right", "Shift"}) {
		t.Errorf("Act = %+v, %v", r, err)
	}
}
