package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// asks has a button that shows an alert, a confirm and a prompt, and notes the answers.
const asks = `<button id=b>Delete</button><button id=q>Quiet</button><title></title><script>
	document.querySelector("#b").onclick = () => { alert("about to"); document.title += confirm("Really?") + "," + prompt("Why?", "so") + ";" };
</script>`

func asksInMemory() driver.Driver {
	return fake.New(fake.Options{Web: fake.Web{shopAddress: asks}, Scripts: map[string]func(*fake.Document){shopAddress: func(d *fake.Document) {
		d.On("click", "#b", func(*fake.Event) {
			d.Alert("about to")
			sure, why := d.Confirm("Really?"), "null"
			if text, ok := d.Prompt("Why?", "so"); ok {
				why = text
			}
			said := d.Find("title")
			said.SetText(fmt.Sprintf("%s%v,%s;", said.Text(), sure, why))
		})
	}}})
}

// TestDialogsOfAnAct: an act's dialogs are answered in their order, alerts take none of
// the answers, and what was not used answers no later dialog.
func TestDialogsOfAnAct(t *testing.T) {
	onEach(t, asksInMemory(), asks, noOptions, func(t *testing.T, page *engine.Page) {
		yes, why := engine.DialogAnswer{Accept: true}, engine.DialogAnswer{Accept: true, Text: "old"}
		for _, act := range []struct {
			selector string
			answers  []engine.DialogAnswer
			said     string
		}{
			{"#b", []engine.DialogAnswer{yes, why}, "true,old;"},
			{"#b", nil, "true,old;false,null;"},
			{"#q", []engine.DialogAnswer{yes}, "true,old;false,null;"},
			{"#b", []engine.DialogAnswer{yes}, "true,old;false,null;true,null;"},
		} {
			if _, err := page.Do(t.Context(), engine.Action{Selector: act.selector}, &engine.ActOptions{Dialogs: act.answers}); err != nil {
				t.Fatal(err)
			}
			if said, err := page.Title(t.Context()); err != nil || said != act.said {
				t.Fatalf("after %s with %v the page says %q, %v, want %q", act.selector, act.answers, said, err, act.said)
			}
		}
		page.AnswerDialogs(yes, why)
		page.AnswerDialogs()
		if _, err := page.Do(t.Context(), engine.Action{Selector: "#b"}, nil); err != nil {
			t.Fatal(err)
		}
		page.AnswerDialogs(yes, why)
		if _, err := page.Do(t.Context(), engine.Action{Selector: "#b"}, nil); err != nil {
			t.Fatal(err)
		}
		if said, err := page.Title(t.Context()); err != nil || !strings.HasSuffix(said, ";false,null;true,old;") {
			t.Errorf("the page says %q, %v, want answers that were taken back, and then two that were used", said, err)
		}
	})
}

// A dialog that opens while the page is asked what came of an action, and that gets no answer,
// is what came of it. It held the call up to its limit.
func TestDialogWhileAsked(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]string{
		"busy":    `setTimeout(() => { for (const end = Date.now() + 300; Date.now() < end;); alert("Look!") }, 40)`,
		"at once": `setTimeout(() => alert("Look!"))`,
	} {
		t.Run(name, func(t *testing.T) {
			server := startServer(t, write(`<button onclick='`+strings.ReplaceAll(handler, "'", `"`)+`'>Edit</button>`))
			t.Cleanup(server.Close)
			answer := make(chan struct{})
			session, err := engine.Open(t.Context(), chrome(t), &engine.Options{SettleTimeout: 500 * time.Millisecond, Dialog: func(engine.Dialog) engine.DialogAnswer {
				<-answer
				return engine.DialogAnswer{Accept: true}
			}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { session.Close() })
			t.Cleanup(func() { close(answer) })
			page := session.Page()
			if _, err := page.Navigate(t.Context(), server.URL, nil); err != nil {
				t.Fatal(err)
			}
			r, err := page.Do(t.Context(), engine.Action{Selector: "button"}, nil)
			if err != nil || len(r.Evidence.Dialogs) != 1 || !r.Evidence.Dialogs[0].Open {
				t.Errorf("Do = %+v, %v, want an open dialog", r, err)
			}
		})
	}
}

// TestDialogEndsACall: a dialog that opens in the midst of a call, and that gets no
// answer, ends the call with what it is, long before the call's limit.
func TestDialogEndsACall(t *testing.T) {
	const stay = `<p>Here</p><button>Edit</button><script>
		document.querySelector("button").onclick = () => setTimeout(() => alert("Look!"), 100);
		addEventListener("beforeunload", (e) => e.preventDefault());
	</script>`
	memory := fake.New(fake.Options{Web: fake.Web{shopAddress: stay}, Scripts: map[string]func(*fake.Document){shopAddress: func(d *fake.Document) {
		d.On("click", "button", func(*fake.Event) { d.After(100*time.Millisecond, func() { d.Alert("Look!") }) })
		d.On("beforeunload", "", func(e *fake.Event) { e.PreventDefault() })
	}}})
	silent := func(t *testing.T) *engine.Options {
		answer := make(chan struct{})
		t.Cleanup(func() { close(answer) })
		return &engine.Options{SettleTimeout: 500 * time.Millisecond, Dialog: func(engine.Dialog) engine.DialogAnswer {
			<-answer
			return engine.DialogAnswer{Accept: true}
		}}
	}
	for name, call := range map[string]func(context.Context, *engine.Page) error{
		"WaitFor": func(ctx context.Context, p *engine.Page) error { return p.WaitFor(ctx, engine.TextShown("never")) },
		"Reload":  func(ctx context.Context, p *engine.Page) error { _, err := p.Reload(ctx, nil); return err },
		"Navigate": func(ctx context.Context, p *engine.Page) error {
			_, err := p.Navigate(ctx, "about:blank", nil)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			test := func(t *testing.T, page *engine.Page) {
				if name == "WaitFor" {
					if _, err := page.Do(t.Context(), engine.Action{Selector: "button"}, nil); err != nil {
						t.Fatal(err)
					}
				} else if err := page.Input(t.Context(), driver.MouseDown{At: driver.Point{X: 1, Y: 1}, Button: driver.Left, Clicks: 1}, driver.MouseUp{At: driver.Point{X: 1, Y: 1}, Button: driver.Left, Clicks: 1}); err != nil { // pages nobody has touched may be left
					t.Fatal(err)
				}
				if err := call(t.Context(), page); !errors.Is(err, driver.ErrDialog) || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s = %v, want ErrDialog", name, err)
				}
			}
			onEach(t, memory, stay, silent, test)
		})
	}
}
