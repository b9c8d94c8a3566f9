package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A meddler changes the page right before the nth call of an operation.
type meddler struct {
	driver.Page
	op     string
	n      int
	change func()
}

func (m *meddler) before(op string) {
	if op != m.op {
		return
	}
	if m.n--; m.n == 0 {
		m.change()
	}
}

func (m *meddler) Input(ctx context.Context, events ...driver.InputEvent) error {
	m.before("input")
	return m.Page.Input(ctx, events...)
}

func (m *meddler) Focus(ctx context.Context, at driver.Target) error {
	m.before("focus")
	return m.Page.Focus(ctx, at)
}

func (m *meddler) SelectText(ctx context.Context, at driver.Target) error {
	m.before("selecttext")
	return m.Page.SelectText(ctx, at)
}

func (m *meddler) SetValue(ctx context.Context, at driver.Target, values ...string) ([]string, error) {
	m.before("setvalue")
	return m.Page.SetValue(ctx, at, values...)
}

func (m *meddler) SetFiles(ctx context.Context, at driver.Target, paths ...string) error {
	m.before("setfiles")
	return m.Page.SetFiles(ctx, at, paths...)
}

const twoFields = `<label id=l for=a>Street</label><input id=a><label id=m for=b>City</label><input id=b>` +
	`<label id=n for=c>From</label><input type=date id=c><label id=o for=d>To</label><input type=date id=d>` +
	`<label id=p for=e>Size</label><select id=e><option>S<option>M</select><label id=q for=f>Color</label><select id=f><option>S<option>M</select>` +
	`<label id=r for=g>Photo</label><input type=file id=g><label id=s for=h>Passport</label><input type=file id=h>`

// Two fields swap their labels right before the input, as a list does that
// renders anew and keeps its nodes: what is meant for one never goes into the other.
func TestSwappedFields(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, role, name string
		command          engine.Command
		op               string
		n                int
		labels           []string // as they are after the swap
		other            string   // the field of that name by then
	}{
		{"fill", "textbox", "Street", engine.Command{Method: engine.Fill, Arguments: []string{"x"}}, "selecttext", 1, []string{"#l", "City", "#m", "Street"}, "#a"},
		{"fill after the focus", "textbox", "Street", engine.Command{Method: engine.Fill, Arguments: []string{"x"}}, "input", 1, []string{"#l", "City", "#m", "Street"}, "#a"},
		{"type", "textbox", "Street", engine.Command{Method: engine.Type, Arguments: []string{"x"}}, "focus", 1, []string{"#l", "City", "#m", "Street"}, "#a"},
		{"type after the focus", "textbox", "Street", engine.Command{Method: engine.Type, Arguments: []string{"x"}}, "input", 1, []string{"#l", "City", "#m", "Street"}, "#a"},
		{"press", "textbox", "Street", engine.Command{Method: engine.Press, Arguments: []string{"x"}}, "focus", 1, []string{"#l", "City", "#m", "Street"}, "#a"},
		{"press after the focus", "textbox", "Street", engine.Command{Method: engine.Press, Arguments: []string{"x"}}, "input", 1, []string{"#l", "City", "#m", "Street"}, "#a"},
		{"date", "date", "From", engine.Command{Method: engine.Fill, Arguments: []string{"2026-03-31"}}, "setvalue", 1, []string{"#n", "To", "#o", "From"}, "#c"},
		{"select", "combobox", "Size", engine.Command{Method: engine.SelectOption, Arguments: []string{"M"}}, "setvalue", 1, []string{"#p", "Color", "#q", "Size"}, "#e"},
		{"files", "button", "Photo", engine.Command{Method: engine.SetInputFiles, Arguments: []string{file}}, "setfiles", 1, []string{"#r", "Passport", "#s", "Photo"}, "#g"},
		{"focus", "textbox", "Street", engine.Command{Method: engine.Focus}, "focus", 1, []string{"#l", "City", "#m", "Street"}, "#a"},
	} {
		t.Run(c.what, func(t *testing.T) {
			onStage(t, twoFields, func(s *stage) {
				snap := s.read()
				target := engine.Target{Snapshot: snap, Ref: s.ref(snap, c.role, c.name)}
				swapped := false
				s.meddle(c.op, c.n, func() { swapped = true; s.texts(c.labels...) })
				r, err := s.page.DoTo(s.Context(), target, c.command, &engine.ActOptions{Timeout: 10 * time.Second})
				if !swapped {
					s.Fatalf("the labels were not swapped before %s", c.op)
				}
				state, stateErr := s.page.Driver().State(s.Context(), s.find(c.other))
				if stateErr != nil {
					s.Fatal(stateErr)
				}
				if state.Value != "" && state.Value != "S" || len(state.Files) > 0 || c.op == "focus" && c.command.Method == engine.Focus && state.Focused {
					s.Errorf("it went into the other field: %+v", state)
				}
				if err != nil && !errors.Is(err, engine.ErrMismatch) {
					s.Errorf("DoTo = %v, want it done to the right field, or ErrMismatch", err)
				}
				if err != nil && (errors.Is(err, engine.ErrMayHaveHappened) || r.Sent != engine.SentNone) {
					s.Errorf("DoTo = %v, sent %s, want nothing sent: the caller may do it again", err, r.Sent)
				}
			})
		})
	}
}

// A field that cannot take the focus got nothing, and nobody has to look for it.
func TestNotFocusableSendsNothing(t *testing.T) {
	t.Parallel()
	page, address := openOnChrome(t, write(`<div style="interactivity: inert"><input id=a aria-label=A></div>`), nil)
	if _, err := page.Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	for _, method := range []engine.Method{engine.Fill, engine.Type, engine.Focus} {
		action := engine.Action{Selector: "#a", Method: method}
		if method != engine.Focus {
			action.Arguments = []string{"x"}
		}
		r, err := page.Do(t.Context(), action, nil)
		if err == nil || errors.Is(err, engine.ErrMayHaveHappened) || r.Sent != engine.SentNone {
			t.Errorf("%s = %+v, %v, want an error, and nothing sent", method, r, err)
		}
	}
}
