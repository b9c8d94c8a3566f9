package engine_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A stage is a page in one of the two browsers, which a test changes.
type stage struct {
	*testing.T
	page   *engine.Page
	memory bool
}

// onStage shows a page in both browsers.
func onStage(t *testing.T, html string, run func(*stage)) {
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		run(&stage{t, openShop(t, html, nil), true})
	})
	t.Run("chrome", func(t *testing.T) {
		t.Parallel()
		handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Write([]byte("<!DOCTYPE html>" + html))
		})
		page, address := openOnChrome(t, handler, nil)
		if _, err := page.Navigate(t.Context(), address, nil); err != nil {
			t.Fatal(err)
		}
		run(&stage{t, page, false})
	})
}

// texts writes texts into elements, by pairs of a selector and a text.
func (s *stage) texts(pairs ...string) {
	s.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if s.memory {
			err := fake.Change(s.Context(), s.page.Driver(), func(d *fake.Document) { d.Find(pairs[i]).SetText(pairs[i+1]) })
			if err != nil {
				s.Fatal(err)
			}
			continue
		}
		_, err := s.page.Driver().Evaluate(s.Context(), "(s, t) => { document.querySelector(s).textContent = t }",
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
		found, err := s.page.Driver().Find(s.Context(), driver.NodeRef{}, driver.Selector{Text: "#" + id + "[open]"})
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
