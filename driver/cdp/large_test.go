package cdp

import (
	"context"
	"errors"
	"flag"
	"os"
	"runtime"
	"testing"

	"github.com/mafredri/cdp/protocol/domsnapshot"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/snapshot"
)

var rerecord = flag.Bool("record", false, "write internal/snapshot/testdata/snapshot.json anew from the installed Chrome")

// The recorded reply and what the installed Chrome says agree where it matters.
func TestRecordedSnapshot(t *testing.T) {
	html, err := os.ReadFile("internal/snapshot/testdata/snapshot.html")
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, string(html))
	drawn(t, p)
	raw, err := protocol.DOMSnapshotCaptureSnapshot.Do(t.Context(), p.session, domsnapshot.CaptureSnapshotArgs{ComputedStyles: snapshot.ComputedStyles[:]})
	if err != nil {
		t.Fatal(err)
	}
	if *rerecord {
		if err := os.WriteFile("internal/snapshot/testdata/snapshot.json", raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	now, err := snapshot.Decode(raw, 1)
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := os.ReadFile("internal/snapshot/testdata/snapshot.json")
	if err != nil {
		t.Fatal(err)
	}
	was, err := snapshot.Decode(recorded, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(now.Docs) != len(was.Docs) {
		t.Fatalf("%d documents, recorded %d", len(now.Docs), len(was.Docs))
	}
	for i := range was.Docs {
		a, b := was.Docs[i].Nodes, now.Docs[i].Nodes
		if len(a) != len(b) {
			t.Fatalf("document %d: %d nodes, recorded %d", i, len(b), len(a))
		}
		for j := range a {
			x, y := a[j], b[j]
			if x.Name != y.Name || x.Text != y.Text || x.Shown != y.Shown || x.Parent != y.Parent || x.Kind != y.Kind || x.Shadow != y.Shadow ||
				x.Value != y.Value || x.Rendered != y.Rendered || x.Clickable != y.Clickable {
				t.Errorf("document %d, node %d: %+v, recorded %+v", i, j, y, x)
			}
		}
	}
}

// The whole of a page of 50,000 elements, in memory that a small machine has.
func TestCaptureLarge(t *testing.T) {
	const elements = 50000
	ctx, cancel := context.WithTimeout(t.Context(), 4*conn.CommandLimit) // for a busy machine
	defer cancel()
	p := testBrowser(t).Pages()[0].(*page)
	if _, err := p.Navigate(ctx, site{"/": largePage(elements)}.serve(t)+"/", nil); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c, err := p.Capture(ctx)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Documents {
		checkDocument(t, c, int32(i))
	}
	d := &c.Documents[0]
	count := 0
	for i := range d.Nodes {
		if d.Nodes[i].Kind == driver.ElementNode {
			count++
		}
	}
	if count < elements {
		t.Errorf("%d elements, want at least %d", count, elements)
	}
	// All that was asked of the system for the capture, dead or alive.
	if grown := after.Sys - min(before.Sys, after.Sys); grown > 100<<20 {
		t.Errorf("the capture took %d MB", grown>>20)
	}
	if allocs := after.Mallocs - before.Mallocs; allocs > elements {
		t.Errorf("%d allocations for %d elements: one for each is too many", allocs, elements)
	}
	t.Logf("%d nodes, %d allocations, %d MB allocated in all, %d MB more of the system", len(d.Nodes), after.Mallocs-before.Mallocs,
		(after.TotalAlloc-before.TotalAlloc)>>20, (after.Sys-min(before.Sys, after.Sys))>>20)
	last := d.Ref(byID(t, d, "b4166"))
	if l := locateNode(t, p, last, true); !l.Reached || !l.InView {
		t.Errorf("the last button: %+v", l)
	}
}

// A click on a node of the page before must never become a click on one of
// this page.
func TestStaleClick(t *testing.T) {
	pages := site{
		"/one": `<!doctype html><title>one</title><button id=b>one</button>`,
		"/two": `<!doctype html><title>two</title><button id=b onclick="document.title='wrong'">two</button>`,
	}
	at := pages.serve(t)
	p := visit(t, at+"/one")
	old := ref(t, p, "b")
	goTo(t, p, at+"/two")
	for _, node := range []driver.NodeRef{old, {Frame: old.Frame, Doc: p.Frames()[0].Doc, Node: old.Node}} {
		l, err := p.Locate(t.Context(), node, &driver.LocateOptions{Scroll: true})
		if err == nil {
			// The number may be that of another node here; then it is that one.
			if node.Doc == old.Doc {
				t.Errorf("an old id was located: %+v", l)
			}
			continue
		}
		if !errors.Is(err, driver.ErrStale) {
			t.Errorf("%v, want ErrStale", err)
		}
	}
	if got := inMain(t, p, "document.title"); got != "two" {
		t.Errorf("title %q", got)
	}
}
