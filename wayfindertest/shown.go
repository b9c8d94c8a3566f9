package wayfindertest

import (
	"context"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// patience is how long an assertion waits for the page.
const patience = 5 * time.Second

// Shown waits until the page shows an element that a selector or a locator names, as
// `role=button[name="Pay"]`. If it does not within five seconds, the test fails with
// the page's outline.
func Shown[S ~string](t testing.TB, page *engine.Page, selector S) {
	t.Helper()
	becomes(t, page, engine.ElementShown(selector))
}

// Gone waits until the page shows no such element, and fails like [Shown].
func Gone[S ~string](t testing.TB, page *engine.Page, selector S) {
	t.Helper()
	becomes(t, page, engine.ElementGone(selector))
}

// Value waits until the one field that a selector or a locator names holds a value: the
// text in it, or the label of the option that is chosen. It fails like [Shown], and at
// once where several are named.
func Value[S ~string](t testing.TB, page *engine.Page, selector S, value string) {
	t.Helper()
	becomes(t, page, engine.ValueIs{Selector: string(selector), Value: value})
}

func becomes(t testing.TB, page *engine.Page, c engine.Condition) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := page.WaitFor(ctx, c)
	if err == nil {
		return
	}
	snap, lost := page.Snapshot(t.Context(), nil)
	if lost != nil {
		t.Errorf("wayfindertest: %v; the page cannot be read: %v", err, lost)
		return
	}
	t.Errorf("wayfindertest: %v; the page is\n%s", err, snap.Outline())
}
