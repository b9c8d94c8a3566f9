package wayfindertest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

var _ = wayfindertest.UpdateFlag()

var shop = fake.New(fake.Options{
	Web: fake.Web{
		"https://shop.test/": `<!doctype html><title>Shop</title><h1>Teapots</h1><p id=stock>…</p>
			<form action=/order><label>Name <input name=name></label><button>Order</button></form><a href=/help target=_blank>Help</a>`,
		"https://shop.test/order": `<!doctype html><title>Thank you</title><h1>Thank you</h1>`,
		"https://shop.test/help":  `<!doctype html><title>Help</title><p>Call us.`,
	},
	Scripts: map[string]func(*fake.Document){"https://shop.test/": func(d *fake.Document) {
		d.After(50*time.Millisecond, func() { d.Find("#stock").SetText("3 in stock") })
	}},
})

// order is a run that fills, clicks, opens a page and fails once.
func order(t *testing.T, d driver.Driver) (*engine.Session, *llmtest.Script) {
	t.Helper()
	model := llmtest.NewScript(t,
		choice("type ann", "textbox: Name", "fill", "ann"),
		choice("open the help", "link: Help", "click"),
		choice("click Order", "button: Order", "click"))
	session, err := engine.Open(t.Context(), d, &engine.Options{Model: model})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	page, ctx := session.Page(), t.Context()
	if _, err := page.Navigate(ctx, "https://shop.test/", nil); err != nil {
		t.Fatal(err)
	}
	for _, instruction := range []string{"type ann into the name", "open the help", "click Order"} {
		if _, err := page.Act(ctx, instruction, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := page.Do(ctx, engine.Action{Selector: "#none"}, nil); err == nil {
		t.Fatal("Do on nothing succeeded")
	}
	return session, model
}

func choice(instruction, words, method string, args ...string) llmtest.Step {
	if args == nil {
		args = []string{}
	}
	return llmtest.Step{Instruction: instruction, Answer: func(req *llm.Request) any {
		return map[string]any{"found": true, "ref": llmtest.Ref(req, words), "method": method, "arguments": args,
			"description": instruction, "reason": "", "more": false}
	}}
}

// The files hold what a session did; on the virtual clock too.
func TestGolden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		session, model := order(t, shop)
		wayfindertest.Trajectory(t, session, "testdata/order.trajectory", model.Requests()...)
		page := session.Pages()[0]
		wayfindertest.Outline(t, page, "testdata/thanks.outline")
		if _, err := page.Back(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		wayfindertest.Outline(t, page, "testdata/shop.outline")
		session.Close()
	})
}

// A failing is a test that notes its errors.
type failing struct {
	testing.TB
	said string
}

func (f *failing) Helper()                  {}
func (f *failing) Context() context.Context { return f.TB.Context() }
func (f *failing) Errorf(format string, args ...any) {
	f.said += fmt.Sprintf(format, args...)
}

// What is another than the file fails with the difference; a missing file with
// how it is written.
func TestGoldenDifference(t *testing.T) {
	session, _ := order(t, shop)
	path := filepath.Join(t.TempDir(), "sub", "x.outline")
	said := func(update string) string {
		t.Setenv("WAYFINDER_UPDATE", update)
		f := &failing{TB: t}
		wayfindertest.Outline(f, session.Pages()[0], path)
		return f.said
	}
	if got := said("0"); !strings.Contains(got, "WAYFINDER_UPDATE=1") || !strings.Contains(got, "heading: Thank you") {
		t.Errorf("without a file: %q", got)
	}
	if got := said("1"); got != "" {
		t.Errorf("writing the file: %q", got)
	}
	if got := said("0"); got != "" {
		t.Errorf("with the file: %q", got)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "Thank you", "Sorry", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := said("0"); !strings.Contains(got, "\n-") || !strings.Contains(got, "Sorry") || !strings.Contains(got, "--- "+path+"\n+++ now\n@@ -") {
		t.Errorf("with another file: %q", got)
	}
}

// The same run gives the same bytes, a thousand times, on the engine whole.
func TestTrajectoriesAreDeterministic(t *testing.T) {
	runs := 1000
	if testing.Short() || raceDetector {
		runs = 50
	}
	var first string
	for i := range runs {
		synctest.Test(t, func(t *testing.T) {
			session, model := order(t, shop)
			snap, err := session.Pages()[0].Snapshot(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			// Refs and hashes of whole requests included: nothing is made equal here.
			text := wayfindertest.TrajectoryText(session, model.Requests()...) + snap.Outline()
			for _, req := range model.Requests() {
				text += llmtest.Show(req)
			}
			if first == "" {
				first = text
			}
			if text != first {
				t.Fatalf("run %d differs:\n%s\nwant\n%s", i+1, text, first)
			}
			session.Close()
		})
	}
}
