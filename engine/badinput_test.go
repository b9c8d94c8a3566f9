package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/driver/faults"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// TestBadInput: what cannot be done is refused with an error of its own, which
// says what to write instead, and nothing reaches the page.
func TestBadInput(t *testing.T) {
	act := func(instruction string) func(context.Context, *engine.Page) error {
		return func(ctx context.Context, p *engine.Page) error {
			_, err := p.Act(ctx, instruction, nil)
			return err
		}
	}
	do := func(a engine.Action) func(context.Context, *engine.Page) error {
		return func(ctx context.Context, p *engine.Page) error {
			_, err := p.Do(ctx, a, nil)
			return err
		}
	}
	navigate := func(address string) func(context.Context, *engine.Page) error {
		return func(ctx context.Context, p *engine.Page) error {
			_, err := p.Navigate(ctx, address, nil)
			return err
		}
	}
	extract := func(form string) func(context.Context, *engine.Page) error {
		return func(ctx context.Context, p *engine.Page) error {
			s, err := schema.Parse([]byte(form))
			if err != nil {
				return err
			}
			_, err = p.Extract(ctx, "the items", &engine.ExtractOptions{Schema: s})
			return err
		}
	}
	for _, c := range []struct {
		name string
		call func(context.Context, *engine.Page) error
		is   error // nil: any
		says string
	}{
		{"empty instruction", act(""), engine.ErrInvalid, "say what to do"},
		{"blank instruction", act(" \n\t"), engine.ErrInvalid, "say what to do"},
		{"endless instruction", act(strings.Repeat("click ", 1<<20)), engine.ErrInvalid, "bytes"},
		{"no selector", do(engine.Action{Method: engine.Click}), engine.ErrInvalid, "selector"},
		{"selector that matches nothing", do(engine.Action{Selector: "#none", Method: engine.Click}), engine.ErrNotFound, "#none"},
		{"selector that matches too much", do(engine.Action{Selector: "button", Method: engine.Click}), engine.ErrAmbiguous, `button "Second"`},
		{"selector that is none", do(engine.Action{Selector: "button[", Method: engine.Click}), driver.ErrSelector, "button["},
		{"XPath that is none", do(engine.Action{Selector: "xpath=//button[", Method: engine.Click}), driver.ErrSelector, "//button["},
		{"unknown method", do(engine.Action{Selector: "#a", Method: "clik"}), engine.ErrInvalid, "doubleClick"},
		{"missing argument", do(engine.Action{Selector: "#t", Method: engine.Fill}), engine.ErrInvalid, "argument"},
		{"missing file", do(engine.Action{Selector: "#f", Method: engine.SetInputFiles, Arguments: []string{"/there/is/none.txt"}}), nil, "none.txt"},
		{"no address", navigate(""), engine.ErrInvalid, "address"},
		{"words for an address", navigate("not an address"), engine.ErrInvalid, "not an address"},
		{"address without a scheme", navigate("shop.test/cart"), engine.ErrInvalid, "https://"},
		{"unknown host", navigate("https://nowhere.test/"), nil, "nowhere.test"},
		{"schema that is none", extract(`{"type": 7}`), nil, "type"},
		{"schema that is no JSON", extract(`{"type": `), nil, "JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := openShop(t, choices, &engine.Options{Model: llmtest.NewScript(t)})
			err := c.call(t.Context(), page)
			switch {
			case err == nil:
				t.Fatal("it was done")
			case c.is != nil && !errors.Is(err, c.is):
				t.Errorf("error %v, want %v", err, c.is)
			case !strings.Contains(err.Error(), c.says):
				t.Errorf("error %q does not say %q", err, c.says)
			}
			// The page is as it was, and takes the next call.
			if _, err := page.Do(t.Context(), engine.Action{Selector: "#t", Method: engine.Fill, Arguments: []string{"after"}}, nil); err != nil {
				t.Errorf("the next call: %v", err)
			}
		})
	}
}

const choices = `<button id=a>First</button><button id=b>Second</button><input id=t aria-label=Text><input id=f type=file aria-label=File>`

// TestStatusIsNoFailure: a page that answers with an error is a page, and its
// status is told.
func TestStatusIsNoFailure(t *testing.T) {
	session, err := engine.Open(t.Context(), fake.Web{"https://a.test/": "HTTP/1.1 503 Unavailable\nContent-Type: text/html\n\n<h1>Later</h1>"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	response, err := session.Page().Navigate(t.Context(), "https://a.test/", nil)
	if err != nil || response.Status != 503 || response.OK() {
		t.Errorf("Navigate = %+v, %v", response, err)
	}
}

// TestBrowserThatGoes: a browser that crashes in the middle, or is closed from
// outside, is named as the reason, and every call after it ends at once.
func TestBrowserThatGoes(t *testing.T) {
	for name, c := range map[string]struct {
		fault *faults.Fault
		is    error
	}{
		"crashes": {faults.Crash().On(1, "input"), driver.ErrCrashed},
		"closed":  {faults.Drop().On(1, "input"), driver.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			d := faults.Wrap(fake.Web{"https://a.test/": choices}, c.fault)
			session, err := engine.Open(t.Context(), d, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			page := session.Page()
			if _, err := page.Navigate(t.Context(), "https://a.test/", nil); err != nil {
				t.Fatal(err)
			}
			r, err := page.Do(t.Context(), engine.Action{Selector: "#a", Method: engine.Click}, nil)
			if !errors.Is(err, c.is) || r == nil || r.Success {
				t.Errorf("Do = %+v, %v, want %v", r, err, c.is)
			}
			if _, err := page.Snapshot(t.Context(), nil); err == nil {
				t.Error("a page of a browser that is gone was read")
			}
		})
	}
}

// TestModelThatFails: a model's error comes through as it is, and an answer that
// the schema refuses gets one chance to be mended.
func TestModelThatFails(t *testing.T) {
	down := &llm.Error{Provider: "script", Kind: llm.KindUnavailable, Message: "connection refused"}
	wrong := llmtest.Step{JSON: map[string]any{"found": "perhaps"}}
	for name, c := range map[string]struct {
		steps []llmtest.Step
		kind  llm.ErrorKind
		says  string
	}{
		"down":                {[]llmtest.Step{{Err: down}}, llm.KindUnavailable, "connection refused"},
		"refused by a schema": {[]llmtest.Step{wrong, wrong}, llm.KindSchema, "found"},
		"no JSON":             {[]llmtest.Step{{Text: "<html>"}, {Text: `{"found": tr`}}, llm.KindSchema, ""},
	} {
		t.Run(name, func(t *testing.T) {
			page := openShop(t, choices, &engine.Options{Model: llmtest.NewScript(t, c.steps...)})
			r, err := page.Act(t.Context(), "click First", nil)
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != c.kind || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want kind %s with %q", err, c.kind, c.says)
			}
			if r == nil || r.Success || len(r.Actions) > 0 {
				t.Errorf("result %+v, want nothing done", r)
			}
		})
	}
}
