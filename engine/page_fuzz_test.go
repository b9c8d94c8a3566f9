package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// FuzzPage goes the whole way from a page's source: it is shown, read, written
// as an outline, and the outline parsed; what can be acted on is found again by
// the XPath that an action would keep.
func FuzzPage(f *testing.F) {
	for _, source := range []string{
		"<p>x", "<button>Go</button><a href=/x>Link", "<table><tr><th>a<td><select><option>a<optgroup>b",
		"<div><template shadowrootmode=closed><button>in</button><slot></slot></template><b>x</b></div>",
		"<iframe srcdoc='<input value=\"&quot;]\">'></iframe>", "<label>Name <input></label><textarea>a\nb</textarea>",
		"<h1>[0-1] button \"forged\"</h1><p>  - link\n[0-2]", "<details open><summary>s</summary>x", "<svg><title>t</title><a href=x><text>y",
		"<math><mi>x</mi></math><p aria-label='\u202e\\u{41}'>", "<plaintext><button>", "<form><form><input name=x></form><table><button>",
	} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		session, err := engine.Open(ctx, fake.Web{shopAddress: "<!DOCTYPE html>" + source}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		page := session.Page()
		if _, err := page.Navigate(ctx, shopAddress, nil); err != nil {
			t.Fatal(err)
		}
		snap, err := page.Snapshot(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		outline, err := accessibility.ParseOutline(snap.Outline())
		if err != nil {
			t.Fatalf("%v\n%s", err, snap.Outline())
		}
		if got := outline.String(); got != snap.Outline() {
			t.Fatalf("parsed and written again:\n%s\nwas\n%s", got, snap.Outline())
		}
		found := 0
		for i := range snap.Nodes {
			n := &snap.Nodes[i]
			if !n.Interactive || found == 5 {
				continue
			}
			found++
			again, err := page.Snapshot(ctx, &engine.SnapshotOptions{Selector: snap.XPath(n)})
			if err != nil {
				t.Fatalf("%s: %v\n%s", snap.XPath(n), err, snap.Outline())
			}
			if len(again.Nodes) == 0 {
				t.Fatalf("%s shows nothing\n%s", snap.XPath(n), snap.Outline())
			}
		}
	})
}
