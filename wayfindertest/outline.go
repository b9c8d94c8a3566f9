package wayfindertest

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// Outline holds the page's outline, as a model would get it, against a file.
// The page is waited for until it is quiet.
func Outline(t testing.TB, page *engine.Page, path string) {
	t.Helper()
	snap, err := page.Snapshot(t.Context(), nil)
	if err != nil {
		t.Errorf("wayfindertest: %v", err)
		return
	}
	golden(t, path, plainOutline(snap.Outline()))
}
