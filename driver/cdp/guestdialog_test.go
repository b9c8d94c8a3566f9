package cdp

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// hear waits for the next event of a name.
func (v *visitor) hear(method string) reply {
	v.t.Helper()
	for {
		for i, r := range v.queue {
			if r.Method == method {
				v.queue = append(v.queue[:i:i], v.queue[i+1:]...)
				return r
			}
		}
		select {
		case r := <-v.heard:
			v.queue = append(v.queue, r)
		case <-time.After(30 * time.Second):
			v.t.Fatalf("no %s", method)
		}
	}
}

// enter admits a client to the page's browser that is attached to it.
func enter(t *testing.T, b driver.Browser) (v *visitor, session string) {
	t.Helper()
	v = admit(t, b)
	v.must("", "Target.setAutoAttach", everything)
	session, _ = v.attached()
	return v, session
}

// ask has the page ask, and returns what waits for the answer.
func ask(t *testing.T, p *page) *conn.Call {
	t.Helper()
	calls, err := p.session.Start(t.Context(), untyped("Runtime.evaluate").With(map[string]any{"expression": "confirm('sure?')"}))
	if err != nil {
		t.Fatal(err)
	}
	return calls[0]
}

func confirmed(t *testing.T, c *conn.Call) bool {
	t.Helper()
	raw, err := c.Wait(t.Context())
	var said struct{ Result struct{ Value *bool } }
	if err == nil {
		err = json.Unmarshal(raw, &said)
	}
	if err != nil || said.Result.Value == nil {
		t.Fatalf("confirm = %s, %v", raw, err)
	}
	return *said.Result.Value
}

// TestGuestAnswersDialogs: a dialog is of the client that was told of it, and nobody else answers.
func TestGuestAnswersDialogs(t *testing.T) {
	for _, accept := range []bool{true, false} {
		b := testBrowser(t)
		p := b.Pages()[0].(*page)
		r := recording(t, b)
		p.OnDialog(func(d driver.Dialog) driver.DialogAnswer {
			t.Errorf("the engine was asked %+v", d)
			return driver.DialogAnswer{Accept: !accept}
		})
		_, silent := enter(t, b) // a client that listens to no page
		v, session := enter(t, b)
		if silent == session {
			t.Fatal("two clients have one session")
		}
		v.must(session, "Page.enable", `{}`)
		for range 3 {
			asked := ask(t, p)
			await[driver.DialogOpened](t, r, nil)
			v.hear("Page.javascriptDialogOpening")
			v.must(session, "Page.handleJavaScriptDialog", map[bool]string{true: `{"accept":true}`, false: `{"accept":false}`}[accept])
			if got := confirmed(t, asked); got != accept {
				t.Errorf("confirm = %t, the client said %t", got, accept)
			}
			if closed := await[driver.DialogClosed](t, r, nil); closed.Answer.Accept != accept {
				t.Errorf("closed by %+v", closed.Answer)
			}
			r.mark()
		}
	}
}

// TestGuestWithoutPage: who has not enabled Page, or has disabled it, is told of no
// dialog, which is answered as ever.
func TestGuestWithoutPage(t *testing.T) {
	b := testBrowser(t)
	p := b.Pages()[0].(*page)
	p.OnDialog(func(driver.Dialog) driver.DialogAnswer { return driver.DialogAnswer{Accept: true} })
	v, session := enter(t, b)
	if !confirmed(t, ask(t, p)) {
		t.Error("dismissed before Page was enabled")
	}
	v.must(session, "Page.enable", `{}`)
	v.must(session, "Page.disable", `{}`)
	if !confirmed(t, ask(t, p)) {
		t.Error("dismissed after Page was disabled")
	}
	other := admit(t, testBrowser(t)) // a client of another browser in the same Chrome
	other.must("", "Target.setAutoAttach", everything)
	theirs, _ := other.attached()
	other.must(theirs, "Page.enable", `{}`)
	if !confirmed(t, ask(t, p)) {
		t.Error("dismissed while a client was with another browser")
	}
}

// TestGuestLeavesDialog: a dialog that a client leaves open is answered as ever,
// once no other client has it.
func TestGuestLeavesDialog(t *testing.T) {
	for name, leave := range map[string]func(v *visitor, session string){
		"close": func(v *visitor, _ string) { v.Close() },
		"disable": func(v *visitor, session string) {
			if err := v.Command([]byte(`{"id":1000,"method":"Page.disable","sessionId":"` + session + `"}`)); err != nil {
				v.t.Error(err)
			}
		},
		"detach": func(v *visitor, session string) {
			v.must("", "Target.detachFromTarget", `{"sessionId":"`+session+`"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := testBrowser(t)
			p := b.Pages()[0].(*page)
			questions := make(chan driver.Dialog, 1)
			p.OnDialog(func(d driver.Dialog) driver.DialogAnswer { questions <- d; return driver.DialogAnswer{Accept: true} })
			first, a := enter(t, b)
			last, z := enter(t, b)
			first.must(a, "Page.enable", `{}`)
			last.must(z, "Page.enable", `{}`)
			asked := ask(t, p)
			first.hear("Page.javascriptDialogOpening")
			last.hear("Page.javascriptDialogOpening")
			leave(first, a)
			last.must("", "Browser.getVersion", `{}`) // Chrome has heard of the leaving
			select {
			case <-questions:
				t.Error("the engine was asked while a client had the dialog")
			default:
			}
			leave(last, z)
			if !confirmed(t, asked) || len(questions) != 1 {
				t.Errorf("the engine was asked %d times", len(questions))
			}
		})
	}
}
